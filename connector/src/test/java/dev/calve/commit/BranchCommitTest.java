package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Commits to branches. That their files are the peer's, field by field, is compared in the integration tests. */
class BranchCommitTest {

    private final CommitFixture table = CommitFixture.unpartitioned(3);

    private static MetadataUpdate ref(String name, SnapshotRef ref) {
        return new MetadataUpdate.SetSnapshotRef(name, ref);
    }

    private Snapshot head(String branch) {
        return table.metadata().snapshot(branch).orElseThrow();
    }

    private LiveFiles live(String branch) {
        return LiveFiles.of(table.storage, table.metadata(), head(branch));
    }

    private SnapshotChange appending(String branch, String file) {
        return SnapshotChange.append(branch, 3, List.of(table.dataFile(file).build()), Map.of());
    }

    @Test
    void aBranchThatDoesNotExistBeginsAtTheHeadOfMain() {
        table.append(table.dataFile("a").build());
        long main = table.head().id();
        table.commit(appending("audit", "b"));

        assertThat(head("audit").parentId()).hasValue(main);
        assertThat(live("audit").data().keySet()).containsExactly("memory:/t/data/a", "memory:/t/data/b");
        assertThat(head("audit").summary())
                .containsEntry("total-data-files", "2")
                .containsEntry("total-records", "20");
        assertThat(table.metadata().refs().get("audit"))
                .isEqualTo(SnapshotRef.branch(head("audit").id()));
        assertThat(table.head().id()).isEqualTo(main);
        assertThat(table.metadata().snapshotLog()).hasSize(1);
    }

    @Test
    void aBranchOfATableWithoutMainBeginsEmpty() {
        table.commit(appending("audit", "b"));
        assertThat(head("audit").parentId()).isEmpty();
        assertThat(table.metadata().currentSnapshotId()).isEmpty();
        assertThat(table.metadata().snapshotLog()).isEmpty();

        table.append(table.dataFile("a").build());
        assertThat(table.head().parentId()).isEmpty();
        assertThat(table.head().sequenceNumber()).isEqualTo(2);
        assertThat(live("main").data().keySet()).containsExactly("memory:/t/data/a");
        assertThat(live("audit").data().keySet()).containsExactly("memory:/t/data/b");
    }

    /** Two statements begin one branch: the second continues what the first began, and loses nothing of it. */
    @Test
    void whoIsSlowerToBeginABranchContinuesIt() {
        table.append(table.dataFile("a").build());
        table.committer.beforeSwap(() -> table.commit(appending("audit", "fast")));
        table.commit(appending("audit", "slow"));
        assertThat(live("audit").data().keySet())
                .containsExactly("memory:/t/data/a", "memory:/t/data/fast", "memory:/t/data/slow");
    }

    /** Main moves while a branch is begun: the attempt that counts begins at the newest head. */
    @Test
    void aBranchBeginsAtTheHeadFoundByTheAttemptThatCounts() {
        table.append(table.dataFile("a").build());
        table.committer.beforeSwap(() -> table.append(table.dataFile("newer").build()));
        table.commit(appending("audit", "b"));
        assertThat(head("audit").parentId()).hasValue(table.head().id());
        assertThat(live("audit").data().keySet()).contains("memory:/t/data/newer");
    }

    /** What is deleted is deleted on the branch alone. */
    @Test
    void aChangeThatReadMainCanBeginABranch() {
        var a = table.dataFile("a").build();
        table.append(a, table.dataFile("b").build());
        table.change(Operation.DELETE).remove(a).on("audit").commit();
        assertThat(live("audit").data().keySet()).containsExactly("memory:/t/data/b");
        assertThat(live("main").data()).hasSize(2);
    }

    @Test
    void rowIdsOfBranchesNeverMeet() {
        table.append(table.dataFile("a").build());
        table.commit(appending("audit", "b"));
        table.append(table.dataFile("c").build());
        table.commit(appending("audit", "d"));
        assertThat(live("audit").data("b").file().firstRowId()).hasValue(10);
        assertThat(live("main").data("c").file().firstRowId()).hasValue(20);
        assertThat(live("audit").data("d").file().firstRowId()).hasValue(30);
        assertThat(table.metadata().nextRowId()).isEqualTo(40);
        assertThat(head("audit").sequenceNumber()).isEqualTo(4);
    }

