package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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

    private static void assertSummary(CommitFixture table, Map<String, String> totals, String... keysAndValues) {
        var expected = new java.util.TreeMap<>(totals);
        expected.put("engine-name", "test");
        for (int i = 0; i < keysAndValues.length; i += 2) {
            expected.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        var actual = new java.util.TreeMap<>(table.head().summary());
        actual.putIfAbsent("engine-name", "test");
        assertThat(actual).isEqualTo(expected);
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
}
