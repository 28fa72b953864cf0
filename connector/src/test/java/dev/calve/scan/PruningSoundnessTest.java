package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.commit.CommitFixture;
import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.expression.RowEvaluator;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * No plan leaves out a file with a row the filter is TRUE for, and what remains to be checked is TRUE on the same rows: random
 * rows in manifests of several specs, of a column that was promoted in between, for filters of the schema before and after.
 */
class PruningSoundnessTest {

    private static final int TIMES = 60;

    private static final List<Transform> TRANSFORMS =
            List.of(Transform.IDENTITY, new Transform.Bucket(3), new Transform.Truncate(10), Transform.VOID);

    /** Rows by the path of their file: the values of {@code part}. */
    private final Map<String, List<@Nullable Long>> rows = new LinkedHashMap<>();

    @Test
    void noMatchingRowIsPruned() {
        var planned = new AtomicInteger();
        var left = new AtomicInteger();
        Randomly.check(TIMES, random -> {
            rows.clear();
            var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
            write(random, table, Type.Simple.INT);
            evolve(random, table, 1);
            write(random, table, Type.Simple.INT);
            table.evolve(
                    new MetadataUpdate.AddSchema(
                            new Schema(
                                    1,
                                    List.of(
                                            Field.required(CommitFixture.ID, "id", Type.Simple.LONG),
                                            Field.optional(CommitFixture.PART, "part", Type.Simple.LONG))),
                            2),
                    new MetadataUpdate.SetCurrentSchema(-1));
            write(random, table, Type.Simple.LONG);
            evolve(random, table, 2);
            write(random, table, Type.Simple.LONG);
            for (int i = 0; i < 4; i++) {
                Type type = random.yes() ? Type.Simple.INT : Type.Simple.LONG;
                Expression filter = filter(random, new Column(CommitFixture.PART, type, false), type, 2);
                ScanPlan plan =
                        new ScanPlanner(table.storage, table.metadata(), table.head()).planToRead(filter, Set.of());
                requireSound(filter, type, plan);
                planned.addAndGet(plan.tasks().size());
                left.addAndGet(rows.size() - plan.tasks().size());
            }
        });
        if (Long.getLong("calve.seed") == null) {
            assertThat(planned.get()).isGreaterThan(TIMES);
            assertThat(left.get()).isGreaterThan(TIMES);
        }
    }

    private void requireSound(Expression filter, Type type, ScanPlan plan) {
        var evaluator = RowEvaluator.of(filter);
        Map<String, FileTask> tasks = plan.tasks().stream()
                .collect(Collectors.toMap(task -> task.file().path(), Function.identity()));
        rows.forEach((path, values) -> {
            FileTask task = tasks.get(path);
            for (Long value : values) {
                boolean isTrue = evaluator.evaluate(id -> typed(type, value)).isTrue();
                if (task == null) {
                    assertThat(isTrue)
                            .as("%s has %s, pruned by %s", path, value, filter)
                            .isFalse();
                    continue;
                }
                boolean remains =
                        RowEvaluator.of(task.residual()).evaluate(id -> value).isTrue();
                assertThat(remains)
                        .as("%s has %s, %s of %s", path, value, task.residual(), filter)
                        .isEqualTo(isTrue);
                assertThat(isTrue || !task.everyRowMatches()).isTrue();
            }
        });
    }

    private static @Nullable Object typed(Type type, @Nullable Long value) {
        return value == null || type == Type.Simple.LONG ? value : (Object) Math.toIntExact(value);
    }

    private static void evolve(Randomly random, CommitFixture table, int specId) {
        var fields = new ArrayList<PartitionField>();
        for (int i = random.intBelow(3); i > 0; i--) {
            Transform transform = random.oneOf(TRANSFORMS);
            fields.add(PartitionField.of(CommitFixture.PART, 1000 + specId * 10 + i, "p" + specId + i, transform));
        }
        table.evolve(
                new MetadataUpdate.AddSpec(new PartitionSpec(specId, fields)), new MetadataUpdate.SetDefaultSpec(-1));
    }

