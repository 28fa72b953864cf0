package dev.calve.commit;

import static dev.calve.commit.GuardedTable.partIs;
import static dev.calve.commit.GuardedTable.places;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.ConflictRule.NoNewEqualityDeletes;
import dev.calve.commit.GuardedTable.Keys;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.manifest.DataFile;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@link NoNewEqualityDeletes}. */
class KeyRulesTest {

    private static final int ID = CommitFixture.ID;
    private static final int PART = CommitFixture.PART;

    private final GuardedTable guarded = new GuardedTable(2);
    private final CommitFixture table = guarded.table;
    private final DataFile a = guarded.file("a", 1);
    private final DataFile a2 = guarded.file("a2", 1);
    private final DataFile b = guarded.file("b", 2);

    KeyRulesTest() {
        table.append(a, a2, b);
    }

    private SnapshotChange reading(Expression filter) {
        return guarded.reading(new NoNewEqualityDeletes(places(a, a2, b), filter));
    }

    private SnapshotChange readingAll() {
        return reading(Expression.Constant.TRUE);
    }

    /** Whether a delete of these keys in the partition of {@code a} stands in the way of a statement with the filter. */
    private boolean stands(Expression filter, List<Integer> key, Metrics metrics) throws IOException {
        SnapshotChange change = reading(filter);
        guarded.commit(
                Operation.DELETE,
                guarded.equality("e" + table.metadata().snapshots().size(), 1, key, metrics));
        return !guarded.check(change).isEmpty();
    }

    private boolean stands(Expression filter, Keys keys) throws IOException {
        return stands(filter, List.of(keys.column()), keys.metrics());
    }

    private static Expression partIsNull() {
        return Expressions.isNull(new Expression.Column(PART, Type.Simple.INT, false));
    }

    @Test
    void namesEveryGuardedFileOfTheDeletesPartition() throws IOException {
        SnapshotChange change = readingAll();
        var deletes = table.equality("e", 0, 1);
        guarded.commit(Operation.DELETE, deletes);
        assertThat(guarded.check(change)).singleElement().satisfies(conflict -> {
            var keys = (Conflict.KeysDeleted) conflict;
            assertThat(keys.dataFiles()).containsExactly(a.path(), a2.path());
            assertThat(keys.deletes().key()).isEqualTo(deletes.key());
            assertThat(keys.by().snapshotId()).isEqualTo(table.head().id());
        });
    }

    @Test
    void takesADeleteOfAnUnpartitionedSpecForOneOfEveryFile() throws IOException {
        SnapshotChange change = readingAll();
        guarded.commit(Operation.DELETE, table.equality("e", GuardedTable.GLOBAL_SPEC));
        assertThat(guarded.check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(((Conflict.KeysDeleted) conflict).dataFiles())
                        .containsExactly(a.path(), a2.path(), b.path()));
    }

    @Test
    void doesNotMindDeletesOfOtherPartitions() throws IOException {
        SnapshotChange change = readingAll();
        guarded.commit(Operation.DELETE, table.equality("e", 0, 3));
        guarded.commit(Operation.DELETE, table.equality("f", GuardedTable.OTHER_SPEC, 1));
        assertThat(guarded.check(change)).isEmpty();
    }

    @Test
    void doesNotMindDeletesByPosition() throws IOException {
        SnapshotChange change = readingAll();
        guarded.commit(Operation.DELETE, table.positions("p", a), table.positionsIn("wide", a));
        assertThat(guarded.check(change)).isEmpty();
    }

    @Test
    void doesNotMindDeletesItHadRead() throws IOException {
        guarded.commit(Operation.DELETE, table.equality("e", 0, 1));
        assertThat(guarded.check(readingAll())).isEmpty();
    }

    @Test
    void mindsDeletesThatCameWithNewDataBelowOtherSnapshots() throws IOException {
        SnapshotChange change = readingAll();
        table.change(Operation.OVERWRITE)
                .add(guarded.file("upserted", 1))
                .delete(table.equality("e", 0, 1))
                .commit();
        table.append(guarded.file("later", 1));
        assertThat(guarded.check(change)).singleElement().satisfies(conflict -> {
            assertThat(conflict).isInstanceOf(Conflict.KeysDeleted.class);
            assertThat(conflict.madeBy().orElseThrow().addsData()).isTrue();
        });
    }

