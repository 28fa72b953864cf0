package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NewDeletesTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
    private final DataFile a = table.dataFile("a.parquet").in(1).build();
    private final DataFile b = table.dataFile("b.parquet").in(2).build();

    NewDeletesTest() {
        table.append(a);
        table.append(b);
    }

    private void assertRefused(SnapshotChange change, String rule) {
        long before = table.head().id();
        var metadataFiles = metadataFiles();
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rule " + rule + " ");
        assertThat(table.head().id()).isEqualTo(before);
        assertThat(metadataFiles()).isEqualTo(metadataFiles);
    }

    private List<String> metadataFiles() {
        return table.storage.locations().stream()
                .filter(location -> location.contains("/metadata/"))
                .toList();
    }

    @Test
    void refusesTwoVectorsForOneFileInOneChange() {
        assertRefused(
                table.change(Operation.DELETE)
                        .delete(table.vector("v.puffin", a, 4, 1))
                        .delete(table.vector("v.puffin", a, 44, 1))
                        .build(),
                "one-vector-per-data-file");
    }

    @Test
    void refusesAVectorBesideOneItDoesNotAbsorb() {
        table.change(Operation.DELETE).delete(table.vector("v1.puffin", a)).commit();
        long before = table.head().id();
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("v2.puffin", a))
                .build();
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rule one-vector-per-data-file ");
        assertThat(table.head().id()).isEqualTo(before);
    }

    @Test
    void refusesAVectorForAFileThatIsNotLive() {
        var never = table.dataFile("never.parquet").in(1).build();
        assertRefused(
                table.change(Operation.DELETE)
                        .delete(table.vector("v.puffin", never))
                        .build(),
                "deletes-of-live-data-file");
    }

    @Test
    void refusesAVectorForAFileTheSameChangeRemoves() {
        var known = Optional.of(Removal.Known.of(a, table.live().manifestOf(a.path())));
        for (var place : new Optional<?>[] {known, Optional.empty()}) {
            assertRefused(
                    table.change(Operation.DELETE)
                            .remove(a)
                            .delete(table.vector("v.puffin", a), place.map(Removal.Known.class::cast))
                            .build(),
                    "deletes-of-live-data-file");
        }
    }

    private DeleteFile.DeletionVector elsewhere(DataFile file) {
        var common = table.vector("v.puffin", file).common();
        return new DeleteFile.DeletionVector(
                new ContentFile.Common(
                        common.path(),
                        common.format(),
                        common.specId(),
                        PartitionTuple.of(2),
                        common.metrics(),
                        common.fileSizeBytes(),
                        common.splitOffsets(),
                        common.sortOrderId(),
                        common.keyMetadata()),
                file.path(),
                4,
                40);
    }

    @Test
    void refusesAVectorOutsideThePartitionOfItsFile() {
        var known = Optional.of(Removal.Known.of(a, table.live().manifestOf(a.path())));
        assertRefused(
                table.change(Operation.DELETE).delete(elsewhere(a), known).build(),
                "deletes-in-partition-of-data-file");
        DataFile added = table.dataFile("added.parquet").in(1).build();
        assertRefused(
                table.change(Operation.OVERWRITE)
                        .add(added)
                        .delete(elsewhere(added))
                        .build(),
                "deletes-in-partition-of-data-file");
    }

    @Test
    void refusesPositionDeleteFilesInVersionThree() {
        assertRefused(
                table.change(Operation.DELETE)
                        .delete(table.positions("v.puffin.parquet", a))
                        .build(),
                "positions-by-vector");
    }

    @Test
    void opensNoDataManifestForAFileWhoseManifestIsStillListed() {
        var known = Optional.of(Removal.Known.of(a, table.live().manifestOf(a.path())));
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("v.puffin", a), known)
                .build();
        table.storage.requests().reset();
        table.commit(change);
        assertThat(table.storage.requests().all()).noneMatch(request -> request.matches("READ .*-m\\d+\\.avro"));
    }

    /** The manifest seen was rewritten by another writer, who left the file alone. */
    @Test
    void looksForAFileWhoseManifestIsNoLongerListed() {
        var c = table.dataFile("c.parquet").in(1).build();
        var d = table.dataFile("d.parquet").in(1).build();
        table.append(c, d);
        var known = Optional.of(Removal.Known.of(c, table.live().manifestOf(c.path())));
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("v.puffin", c), known)
                .build();
        table.change(Operation.DELETE).remove(d).commit();
        table.commit(change);
        assertThat(table.live().deletes()).hasSize(1);
    }

    @Test
    void callsItAConflictWhenAnotherWriterRemovedTheFile() {
        var known = Optional.of(Removal.Known.of(a, table.live().manifestOf(a.path())));
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("v.puffin", a), known)
                .build();
        table.change(Operation.DELETE).remove(a).commit();
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining(a.path());
    }
}
