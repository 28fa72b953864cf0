package dev.calve.commit;

import static dev.calve.commit.GuardedTable.place;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.ConflictRule.NoChangeIn;
import dev.calve.commit.ConflictRule.Place;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.partition.PartitionTuple;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@link NoChangeIn}. */
class PartitionRuleTest {

    private final GuardedTable guarded = new GuardedTable(2);
    private final CommitFixture table = guarded.table;
    private final DataFile a = guarded.file("a", 1);
    private final DataFile b = guarded.file("b", 2);

    PartitionRuleTest() {
        table.append(a, b);
    }

    private SnapshotChange replacing(DataFile... inPartitionsOf) {
        return guarded.reading(new NoChangeIn(
                Arrays.stream(inPartitionsOf).map(GuardedTable::place).collect(Collectors.toSet())));
    }

    private void assertOnlyAChanged(SnapshotChange ofA, SnapshotChange ofB, String file) throws IOException {
        assertThat(guarded.check(ofA)).singleElement().satisfies(conflict -> {
            var changed = (Conflict.PartitionChanged) conflict;
            assertThat(changed.partition()).isEqualTo(place(a));
            assertThat(changed.file()).endsWith("/" + file);
            assertThat(changed.by().snapshotId()).isEqualTo(table.head().id());
        });
        assertThat(guarded.check(ofB)).isEmpty();
    }

    @Test
    void mindsNewData() throws IOException {
        SnapshotChange ofA = replacing(a);
        SnapshotChange ofB = replacing(b);
        table.append(guarded.file("c", 1));
        assertOnlyAChanged(ofA, ofB, "c");
    }

    @Test
    void mindsRemovedData() throws IOException {
        SnapshotChange ofA = replacing(a);
        SnapshotChange ofB = replacing(b);
        table.change(Operation.DELETE).remove(a).commit();
        assertOnlyAChanged(ofA, ofB, "a");
    }

    @Test
    void mindsPositionDeletes() throws IOException {
        SnapshotChange ofA = replacing(a);
        SnapshotChange ofB = replacing(b);
        guarded.commit(Operation.DELETE, table.positions("p", a));
        assertOnlyAChanged(ofA, ofB, "p");
    }

    @Test
    void mindsEqualityDeletes() throws IOException {
        SnapshotChange ofA = replacing(a);
        SnapshotChange ofB = replacing(b);
        guarded.commit(Operation.DELETE, table.equality("e", 0, 1));
        assertOnlyAChanged(ofA, ofB, "e");
    }

    @Test
    void mindsEqualityDeletesOfAnUnpartitionedSpecEverywhere() throws IOException {
        SnapshotChange change = replacing(a, b);
        guarded.commit(Operation.DELETE, table.equality("e", GuardedTable.GLOBAL_SPEC));
        assertThat(guarded.check(change))
                .extracting(conflict -> ((Conflict.PartitionChanged) conflict).partition())
                .containsExactlyInAnyOrder(place(a), place(b));
    }

    /** Data of an unpartitioned spec is in no partition of another. */
    @Test
    void doesNotMindFilesOfOtherSpecs() throws IOException {
        SnapshotChange change = replacing(a);
        table.append(
                table.dataFile("c").spec(GuardedTable.GLOBAL_SPEC).build(),
                table.dataFile("d").spec(GuardedTable.OTHER_SPEC).in(1).build());
        assertThat(guarded.check(change)).isEmpty();
    }

    @Test
    void namesAPartitionOnce() throws IOException {
        SnapshotChange change = replacing(a);
        table.append(guarded.file("c", 1), guarded.file("d", 1));
        table.append(guarded.file("e", 1));
        assertThat(guarded.check(change)).hasSize(1);
    }

    @Test
    void mindsNewDataAcrossAPromotion() throws IOException {
        SnapshotChange change = replacing(a);
        guarded.promote();
        table.append(table.dataFile("c").in(1L).build());
        assertThat(guarded.check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(((Conflict.PartitionChanged) conflict).partition())
                        .isEqualTo(new Place(0, PartitionTuple.of(1L))));
    }

    @Test
    void doesNotMindCompactionWithinASpec() throws IOException {
        SnapshotChange change = replacing(a, b);
        guarded.replace(guarded.file("c", 1), a);
        assertThat(guarded.check(change)).isEmpty();
        assertThat(guarded.opened(change)).containsExactly("list");
    }

    @Test
    void mindsCompactionThatTakesRowsOutOfThePartition() throws IOException {
        SnapshotChange change = replacing(a);
        guarded.replace(table.dataFile("c").spec(GuardedTable.OTHER_SPEC).in(1).build(), a);
        assertThat(guarded.check(change)).hasSize(1);
    }

    @Test
    void mindsCompactionThatBringsRowsIntoThePartition() throws IOException {
        SnapshotChange change =
                guarded.reading(new NoChangeIn(Set.of(new Place(GuardedTable.OTHER_SPEC, PartitionTuple.of(1)))));
        guarded.replace(table.dataFile("c").spec(GuardedTable.OTHER_SPEC).in(1).build(), a);
        assertThat(guarded.check(change)).hasSize(1);
    }

    @Test
    void opensOnlyManifestsThatMayListThePartition() throws IOException {
        SnapshotChange change = replacing(a);
        table.append(guarded.file("c", 2));
        guarded.commit(Operation.DELETE, table.positions("p", b));
        table.append(table.dataFile("d").spec(GuardedTable.OTHER_SPEC).in(1).build());
        assertThat(guarded.opened(change)).containsExactly("list", "list", "list");
    }

    /** Beyond some number of partitions, opening a manifest is cheaper than asking; what is found stays the same. */
    @Test
    void opensManifestsUnaskedForVeryManyPartitions() throws IOException {
        SnapshotChange few = guarded.reading(new NoChangeIn(places(1_000)));
        SnapshotChange many = guarded.reading(new NoChangeIn(places(1_001)));
        table.append(guarded.file("c", 2));
        assertThat(guarded.opened(few)).containsExactly("list");
        assertThat(guarded.opened(many)).containsExactly("list", "manifest");
        assertThat(guarded.check(many)).isEmpty();
    }

    private static Set<Place> places(int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(part -> new Place(0, PartitionTuple.of(-part - 1)))
                .collect(Collectors.toSet());
    }
}
