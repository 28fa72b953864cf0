package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowlevel.RowChange.Command;
import dev.calve.rowlevel.RowTable.Range;
import dev.calve.scan.FileTask;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowChangeTest {

    private static final Range THREE = new Range(1, 3);

    private final RowTable table = RowTable.unpartitioned(3);

    private RowTable.Run run(boolean rewrite, IsolationLevel isolation) {
        return table.run(rewrite, isolation);
    }

    private RowTable.Run run() {
        return run(false, IsolationLevel.SERIALIZABLE);
    }

    private static List<Class<?>> rules(RowChange change) {
        return change.toSnapshotChange().rules().stream()
                .<Class<?>>map(Object::getClass)
                .toList();
    }

    @Test
    void namesTheOperationByWhatComesAndGoes() {
        table.append(1, 10);
        assertThat(run().delete(THREE).toSnapshotChange().operation()).isEqualTo(Operation.DELETE);
        assertThat(run(true, IsolationLevel.SERIALIZABLE)
                        .delete(THREE)
                        .toSnapshotChange()
                        .operation())
                .isEqualTo(Operation.OVERWRITE);
        assertThat(run().update(THREE, id -> id).toSnapshotChange().operation()).isEqualTo(Operation.OVERWRITE);
        assertThat(inserting().toSnapshotChange().operation()).isEqualTo(Operation.APPEND);
        assertThat(run().compact(THREE, 99).toSnapshotChange().operation()).isEqualTo(Operation.REPLACE);
    }

    private RowChange inserting() {
        return new RowChange(
                Command.MERGE,
                ReadPoint.of(table.table.metadata(), "main"),
                Scope.of(THREE.filter(), IsolationLevel.SNAPSHOT),
                List.of(),
                List.of(),
                List.of(table.file(List.of(RowTable.Row.of(70), RowTable.Row.of(71)))),
                0,
                Map.of());
    }

    @Test
    void guardsWhatItTouchedAndWhatItRead() {
        table.append(1, 10);
        assertThat(rules(run(false, IsolationLevel.SNAPSHOT).delete(THREE)))
                .containsExactly(
                        ConflictRule.FilesStillThere.class,
                        ConflictRule.DeletesUnchanged.class,
                        ConflictRule.NoNewEqualityDeletes.class);
        assertThat(rules(run().delete(THREE)))
                .containsExactly(
                        ConflictRule.FilesStillThere.class,
                        ConflictRule.DeletesUnchanged.class,
                        ConflictRule.NoNewEqualityDeletes.class,
                        ConflictRule.NoNewDataMatching.class);
        assertThat(rules(run(false, IsolationLevel.SNAPSHOT).update(THREE, id -> id)))
                .containsExactly(
                        ConflictRule.FilesStillThere.class,
                        ConflictRule.DeletesUnchanged.class,
                        ConflictRule.NoNewEqualityDeletes.class);
        assertThat(rules(run().merge(THREE, THREE, id -> id)))
                .containsExactly(
                        ConflictRule.FilesStillThere.class,
                        ConflictRule.DeletesUnchanged.class,
                        ConflictRule.NoNewEqualityDeletes.class,
                        ConflictRule.NoNewDataMatching.class,
                        ConflictRule.NoRowsDeletedIn.class);
        assertThat(rules(run(false, IsolationLevel.SNAPSHOT).merge(THREE, THREE, id -> id)))
                .doesNotContain(ConflictRule.NoRowsDeletedIn.class, ConflictRule.NoNewDataMatching.class);
        assertThat(rules(inserting())).isEmpty();
    }

    /** Rows that are written again without ids, and rows that come back without them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void guardsRowIdsThatCouldNotBeKept(boolean rewrite) {
        var older = RowTable.unpartitioned(2);
        older.append(1, 10);
        var run = older.run(rewrite, IsolationLevel.SNAPSHOT);
        assertThat(rules(run.delete(THREE)).contains(ConflictRule.RowIdsStillUnassigned.class))
                .isEqualTo(rewrite);
        assertThat(rules(run.update(THREE, id -> id))).contains(ConflictRule.RowIdsStillUnassigned.class);
        table.append(1, 10);
        assertThat(rules(table.run(rewrite, IsolationLevel.SNAPSHOT).update(THREE, id -> id)))
                .doesNotContain(ConflictRule.RowIdsStillUnassigned.class);
    }

    @Test
    void countsRowsExactly() {
        table.append(1, 10);
        var copying = run(true, IsolationLevel.SERIALIZABLE);
        copying.commit(copying.again(copying.delete(THREE)));
        assertThat(table.table.head().summary())
                .containsEntry("calve.rows-deleted", "3")
                .containsEntry("calve.rows-copied", "7")
                .containsEntry("calve.files-rewritten", "1")
                .containsEntry("calve.bytes-copied", "100")
                .containsEntry("calve.bytes-encoded", "20")
                .doesNotContainKeys("calve.rows-updated", "calve.rows-inserted");
        var updating = run();
        updating.commit(updating.again(updating.update(new Range(4, 5), id -> id)));
        assertThat(table.table.head().summary())
                .containsEntry("calve.rows-updated", "2")
                .doesNotContainKeys("calve.rows-deleted", "calve.rows-inserted", "calve.rows-copied")
                .doesNotContainKeys("calve.files-rewritten", "calve.bytes-copied", "calve.bytes-encoded");
        RowChange merge = new RowChange(
                Command.MERGE,
                ReadPoint.of(table.table.metadata(), "main"),
                Scope.of(THREE.filter(), IsolationLevel.SNAPSHOT),
                run().delete(new Range(6, 8)).touched(),
                List.of(),
                List.of(table.file(List.of(RowTable.Row.of(6), RowTable.Row.of(71), RowTable.Row.of(72)))),
                1,
                Map.of());
        assertThat(merge.counts().deleted()).hasValue(2);
        assertThat(merge.counts().updated()).hasValue(1);
        assertThat(merge.counts().inserted()).hasValue(2);
        assertThat(merge.counts().copied()).hasValue(0);
    }

    /** A file that goes by its metadata alone: rows deleted before are not deleted again. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void countsTheLiveRowsOfWholeFiles(int version) throws Exception {
        var of = RowTable.unpartitioned(version);
        of.append(1, 10);
        var run = of.run(false, IsolationLevel.SERIALIZABLE);
        FileTask untouched = run.planned(new Range(1, 10)).get(0);
        assertThat(WholeFile.of(of.table.storage, untouched).liveRows()).hasValue(10);
        run.commit(run.again(run.delete(THREE)));
        FileTask deleted = run.planned(new Range(1, 10)).get(0);
        assertThat(WholeFile.of(of.table.storage, deleted).liveRows()).hasValue(7);
        of.deleteByKey(5L);
        FileTask byKey = run.planned(new Range(1, 10)).get(0);
        assertThat(WholeFile.of(of.table.storage, byKey).liveRows()).isEqualTo(OptionalLong.empty());
    }

    /** What others deleted from a whole file meanwhile was not deleted by this statement. */
    @ParameterizedTest
    @EnumSource
    void countsWholeFilesAgainIfOthersDeletedFromThem(IsolationLevel isolation) throws Exception {
        table.append(1, 10);
        var run = run(false, isolation);
        var whole =
                WholeFile.of(table.table.storage, run.planned(new Range(1, 10)).get(0));
        RowChange change = RowChange.delete(
                ReadPoint.of(table.table.metadata(), "main"),
                Scope.of(new Range(1, 10).filter(), isolation),
                List.of(),
                List.of(whole),
                Map.of());
        run().deleteAndCommit(THREE);
        run.commit(run.again(change));
        assertThat(table.table.head().summary()).containsEntry("calve.rows-deleted", "7");
        assertThat(table.rows()).isEmpty();
        table.check();
    }

    @Test
    void refusesWhatContradictsItself() {
        table.append(1, 10);
        RowChange delete = run().delete(THREE);
        var touched = delete.touched().get(0);
        assertThatThrownBy(() -> new RowChange(
                        Command.DELETE,
                        delete.base(),
                        delete.scope(),
                        List.of(touched),
                        List.of(),
                        List.of(table.file(List.of(RowTable.Row.of(70)))),
                        0,
                        Map.of()))
                .hasMessageContaining("must not add rows");
        var whole = new WholeFile(touched.task(), OptionalLong.of(10));
        assertThatThrownBy(() ->
                        RowChange.delete(delete.base(), delete.scope(), List.of(touched), List.of(whole), Map.of()))
                .hasMessageContaining("settled once");
        assertThatThrownBy(() -> new RowChange(
                        Command.UPDATE,
                        delete.base(),
                        delete.scope(),
                        List.of(),
                        List.of(whole),
                        List.of(),
                        0,
                        Map.of()))
                .hasMessageContaining("goes unseen");
        assertThatThrownBy(() -> new RowChange(
                        Command.MERGE,
                        delete.base(),
                        delete.scope(),
                        List.of(touched),
                        List.of(),
                        List.of(),
                        1,
                        Map.of()))
                .hasMessageContaining("1 are updated, 3 go and 0 come");
        assertThatThrownBy(() -> new Touched(touched.task(), new Outcome.Untouched(0)))
                .hasMessageContaining("loses none");
    }

    @Test
    void isEmptyIfNothingMatched() {
        table.append(1, 10);
        RowChange nothing = run().delete(new Range(50, 60));
        assertThat(nothing.isEmpty()).isTrue();
        SnapshotChange change = nothing.toSnapshotChange();
        assertThat(change.isEmpty()).isTrue();
    }
}
