package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nothing concluded without reading rows contradicts the rows, for random rows, specs and expressions. */
class SoundnessTest {

    private static final int TIMES = 2_500;

    @Test
    void rowsAreWhatSqlSaysTheyAre() {
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            Samples.Case sample = samples.expression(samples.spec(), 3);
            var evaluator = RowEvaluator.of(sample.expression());
            for (Map<Integer, Object> row : samples.rows(6)) {
                Truth truth = evaluator.evaluate(row::get);
                Truth expected = sample.oracle().on(row::get);
                require(truth == expected, "truth of", sample.expression(), row, expected);
            }
        });
    }

    @Test
    void negationNormalFormKeepsTruth() {
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            Samples.Case sample = samples.expression(samples.spec(), 3);
            Expression normal = Expressions.negationNormal(sample.expression());
            var evaluator = RowEvaluator.of(normal);
            for (Map<Integer, Object> row : samples.rows(6)) {
                Truth expected = sample.oracle().on(row::get);
                require(evaluator.evaluate(row::get) == expected, "truth of normal form", normal, row, expected);
            }
        });
    }

    @Test
    void codecLosesNothing() {
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            PartitionSpec spec = samples.spec();
            Expression expression = samples.expression(spec, 3).expression();
            for (Expression each :
                    List.of(expression, Projection.inclusive(spec, expression), Projection.strict(spec, expression))) {
                assertThat(ExpressionCodec.fromBytes(ExpressionCodec.toBytes(each)))
                        .isEqualTo(each);
            }
        });
    }

    @Test
    void projectionsAndManifestSummariesNeverContradictRows() {
        var excluded = new AtomicInteger();
        var proven = new AtomicInteger();
        var pruned = new AtomicInteger();
        var exact = new AtomicInteger();
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            PartitionSpec spec = samples.spec();
            Samples.Case sample = samples.expression(spec, 2);
            Expression inclusive = Projection.inclusive(spec, sample.expression());
            boolean isExact = Projection.isExact(spec, sample.expression());
            exact.addAndGet(isExact ? 1 : 0);
            var possible = new PartitionMatcher(spec, inclusive);
            var certain = new PartitionMatcher(spec, Projection.strict(spec, sample.expression()));
            boolean anyTrue = false;
            var partitions = partitions(samples, spec, samples.rows(5));
            for (var partition : partitions.entrySet()) {
                boolean may = possible.matches(partition.getKey());
                boolean must = certain.matches(partition.getKey());
                excluded.addAndGet(may ? 0 : 1);
                proven.addAndGet(must ? 1 : 0);
                require(!isExact || may == must, "exact projection", sample.expression(), partition, spec);
                for (Map<Integer, Object> row : partition.getValue()) {
                    boolean isTrue = sample.oracle().on(row::get).isTrue();
                    anyTrue |= isTrue;
                    require(may || !isTrue, "inclusive projection", inclusive, sample.expression(), partition, spec);
                    require(!must || isTrue, "strict projection", sample.expression(), partition, spec);
                }
            }
            var summaries = samples.summaries(spec, List.copyOf(partitions.keySet()));
            boolean mightMatch =
                    new ManifestPruner(spec.partitionType(Samples.SCHEMA), inclusive).mightMatch(summaries);
            pruned.addAndGet(mightMatch ? 0 : 1);
            require(mightMatch || !anyTrue, "manifest", summaries, partitions, inclusive);
        });
        assertOften(excluded);
        assertOften(proven);
        assertOften(pruned);
        assertOften(exact);
    }

    @Test
    void metricsNeverContradictRows() {
        var pruned = new AtomicInteger();
        var proven = new AtomicInteger();
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            Samples.Case sample = samples.expression(samples.spec(), 2);
            List<Map<Integer, Object>> rows = samples.rows(4);
            Metrics metrics = samples.metrics(rows);
            var pruner = new MetricsPruner(sample.expression());
            boolean may = pruner.mightMatch(metrics);
            boolean must = pruner.mustMatch(metrics);
            pruned.addAndGet(may ? 0 : 1);
            proven.addAndGet(must ? 1 : 0);
            for (Map<Integer, Object> row : rows) {
                boolean isTrue = sample.oracle().on(row::get).isTrue();
                require(may || !isTrue, "may match", metrics, rows, sample.expression());
                require(!must || isTrue, "must match", metrics, rows, sample.expression());
            }
        });
        assertOften(pruned);
        assertOften(proven);
    }

    @Test
    void residualsAreTrueOnTheSameRows() {
        var simpler = new AtomicInteger();
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            PartitionSpec spec = samples.spec();
            Samples.Case sample = samples.expression(spec, 2);
            var residuals = Residuals.of(spec, sample.expression());
            var partitions = partitions(samples, spec, samples.rows(5));
            for (var partition : partitions.entrySet()) {
                Expression residual = residuals.residual(partition.getKey());
                simpler.addAndGet(residual instanceof Expression.Constant ? 1 : 0);
                var evaluator = RowEvaluator.of(residual);
                for (Map<Integer, Object> row : partition.getValue()) {
                    boolean isTrue = sample.oracle().on(row::get).isTrue();
                    require(
                            evaluator.evaluate(row::get).isTrue() == isTrue,
                            "residual",
                            residual,
                            sample.expression(),
                            partition,
                            spec);
                }
            }
        });
        assertOften(simpler);
    }

    private static Map<PartitionTuple, List<Map<Integer, Object>>> partitions(
            Samples samples, PartitionSpec spec, List<Map<Integer, Object>> rows) {
        var partitions = new LinkedHashMap<PartitionTuple, List<Map<Integer, Object>>>();
        for (Map<Integer, Object> row : rows) {
            partitions
                    .computeIfAbsent(samples.tuple(spec, row), tuple -> new ArrayList<>())
                    .add(row);
        }
        return partitions;
    }

    /** Formats the message only where it is needed: there are many rows. */
    private static void require(boolean holds, String claim, Object... about) {
        if (!holds) {
            throw new AssertionError(claim + ": " + Arrays.toString(about));
        }
    }

    /** A property that is never put to the test holds of nothing. */
    private static void assertOften(AtomicInteger count) {
        if (Long.getLong("calve.seed") == null) {
            assertThat(count.get()).isGreaterThan(TIMES / 20);
        }
    }
}
