package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotWriterTest {

    private static List<String> opened(CommitFixture table) {
        return table.storage.requests().all().stream()
                .filter(request -> request.startsWith("READ ") && request.contains("-m"))
                .map(request -> request.substring("READ ".length()))
                .distinct()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void appendsToAnEmptyTable(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var committed = table.append(a);

        Snapshot head = table.head();
        assertThat(head.id()).isEqualTo(committed.snapshotId());
        assertThat(head.parentId()).isEmpty();
        assertThat(head.operation()).contains("append");
        assertThat(head.sequenceNumber()).isEqualTo(version == 1 ? 0 : 1);
        assertThat(table.metadata().lastSequenceNumber()).isEqualTo(version == 1 ? 0 : 1);
        assertThat(head.schemaId()).hasValue(table.metadata().currentSchemaId());
        var entry = table.live().entry(a);
        assertThat(entry.status()).isEqualTo(Status.ADDED);
        assertThat(entry.snapshotId()).isEqualTo(head.id());
        assertThat(entry.sequenceNumber()).isEqualTo(version == 1 ? 0 : 1);
        assertThat(head.firstRowId()).isEqualTo(version == 3 ? OptionalLong.of(0) : OptionalLong.empty());
        assertThat(head.addedRows()).isEqualTo(version == 3 ? OptionalLong.of(10) : OptionalLong.empty());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void carriesManifestsThatMentionNoRemovedFileUntouchedAndUnopened(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a);
        table.append(b);
        ManifestFile ofA = table.live().manifest(table.live().manifestOf(a.path()));
        ManifestFile ofB = table.live().manifest(table.live().manifestOf(b.path()));
        SnapshotChange change = table.change(Operation.DELETE).remove(b).build();

        table.storage.requests().reset();
        table.commit(change);

        assertThat(opened(table)).containsExactly(ofB.path());
        assertThat(table.live().manifests()).contains(ofA).doesNotContain(ofB);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void keepsEveryNumberOfEntriesInARewrittenManifest(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        var before = table.live().entry(a);
        var beforeB = table.live().entry(b);
        table.append(table.dataFile("later.parquet").build());
        table.change(Operation.DELETE).remove(b).commit();

        var live = table.live();
        assertThat(live.entry(a))
                .isEqualTo(new ManifestEntry<>(
                        Status.EXISTING,
                        before.snapshotId(),
                        before.sequenceNumber(),
                        before.fileSequenceNumber(),
                        before.file()));
        assertThat(live.entry(b))
                .isEqualTo(new ManifestEntry<>(
                        Status.DELETED,
                        table.head().id(),
                        beforeB.sequenceNumber(),
                        beforeB.fileSequenceNumber(),
                        beforeB.file()));
        ManifestFile rewritten = live.manifest(live.manifestOf(a.path()));
        assertThat(rewritten.addedSnapshotId()).isEqualTo(table.head().id());
        assertThat(rewritten.sequenceNumber()).isEqualTo(table.head().sequenceNumber());
        assertThat(rewritten.minSequenceNumber()).isEqualTo(before.sequenceNumber());
    }

    @Test
    void dropsEntriesThatWereDeletedBefore() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        var c = table.dataFile("c.parquet").build();
        table.append(a, b, c);
        table.change(Operation.DELETE).remove(a).commit();
        table.change(Operation.DELETE).remove(b).commit();
        assertThat(table.live().statuses()).containsExactly("DELETED b.parquet", "EXISTING c.parquet");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void listsAnEmptiedManifestOnceMore(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(table.live().statuses()).containsExactly("DELETED a.parquet");
        table.append(table.dataFile("b.parquet").build());
        assertThat(table.live().statuses()).containsExactly("ADDED b.parquet");
    }

    @Test
    void listsNewDataFirstAndDeletesLast() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.change(Operation.DELETE).delete(table.vector("v.puffin", a)).commit();
        table.append(table.dataFile("b.parquet").build());
        assertThat(table.live().statuses()).containsExactly("ADDED b.parquet", "ADDED a.parquet", "ADDED v.puffin");
    }

    /** As the peer lists them where it may merge: the order decides which rows get which ids. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listsNewerSpecsBeforeOlderOnesWhereManifestsMayBeMerged(boolean merge) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        table.append(table.dataFile("a.parquet").in(1).build());
        table.evolve(
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        1, List.of(PartitionField.of(CommitFixture.ID, 1001, "id_bucket", new Transform.Bucket(4))))),
                new MetadataUpdate.SetDefaultSpec(-1),
                new MetadataUpdate.SetProperties(Map.of("commit.manifest-merge.enabled", Boolean.toString(merge))));
        table.append(table.dataFile("b.parquet").in(3).build());
        table.append(table.dataFile("c.parquet").spec(0).in(1).build());
        assertThat(table.live().statuses())
                .containsExactlyElementsOf(
                        merge
                                ? List.of("ADDED b.parquet", "ADDED c.parquet", "ADDED a.parquet")
                                : List.of("ADDED c.parquet", "ADDED b.parquet", "ADDED a.parquet"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void writesOneManifestPerSpecAndKeepsTheSpecOfARewrittenOne(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var old = table.dataFile("old.parquet").in(1).build();
        var old2 = table.dataFile("old2.parquet").in(2).build();
        table.append(old, old2);
        table.evolve(
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        1, List.of(PartitionField.of(CommitFixture.ID, 1001, "id_bucket", new Transform.Bucket(4))))),
                new MetadataUpdate.SetDefaultSpec(-1));
        var fresh = table.dataFile("new.parquet").in(3).build();
        assertThat(fresh.specId()).isEqualTo(1);
        table.append(fresh);

        var change = table.change(Operation.OVERWRITE)
                .add(table.dataFile("new2.parquet").in(0).build());
        if (version == 3) {
            change.delete(table.vector("v.puffin", old2)).delete(table.vector("w.puffin", fresh));
        } else {
            change.delete(table.positions("p.parquet", old2)).delete(table.positions("q.parquet", fresh));
        }
        change.remove(old).commit();

        var live = table.live();
        assertThat(live.entry(old).status()).isEqualTo(Status.DELETED);
        assertThat(live.manifests().stream().map(ManifestFile::specId)).containsExactlyInAnyOrder(0, 1, 1, 0, 1);
        assertThat(live.deletes()).hasSize(2);
        assertThat(live.deletes().values().stream().map(entry -> entry.file().specId()))
                .containsExactlyInAnyOrder(0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void datesARewrittenFileBackToWhatItsWriterRead(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        var change = table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(table.dataFile("a2.parquet").records(7).build());
        table.append(table.dataFile("b.parquet").build());
        table.commit(change.build());

        var live = table.live();
        var rewritten = live.data("a2.parquet");
        assertThat(rewritten.sequenceNumber()).isEqualTo(1);
        assertThat(rewritten.fileSequenceNumber()).isEqualTo(3);
        assertThat(live.manifest(live.manifestOf(rewritten.file().path())).minSequenceNumber())
                .isEqualTo(1);
    }

    @Test
    void leavesNumbersAtZeroInVersionOneAndAfterItsUpgrade() {
        var table = CommitFixture.unpartitioned(1);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(table.dataFile("a2.parquet").build())
                .commit();
        assertThat(table.live().data().values())
                .allSatisfy(entry -> assertThat(entry.sequenceNumber()).isZero());
        table.upgradeTo(2);
        table.change(Operation.DELETE).remove(b).commit();
        assertThat(table.head().sequenceNumber()).isEqualTo(1);
        assertThat(table.live().entry(b).sequenceNumber()).isZero();
        assertThat(table.live().data("a2.parquet").sequenceNumber()).isZero();
    }

    @Test
    void removesEverythingWithAllItsDeletes() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(2).records(0).build();
        table.append(a, b);
        table.change(Operation.DELETE).delete(table.positions("p.parquet", a)).commit();
        table.change(Operation.DELETE).delete(table.positionsIn("q.parquet", a)).commit();
        table.change(Operation.DELETE).delete(table.equality("e.parquet", 0, 2)).commit();
        table.change(Operation.DELETE).removeMatching(Expression.Constant.TRUE).commit();

        assertThat(table.live().data()).isEmpty();
        assertThat(table.live().deletes()).isEmpty();
        assertThat(table.head().summary())
                .containsEntry("deleted-data-files", "2")
                .containsEntry("removed-delete-files", "3")
                .containsEntry("total-records", "0")
                .containsEntry("total-files-size", "0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void commitsNothingWhenAFilterFindsNothing(int version) {
        var table = CommitFixture.unpartitioned(version);
        SnapshotChange everything = table.change(Operation.DELETE)
                .removeMatching(Expression.Constant.TRUE)
                .build();
        assertThat(table.statement().commit(everything)).isInstanceOf(CommitOutcome.NothingToDo.class);
        assertThat(table.metadata().snapshots()).isEmpty();
        assertThat(table.storage.locations()).isEmpty();

        table.append(table.dataFile("a.parquet").build());
        table.commit(everything);
        var before = table.storage.locations();
        assertThat(table.statement().commit(everything)).isInstanceOf(CommitOutcome.NothingToDo.class);
        assertThat(table.storage.locations()).isEqualTo(before);
    }

    @Test
    void removesWhatAFilterCoversAndRefusesWhatItCoversInPart() {
        var table = CommitFixture.unpartitioned(2);
        var low = table.dataFile("low.parquet").ids(1, 10).build();
        var high = table.dataFile("high.parquet").ids(11, 20).build();
        table.append(low);
        table.append(high);
        table.change(Operation.DELETE)
                .removeMatching(CommitFixture.idAtMost(10))
                .commit();
        assertThat(table.live().data().keySet()).containsExactly(high.path());
        SnapshotChange partly = table.change(Operation.DELETE)
                .removeMatching(CommitFixture.idAtMost(15))
                .build();
        assertThatThrownBy(() -> table.commit(partly))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(high.path());
    }

    @Test
    void takesFileScopedDeletesAlongAndLeavesWiderOnes() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        table.change(Operation.DELETE).delete(table.positions("pa.parquet", a)).commit();
        table.change(Operation.DELETE).delete(table.positions("pb.parquet", b)).commit();
        table.change(Operation.DELETE)
                .delete(table.positionsIn("wide.parquet", a))
                .commit();
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(table.live().deletes().keySet())
                .containsExactly("memory:/t/data/pb.parquet", "memory:/t/data/wide.parquet");
    }

    /** One Puffin file holds many vectors: a path alone is not an identity. */
    @Test
    void removesOneVectorOfASharedFileAndKeepsItsNeighbour() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        var ofA = table.vector("shared.puffin", a, 4, 2);
        var ofB = table.vector("shared.puffin", b, 44, 3);
        table.change(Operation.DELETE).delete(ofA).delete(ofB).commit();
        table.change(Operation.DELETE)
                .delete(table.vector("next.puffin", a, 4, 5), ofA)
                .commit();
        assertThat(table.live().deletes().keySet())
                .containsExactly("memory:/t/data/next.puffin@4", "memory:/t/data/shared.puffin@44");
        assertThat(table.head().summary())
                .containsEntry("added-dvs", "1")
                .containsEntry("removed-dvs", "1")
                .containsEntry("added-position-deletes", "5")
                .containsEntry("removed-position-deletes", "2")
                .containsEntry("total-position-deletes", "8");
        assertThat(table.storage.locations()).contains("memory:/t/data/shared.puffin");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsFilesInPartitionsOfNaNAndNullAndZero(int version) {
        for (Double value : new Double[] {Double.NaN, null, 0.0, -0.0, 1.5}) {
            var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, version);
            var a = table.dataFile("a.parquet").in(value).build();
            var b = table.dataFile("b.parquet").in(2.5).build();
            table.append(a, b);
            table.change(Operation.DELETE)
                    .delete(version == 3 ? table.vector("v.puffin", a) : table.positions("p.parquet", a))
                    .commit();
            // The hint is wrong, so summaries decide which manifests are opened.
            var known = new Removal.Known(a.key(), a.specId(), a.partition(), "memory:/gone.avro");
            table.commit(new SnapshotChange(
                    Operation.DELETE,
                    SnapshotRef.MAIN,
                    OptionalLong.of(table.head().id()),
                    version,
                    List.of(),
                    List.of(),
                    List.of(new Removal.Files(List.of(known))),
                    List.of(),
                    Map.of()));
            assertThat(table.live().data().keySet()).as("partition " + value).containsExactly(b.path());
            assertThat(table.live().deletes()).as("partition " + value).isEmpty();
        }
    }

    /** Tuples written before and after a promotion of the source must meet. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void matchesPartitionsAcrossAPromotionOfTheirSource(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(2).build();
        table.append(a, b);
        table.evolve(
                new MetadataUpdate.AddSchema(
                        new Schema(
                                1,
                                List.of(
                                        Field.required(1, "id", Type.Simple.LONG),
                                        Field.optional(2, "part", Type.Simple.LONG))),
                        2),
                new MetadataUpdate.SetCurrentSchema(-1));
        // Planned before the promotion, written after it.
        var deletes = version == 3 ? table.vector("v.puffin", a) : table.positions("p.parquet", a);
        table.change(Operation.DELETE).delete(deletes).commit();
        assertThat(table.live().deletes()).hasSize(1);
        var wrongHint = new Removal.Known(a.key(), 0, a.partition(), "memory:/gone.avro");
        table.commit(new SnapshotChange(
                Operation.DELETE,
                SnapshotRef.MAIN,
                OptionalLong.of(table.head().id()),
                version,
                List.of(),
                List.of(),
                List.of(new Removal.Files(List.of(wrongHint))),
                List.of(),
                Map.of()));
        assertThat(table.live().data().keySet()).containsExactly(b.path());
        assertThat(table.live().deletes()).isEmpty();

        var part = new Expression.Column(CommitFixture.PART, Type.Simple.LONG, false);
        table.change(Operation.DELETE)
                .removeMatching(Expressions.equal(part, 2L))
                .commit();
        assertThat(table.live().data()).isEmpty();
    }

    @Test
    void namesTheFileThatWasNeverThere() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        table.append(table.dataFile("b.parquet").build());
        SnapshotChange change = table.change(Operation.DELETE).remove(a).build();
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(a.path())
                .hasMessageContaining("must be live");
    }

    @Test
    void startsANewManifestAtTheTargetSize() {
        var table = CommitFixture.unpartitioned(2);
        table.evolve(new MetadataUpdate.SetProperties(Map.of(
                "commit.manifest.target-size-bytes", "1000", "write.manifest.compression-codec", "uncompressed")));
        var files = new DataFile[3_000];
        for (int i = 0; i < files.length; i++) {
            files[i] = table.dataFile("f" + i + ".parquet").build();
        }
        table.append(files);
        assertThat(table.live().manifests()).hasSizeGreaterThan(1);
        assertThat(table.live().data()).hasSize(files.length);
    }

    @Test
    void refusesToMoveATag() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a.parquet").build());
        table.evolve(new MetadataUpdate.SetSnapshotRef(
                "v1",
                new SnapshotRef(
                        table.head().id(),
                        SnapshotRef.Kind.TAG,
                        java.util.OptionalInt.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty())));
        var change = table.change(Operation.APPEND)
                .add(table.dataFile("b.parquet").build())
                .on("v1")
                .build();
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'v1' must be a branch");
    }

    @Test
    void movesTheBranchItIsToldToAndNoOther() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a.parquet").build());
        long main = table.head().id();
        table.evolve(new MetadataUpdate.SetSnapshotRef("audit", SnapshotRef.branch(main)));
        var committed = table.change(Operation.APPEND)
                .add(table.dataFile("b.parquet").build())
                .on("audit")
                .commit();
        assertThat(table.head().id()).isEqualTo(main);
        assertThat(table.metadata().snapshot("audit").orElseThrow().id()).isEqualTo(committed.snapshotId());
        assertThat(table.metadata()
                        .snapshot(committed.snapshotId())
                        .orElseThrow()
                        .parentId())
                .hasValue(main);
    }

    @Test
    void refusesTheSameNewFileTwice() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        assertThatThrownBy(() -> table.appending(a, a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(a.path());
    }

    @Test
    void namesEveryFileAfterTheStatement() {
        var table = CommitFixture.unpartitioned(2);
        var statement = table.statement();
        statement.commit(table.appending(table.dataFile("a.parquet").build()));
        var metadataFiles = new HashSet<>(table.storage.locations());
        metadataFiles.removeIf(location -> !location.startsWith("memory:/t/metadata/"));
        assertThat(metadataFiles)
                .hasSize(2)
                .allSatisfy(location -> assertThat(location).contains(statement.id.toString()));
    }
}
