package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected entries follow the keys and meanings of the rival's snapshots, a data file being 100 bytes here. */
class SnapshotSummaryTest {

    private static Map<String, String> totals(
            long dataFiles, long records, long deleteFiles, long positions, long size) {
        return Map.of(
                "total-data-files", Long.toString(dataFiles),
                "total-records", Long.toString(records),
                "total-delete-files", Long.toString(deleteFiles),
                "total-position-deletes", Long.toString(positions),
                "total-equality-deletes", "0",
                "total-files-size", Long.toString(size));
    }

    private static String manifests(int created, int kept, int replaced) {
        return created + " created, " + kept + " kept, " + replaced + " replaced";
    }

    private static void assertSummary(
            CommitFixture table, Map<String, String> totals, String manifests, String... keysAndValues) {
        assertThat(manifests(table.head().summary())).isEqualTo(manifests);
        var expected = new java.util.TreeMap<>(totals);
        expected.put("engine-name", "test");
        for (int i = 0; i < keysAndValues.length; i += 2) {
            expected.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        var actual = new java.util.TreeMap<>(table.head().summary());
        actual.putIfAbsent("engine-name", "test");
        actual.keySet().removeIf(key -> key.startsWith("manifests-"));
        assertThat(actual).isEqualTo(expected);
    }

    private static String manifests(Map<String, String> summary) {
        return summary.get("manifests-created") + " created, " + summary.get("manifests-kept") + " kept, "
                + summary.get("manifests-replaced") + " replaced";
    }

    @Test
    void countsAnAppend() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        table.append(
                table.dataFile("a.parquet").in(1).build(),
                table.dataFile("b.parquet").in(1).build(),
                table.dataFile("c.parquet").in(2).build());
        assertSummary(
                table,
                totals(3, 30, 0, 0, 300),
                manifests(1, 0, 0),
                "calve.rows-inserted",
                "30",
                "added-data-files",
                "3",
                "added-records",
                "30",
                "added-files-size",
                "300",
                "changed-partition-count",
                "2");
    }

