package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.io.InvalidTableException;
import dev.calve.io.RequestLog.Request;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScanPlannerTest {

    private static ScanPlan plan(CommitFixture table, Expression filter) {
        return new ScanPlanner(table.storage, table.metadata(), table.head()).plan(filter);
    }

    private static String name(String path) {
        return path.replaceAll(".*/", "");
    }

    /** Names of the deletes of each data file, by its name. */
    private static Map<String, List<String>> deletes(ScanPlan plan) {
        return plan.tasks().stream()
                .collect(Collectors.toMap(
                        task -> name(task.file().path()),
                        task -> task.deletes().stream()
                                .map(entry -> name(entry.file().path()))
                                .toList()));
    }

    private static Expression partIs(Type type, Object value) {
        return Expressions.equal(new Expression.Column(CommitFixture.PART, type, false), value);
    }

    @Test
    void listsLiveFilesOnlyInTheOrderOfTheManifests() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a").build();
        table.append(a, table.dataFile("b").build());
        table.append(table.dataFile("c").build());
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(plan(table, Expression.Constant.TRUE).tasks().stream()
                        .map(task -> name(task.file().path())))
                .containsExactly("c", "b");
    }

    @Test
    void opensNoManifestThatCannotMatch() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        for (int part = 0; part < 4; part++) {
            var file = table.dataFile("f" + part).in(part).build();
            table.append(file);
            table.change(Operation.DELETE)
                    .delete(table.vector("v" + part, file))
                    .commit();
        }
        ScanPlan plan = plan(table, partIs(Type.Simple.INT, 2));
        assertThat(deletes(plan)).isEqualTo(Map.of("f2", List.of("v2")));
        assertThat(plan.readDataManifests()).isEqualTo(1);
        assertThat(plan.prunedDataManifests()).isEqualTo(3);
        assertThat(plan.readDeleteManifests()).isEqualTo(1);
        assertThat(plan.prunedDeleteManifests()).isEqualTo(3);
        assertThat(plan.tasks().get(0).everyRowMatches()).isTrue();
    }

    /** A filter on columns must not drop deletes: their metrics speak of paths and positions. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void keepsEveryDeleteOfAFileThatIsRead(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var a = table.dataFile("a").in(1).ids(1, 100).build();
        var b = table.dataFile("b").in(2).ids(200, 300).build();
        table.append(a, b);
        if (version == 3) {
            table.change(Operation.DELETE)
                    .delete(table.vector("v", a))
                    .delete(table.vector("w", b))
                    .commit();
        } else {
            table.change(Operation.DELETE)
                    .delete(table.positions("v", a))
                    .delete(table.positions("w", b))
                    .commit();
        }
        ScanPlan plan = plan(table, CommitFixture.idAtMost(50));
        assertThat(deletes(plan)).isEqualTo(Map.of("a", List.of("v")));
        assertThat(plan.prunedDataFiles()).isEqualTo(1);
        assertThat(plan.tasks().get(0).everyRowMatches()).isFalse();
    }

    /** Equality deletes of an unpartitioned spec apply to partitions of other specs, whatever the filter says of them. */
    @Test
    void keepsGlobalEqualityDeletesUnderAPartitionFilter() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a").in(1).build();
        table.append(a);
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
        table.change(Operation.DELETE).delete(table.equality("global", 1)).commit();
        assertThat(deletes(plan(table, partIs(Type.Simple.INT, 1)))).isEqualTo(Map.of("a", List.of("global")));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsDeletesInPartitionsOfNaNAndNull(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, version);
        var nan = table.dataFile("nan").in(Double.NaN).build();
        var none = table.dataFile("none").in((Object) null).build();
        table.append(nan, none, table.dataFile("one").in(1.0).build());
        table.change(Operation.DELETE)
                .delete(version == 3 ? table.vector("in-nan", nan) : table.positionsIn("in-nan", nan))
                .commit();
        table.change(Operation.DELETE)
                .delete(version == 3 ? table.vector("in-none", none) : table.positionsIn("in-none", none))
                .commit();
        var column = new Expression.Column(CommitFixture.PART, Type.Simple.DOUBLE, false);
        assertThat(deletes(plan(table, Expressions.isNaN(column)))).isEqualTo(Map.of("nan", List.of("in-nan")));
        assertThat(deletes(plan(table, Expressions.isNull(column)))).isEqualTo(Map.of("none", List.of("in-none")));
        assertThat(deletes(plan(table, Expression.Constant.TRUE)))
                .isEqualTo(Map.of("nan", List.of("in-nan"), "none", List.of("in-none"), "one", List.of()));
    }

    /** B05: deletes carry the spec of their data file, and both are found after the table's spec changed. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsDeletesOfFilesOfAnOlderSpec(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var old = table.dataFile("old").in(1).build();
        table.append(old);
        table.evolve(
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        1, List.of(PartitionField.of(CommitFixture.ID, 1001, "b", new Transform.Bucket(4))))),
                new MetadataUpdate.SetDefaultSpec(-1));
        var fresh = table.dataFile("new").in(3).build();
        table.append(fresh);
        table.change(Operation.DELETE)
                .delete(version == 3 ? table.vector("of-old", old) : table.positionsIn("of-old", old))
                .delete(version == 3 ? table.vector("of-new", fresh) : table.positionsIn("of-new", fresh))
                .commit();
        assertThat(deletes(plan(table, Expression.Constant.TRUE)))
                .isEqualTo(Map.of("old", List.of("of-old"), "new", List.of("of-new")));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsDeletesWrittenAfterTheSourceOfAPartitionWasPromoted(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var a = table.dataFile("a").in(1).build();
        table.append(a);
        table.evolve(
                new MetadataUpdate.AddSchema(
                        new Schema(
                                1,
                                List.of(
                                        Field.required(1, "id", Type.Simple.LONG),
                                        Field.optional(2, "part", Type.Simple.LONG))),
                        2),
                new MetadataUpdate.SetCurrentSchema(-1));
        table.change(Operation.DELETE)
                .delete(version == 3 ? table.vector("d", a) : table.positionsIn("d", a))
                .commit();
        for (Expression filter : List.of(Expression.Constant.TRUE, partIs(Type.Simple.LONG, 1L))) {
            assertThat(deletes(plan(table, filter))).isEqualTo(Map.of("a", List.of("d")));
        }
    }

    /** A query that looks back at a snapshot is bound to the schema of that time. */
    @Test
    void plansByAColumnThatWasPromotedSince() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        table.append(
                table.dataFile("a").in(1).build(), table.dataFile("b").in(2).build());
        table.evolve(
                new MetadataUpdate.AddSchema(
                        new Schema(
                                1,
                                List.of(
                                        Field.required(1, "id", Type.Simple.LONG),
                                        Field.optional(2, "part", Type.Simple.LONG))),
                        2),
                new MetadataUpdate.SetCurrentSchema(-1));
        table.append(
                table.dataFile("c").in(2L).build(), table.dataFile("d").in(3L).build());
        for (Expression filter : List.of(partIs(Type.Simple.INT, 2), partIs(Type.Simple.LONG, 2L))) {
            assertThat(deletes(plan(table, filter)).keySet()).isEqualTo(Set.of("b", "c"));
        }
    }

    @Test
    void keepsNoStatisticsButThoseAskedFor() {
        var table = CommitFixture.unpartitioned(3);
        table.append(table.dataFile("a").ids(1, 100).records(100).build());
        var planner = new ScanPlanner(table.storage, table.metadata(), table.head());
        Expression filter = CommitFixture.idAtMost(200);
        assertThat(planner.plan(filter).tasks().get(0).file().metrics().lowerBounds())
                .containsKey(CommitFixture.ID);
        FileTask slim = planner.planToRead(filter, Set.of()).tasks().get(0);
        assertThat(slim.file().metrics()).isEqualTo(Metrics.ofCount(100));
        assertThat(slim.everyRowMatches()).isTrue();
        assertThat(slim.seenDeletes()).isEmpty();
        FileTask asked =
                planner.planToRead(filter, Set.of(CommitFixture.ID)).tasks().get(0);
        assertThat(asked.file().metrics().lowerBounds()).containsOnlyKeys(CommitFixture.ID);
        assertThat(planner.planToRead(CommitFixture.idAtMost(0), Set.of()).tasks())
                .isEmpty();
    }

    @Test
    void namesTheManifestThatIsMissing() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a").build());
        table.append(table.dataFile("b").build());
        String manifest = table.live().manifests().get(1).path();
        deleted(table, manifest);
        assertThatThrownBy(() -> plan(table, Expression.Constant.TRUE))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(manifest);
    }

    private static void deleted(CommitFixture table, String location) {
        try {
            table.storage.delete(location);
        } catch (java.io.IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void namesTheManifestThatIsTruncated() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a").build();
        table.append(a);
        table.change(Operation.DELETE).delete(table.positions("p", a)).commit();
        for (var manifest : table.live().manifests()) {
            byte[] whole = table.storage.bytes(manifest.path());
            table.storage.put(manifest.path(), java.util.Arrays.copyOf(whole, whole.length / 2));
            assertThatThrownBy(() -> plan(table, Expression.Constant.TRUE))
                    .isInstanceOfAny(InvalidTableException.class, UncheckedIOException.class)
                    .hasMessageContaining(manifest.path());
            table.storage.put(manifest.path(), whole);
        }
    }

    @Test
    void namesTheManifestThatCannotBeRead() {
        var table = CommitFixture.unpartitioned(2);
        for (int i = 0; i < 5; i++) {
            table.append(table.dataFile("f" + i).build());
        }
        // The list is opened first.
        table.storage.requests().failOn(Request.OPEN, 3);
        assertThatThrownBy(() -> plan(table, Expression.Constant.TRUE))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("manifest memory:/t/metadata/")
                .hasMessageContaining("Injected");
    }

    @Test
    void stopsWhenInterrupted() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a").build());
        table.append(table.dataFile("b").build());
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> plan(table, Expression.Constant.TRUE))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
