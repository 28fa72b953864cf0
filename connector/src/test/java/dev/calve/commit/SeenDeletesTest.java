package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.SnapshotRef;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.scan.SeenDeletes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a scan saw of a file's deletes spares the commit the search; what came after it is found all the same. */
class SeenDeletesTest {

    private CommitFixture table = CommitFixture.unpartitioned(3);
    private DataFile[] files = {};

    /** Six data files; each of the first four with deletes, each in a manifest of its own. */
    private void fill(int version) {
        table = CommitFixture.unpartitioned(version);
        files = new DataFile[6];
        for (int i = 0; i < files.length; i++) {
            files[i] = table.dataFile("f" + i + ".parquet").build();
        }
        table.append(files);
        for (int i = 0; i < 4; i++) {
            table.change(Operation.DELETE).delete(deletes("d" + i, files[i])).commit();
        }
    }

    private DeleteFile deletes(String name, DataFile of) {
        return table.metadata().formatVersion() == 3 ? table.vector(name, of) : table.positions(name, of);
    }

    private FileTask planned(DataFile file) {
        return new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(Expression.Constant.TRUE).tasks().stream()
                        .filter(task -> task.file().path().equals(file.path()))
                        .findFirst()
                        .orElseThrow();
    }

    /** New deletes for the file that absorb those planned. */
    private SnapshotChange redeleting(FileTask task, String name) {
        Set<FileKey> absorbed =
                task.deletes().stream().map(entry -> entry.file().key()).collect(Collectors.toSet());
        return change(
                List.of(new SnapshotChange.AddedDelete(
                        deletes(name, task.file()), absorbed, Optional.of(Removal.Known.of(task)))),
                List.of());
    }

    private SnapshotChange removing(FileTask task) {
        return change(List.of(), List.of(new Removal.Files(List.of(Removal.Known.of(task)))));
    }

    private SnapshotChange change(List<SnapshotChange.AddedDelete> deletes, List<Removal> removals) {
        return new SnapshotChange(
                Operation.DELETE,
                SnapshotRef.MAIN,
                OptionalLong.of(table.head().id()),
                table.metadata().formatVersion(),
                List.of(),
                deletes,
                removals,
                List.of(),
                Map.of());
    }

    private Set<String> openedBy(SnapshotChange change) {
        table.storage.requests().reset();
        table.commit(change);
        return table.storage.requests().all().stream()
                .filter(request -> request.matches("READ .*-m\\d+\\.avro"))
                .map(request -> request.substring("READ ".length()))
                .collect(Collectors.toSet());
    }

    private String manifestOf(String deletes) {
        FileTask task = new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(Expression.Constant.TRUE).tasks().stream()
                        .filter(each -> each.deletes().stream()
                                .map(ManifestEntry::file)
                                .anyMatch(file -> file.path().endsWith(deletes)))
                        .findFirst()
                        .orElseThrow();
        return task.seenDeletes().orElseThrow().manifests().iterator().next();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void opensTheManifestOfTheDeletesItSupersedesAndNoOther(int version) {
        fill(version);
        String manifest = manifestOf("d1");
        assertThat(openedBy(redeleting(planned(files[1]), "again"))).containsExactly(manifest);
        assertThat(table.live().deletes()).hasSize(4);
        assertThat(table.live().statuses()).contains("DELETED d1");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void opensNoneForAFileWithoutDeletes(int version) {
        fill(version);
        assertThat(openedBy(redeleting(planned(files[5]), "first"))).isEmpty();
        assertThat(table.live().deletes()).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void opensTheManifestOfTheDeletesOfARemovedFileAndNoOther(int version) {
        fill(version);
        FileTask task = planned(files[2]);
        String manifest = manifestOf("d2");
        assertThat(openedBy(removing(task))).containsExactlyInAnyOrder(manifest, task.manifest());
        assertThat(table.live().deletes()).hasSize(3);
    }

    /** It was added after the scan: nobody could tell where. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsDeletesAddedSince(int version) {
        fill(version);
        SnapshotChange removal = removing(planned(files[5]));
        table.change(Operation.DELETE).delete(deletes("since", files[5])).commit();
        String manifest = manifestOf("since");
        assertThat(openedBy(removal)).contains(manifest).hasSize(2);
        assertThat(table.live().data()).hasSize(5);
        assertThat(table.live().deletes()).hasSize(4);
    }

    @Test
    void refusesASecondVectorAddedSince() {
        fill(3);
        SnapshotChange change = redeleting(planned(files[5]), "first");
        table.change(Operation.DELETE).delete(deletes("since", files[5])).commit();
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining(files[5].path());
        assertThat(table.live().deletes()).hasSize(5);
    }

    /** Somebody joined the manifests: the delete file is in a newer one. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsDeletesThatMovedToAnotherManifest(int version) {
        fill(version);
        SnapshotChange change = redeleting(planned(files[1]), "again");
        SnapshotChange removal = removing(planned(files[2]));
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.manifest.min-count-to-merge", "2")));
        table.append(table.dataFile("other.parquet").build());
        assertThat(table.live().manifests()).hasSize(2);
        table.commit(change);
        table.commit(removal);
        assertThat(table.live().deletes().keySet())
                .hasSize(3)
                .anyMatch(key -> key.contains("again"))
                .noneMatch(key -> key.contains("d1") || key.contains("d2"));
    }

    /** A snapshot that is none of the branch's says nothing about it. */
    @Test
    void trustsOnlySnapshotsOfTheBranch() {
        fill(3);
        FileTask task = planned(files[1]);
        var elsewhere = new FileTask(
                task.entry(),
                task.manifest(),
                task.deletes(),
                task.residual(),
                task.everyRowMatches(),
                Optional.of(new SeenDeletes(12_345, Set.of())));
        table.commit(redeleting(elsewhere, "again"));
        assertThat(table.live().deletes()).hasSize(4);
    }
}
