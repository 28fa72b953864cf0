package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestTarget;
import dev.calve.manifest.ManifestWriter;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule refuses what breaks it, by its name, and leaves nothing behind. Rules about vectors: {@link NewDeletesTest}. */
class SnapshotRuleTest {

    private static void assertRefused(CommitFixture table, SnapshotChange change, SnapshotRule rule) {
        Optional<Snapshot> before = table.metadata().currentSnapshot();
        var metadataFiles = metadataFiles(table);
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rule " + rule + " ")
                .hasMessageContaining(CommitFixture.TABLE);
        assertThat(table.metadata().currentSnapshot()).isEqualTo(before);
        assertThat(metadataFiles(table)).isEqualTo(metadataFiles);
    }

    private static List<String> metadataFiles(CommitFixture table) {
        return table.storage.locations().stream()
                .filter(location -> location.contains("/metadata/"))
                .toList();
    }

    @Test
    void namesRulesInWords() {
        assertThat(SnapshotRule.ONE_VECTOR_PER_DATA_FILE).hasToString("one-vector-per-data-file");
    }

    @Test
    void anAppendOnlyAddsData() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        assertRefused(
                table,
                table.change(Operation.APPEND)
                        .add(table.dataFile("b.parquet").build())
                        .remove(a)
                        .build(),
                SnapshotRule.APPEND_ONLY_ADDS_DATA);
        assertRefused(
                table,
                table.change(Operation.APPEND)
                        .delete(table.vector("v.puffin", a))
                        .build(),
                SnapshotRule.APPEND_ONLY_ADDS_DATA);
    }

    @Test
    void aDeleteAddsNoData() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        assertRefused(
                table,
                table.change(Operation.DELETE)
                        .remove(a)
                        .addRewritten(table.dataFile("a2.parquet").records(1).build())
                        .build(),
                SnapshotRule.DELETE_ADDS_NO_DATA);
    }

    @Test
    void aReplaceAddsNoRows() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").records(5).build();
        var b = table.dataFile("b.parquet").records(5).build();
        table.append(a, b);
        assertRefused(
                table,
                table.change(Operation.REPLACE)
                        .remove(a, b)
                        .addRewritten(table.dataFile("ab.parquet").records(11).build())
                        .build(),
                SnapshotRule.REPLACE_ADDS_NO_ROWS);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aReplaceThatAppliesDeletesAddsFewerRowsThanItRemoves(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").records(5).build();
        var b = table.dataFile("b.parquet").records(5).build();
        table.append(a, b);
        DeleteFile deletes = version == 3 ? table.vector("v.puffin", a) : table.positions("p.parquet", a);
        table.change(Operation.DELETE).delete(deletes).commit();
        table.change(Operation.REPLACE)
                .remove(a, b)
                .addRewritten(table.dataFile("ab.parquet").records(8).build())
                .commit();
        assertThat(table.head().operation()).contains("replace");
        assertThat(table.live().data().keySet()).containsExactly("memory:/t/data/ab.parquet");
        assertThat(table.live().deletes()).isEmpty();
        assertThat(table.head().summary())
                .containsEntry("added-records", "8")
                .containsEntry("deleted-records", "10")
                .containsEntry("total-records", "8");
    }

    /** Deletes joined into one file: no row comes or goes. */
    @Test
    void aReplaceMayTouchDeletesOnly() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        DeleteFile one = table.positions("p1.parquet", a);
        DeleteFile two = table.positions("p2.parquet", a);
        table.change(Operation.DELETE).delete(one).commit();
        table.change(Operation.DELETE).delete(two).commit();
        table.change(Operation.REPLACE)
                .delete(table.positions("p12.parquet", a), one, two)
                .commit();
        assertThat(table.live().deletes().keySet()).containsExactly("memory:/t/data/p12.parquet");
    }

    @Test
    void filesAreOfASpecTheTableHas() {
        var table = CommitFixture.unpartitioned(2);
        assertRefused(table, table.appending(table.dataFile("a.parquet").spec(7).build()), SnapshotRule.KNOWN_SPEC);
    }

    @Test
    void partitionTuplesHaveTheFieldsOfTheirSpec() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        for (Object[] tuple : new Object[][] {{}, {1, 2}, {"one"}, {1L}}) {
            assertRefused(
                    table,
                    table.appending(table.dataFile("a.parquet").in(tuple).build()),
                    SnapshotRule.PARTITION_FITS_SPEC);
        }
        table.append(table.dataFile("null.parquet").in((Object) null).build());
    }

    @Test
    void noDataIsNewerThanItsSnapshot() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        var fromTheFuture = new SnapshotChange(
                Operation.OVERWRITE,
                SnapshotRef.MAIN,
                OptionalLong.of(table.head().id()),
                2,
                List.of(new AddedData(table.dataFile("b.parquet").build(), OptionalLong.of(3))),
                List.of(),
                List.of(),
                List.of(),
                Map.of());
        assertRefused(table, fromTheFuture, SnapshotRule.DATA_NOT_NEWER_THAN_SNAPSHOT);
    }

    @Test
    void deletesAreKnownToTheVersion() {
        var two = CommitFixture.unpartitioned(2);
        var a = two.dataFile("a.parquet").build();
        two.append(a);
        assertRefused(
                two,
                two.change(Operation.DELETE).delete(two.vector("v.puffin", a)).build(),
                SnapshotRule.DELETES_KNOWN_TO_VERSION);
        var one = CommitFixture.unpartitioned(1);
        var b = one.dataFile("b.parquet").build();
        one.append(b);
        assertRefused(
                one,
                one.change(Operation.DELETE)
                        .delete(one.positions("p.parquet", b))
                        .build(),
                SnapshotRule.DELETES_KNOWN_TO_VERSION);
    }

    @Test
    void deleteFilesAreInAPartitionOfASpecOfTheTable() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        table.append(table.dataFile("a.parquet").in(1).build());
        assertRefused(
                table,
                table.change(Operation.DELETE).delete(table.equality("e", 7, 1)).build(),
                SnapshotRule.KNOWN_SPEC);
        assertRefused(
                table,
                table.change(Operation.DELETE)
                        .delete(table.equality("e", 0, "text"))
                        .build(),
                SnapshotRule.PARTITION_FITS_SPEC);
        assertRefused(
                table,
                table.change(Operation.DELETE).delete(table.equality("e", 0)).build(),
                SnapshotRule.PARTITION_FITS_SPEC);
    }

    @Test
    void noFileIsDataAndDeletesAtOnce() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        assertRefused(
                table,
                table.change(Operation.OVERWRITE)
                        .add(table.dataFile("x.parquet").build())
                        .delete(table.positionsIn("x.parquet", a))
                        .build(),
                SnapshotRule.FILE_LIVE_ONCE);
    }

    @Test
    void dataMayHaveTheNumberOfItsSnapshotButNoHigherOne() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a.parquet").build());
        long next = table.metadata().lastSequenceNumber() + 1;
        assertRefused(table, overwrite(table, "high.parquet", next + 1), SnapshotRule.DATA_NOT_NEWER_THAN_SNAPSHOT);
        var b = table.dataFile("b.parquet").build();
        table.commit(overwrite(table, "b.parquet", next));
        assertThat(table.head().sequenceNumber()).isEqualTo(next);
        assertThat(table.live().entry(b).sequenceNumber()).isEqualTo(next);
    }

    private static SnapshotChange overwrite(CommitFixture table, String name, long dataSequenceNumber) {
        return new SnapshotChange(
                Operation.OVERWRITE,
                SnapshotRef.MAIN,
                OptionalLong.of(table.head().id()),
                2,
                List.of(new AddedData(table.dataFile(name).build(), OptionalLong.of(dataSequenceNumber))),
                List.of(),
                List.of(),
                List.of(),
                Map.of());
    }

    /** Found because the manifest is opened for another file. */
    @Test
    void noDataFileIsLiveTwice() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        assertRefused(table, table.change(Operation.OVERWRITE).remove(b).add(a).build(), SnapshotRule.FILE_LIVE_ONCE);
    }

    @Test
    void noDeleteFileIsLiveTwice() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        DeleteFile deletes = table.positionsIn("p.parquet", a);
        assertRefused(
                table,
                table.change(Operation.DELETE).delete(deletes).delete(deletes).build(),
                SnapshotRule.FILE_LIVE_ONCE);
        table.change(Operation.DELETE).delete(deletes).commit();
        assertRefused(table, table.change(Operation.DELETE).delete(deletes).build(), SnapshotRule.FILE_LIVE_ONCE);
    }

    /** One Puffin file holds many vectors: they are different files. */
    @Test
    void twoVectorsInOneFileAreTwoFiles() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        table.change(Operation.DELETE)
                .delete(table.vector("v.puffin", a, 4, 2))
                .delete(table.vector("v.puffin", b, 44, 2))
                .commit();
        assertThat(table.live().deletes()).hasSize(2);
    }

    /** Another writer's list is wrong about a manifest that is written again: what it holds counts. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void countsOfAnotherWriterStopNoCommit(int counted) throws IOException {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        try (ManifestWriter writer = foreignManifest(table)) {
            writer.added(a);
            writer.added(b);
            ManifestFile written = writer.finish();
            commitForeign(table, withCounts(written, ManifestFile.Counts.of(counted, 0, 0, 10L * counted, 0, 0)));
        }
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.manifest.min-count-to-merge", "2")));
        table.append(table.dataFile("c.parquet").build());
        assertThat(table.live().manifests()).hasSize(1);
        assertThat(table.live().data()).hasSize(3);
    }

    /** A list without one of its parent's manifests, as a defect of a commit might leave it. */
    @Test
    void countsAgreeWithWhatWasThere() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a.parquet").build());
        List<ManifestFile> before = table.live().manifests();
        var preparation = new Preparation("db.t", table.metadata(), table.appending(), Optional.of(table.head()), 5);
        assertThat(ManifestListRules.isMiscounted(preparation, Content.DATA, before, before, List.of()))
                .isFalse();
        assertThat(ManifestListRules.isMiscounted(preparation, Content.DATA, before, List.of(), List.of()))
                .isTrue();
        assertThatThrownBy(() -> ManifestListRules.checkCounts(preparation, Content.DATA, before, List.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(SnapshotRule.COUNTS_AGREE.toString());
    }

    /** A list that counts one thing otherwise than the change says, as a defect of a commit might leave it. */
    @ParameterizedTest
    @CsvSource({"added files,0,3,0,0", "added rows,1,4,0,0", "removed files,1,3,1,0", "removed rows,1,3,0,1"})
    void countsAgreeWithWhatTheChangeSays(
            String what, long addedFiles, long addedRows, long removedFiles, long removedRows) {
        var table = CommitFixture.unpartitioned(2);
        SnapshotChange change =
                table.appending(table.dataFile("a.parquet").records(3).build());
        var preparation = new Preparation("db.t", table.metadata(), change, Optional.empty(), 5);
        ManifestFile own = new ManifestFile(
                "m.avro",
                1,
                0,
                Content.DATA,
                ManifestFile.UNASSIGNED,
                ManifestFile.UNASSIGNED,
                5,
                ManifestFile.Counts.of(addedFiles, 1 - addedFiles, removedFiles, addedRows, 0, removedRows),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty());
        assertThatThrownBy(() ->
                        ManifestListRules.checkCounts(preparation, Content.DATA, List.of(), List.of(own), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(SnapshotRule.COUNTS_AGREE.toString())
                .hasMessageContaining(what);
    }

    @Test
    void countsOfAnotherWritersDeletesStopNoCommitEither() throws IOException {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        TableMetadata metadata = table.metadata();
        try (ManifestWriter data = foreignManifest(table);
                var deletes = new ManifestWriter(new ManifestTarget(
                        table.storage,
                        "memory:/t/metadata/foreign-m2.avro",
                        2,
                        metadata.schema(),
                        metadata.spec(),
                        metadata.partitionType(metadata.defaultSpecId()),
                        99,
                        Content.DELETES,
                        "gzip"))) {
            data.added(a);
            deletes.added(table.positions("p.parquet", a));
            commitForeign(table, data.finish(), withCounts(deletes.finish(), ManifestFile.Counts.of(2, 0, 0, 4, 0, 0)));
        }
        SnapshotChange removal = new SnapshotChange(
                Operation.DELETE,
                SnapshotRef.MAIN,
                OptionalLong.of(table.head().id()),
                2,
                List.of(),
                List.of(),
                List.of(new Removal.Files(List.of(Removal.Known.of(a, "memory:/t/metadata/foreign-m1.avro")))),
                List.of(),
                Map.of());
        table.commit(removal);
        assertThat(table.live().data()).isEmpty();
        assertThat(table.live().deletes()).isEmpty();
    }

    /** Another writer gave a manifest ids beyond the table's next: new ones would be given twice. */
    @Test
    void rowIdsAreGivenOnce() throws IOException {
        var table = CommitFixture.unpartitioned(3);
        try (ManifestWriter writer = foreignManifest(table)) {
            writer.added(table.dataFile("a.parquet").records(10).build());
            commitForeign(table, writer.finish().withFirstRowId(5));
        }
        assertThat(table.metadata().nextRowId()).isZero();
        assertRefused(table, table.appending(table.dataFile("b.parquet").build()), SnapshotRule.ROW_IDS_GIVEN_ONCE);
    }

    @Test
    void noVectorIsOlderThanItsDataFile() throws IOException {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        try (ManifestWriter writer = foreignManifest(table)) {
            writer.added(a, 50);
            commitForeign(table, writer.finish());
        }
        assertRefused(
                table,
                new SnapshotChange(
                        Operation.DELETE,
                        SnapshotRef.MAIN,
                        OptionalLong.of(table.head().id()),
                        3,
                        List.of(),
                        List.of(new SnapshotChange.AddedDelete(
                                table.vector("v.puffin", a), Set.of(), Optional.empty())),
                        List.of(),
                        List.of(),
                        Map.of()),
                SnapshotRule.VECTOR_NOT_OLDER_THAN_DATA_FILE);
    }

    private static ManifestWriter foreignManifest(CommitFixture table) throws IOException {
        TableMetadata metadata = table.metadata();
        return new ManifestWriter(new ManifestTarget(
                table.storage,
                "memory:/t/metadata/foreign-m1.avro",
                metadata.formatVersion(),
                metadata.schema(),
                metadata.spec(),
                metadata.partitionType(metadata.defaultSpecId()),
                99,
                Content.DATA,
                "gzip"));
    }

    private static ManifestFile withCounts(ManifestFile manifest, ManifestFile.Counts counts) {
        return new ManifestFile(
                manifest.path(),
                manifest.length(),
                manifest.specId(),
                manifest.content(),
                manifest.sequenceNumber(),
                manifest.minSequenceNumber(),
                manifest.addedSnapshotId(),
                counts,
                manifest.partitions(),
                manifest.keyMetadata(),
                manifest.firstRowId());
    }

    private static void commitForeign(CommitFixture table, ManifestFile... manifests) throws IOException {
        TableMetadata metadata = table.metadata();
        String location = "memory:/t/metadata/foreign-list.avro";
        long sequenceNumber = metadata.lastSequenceNumber() + 1;
        var list = ManifestList.write(
                table.storage,
                location,
                metadata.formatVersion(),
                99,
                OptionalLong.empty(),
                sequenceNumber,
                metadata.nextRowId(),
                List.of(manifests));
        boolean ids = metadata.formatVersion() >= 3;
        table.evolve(
                new MetadataUpdate.AddSnapshot(new Snapshot(
                        99,
                        OptionalLong.empty(),
                        sequenceNumber,
                        2_000,
                        Optional.of("append"),
                        Map.of(),
                        Optional.of(location),
                        List.of(),
                        OptionalInt.of(0),
                        ids ? OptionalLong.of(metadata.nextRowId()) : OptionalLong.empty(),
                        ids ? OptionalLong.of(list.nextRowId() - metadata.nextRowId()) : OptionalLong.empty(),
                        Map.of())),
                new MetadataUpdate.SetSnapshotRef(SnapshotRef.MAIN, SnapshotRef.branch(99)));
    }

    /** The rules cost nothing but a look at what is there. */
    @Test
    void opensNoManifestThatNothingMentions() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.append(table.dataFile("b.parquet").build());
        DataFile c = table.dataFile("c.parquet").build();
        table.storage.requests().reset();
        table.append(c);
        assertThat(table.storage.requests().all()).noneMatch(request -> request.matches("READ .*-m\\d+\\.avro"));
    }
}