    @Test
    void countsAVectorThatReplacesOneAndNoPositionDeleteFile() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        var first = table.vector("v.puffin", a);
        table.change(Operation.DELETE).delete(first).commit();
        assertSummary(
                table,
                totals(1, 10, 1, 2, 140),
                manifests(1, 1, 0),
                "added-delete-files",
                "1",
                "added-dvs",
                "1",
                "added-position-deletes",
                "2",
                "added-files-size",
                "40",
                "changed-partition-count",
                "1");
        table.change(Operation.DELETE)
                .delete(table.vector("w.puffin", a, 4, 3), first)
                .commit();
        assertSummary(
                table,
                totals(1, 10, 1, 3, 140),
                manifests(2, 1, 1),
                "added-delete-files",
                "1",
                "removed-delete-files",
                "1",
                "added-dvs",
                "1",
                "removed-dvs",
                "1",
                "added-position-deletes",
                "3",
                "removed-position-deletes",
                "2",
                "added-files-size",
                "40",
                "removed-files-size",
                "40",
                "changed-partition-count",
                "1");
    }

    @Test
    void countsPositionDeleteFilesOfVersionTwo() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        var first = table.positions("p.parquet", a);
        table.change(Operation.DELETE).delete(first).commit();
        table.change(Operation.DELETE)
                .delete(table.positions("q.parquet", a), first)
                .commit();
        assertSummary(
                table,
                totals(1, 10, 1, 2, 150),
                manifests(2, 1, 1),
                "added-delete-files",
                "1",
                "removed-delete-files",
                "1",
                "added-position-delete-files",
                "1",
                "removed-position-delete-files",
                "1",
                "added-position-deletes",
                "2",
                "removed-position-deletes",
                "2",
                "added-files-size",
                "50",
                "removed-files-size",
                "50",
                "changed-partition-count",
                "1");
    }

    @Test
    void countsEqualityDeletes() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a.parquet").build());
        table.change(Operation.DELETE).delete(table.equality("e.parquet", 0)).commit();
        assertThat(table.head().summary())
                .containsEntry("added-delete-files", "1")
                .containsEntry("added-equality-delete-files", "1")
                .containsEntry("added-equality-deletes", "3")
                .containsEntry("total-equality-deletes", "3")
                .doesNotContainKey("added-position-deletes");
    }

    @Test
    void countsARewriteThatDropsItsDeletes() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.change(Operation.DELETE).delete(table.vector("v.puffin", a)).commit();
        table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(table.dataFile("b.parquet").records(7).build())
                .commit();
        assertSummary(
                table,
                totals(1, 7, 0, 0, 100),
                manifests(3, 0, 2),
                "added-data-files",
                "1",
                "deleted-data-files",
                "1",
                "removed-delete-files",
                "1",
                "removed-dvs",
                "1",
                "removed-position-deletes",
                "2",
                "added-records",
                "7",
                "deleted-records",
                "10",
                "added-files-size",
                "100",
                "removed-files-size",
                "140",
                "changed-partition-count",
                "1");
    }

    /** B16: totals stay equal to a recount whatever happens. */
    @Test
    void equalsARecountOverAnySeriesOfChanges() {
        Randomly.check(10, random -> {
            int version = random.intBetween(2, 3);
            var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
            for (int step = 0; step < 12; step++) {
                randomChange(random, table, step, version);
                Snapshot head = table.head();
                table.live()
                        .recount()
                        .forEach((key, count) -> assertThat(head.summary()).containsEntry(key, Long.toString(count)));
            }
        });
    }

    private static void randomChange(Randomly random, CommitFixture table, int step, int version) {
        Optional<LiveFiles> live =
                table.metadata().currentSnapshot().isEmpty() ? Optional.empty() : Optional.of(table.live());
        List<DataFile> data = live.map(files ->
                        files.data().values().stream().map(ManifestEntry::file).toList())
                .orElse(List.of());
        if (data.isEmpty() || random.percent(30)) {
            table.append(
                    table.dataFile("a" + step).in(random.intBelow(3)).build(),
                    table.dataFile("b" + step).in(random.intBelow(3)).build());
            return;
        }
        DataFile victim = random.oneOf(data);
        if (random.percent(20)) {
            table.change(Operation.DELETE).remove(victim).commit();
        } else if (random.percent(20)) {
            table.change(Operation.OVERWRITE)
                    .remove(victim)
                    .addRewritten(table.dataFile("c" + step)
                            .in(victim.partition().values().get(0))
                            .build())
                    .commit();
        } else {
            var absorbed = new ArrayList<DeleteFile>();
            live.orElseThrow().deletes().values().stream()
                    .map(ManifestEntry::file)
                    .filter(file ->
                            file.scopedTo().filter(victim.path()::equals).isPresent())
                    .forEach(absorbed::add);
            table.change(Operation.DELETE)
                    .delete(
                            version == 3 ? table.vector("v" + step, victim) : table.positions("p" + step, victim),
                            absorbed.toArray(new DeleteFile[0]))
                    .commit();
        }
    }

    @Test
    void leavesATotalOutThatTheParentDoesNotKnow() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a.parquet").build());
        Snapshot known = table.head();
        var summary = new java.util.LinkedHashMap<>(known.summary());
        summary.remove("total-records");
        summary.put("total-delete-files", "many");
        table.evolve(
                new MetadataUpdate.AddSnapshot(new Snapshot(
                        known.id() + 1,
                        java.util.OptionalLong.of(known.id()),
                        known.sequenceNumber() + 1,
                        known.timestampMillis(),
                        known.operation(),
                        summary,
                        known.manifestList(),
                        List.of(),
                        known.schemaId(),
                        known.firstRowId(),
                        known.addedRows(),
                        Map.of())),
                new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(known.id() + 1)));
        table.append(table.dataFile("b.parquet").build());
        assertThat(table.head().summary())
                .containsEntry("total-data-files", "2")
                .doesNotContainKeys("total-records", "total-delete-files");
    }

    @Test
    void countsNoManifestAsReplacedThatLeavesBecauseItHasNothingLive() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.append(table.dataFile("b.parquet").build());
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(manifests(table.head().summary())).isEqualTo(manifests(1, 1, 1));
        table.append(table.dataFile("c.parquet").build());
        assertThat(manifests(table.head().summary())).isEqualTo(manifests(1, 1, 0));
    }

    private static void limitPartitions(CommitFixture table, int limit) {
        table.evolve(new MetadataUpdate.SetProperties(Map.of("write.summary.partition-limit", "" + limit)));
    }

    @Test
    void saysWhatChangedInEachPartitionUpToTheLimit() {
        var table = CommitFixture.partitionedBy(Type.Simple.STRING, 3);
        limitPartitions(table, 2);
        var a = table.dataFile("a.parquet").in("x y/z").build();
        table.append(a, table.dataFile("b.parquet").in((Object) null).build());
        assertThat(table.head().summary())
                .containsEntry("changed-partition-count", "2")
                .containsEntry("partition-summaries-included", "true")
                .containsEntry("partitions.part=x+y%2Fz", "added-data-files=1,added-records=10,added-files-size=100")
                .containsEntry("partitions.part=null", "added-data-files=1,added-records=10,added-files-size=100");

        var v = table.vector("v.puffin", a);
        table.change(Operation.DELETE).delete(v).commit();
        table.change(Operation.DELETE)
                .delete(table.vector("w.puffin", a, 4, 3), v)
                .commit();
        assertThat(table.head().summary())
                .containsEntry(
                        "partitions.part=x+y%2Fz",
                        "added-delete-files=1,removed-delete-files=1,added-dvs=1,removed-dvs=1,added-files-size=40,"
                                + "removed-files-size=40,added-position-deletes=3,removed-position-deletes=2")
                .doesNotContainKey("partitions.part=null");

        table.append(
                table.dataFile("c.parquet").in("1").build(),
                table.dataFile("d.parquet").in("2").build(),
                table.dataFile("e.parquet").in("3").build());
        assertThat(table.head().summary())
                .containsEntry("changed-partition-count", "3")
                .doesNotContainKey("partition-summaries-included")
                .noneSatisfy((key, value) -> assertThat(key).startsWith("partitions."));
    }

    @Test
    void saysNothingOfPartitionsUnlessAskedTo() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        table.append(table.dataFile("a.parquet").in(1).build());
        assertThat(table.head().summary())
                .doesNotContainKey("partition-summaries-included")
                .noneSatisfy((key, value) -> assertThat(key).startsWith("partitions."));
    }

    @Test
    void anUnpartitionedTableIsOnePartitionThatIsNotDescribed() {
        var table = CommitFixture.unpartitioned(2);
        limitPartitions(table, 5);
        table.append(table.dataFile("a.parquet").build());
        assertThat(table.head().summary())
                .containsEntry("changed-partition-count", "1")
                .containsEntry("partition-summaries-included", "true")
                .noneSatisfy((key, value) -> assertThat(key).startsWith("partitions."));
    }

    @Test
    void takesPartitionsOfTwoSpecsForOneIfTheirPathsAreEqual() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
        table.append(
                table.dataFile("a.parquet").spec(0).in(1).build(),
                table.dataFile("b.parquet").spec(1).build(),
                table.dataFile("c.parquet").spec(1).build());
        assertThat(table.head().summary()).containsEntry("changed-partition-count", "2");
    }

    /** Against the format, but other writers let it happen; each count is the peer's, and the totals are right. */
    @Test
    void countsAFileThatAManifestListsTwiceAsADuplicate() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        var summary = new SnapshotSummary(table.metadata(), CommitFixture.TABLE);
        summary.removed(List.of(a, a));
        summary.removed(List.of(a));
        Snapshot parent = snapshot(Map.of("total-data-files", "5", "total-records", "50", "total-files-size", "500"));
        assertThat(summary.entries(Optional.of(parent), table.appending()))
                .containsEntry("deleted-data-files", "2")
                .containsEntry("deleted-records", "20")
                .containsEntry("removed-files-size", "200")
                .containsEntry("deleted-duplicate-files", "1")
                .containsEntry("total-data-files", "2")
                .containsEntry("total-records", "20")
                .containsEntry("total-files-size", "200");
    }

    private static Snapshot snapshot(Map<String, String> summary) {
        return new Snapshot(
                1,
                OptionalLong.empty(),
                1,
                1,
                Optional.of("append"),
                summary,
                Optional.of("memory:/list"),
                List.of(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Map.of());
    }

    @Test
    void saysHowManyRowsAStatementTouchedAndNothingOfWhatIsNotKnown() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        var counts =
                new RowCounts(OptionalLong.of(3), OptionalLong.empty(), OptionalLong.of(0), OptionalLong.of(7), false);
        table.commit(table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(table.dataFile("b.parquet").records(7).build())
                .build()
                .withRowCounts(counts));
        assertThat(table.head().summary())
                .containsEntry("calve.rows-deleted", "3")
                .containsEntry("calve.rows-copied", "7")
                .doesNotContainKeys("calve.rows-updated", "calve.rows-inserted");
    }

    @Test
    void saysHowManyRowsWereUpdatedAndInserted() {
        var table = CommitFixture.unpartitioned(3);
        table.commit(table.change(Operation.OVERWRITE)
                .add(table.dataFile("a.parquet").records(7).build())
                .build()
                .withRowCounts(RowCounts.none().withUpdated(OptionalLong.of(2)).withInserted(OptionalLong.of(5))));
        assertThat(table.head().summary())
                .containsEntry("calve.rows-updated", "2")
                .containsEntry("calve.rows-inserted", "5")
                .doesNotContainKeys("calve.rows-deleted", "calve.rows-copied");
    }

    @Test
    void countsTheLiveRowsOfFilesAFilterTakesAway() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a, table.dataFile("b.parquet").build());
        table.change(Operation.DELETE).delete(table.vector("v.puffin", a)).commit();
        table.commit(truncate(table));
        assertThat(table.head().summary()).containsEntry("calve.rows-deleted", "18");
    }

    @Test
    void doesNotCountRowsThatPositionDeleteFilesSpeakOf() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.change(Operation.DELETE).delete(table.positions("p.parquet", a)).commit();
        table.commit(truncate(table));
        assertThat(table.head().summary()).doesNotContainKey("calve.rows-deleted");
    }

    @Test
    void countsTheRowsOfAPartitionThatLeavesWhereNoDeletesStay() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        table.append(
                table.dataFile("a.parquet").in(1).records(7).build(),
                table.dataFile("b.parquet").in(2).build());
        table.commit(deletePartitionOne(table));
        assertThat(table.head().summary())
                .containsEntry("deleted-data-files", "1")
                .containsEntry("calve.rows-deleted", "7");
    }

    @Test
    void doesNotCountRowsThatDeletesWhichStayMaySpeakOf() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a.parquet").in(1).build();
        table.append(a);
        SnapshotChange filtered = deletePartitionOne(table);
        table.change(Operation.DELETE).delete(table.positionsIn("p.parquet", a)).commit();
        table.commit(filtered);
        assertThat(table.head().summary())
                .containsEntry("deleted-data-files", "1")
                .doesNotContainKey("calve.rows-deleted");
    }

    private static SnapshotChange deletePartitionOne(CommitFixture table) {
        return table.change(Operation.DELETE)
                .removeMatching(Expressions.comparison(
                        new Expression.Column(CommitFixture.PART, Type.Simple.INT, false),
                        Expression.Operator.EQUAL,
                        1))
                .build()
                .withRowCounts(RowCounts.none().withMatchedDeleted());
    }

    private static SnapshotChange truncate(CommitFixture table) {
        return table.change(Operation.DELETE)
                .removeMatching(Expression.Constant.TRUE)
                .build()
                .withRowCounts(RowCounts.none().withMatchedDeleted());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "added-records",
                "removed-dvs",
                "total-records",
                "deleted-duplicate-files",
                "manifests-kept",
                "partitions.a=1",
                "calve.rows-deleted",
                "operation"
            })
    void refusesAnEntryThatItCountsItself(String key) {
        assertThatThrownBy(() -> SnapshotChange.append("main", 2, List.of(), Map.of(key, "7")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + key + "'");
    }

    @Test
    void keepsTheEntriesOfTheCaller() {
        var table = CommitFixture.unpartitioned(2);
        var extra = Map.of("replace-partitions", "true", "wap.id", "7", "engine-name", "x");
        table.commit(SnapshotChange.append(
                "main", 2, List.of(table.dataFile("a.parquet").build()), extra));
        assertThat(table.head().summary()).containsAllEntriesOf(extra);
    }

    @Test
    void aNumberOfRowsIsNeverNegative() {
        assertThatThrownBy(() -> RowCounts.none().withDeleted(OptionalLong.of(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