    @Test
    void listsOneConflictForEachDeleteFile() throws IOException {
        SnapshotChange change = readingAll();
        guarded.commit(Operation.DELETE, table.equality("e", 0, 1), table.equality("f", 0, 1));
        guarded.commit(Operation.DELETE, table.equality("g", 0, 2));
        assertThat(guarded.check(change))
                .extracting(
                        conflict -> ((Conflict.KeysDeleted) conflict).deletes().path())
                .containsExactly("memory:/t/data/g", "memory:/t/data/f", "memory:/t/data/e");
    }

    // The filter against bounds of keys.

    @Test
    void doesNotMindKeysThatTheirBoundsExclude() throws IOException {
        assertThat(stands(CommitFixture.idAtMost(10), Keys.ids(11, 20))).isFalse();
    }

    @Test
    void mindsKeysThatMaySatisfyTheFilter() throws IOException {
        assertThat(stands(CommitFixture.idAtMost(10), Keys.ids(10, 20))).isTrue();
    }

    @Test
    void mindsKeysWithoutBounds() throws IOException {
        assertThat(stands(CommitFixture.idAtMost(10), List.of(ID), Metrics.ofCount(3)))
                .isTrue();
        assertThat(stands(
                        CommitFixture.idAtMost(10), new Keys(ID, Optional.empty(), Optional.of(20L), Optional.of(0L))))
                .isTrue();
    }

    /** The row with the key may have any value in a column that is not part of it. */
    @Test
    void provesNothingByColumnsThatAreNotKeys() throws IOException {
        assertThat(stands(
                        CommitFixture.idAtMost(10),
                        List.of(PART),
                        Keys.ids(11, 20).metrics()))
                .isTrue();
    }

    @Test
    void provesByOneKeyOfSeveral() throws IOException {
        Metrics ids = Keys.ids(11, 20).metrics();
        assertThat(stands(CommitFixture.idAtMost(10), List.of(ID, PART), ids)).isFalse();
        assertThat(stands(Expressions.and(CommitFixture.idAtMost(10), partIs(1)), List.of(ID, PART), ids))
                .isFalse();
        assertThat(stands(Expressions.or(CommitFixture.idAtMost(10), partIs(1)), List.of(ID, PART), ids))
                .isTrue();
    }

    /** A null key deletes rows whose value is null. */
    @Test
    void countsNullKeys() throws IOException {
        var five = Optional.of(5L);
        assertThat(stands(partIsNull(), new Keys(PART, five, five, Optional.of(1L))))
                .isTrue();
        assertThat(stands(partIsNull(), new Keys(PART, five, five, Optional.empty())))
                .isTrue();
        assertThat(stands(partIsNull(), new Keys(PART, five, five, Optional.of(0L))))
                .isFalse();
    }

    @Test
    void knowsThatNullKeysSatisfyNoComparison() throws IOException {
        assertThat(stands(partIs(5), new Keys(PART, Optional.empty(), Optional.empty(), Optional.of(3L))))
                .isFalse();
    }

    @Test
    void excludesNothingByAColumnThatWasPromotedSince() throws IOException {
        var other = Optional.of(7L);
        SnapshotChange change = reading(partIs(5));
        guarded.promote();
        guarded.commit(
                Operation.DELETE,
                guarded.equality(
                        "e",
                        GuardedTable.GLOBAL_SPEC,
                        dev.calve.partition.PartitionTuple.EMPTY,
                        List.of(PART),
                        new Metrics(
                                3,
                                Map.of(),
                                Map.of(PART, 3L),
                                Map.of(PART, 0L),
                                Map.of(),
                                Map.of(PART, dev.calve.schema.ValueCodec.encode(Type.Simple.LONG, other.get())),
                                Map.of(PART, dev.calve.schema.ValueCodec.encode(Type.Simple.LONG, other.get())))));
        assertThat(guarded.check(change)).hasSize(1);
    }

    // Which manifests are opened.

    @Test
    void opensNoManifestOfDataOrOfOtherPartitions() throws IOException {
        SnapshotChange change = readingAll();
        table.change(Operation.OVERWRITE).remove(a2).add(guarded.file("c", 1)).commit();
        guarded.commit(Operation.DELETE, table.equality("e", 0, 3));
        assertThat(guarded.opened(change)).containsExactly("list", "list");
        guarded.commit(Operation.DELETE, table.equality("f", GuardedTable.GLOBAL_SPEC));
        assertThat(guarded.opened(change)).containsExactly("list", "list", "list", "manifest");
    }
}
