package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionFilterTest {

    private static final int TIMES = 2_000;

    private static PartitionTuple partition(PartitionSpec spec, Map<Integer, Object> row) {
        return PartitionTuple.of(spec.fields().stream()
                .map(field -> Transforms.apply(
                        field.transform(),
                        Samples.SCHEMA.field(field.sourceId()).orElseThrow().type(),
                        row.get(field.sourceId())))
                .toArray());
    }

    @Test
    void everyRowOfThePartitionsMatchesAndIfExactNoOther() {
        var exact = new AtomicInteger();
        var excluded = new AtomicInteger();
        Randomly.check(TIMES, random -> {
            var samples = new Samples(random);
            PartitionSpec spec = samples.spec();
            if (spec.fields().stream().anyMatch(field -> field.transform() instanceof Transform.Unknown)) {
                return;
            }
            Set<PartitionTuple> partitions = new HashSet<>();
            samples.rows(4).forEach(row -> partitions.add(partition(spec, row)));
            PartitionFilter filter = PartitionFilter.of(Samples.SCHEMA, spec, partitions);
            exact.addAndGet(filter.exact() ? 1 : 0);
            var evaluator = RowEvaluator.of(filter.expression());
            for (Map<Integer, Object> row : samples.rows(8)) {
                boolean isIn = partitions.contains(partition(spec, row));
                boolean matches = evaluator.evaluate(row::get).isTrue();
                excluded.addAndGet(matches ? 0 : 1);
                assertThat(matches || !isIn)
                        .as("row %s of %s must match %s", row, partitions, filter)
                        .isTrue();
                assertThat(!matches || isIn || !filter.exact())
                        .as("row %s outside of %s must not match %s", row, partitions, filter)
                        .isTrue();
            }
        });
        assertThat(exact.get()).isGreaterThan(TIMES / 20);
        assertThat(excluded.get()).isGreaterThan(TIMES / 2);
    }

    @Test
    void ofManyPartitionsTheLeastAndTheGreatestAreAskedFor() {
        var spec = new PartitionSpec(0, List.of(PartitionField.of(1, 1000, "p", Transform.IDENTITY)));
        List<PartitionTuple> many = new ArrayList<>();
        IntStream.range(0, 1_000).forEach(value -> many.add(PartitionTuple.of(2 * value)));
        PartitionFilter filter = PartitionFilter.of(Samples.SCHEMA, spec, many);
        assertThat(filter.exact()).isFalse();
        var evaluator = RowEvaluator.of(filter.expression());
        for (int value : new int[] {0, 1, 998, 1_998}) {
            assertThat(evaluator.evaluate(id -> value).isTrue()).isTrue();
        }
        for (int value : new int[] {-1, 1_999}) {
            assertThat(evaluator.evaluate(id -> value).isTrue()).isFalse();
        }
        many.add(PartitionTuple.of((Object) null));
        assertThat(RowEvaluator.of(
                                PartitionFilter.of(Samples.SCHEMA, spec, many).expression())
                        .evaluate(id -> null)
                        .isTrue())
                .isTrue();
    }
}
