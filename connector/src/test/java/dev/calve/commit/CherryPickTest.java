package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.schema.Type;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a staged snapshot did becomes what main did, once. That the peer agrees is compared in the integration tests. */
class CherryPickTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 3);

    private long stage(String id, SnapshotChange change) {
        var target = new CommitTarget(
                CommitFixture.TABLE,
                table.metadata().uuid(),
                Optional.empty(),
                Branches.of(table.metadata()).staging(Optional.of(id)),
                table.committer,
                table.storage);
        var statement = table.statement();
        statement.wrote(change);
        return new TableCommit(target, statement.statement(), Clock.systemUTC())
                .commit(change, Resettle.never())
                .committed()
                .orElseThrow()
                .snapshotId();
    }

    private DataFile file(String name, int part) {
        return table.dataFile(name).in(part).build();
    }

    /** An overwrite of the partition of the file, as if it were a dynamic one. */
    private SnapshotChange replacing(DataFile old, DataFile added) {
        SnapshotChange change =
                table.change(Operation.OVERWRITE).remove(old).add(added).build();
        return new SnapshotChange(
                change.operation(),
                change.ref(),
                change.readSnapshotId(),
                change.settledForFormat(),
                change.addedData(),
                change.addedDeletes(),
                change.removals(),
                change.rules(),
                Map.of("replace-partitions", "true"));
    }

    private CherryPick staged(String id) {
        return CherryPick.staged(table.metadata(), CommitFixture.TABLE, id);
    }

    private SnapshotChange change(CherryPick pick) throws IOException {
        return pick.change(table.storage, table.metadata(), Map.of());
    }

    private void pick(CherryPick pick) throws IOException {
        List<MetadataUpdate> forward = pick.fastForward(table.metadata());
        if (forward.isEmpty()) {
            table.statement().commit(change(pick));
        } else {
            table.evolve(forward.toArray(MetadataUpdate[]::new));
        }
    }

    @Test
    void mainMovesToWhatGoesOnFromIt() throws IOException {
        long first = stage("first", table.appending(file("a", 1)));
        assertThat(table.metadata().refs()).isEmpty();
        pick(staged("first"));
        assertThat(table.head().id()).isEqualTo(first);
        long second = stage(
                "second", table.change(Operation.DELETE).remove(file("a", 1)).build());
        pick(staged("second"));
        assertThat(table.head().id()).isEqualTo(second);
        assertThatThrownBy(() -> pick(staged("second")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("main has it already");
    }

    @Test
    void filesAreAddedAgainWhereMainMoved() throws IOException {
        table.append(file("a", 1));
        long staged = stage("nightly", table.appending(file("b", 1)));
        table.append(file("c", 1));
        pick(staged("nightly"));
        Snapshot head = table.head();
        assertThat(head.summary())
                .containsEntry("source-snapshot-id", Long.toString(staged))
                .containsEntry("published-wap-id", "nightly")
                .containsEntry("added-data-files", "1")
                .containsEntry("total-data-files", "3")
                .doesNotContainKey("wap.id");
        // Rows get ids and a sequence number of the snapshot that shows them.
        var live = table.live();
        assertThat(live.data("b").file().firstRowId()).hasValue(30);
        assertThat(live.data("b").sequenceNumber()).isEqualTo(head.sequenceNumber());
        assertThat(table.storage.locations()).contains("memory:/t/data/b");
        for (CherryPick again : List.of(staged("nightly"), CherryPick.of(table.metadata(), "db.t", staged))) {
            assertThatThrownBy(() -> pick(again)).hasMessageContaining("main has what it did already");
        }
    }

    /** Two publishers, each of whom saw that nobody had published. */
    @Test
    void theSlowerOfTwoPublishersIsRefused() throws IOException {
        table.append(file("a", 1));
        stage("nightly", table.appending(file("b", 1)));
        table.append(file("c", 1));
        SnapshotChange slow = change(staged("nightly"));
        table.committer.beforeSwap(() -> {
            try {
                pick(staged("nightly"));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        var statement = table.statement();
        assertThatThrownBy(() -> new TableCommit(table.target(), statement.statement(), Clock.systemUTC())
                        .commit(slow, Resettle.never()))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("something else of the id 'nightly'");
        assertThat(table.live().data()).hasSize(3);
        // The files are the snapshot's: who is refused does not delete them.
        assertThat(table.storage.locations()).contains("memory:/t/data/b");
    }

    @Test
    void anOverwriteOfPartitionsIsPickedUnlessSomebodyAddedToThem() throws IOException {
        DataFile one = file("one", 1);
        DataFile two = file("two", 2);
        table.append(one, two);
        stage("first", replacing(one, file("new1", 1)));
        stage("second", replacing(two, file("new2", 2)));
        table.append(file("other", 2));
        pick(staged("first"));
        assertThat(table.live().data().keySet())
                .containsExactly("memory:/t/data/new1", "memory:/t/data/other", "memory:/t/data/two");
        assertThat(table.head().operation()).hasValue("overwrite");
        SnapshotChange second = change(staged("second"));
        var statement = table.statement();
        assertThatThrownBy(() -> new TableCommit(table.target(), statement.statement(), Clock.systemUTC())
                        .commit(second, Resettle.never()))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("memory:/t/data/other");
    }

    @Test
    void whatDependsOnRowsIsOnlyMovedTo() {
        DataFile a = file("a", 1);
        table.append(a);
        stage(
                "rows",
                table.change(Operation.DELETE).delete(table.vector("v", a)).build());
        stage(
                "both",
                table.change(Operation.OVERWRITE).remove(a).add(file("b", 1)).build());
        table.append(file("c", 1));
        for (String id : List.of("rows", "both")) {
            assertThatThrownBy(() -> pick(staged(id)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("staged as '" + id + "'")
                    .hasMessageContaining("it can only go on from snapshot");
        }
    }

    @Test
    void anIdMustBeThatOfOneSnapshot() {
        table.append(file("a", 1));
        stage("twice", table.appending(file("b", 1)));
        stage("twice", table.appending(file("c", 1)));
        assertThatThrownBy(() -> staged("twice"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("several snapshots were staged");
        assertThatThrownBy(() -> staged("never")).hasMessageContaining("under [twice]");
        assertThatThrownBy(() -> CherryPick.of(table.metadata(), "db.t", 5))
                .hasMessageContaining("no snapshot of that id");
        assertThat(table.metadata().refs()).containsOnlyKeys(SnapshotRef.MAIN);
    }
}