    @Test
    void aBranchKeepsItsRetention() {
        table.append(table.dataFile("a").build());
        var kept = new SnapshotRef(
                table.head().id(), SnapshotRef.Kind.BRANCH, OptionalInt.of(3), OptionalLong.of(7), OptionalLong.of(9));
        table.evolve(ref("audit", kept));
        table.commit(appending("audit", "b"));
        assertThat(table.metadata().refs().get("audit"))
                .isEqualTo(kept.at(head("audit").id()));
    }

    @Test
    void aTagThatAppearsBetweenAttemptsIsNotMoved() {
        table.append(table.dataFile("a").build());
        var tag = new SnapshotRef(
                table.head().id(),
                SnapshotRef.Kind.TAG,
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalLong.empty());
        table.committer.beforeSwap(() -> table.evolve(ref("audit", tag)));
        var statement = table.statement();
        var change = appending("audit", "b");
        assertThatThrownBy(() -> statement.commit(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'audit' must be a branch");
        assertThat(table.metadata().refs().get("audit")).isEqualTo(tag);
        assertThat(table.storage.locations()).doesNotContain("memory:/t/data/b");
    }

    @Test
    void aBranchThatIsDroppedMeanwhileIsNotBegunAgain() {
        table.append(table.dataFile("a").build());
        table.commit(appending("audit", "old"));
        table.committer.beforeSwap(() -> table.evolve(new MetadataUpdate.RemoveSnapshotRef("audit")));
        var statement = table.statement();
        var change = appending("audit", "b");
        assertThatThrownBy(() -> statement.commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("branch 'audit' was dropped since the statement began");
        assertThat(table.metadata().refs()).containsOnlyKeys("main");
        assertThat(table.storage.locations()).doesNotContain("memory:/t/data/b");
    }

    /** The branch of that name is another one: what it has is not what the statement was told to go on from. */
    @Test
    void aBranchThatIsCreatedAgainElsewhereIsNotWritten() {
        table.append(table.dataFile("a").build());
        long main = table.head().id();
        table.commit(appending("audit", "old"));
        table.committer.beforeSwap(() -> {
            table.evolve(new MetadataUpdate.RemoveSnapshotRef("audit"));
            table.evolve(ref("audit", SnapshotRef.branch(main)));
        });
        var statement = table.statement();
        var change = appending("audit", "b");
        assertThatThrownBy(() -> statement.commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("created again");
        assertThat(head("audit").id()).isEqualTo(main);
    }

    @Test
    void aBranchThatOthersMovedOnIsWritten() {
        table.append(table.dataFile("a").build());
        table.commit(appending("audit", "old"));
        table.committer.beforeSwap(() -> table.commit(appending("audit", "other")));
        table.commit(appending("audit", "b"));
        assertThat(live("audit").data().keySet())
                .containsExactly("memory:/t/data/a", "memory:/t/data/b", "memory:/t/data/old", "memory:/t/data/other");
    }

    @Test
    void aStagedSnapshotMovesNothing() {
        table.append(table.dataFile("a").build());
        Snapshot main = table.head();
        var target = new CommitTarget(
                CommitFixture.TABLE,
                table.metadata().uuid(),
                Optional.empty(),
                Branches.of(table.metadata()).staging(Optional.of("nightly")),
                table.committer,
                table.storage);
        var statement = table.statement();
        var change = appending("main", "b");
        statement.wrote(change);
        long staged = new TableCommit(target, statement.statement(), Clock.systemUTC())
                .commit(change, Resettle.never())
                .committed()
                .orElseThrow()
                .snapshotId();
        assertThat(table.head()).isEqualTo(main);
        assertThat(table.metadata().refs()).containsOnlyKeys("main");
        Snapshot snapshot = table.metadata().snapshot(staged).orElseThrow();
        assertThat(snapshot.parentId()).hasValue(main.id());
        assertThat(snapshot.summary()).containsEntry("wap.id", "nightly").containsEntry("total-data-files", "2");
        assertThat(table.storage.locations()).contains("memory:/t/data/b");
    }

    @Test
    void theLogOfMainDoesNotMentionBranches() {
        table.append(table.dataFile("a").build());
        table.commit(appending("audit", "b"));
        table.append(table.dataFile("c").build());
        assertThat(table.metadata().snapshotLog())
                .extracting(TableMetadata.SnapshotLogEntry::snapshotId)
                .containsExactly(
                        table.head().parentId().orElseThrow(), table.head().id());
        assertThat(table.metadata().snapshotLog().get(1).timestampMillis())
                .isEqualTo(table.head().timestampMillis());
    }
}
