package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.Conflict;
import dev.calve.commit.FileLedger;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.RowTable.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a re-settle leaves for the next attempt, what it writes, and whom it names. */
class SettleAgainSeveralTimesTest {

    private static final Range THREE = new Range(1, 3);

    private static RowTable table(int version) {
        var table = RowTable.unpartitioned(version);
        table.append(1, 10);
        table.append(11, 20);
        return table;
    }

    private static RowTable.Run run(RowTable table) {
        return table.run(false, IsolationLevel.SERIALIZABLE);
    }

    private static long delete(RowTable table, long from, long to) {
        return run(table)
                .deleteAndCommit(new Range(from, to))
                .committed()
                .orElseThrow()
                .snapshotId();
    }

    private static Set<Long> without(long... names) {
        var rows = new java.util.TreeSet<Long>();
        for (long name = 1; name <= 20; name++) {
            rows.add(name);
        }
        for (long name : names) {
            rows.remove(name);
        }
        return rows;
    }

    private static List<Conflict> refused(RowTable.Run run, SettleAgain again) {
        var conflicts = new ArrayList<Conflict>();
        assertThatThrownBy(() -> run.commit(again))
                .isInstanceOfSatisfying(CommitConflictException.class, e -> conflicts.addAll(e.conflicts()));
        return conflicts;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void comparesEachAttemptWithTheSnapshotSettledFor(int version) {
        var table = table(version);
        var run = run(table);
        var again = run.again(run.delete(THREE));
        delete(table, 5, 5);
        table.table.committer.beforeSwap(() -> delete(table, 2, 2));
        table.table.committer.beforeSwap(() -> {});
        table.table.committer.beforeSwap(() -> delete(table, 6, 6));
        CommitOutcome outcome = run.commit(again);
        assertThat(outcome.committed().orElseThrow().attempts()).isGreaterThanOrEqualTo(3);
        assertThat(table.idsByName().keySet()).isEqualTo(without(1, 2, 3, 5, 6));
        assertThat(table.table.head().summary()).containsEntry("calve.rows-deleted", "2");
        assertThat(table.table.live().deletes()).hasSize(1);
        table.check();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void namesTheRowsOfALaterConflictAfterAnEarlierWasSettled(int version) {
        var table = table(version);
        var run = run(table);
        var again = run.again(run.update(THREE, id -> id + 100));
        delete(table, 5, 5);
        var other = new long[1];
        table.table.committer.beforeSwap(() -> other[0] = delete(table, 2, 3));
        assertThat(refused(run, again)).singleElement().isInstanceOfSatisfying(Conflict.RowsOverlap.class, overlap -> {
            assertThat(overlap.positions()).isEqualTo(PositionBitmap.of(1, 2));
            assertThat(overlap.by().snapshotId()).isEqualTo(other[0]);
            assertThat(overlap.dataFile()).endsWith("f1.parquet");
        });
        assertThat(table.idsByName().keySet()).isEqualTo(without(2, 3, 5));
        table.check();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void blamesTheSnapshotThatDeletedTheRow(int version) {
        var table = table(version);
        var run = run(table);
        var again = run.again(run.update(THREE, id -> id + 100));
        delete(table, 5, 5);
        long second = delete(table, 2, 2);
        delete(table, 6, 6);
        long fourth = delete(table, 3, 3);
        List<Conflict> conflicts = refused(run, again);
        assertThat(conflicts).hasSize(2);
        assertThat(conflicts)
                .extracting(conflict -> ((Conflict.RowsOverlap) conflict).by().snapshotId())
                .containsExactly(second, fourth);
        assertThat(conflicts)
                .extracting(conflict -> ((Conflict.RowsOverlap) conflict).positions())
                .containsExactly(PositionBitmap.of(1), PositionBitmap.of(2));
    }

    /** A delete file that later ones superseded may be cleaned up before somebody asks who deleted a row. */
    @Test
    void blamesASnapshotAlsoIfItsDeletesAreCleanedUp() throws Exception {
        var table = table(3);
        var run = run(table);
        var again = run.again(run.update(THREE, id -> id + 100));
        delete(table, 2, 2);
        table.table.storage.delete(
                table.table.live().deletes().values().iterator().next().file().path());
        // Settled again without reading the vector that is gone, as if another engine had done it.
        var other = run(table);
        assertThatThrownBy(() -> other.delete(new Range(5, 5))).isInstanceOf(java.io.UncheckedIOException.class);
        var all = table.table.live().data("f1.parquet").file();
        var old = table.table.live().deletes().values().iterator().next().file();
        var settlement = SettleHere.deletesOnly(
                table.table.storage, new FileLedger(table.table.storage), UUID.randomUUID(), 7, "test");
        var task = run.planned(THREE).get(0);
        var outcome = (dev.calve.rowdelete.Outcome.Deletes) settlement
                .settle(
                        table.table.metadata(),
                        List.of(new Settlement.Part(task, PositionBitmap.of(1), PositionBitmap.of(4), false)))
                .get(0);
        table.table
                .change(dev.calve.commit.SnapshotChange.Operation.DELETE)
                .delete(outcome.file(), old)
                .commit();
        long last = table.table.head().id();
        assertThat(all.path()).endsWith("f1.parquet");
        assertThat(refused(run, again)).singleElement().isInstanceOfSatisfying(Conflict.RowsOverlap.class, overlap -> {
            assertThat(overlap.positions()).isEqualTo(PositionBitmap.of(1));
            assertThat(overlap.by().snapshotId()).isEqualTo(last);
        });
    }

    /** Only the file others deleted from is settled again; the other keeps what was written for it. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void settlesOnlyFilesAgainThatOthersTouched(int version) {
        var table = table(version);
        var run = run(table);
        RowChange change = run.delete(new Range(9, 12));
        Set<String> written = change.touched().stream()
                .flatMap(file -> file.outcome().written().stream())
                .collect(Collectors.toSet());
        delete(table, 5, 5);
        run.commit(run.again(change));
        Set<String> live = table.table.live().deletes().values().stream()
                .map(entry -> entry.file().path())
                .collect(Collectors.toSet());
        assertThat(live).hasSize(2).containsAnyElementsOf(written);
        assertThat(table.idsByName().keySet()).isEqualTo(without(5, 9, 10, 11, 12));
        // In version 2 the file nobody refers to any more is gone; in version 3 both vectors shared one that stays.
        assertThat(written).hasSize(version == 3 ? 1 : 2);
        table.check();
    }

    /** Deletes from before an upgrade: what speaks of one file goes into its vector and leaves, what reaches further stays. */
    @Test
    void takesOldPositionDeletesIntoTheVectorOfAnUpgradedTable() {
        var table = table(2);
        delete(table, 8, 8);
        table.deleteWidely(7L, 17L);
        table.table.upgradeTo(3);
        var run = run(table);
        RowChange change = run.delete(THREE);
        table.append(30, 31);
        run.commit(run.again(change));
        List<DeleteFile> deletes = table.table.live().deletes().values().stream()
                .map(ManifestEntry::file)
                .toList();
        assertThat(deletes).hasSize(2);
        assertThat(deletes)
                .filteredOn(DeleteFile.DeletionVector.class::isInstance)
                .singleElement()
                .extracting(ContentFile::recordCount)
                .isEqualTo(5L);
        assertThat(deletes).filteredOn(file -> file.scopedTo().isEmpty()).hasSize(1);
        assertThat(table.idsByName().keySet())
                .containsAll(without(1, 2, 3, 7, 8, 17))
                .doesNotContain(7L, 8L, 17L);
        table.check();
    }

    /** Rewritten rows stay as old as the snapshot that was read, so that keys deleted since still apply to them. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void writesRowsAgainForEqualityDeletesSinceToApply(int version) {
        var table = table(version);
        long read = table.table.head().sequenceNumber();
        var run = table.run(true, IsolationLevel.SERIALIZABLE);
        RowChange change = run.delete(THREE);
        delete(table, 5, 5);
        table.deleteByKey(7L);
        var again = run.again(change);
        run.commit(again);
        assertThat(table.idsByName().keySet()).isEqualTo(without(1, 2, 3, 5, 7));
        DataFile rewritten = ((dev.calve.rowdelete.Outcome.Rewritten)
                        again.current().touched().get(0).outcome())
                .files()
                .get(0);
        assertThat(rewritten.recordCount()).isEqualTo(6);
        assertThat(table.table.live().entry(rewritten).sequenceNumber()).isEqualTo(read);
        table.check();
    }

    /** Beside a file it need not be known which of its rows were deleted by key before. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void settlesAgainBesideAFileWithOlderEqualityDeletes(int version) {
        var table = table(version);
        table.deleteByKey(7L);
        var run = table.run(false, IsolationLevel.SERIALIZABLE);
        RowChange change = run.delete(THREE);
        delete(table, 5, 5);
        run.commit(run.again(change));
        assertThat(table.idsByName().keySet()).isEqualTo(without(1, 2, 3, 5, 7));
        table.check();
    }

    /** A scanned file another writer compacts is followed only as long as the same history is walked. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void refusesAMergeThatIsSettledAgainAfterAFileItReadWasReplaced(int version) {
        var table = table(version);
        var read = new Range(3, 12);
        var run = run(table);
        var again = run.again(run.merge(read, new Range(3, 4), id -> id + 100)).showing(table.matcher(read));
        var compactor = run(table);
        compactor.commit(compactor.again(compactor.compact(new Range(11, 20), 30)));
        delete(table, 1, 1);
        table.table.committer.beforeSwap(() -> delete(table, 12, 12));
        assertThat(refused(run, again))
                .singleElement()
                .isInstanceOfSatisfying(
                        Conflict.DataFileRemoved.class,
                        removed -> assertThat(removed.dataFile()).endsWith("f2.parquet"));
        table.check();
    }

    /** Until then, rows deleted from what a compaction made of it are known to be of it. */
    @Test
    void refusesAMergeWhoseReadRowsAreDeletedAfterTheirFileWasReplaced() {
        var table = table(3);
        var read = new Range(3, 12);
        var run = run(table);
        var again = run.again(run.merge(read, new Range(3, 4), id -> id + 100)).showing(table.matcher(read));
        var compactor = run(table);
        compactor.commit(compactor.again(compactor.compact(new Range(11, 20), 30)));
        delete(table, 12, 12);
        assertThat(refused(run, again)).singleElement().isInstanceOf(Conflict.RowsDeleted.class);
    }

    @Test
    void writesNothingForAStatementThatIsRefused() {
        var table = table(3);
        var run = run(table);
        RowChange change = run.update(new Range(3, 12), id -> id + 100);
        delete(table, 1, 1);
        delete(table, 12, 12);
        table.table.storage.requests().reset();
        assertThat(refused(run, run.again(change))).singleElement().isInstanceOf(Conflict.RowsOverlap.class);
        assertThat(table.table.storage.requests().count(Request.CREATE)).isZero();
        table.check();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void leavesNothingBehindIfSettlingAgainFails(int version) {
        var table = table(version);
        var run = run(table);
        RowChange change = run.update(THREE, id -> id + 100);
        delete(table, 5, 5);
        table.table.storage.requests().failOn(Request.CLOSE, 1);
        assertThatThrownBy(() -> run.commit(run.again(change))).hasMessageContaining("Injected: CLOSE");
        assertThat(table.idsByName().keySet()).isEqualTo(without(5));
        table.check();
    }

    /** Where nothing can be rewritten, the statement runs again instead; what was settled beside files does not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void plansAnewWhereRowsCannotBeWrittenAgain(boolean rewrite) {
        var table = table(3);
        var run = table.run(rewrite, IsolationLevel.SERIALIZABLE);
        RowChange change = run.delete(THREE);
        delete(table, 5, 5);
        var planned = new int[1];
        var settlement = SettleHere.deletesOnly(table.table.storage, run.statement.ledger, run.statement.id, 1, "test");
        var again = SettleAgain.of(table.table.storage, change, settlement).orElse((found, conflicts, stale) -> {
            planned[0]++;
            assertThat(stale).isSameAs(change);
            assertThat(conflicts).singleElement().isInstanceOf(Conflict.RowsDeleted.class);
            return run.replan(THREE).against(found, conflicts, stale);
        });
        run.commit(again);
        assertThat(planned[0]).isEqualTo(rewrite ? 1 : 0);
        assertThat(table.idsByName().keySet()).isEqualTo(without(1, 2, 3, 5));
        table.check();
    }

    @Test
    void doesNothingIfOthersDeletedTheSameRows() {
        var table = table(3);
        var run = run(table);
        RowChange change = run.delete(THREE);
        long head = delete(table, 1, 4);
        assertThat(run.commit(run.again(change))).isInstanceOf(CommitOutcome.NothingToDo.class);
        assertThat(table.table.head().id()).isEqualTo(head);
        table.check();
    }

    /** Version 1 has copy-on-write only. */
    @Test
    void plansARewriteOfVersion1AnewIfItsFileWasRewritten() {
        var table = table(1);
        var run = table.run(true, IsolationLevel.SERIALIZABLE);
        var other = table.run(true, IsolationLevel.SERIALIZABLE);
        RowChange change = run.delete(THREE);
        other.deleteAndCommit(new Range(5, 5));
        run.commit(run.again(change).orElse(run.replan(THREE)));
        assertThat(table.idsByName().keySet()).isEqualTo(without(1, 2, 3, 5));
        table.check();
    }
}
