package dev.calve.commit;

import static dev.calve.commit.GuardedTable.places;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.ConflictRule.NoRowsDeletedIn;
import dev.calve.commit.GuardedTable.Keys;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link NoRowsDeletedIn}. */
class ReadRulesTest {

    private final GuardedTable guarded = new GuardedTable(2);
    private final CommitFixture table = guarded.table;
    private final DataFile a = guarded.file("a", 1);
    private final DataFile a2 = guarded.file("a2", 1);
    private final DataFile b = guarded.file("b", 2);

    ReadRulesTest() {
        table.append(a, a2, b);
    }

    private SnapshotChange scanning(DataFile... files) {
        return guarded.reading(new NoRowsDeletedIn(places(files), CommitFixture.idAtMost(10)));
    }

    private void assertRowsDeleted(SnapshotChange change, DataFile... files) throws IOException {
        assertThat(guarded.check(change))
                .allSatisfy(conflict -> assertThat(conflict).isInstanceOf(Conflict.RowsDeleted.class))
                .extracting(conflict -> ((Conflict.RowsDeleted) conflict).dataFile())
                .containsExactlyInAnyOrder(
                        java.util.Arrays.stream(files).map(DataFile::path).toArray(String[]::new));
    }

    @Test
    void mindsPositionsOfAFileItScannedOnly() throws IOException {
        SnapshotChange ofA = scanning(a);
        SnapshotChange ofB = scanning(b);
        guarded.commit(Operation.DELETE, table.positions("p", a));
        assertRowsDeleted(ofA, a);
        assertThat(guarded.check(ofB)).isEmpty();
    }

    @Test
    void mindsPositionsOfItsPartition() throws IOException {
        SnapshotChange change = scanning(a, a2, b);
        guarded.commit(Operation.DELETE, table.positionsIn("wide", a));
        assertRowsDeleted(change, a, a2);
    }

    @Test
    void mindsAVector() throws IOException {
        var v3 = new GuardedTable(3);
        DataFile scanned = v3.file("a", 1);
        v3.table.append(scanned);
        SnapshotChange change = v3.reading(new NoRowsDeletedIn(places(scanned), Expression.Constant.TRUE));
        v3.commit(Operation.DELETE, v3.table.vector("v", scanned));
        assertThat(v3.check(change)).singleElement().isInstanceOf(Conflict.RowsDeleted.class);
    }

    @Test
    void mindsKeysThatMaySatisfyTheFilter() throws IOException {
        SnapshotChange change = scanning(a);
        guarded.commit(
                Operation.DELETE,
                guarded.equality(
                        "beyond", 1, List.of(CommitFixture.ID), Keys.ids(11, 20).metrics()));
        assertThat(guarded.check(change)).isEmpty();
        guarded.commit(
                Operation.DELETE,
                guarded.equality(
                        "within", 1, List.of(CommitFixture.ID), Keys.ids(5, 20).metrics()));
        assertThat(guarded.check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(
                                ((Conflict.KeysDeleted) conflict).deletes().path())
                        .endsWith("within"));
    }

    @Test
    void mindsTheRemovalOfAFileWithItsRows() throws IOException {
        SnapshotChange ofA = scanning(a);
        SnapshotChange ofB = scanning(b);
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(guarded.check(ofA))
                .singleElement()
                .satisfies(conflict -> assertThat(((Conflict.DataFileRemoved) conflict).dataFile())
                        .isEqualTo(a.path()));
        assertThat(guarded.check(ofB)).isEmpty();
    }

    /** Whoever writes a file again as an overwrite may have changed any of its rows. */
    @Test
    void mindsARewriteThatIsNoCompaction() throws IOException {
        SnapshotChange change = scanning(a);
        table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(guarded.file("c", 1))
                .commit();
        assertThat(guarded.check(change)).singleElement().isInstanceOf(Conflict.DataFileRemoved.class);
    }

    @Test
    void doesNotMindCompaction() throws IOException {
        SnapshotChange change = scanning(a, a2);
        guarded.replace(guarded.file("c", 1), a, a2);
        assertThat(guarded.check(change)).isEmpty();
    }

    @Test
    void doesNotMindDeletesThatAReplaceRepeats() throws IOException {
        var old = table.positionsIn("old", a);
        guarded.commit(Operation.DELETE, old);
        SnapshotChange change = scanning(a);
        table.change(Operation.REPLACE).delete(table.positions("again", a), old).commit();
        assertThat(guarded.check(change)).isEmpty();
    }

