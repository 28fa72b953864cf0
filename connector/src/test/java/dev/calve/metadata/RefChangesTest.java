package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.NewRef.IfExists;
import dev.calve.metadata.SnapshotRef.Kind;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** {@link RefChanges} and {@link BranchMoves}, on a table with snapshots 1 ← 2 ← 3 in main and 2 ← 4 in branch side. */
class RefChangesTest {

    private static final long NOW = 10_000;

    private TableMetadata table = history();

    private static TableMetadata empty() {
        return MetadataUpdates.fresh(
                new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                "mem:/t",
                Map.of(),
                2,
                500);
    }

    private static TableMetadata history() {
        return MetadataUpdates.apply(
                empty(),
                List.of(
                        snapshot(1, OptionalLong.empty()),
                        snapshot(2, OptionalLong.of(1)),
                        snapshot(3, OptionalLong.of(2)),
                        snapshot(4, OptionalLong.of(2)),
                        new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(3)),
                        new MetadataUpdate.SetSnapshotRef("side", SnapshotRef.branch(4)),
                        new MetadataUpdate.SetSnapshotRef("v1", SnapshotRef.of(Kind.TAG, 1))),
                5_000);
    }

    /** Made at second {@code id}. */
    private static MetadataUpdate snapshot(long id, OptionalLong parent) {
        return new MetadataUpdate.AddSnapshot(new Snapshot(
                id,
                parent,
                id,
                id * 1_000,
                Optional.of("append"),
                Map.of(),
                Optional.of("mem:/list" + id),
                List.of(),
                OptionalInt.of(0),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Map.of()));
    }

    private void change(List<MetadataUpdate> updates) {
        assertThat(updates).hasSize(1);
        table = MetadataUpdates.apply(table, updates, NOW);
    }

    private static NewRef branch(String name, long snapshotId, IfExists ifExists) {
        return new NewRef(name, Kind.BRANCH, OptionalLong.of(snapshotId), Retention.UNSAID, ifExists);
    }

    private static NewRef atMain(String name, Kind kind, Retention retention, IfExists ifExists) {
        return new NewRef(name, kind, OptionalLong.empty(), retention, ifExists);
    }

    private static Retention retention(int snapshots, long snapshotAge, long refAge) {
        return new Retention(OptionalInt.of(snapshots), OptionalLong.of(snapshotAge), OptionalLong.of(refAge));
    }

    private static Retention refAge(long millis) {
        return new Retention(OptionalInt.empty(), OptionalLong.empty(), OptionalLong.of(millis));
    }

    private long at(String ref) {
        return table.snapshot(ref).orElseThrow().id();
    }

    private static void assertRefused(String why, Runnable change) {
        assertThatThrownBy(change::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void createsRefsWhereMainIsOrAtASnapshot() {
        change(RefChanges.create(table, atMain("b", Kind.BRANCH, retention(5, 60, 70), IfExists.FAIL)));
        change(RefChanges.create(table, branch("old", 1, IfExists.KEEP)));
        change(RefChanges.create(table, atMain("t", Kind.TAG, refAge(80), IfExists.REPLACE)));

        assertThat(table.refs())
                .containsEntry(
                        "b",
                        new SnapshotRef(3, Kind.BRANCH, OptionalInt.of(5), OptionalLong.of(60), OptionalLong.of(70)))
                .containsEntry("old", SnapshotRef.branch(1))
                .containsEntry(
                        "t",
                        new SnapshotRef(3, Kind.TAG, OptionalInt.empty(), OptionalLong.empty(), OptionalLong.of(80)));
        assertThat(at("main")).isEqualTo(3);
    }

    @Test
    void failsKeepsOrReplacesARefThatExists() {
        assertRefused(
                "'side' (table at mem:/t): it exists, at snapshot 4",
                () -> RefChanges.create(table, branch("side", 1, IfExists.FAIL)));
        assertThat(RefChanges.create(table, branch("side", 1, IfExists.KEEP))).isEmpty();
        assertThat(RefChanges.create(table, branch("side", 4, IfExists.REPLACE)))
                .isEmpty();
        change(RefChanges.create(table, branch("side", 1, IfExists.REPLACE)));
        assertThat(at("side")).isEqualTo(1);
    }

    @Test
    void keepsTheRetentionOfAReplacedRefThatIsNotSaidAnew() {
        change(RefChanges.create(table, atMain("b", Kind.BRANCH, retention(5, 60, 70), IfExists.FAIL)));
        change(RefChanges.create(table, atMain("b", Kind.BRANCH, refAge(90), IfExists.REPLACE)));
        assertThat(table.refs().get("b"))
                .isEqualTo(
                        new SnapshotRef(3, Kind.BRANCH, OptionalInt.of(5), OptionalLong.of(60), OptionalLong.of(90)));
    }

    @Test
    void takesNoTagForABranchNorTheOtherWayRound() {
        for (IfExists ifExists : IfExists.values()) {
            assertRefused("'v1' is a tag", () -> RefChanges.create(table, branch("v1", 1, ifExists)));
            assertRefused(
                    "'side' is a branch",
                    () -> RefChanges.create(table, atMain("side", Kind.TAG, Retention.UNSAID, ifExists)));
        }
        assertRefused("'v1' is a tag", () -> RefChanges.drop(table, "v1", Kind.BRANCH, true));
        assertRefused("'side' is a branch", () -> RefChanges.drop(table, "side", Kind.TAG, false));
    }

    @Test
    void dropsRefs() {
        change(RefChanges.drop(table, "side", Kind.BRANCH, false));
        change(RefChanges.drop(table, "v1", Kind.TAG, true));
        assertThat(table.refs()).containsOnlyKeys("main");
        assertThat(table.snapshots()).hasSize(4);

        assertThat(RefChanges.drop(table, "side", Kind.BRANCH, true)).isEmpty();
        assertRefused("no such branch, but [main]", () -> RefChanges.drop(table, "side", Kind.BRANCH, false));
        assertRefused("no such tag, but []", () -> RefChanges.drop(table, "v1", Kind.TAG, false));
    }

    @Test
    void changesOfMainOnlyItsRetention() {
        var keep = new Retention(OptionalInt.of(3), OptionalLong.of(50), OptionalLong.empty());
        change(RefChanges.create(table, atMain("main", Kind.BRANCH, keep, IfExists.REPLACE)));
        assertThat(table.refs().get("main"))
                .isEqualTo(
                        new SnapshotRef(3, Kind.BRANCH, OptionalInt.of(3), OptionalLong.of(50), OptionalLong.empty()));
        assertThat(RefChanges.create(table, branch("main", 1, IfExists.KEEP))).isEmpty();

        assertRefused("every table has it", () -> RefChanges.create(table, branch("main", 3, IfExists.FAIL)));
        assertRefused("set_current_snapshot", () -> RefChanges.create(table, branch("main", 1, IfExists.REPLACE)));
        assertRefused(
                "never expires",
                () -> RefChanges.create(table, atMain("main", Kind.BRANCH, refAge(5), IfExists.REPLACE)));
        assertRefused(
                "the branch of the table itself",
                () -> RefChanges.create(table, atMain("main", Kind.TAG, Retention.UNSAID, IfExists.REPLACE)));
        assertRefused("the branch of the table itself", () -> RefChanges.drop(table, "main", Kind.BRANCH, true));
    }

    @Test
    void refusesSnapshotsThatAreNotThereAndTablesWithoutAny() {
        assertRefused(
                "there is no snapshot 9, but [4, 3, 2, 1]",
                () -> RefChanges.create(table, branch("b", 9, IfExists.FAIL)));
        table = empty();
        assertRefused(
                "main has no snapshot yet",
                () -> RefChanges.create(table, atMain("b", Kind.BRANCH, Retention.UNSAID, IfExists.FAIL)));
        assertRefused(
                "from the first rows on",
                () -> RefChanges.create(table, atMain("main", Kind.BRANCH, Retention.UNSAID, IfExists.REPLACE)));
    }

    @Test
    void refusesWhatNoRefCanBe() {
        assertRefused("must have a name", () -> branch(" ", 1, IfExists.FAIL));
        assertRefused("no retention of snapshots", () -> atMain("t", Kind.TAG, retention(1, 1, 1), IfExists.FAIL));
        assertRefused("must be positive, not 0", () -> retention(0, 1, 1));
        assertRefused("must be positive, not -1", () -> retention(1, -1, 1));
        assertRefused("must be positive, not 0", () -> refAge(0));
    }

    @Test
    void rollsBackAlongTheLineOfMain() {
        change(BranchMoves.rollbackTo(table, 1));
        assertThat(at("main")).isEqualTo(1);
        assertThat(table.snapshotLog()).last().isEqualTo(new TableMetadata.SnapshotLogEntry(NOW, 1));
        assertThat(BranchMoves.rollbackTo(table, 1)).isEmpty();

        assertRefused("main did not go through it, but through [1]", () -> BranchMoves.rollbackTo(table, 3));
        assertRefused("there is no such snapshot, but [4, 3, 2, 1]", () -> BranchMoves.rollbackTo(table, 9));
        assertRefused("main has no snapshot yet", () -> BranchMoves.rollbackBefore(empty(), 9));
    }

    @Test
    void doesNotRollBackToASnapshotOfAnotherBranch() {
        assertRefused("but through [3, 2, 1]. set_current_snapshot", () -> BranchMoves.rollbackTo(table, 4));
    }

    @Test
    void rollsBackToTheNewestSnapshotOlderThanATime() {
        assertThat(BranchMoves.rollbackBefore(table, 3_001)).isEmpty();
        change(BranchMoves.rollbackBefore(table, 3_000));
        assertThat(at("main")).isEqualTo(2);
        change(BranchMoves.rollbackBefore(table, 1_001));
        assertThat(at("main")).isEqualTo(1);
        assertRefused(
                "roll back to before " + Instant.ofEpochSecond(1), () -> BranchMoves.rollbackBefore(table, 1_000));
    }

    @Test
    void setsMainToAnySnapshotOrRef() {
        change(BranchMoves.setCurrent(table, 4));
        assertThat(at("main")).isEqualTo(4);
        change(BranchMoves.setCurrent(table, "v1"));
        assertThat(at("main")).isEqualTo(1);
        change(BranchMoves.setCurrent(table, "side"));
        assertThat(at("main")).isEqualTo(4);
        assertThat(BranchMoves.setCurrent(table, "main")).isEmpty();

        assertRefused("there is no such snapshot, but [4, 3, 2, 1]", () -> BranchMoves.setCurrent(table, 5));
        assertRefused(
                "there is no ref 'nope', but branches [main, side] and tags [v1]",
                () -> BranchMoves.setCurrent(table, "nope"));
    }

    @Test
    void keepsTheRetentionOfABranchThatMoves() {
        var keep = new Retention(OptionalInt.of(3), OptionalLong.empty(), OptionalLong.empty());
        change(RefChanges.create(table, atMain("main", Kind.BRANCH, keep, IfExists.REPLACE)));
        change(BranchMoves.setCurrent(table, 4));
        assertThat(table.refs()).containsEntry("main", keep.of(SnapshotRef.branch(4)));
        change(RefChanges.create(
                table, new NewRef("b", Kind.BRANCH, OptionalLong.of(1), retention(5, 60, 70), IfExists.FAIL)));
        change(BranchMoves.fastForward(table, "b", "side"));
        assertThat(table.refs()).containsEntry("b", retention(5, 60, 70).of(SnapshotRef.branch(4)));
    }

    @Test
    void fastForwardsOnlyToDescendants() {
        change(BranchMoves.setCurrent(table, 2));
        change(BranchMoves.fastForward(table, "main", "side"));
        assertThat(at("main")).isEqualTo(4);
        assertThat(table.currentSnapshotId()).hasValue(4);
        assertThat(BranchMoves.fastForward(table, "main", "side")).isEmpty();
        change(BranchMoves.fastForward(table, "new", "v1"));
        assertThat(table.refs()).containsEntry("new", SnapshotRef.branch(1));

        assertRefused(
                "snapshot 1 of 'v1' does not descend from snapshot 4 of 'main'",
                () -> BranchMoves.fastForward(table, "main", "v1"));
        assertRefused("'v1' is a tag", () -> BranchMoves.fastForward(table, "v1", "side"));
        assertRefused("there is no ref 'nope'", () -> BranchMoves.fastForward(table, "main", "nope"));
        assertRefused("must have a name", () -> BranchMoves.fastForward(table, "", "side"));
    }

    @Test
    void createsMainWhereNothingWasCommittedToItYet() {
        table = MetadataUpdates.apply(
                empty(),
                List.of(
                        snapshot(1, OptionalLong.empty()),
                        new MetadataUpdate.SetSnapshotRef("side", SnapshotRef.branch(1))),
                2_000);
        assertRefused("main has no snapshot yet", () -> BranchMoves.rollbackTo(table, 1));
        change(BranchMoves.fastForward(table, "main", "side"));
        assertThat(table.currentSnapshotId()).hasValue(1);
    }

    @Test
    void namesNoMoreThanTwentyOfMany() {
        for (int i = 10; i < 33; i++) {
            change(RefChanges.create(table, atMain("t" + i, Kind.TAG, Retention.UNSAID, IfExists.FAIL)));
        }
        assertRefused("but [t10, t11, t12,", () -> RefChanges.drop(table, "none", Kind.TAG, false));
        assertRefused("t29 and 4 more].", () -> RefChanges.drop(table, "none", Kind.TAG, false));
    }
}