    private void write(Randomly random, CommitFixture table, Type type) {
        for (int manifest = random.intBetween(1, 2); manifest > 0; manifest--) {
            var values = new ArrayList<@Nullable Long>();
            for (int i = random.intBetween(1, 6); i > 0; i--) {
                values.add(random.intBelow(6) == 0 ? null : (Long) (long) random.intBetween(-15, 25));
            }
            PartitionSpec spec = table.metadata().spec();
            Map<PartitionTuple, List<@Nullable Long>> byTuple = new LinkedHashMap<>();
            for (Long value : values) {
                var tuple = spec.fields().stream()
                        .map(field -> Transforms.apply(field.transform(), type, typed(type, value)))
                        .toArray();
                byTuple.computeIfAbsent(PartitionTuple.of(tuple), key -> new ArrayList<>())
                        .add(value);
            }
            var files = new ArrayList<DataFile>();
            byTuple.forEach((tuple, part) -> {
                String path = "memory:/t/data/f" + rows.size();
                rows.put(path, part);
                files.add(file(path, spec.id(), tuple, metrics(random, type, part)));
            });
            table.append(files.toArray(DataFile[]::new));
        }
    }

    /** As the type was when the file was written; some writers leave some out. */
    private static Metrics metrics(Randomly random, Type type, List<@Nullable Long> values) {
        Map<Integer, Bytes> lower = new HashMap<>();
        Map<Integer, Bytes> upper = new HashMap<>();
        List<Long> present =
                values.stream().filter(value -> value != null).sorted().toList();
        if (!present.isEmpty() && random.intBelow(4) > 0) {
            lower.put(CommitFixture.PART, bound(type, present.get(0)));
            upper.put(CommitFixture.PART, bound(type, present.get(present.size() - 1)));
        }
        boolean counted = random.intBelow(4) > 0;
        long nulls = (long) values.size() - present.size();
        return new Metrics(
                values.size(),
                Map.of(),
                counted ? Map.of(CommitFixture.PART, (long) values.size()) : Map.of(),
                counted ? Map.of(CommitFixture.PART, nulls) : Map.of(),
                Map.of(),
                lower,
                upper);
    }

    private static Bytes bound(Type type, Long value) {
        return ValueCodec.encode(type, type == Type.Simple.INT ? (Object) Math.toIntExact(value) : value);
    }

    private static DataFile file(String path, int specId, PartitionTuple tuple, Metrics metrics) {
        return new DataFile(
                new ContentFile.Common(
                        path,
                        FileFormat.PARQUET,
                        specId,
                        tuple,
                        metrics,
                        100,
                        List.of(),
                        OptionalInt.empty(),
                        Optional.empty()),
                OptionalLong.empty());
    }

    private static Expression filter(Randomly random, Column column, Type type, int depth) {
        Expression inner = depth == 0 || random.intBelow(3) == 0
                ? leaf(random, column, type)
                : random.yes()
                        ? Expressions.and(
                                filter(random, column, type, depth - 1), filter(random, column, type, depth - 1))
                        : Expressions.or(
                                filter(random, column, type, depth - 1), filter(random, column, type, depth - 1));
        return random.intBelow(4) == 0 ? Expressions.not(inner) : inner;
    }

    private static Expression leaf(Randomly random, Column column, Type type) {
        Object literal = value(random, type);
        return switch (random.intBelow(5)) {
            case 0 -> Expressions.isNull(column);
            case 1 -> Expressions.in(column, List.of(literal, value(random, type), value(random, type)));
            case 2 -> Expressions.equal(Expressions.transformed(column, new Transform.Bucket(3)), random.intBelow(3));
            default -> Expressions.comparison(column, random.oneOf(Operator.values()), literal);
        };
    }

    private static Object value(Randomly random, Type type) {
        int number = random.intBetween(-18, 28);
        return type == Type.Simple.INT ? (Object) number : (Object) (long) number;
    }
}
