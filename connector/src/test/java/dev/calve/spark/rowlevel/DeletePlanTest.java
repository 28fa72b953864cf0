package dev.calve.spark.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletePlanTest {

    private static List<FileTask> tasks(CommitFixture table) {
        return new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(Expression.Constant.TRUE)
                .tasks();
    }

    private static SnapshotChange change(CommitFixture table, Outcome... outcomes) {
        return new DeletePlan(table.head(), List.of(), tasks(table), List.of(outcomes))
                .change("main", table.metadata().formatVersion(), List.of(), Map.of());
    }

    private static SnapshotChange wholeByMetadata(CommitFixture table) {
        return new DeletePlan(table.head(), tasks(table), List.of(), List.of())
                .change("main", table.metadata().formatVersion(), List.of(), Map.of());
    }

    private static Outcome rewritten(CommitFixture table) {
        return new Outcome.Rewritten(
                0,
                PositionBitmap.of(1, 2, 3),
                List.of(table.dataFile("a2").records(7).build()));
    }

    private static void assertConflict(CommitFixture table, SnapshotChange change, DataFile file) {
        assertThatThrownBy(() -> table.commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining(file.path());
    }

    /** A rewrite would bring back the rows another writer deleted meanwhile. */
    @Test
    void refusesARewriteOfAFileThatGotAVectorMeanwhile() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a").build();
        table.append(a);
        SnapshotChange rewrite = change(table, rewritten(table));
        table.change(Operation.DELETE).delete(table.vector("v", a)).commit();
        assertConflict(table, rewrite, a);
    }

    @Test
    void refusesARewriteOfAFileWhosePartitionGotPositionDeletesMeanwhile() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a").build();
        table.append(a);
        SnapshotChange rewrite = change(table, rewritten(table));
        table.change(Operation.DELETE).delete(table.positionsIn("wide", a)).commit();
        assertConflict(table, rewrite, a);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void refusesDeletesFromAFileThatWasRemovedMeanwhile(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a").build();
        table.append(a);
        SnapshotChange change = change(
                table,
                switch (version) {
                    case 1 -> rewritten(table);
                    case 2 -> new Outcome.Deletes(0, PositionBitmap.of(1, 2), table.positions("p", a));
                    default -> new Outcome.Deletes(0, PositionBitmap.of(1, 2), table.vector("v", a));
                });
        table.change(Operation.DELETE).remove(a).commit();
        assertConflict(table, change, a);
    }

    /** B04: the new vector holds what the old one held, so the old one leaves with the same snapshot. */
    @Test
    void replacesTheVectorOfAnEarlierDelete() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a").build();
        table.append(a);
        table.commit(change(table, new Outcome.Deletes(0, PositionBitmap.of(1, 2), table.vector("v", a))));
        table.commit(change(table, new Outcome.Deletes(0, PositionBitmap.of(1), table.vector("w", a, 4, 3))));
        assertThat(table.live().deletes().keySet()).containsExactly("memory:/t/data/w@4");
        assertThat(table.head().operation()).contains("delete");
        assertThat(table.head().summary()).containsEntry("added-dvs", "1").containsEntry("removed-dvs", "1");
    }

    @Test
    void absorbsFileScopedPositionDeletesAndLeavesWiderOnes() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a").build();
        table.append(a);
        table.change(Operation.DELETE)
                .delete(table.positions("p", a))
                .delete(table.positionsIn("wide", a))
                .commit();
        table.commit(change(table, new Outcome.Deletes(0, PositionBitmap.of(1), table.positions("q", a))));
        assertThat(table.live().deletes().keySet()).containsExactly("memory:/t/data/q", "memory:/t/data/wide");
    }

    /** The file would leave all the same, but the rows the other deleted would be counted as deleted twice. */
    @Test
    void plansAnewIfAFileThatLeavesAsAWholeGotDeletesMeanwhile() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a").build();
        table.append(a);
        SnapshotChange whole = change(table, new Outcome.WholeFile(0, PositionBitmap.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)));
        table.change(Operation.DELETE).delete(table.vector("v", a)).commit();
        assertConflict(table, whole, a);
    }

    @Test
    void countsRowsDeletedAndCopied() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a").build();
        table.append(a);
        table.commit(change(table, rewritten(table)));
        assertThat(table.head().summary())
                .containsEntry("calve.rows-deleted", "3")
                .containsEntry("calve.rows-copied", "7")
                .doesNotContainKeys("calve.rows-updated", "calve.rows-inserted");
    }

    @Test
    void countsRowsOfWholeFilesWithoutThoseAVectorHadDeleted() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a").build();
        table.append(a);
        table.change(Operation.DELETE).delete(table.vector("v", a)).commit();
        table.commit(wholeByMetadata(table));
        assertThat(table.head().summary()).containsEntry("calve.rows-deleted", "8");
    }

    @Test
    void saysNothingOfRowsThatPositionDeleteFilesMayHaveDeleted() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a").build();
        table.append(a);
        table.change(Operation.DELETE).delete(table.positions("p", a)).commit();
        table.commit(wholeByMetadata(table));
        assertThat(table.head().summary())
                .containsEntry("deleted-records", "10")
                .doesNotContainKey("calve.rows-deleted");
    }

    /** B07: survivors are as old as the deletes that were applied to them, and those leave with the old file. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void datesSurvivorsAsTheSnapshotThatWasRead(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a").build();
        table.append(a);
        table.change(Operation.DELETE)
                .delete(version == 3 ? table.vector("d", a) : table.positions("d", a))
                .commit();
        long read = table.head().sequenceNumber();
        table.commit(change(table, rewritten(table)));
        assertThat(table.live().data("a2").sequenceNumber()).isEqualTo(read);
        assertThat(table.live().deletes()).isEmpty();
        assertThat(table.head().operation()).contains("overwrite");
    }
}