    // Rows live on in the files a compaction made.

    @Test
    void mindsRowsDeletedInWhatBecameOfAFile() throws IOException {
        SnapshotChange ofA = scanning(a);
        SnapshotChange ofB = scanning(b);
        DataFile compacted = guarded.file("c", 1);
        guarded.replace(compacted, a, a2);
        guarded.commit(Operation.DELETE, table.positions("p", compacted));
        assertRowsDeleted(ofA, compacted);
        assertThat(guarded.check(ofB)).isEmpty();
    }

    @Test
    void mindsTheRemovalOfWhatBecameOfAFile() throws IOException {
        SnapshotChange change = scanning(a);
        DataFile compacted = guarded.file("c", 1);
        guarded.replace(compacted, a, a2);
        table.change(Operation.DELETE).remove(compacted).commit();
        assertThat(guarded.check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(((Conflict.DataFileRemoved) conflict).dataFile())
                        .isEqualTo(compacted.path()));
    }

    @Test
    void followsRowsThroughSeveralCompactionsAndSpecs() throws IOException {
        SnapshotChange change = scanning(a);
        DataFile first = guarded.file("c", 1);
        DataFile second =
                table.dataFile("d").spec(GuardedTable.OTHER_SPEC).in(1).build();
        guarded.replace(first, a, a2);
        guarded.replace(second, first);
        table.append(guarded.file("unrelated", 1));
        assertThat(guarded.check(change)).isEmpty();
        guarded.commit(Operation.DELETE, table.equality("e", GuardedTable.OTHER_SPEC, 1));
        assertThat(guarded.check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(((Conflict.KeysDeleted) conflict).dataFiles())
                        .containsExactly(second.path()));
    }

    @Test
    void doesNotMindDeletesInFilesOfACompactionOfOthers() throws IOException {
        SnapshotChange change = scanning(a);
        DataFile compacted = guarded.file("c", 2);
        guarded.replace(compacted, b);
        guarded.commit(Operation.DELETE, table.positions("p", compacted));
        assertThat(guarded.check(change)).isEmpty();
    }

    @Test
    void remembersWhatBecameOfAFileFromAttemptToAttempt() throws IOException {
        var check = new ConflictCheck(table.storage, scanning(a));
        DataFile compacted = guarded.file("c", 1);
        guarded.replace(compacted, a, a2);
        assertThat(check.against(table.metadata())).isEmpty();
        table.append(guarded.file("d", 1));
        assertThat(check.against(table.metadata())).isEmpty();
        guarded.commit(Operation.DELETE, table.positions("p", compacted));
        assertThat(check.against(table.metadata())).hasSize(1);
    }

    @Test
    void namesAFileOnceForEachSnapshotWithAllItsDeletes() throws IOException {
        SnapshotChange change = guarded.reading(
                new NoRowsDeletedIn(places(a), Expression.Constant.TRUE), new ConflictRule.DeletesUnchanged(places(a)));
        DeleteFile own = table.positions("p", a);
        DeleteFile wide = table.positionsIn("wide", a);
        guarded.commit(Operation.DELETE, own, wide);
        long first = table.head().id();
        guarded.commit(Operation.DELETE, table.positions("q", a));
        assertThat(guarded.check(change)).hasSize(2).satisfies(conflicts -> {
            var older = (Conflict.RowsDeleted) conflicts.get(1);
            assertThat(older.by().snapshotId()).isEqualTo(first);
            assertThat(older.deletes()).extracting(DeleteFile::key).containsExactlyInAnyOrder(own.key(), wide.key());
        });
    }

    @Test
    void opensWhatAReplaceAddedOnlyIfItReplacedAFileItScanned() throws IOException {
        DataFile elsewhere = guarded.file("elsewhere", 3);
        table.append(elsewhere);
        SnapshotChange change = scanning(a);
        guarded.replace(guarded.file("c", 3), elsewhere);
        assertThat(guarded.opened(change)).containsExactly("list");
        table.append(guarded.file("d", 1));
        assertThat(guarded.opened(change)).containsExactly("list", "list");
        guarded.replace(guarded.file("e", 1), a);
        assertThat(guarded.opened(change)).containsExactly("list", "list", "list", "manifest", "manifest");
    }
}
