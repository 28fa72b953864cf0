package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.ConflictRule.NoNewDataIn;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.partition.PartitionTuple;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@link NoNewDataIn}. */
class NewDataInPartitionsTest {

    private final GuardedTable guarded = new GuardedTable(2);
    private final CommitFixture table = guarded.table;
    private final DataFile a = guarded.file("a", 1);
    private final DataFile b = guarded.file("b", 2);
    private final SnapshotChange change;

    NewDataInPartitionsTest() {
        table.append(a, b);
        change = guarded.reading(new NoNewDataIn(0, Set.of(PartitionTuple.of(1)), GuardedTable.partIs(1)));
    }

    private void assertAdded(String... files) throws IOException {
        assertThat(guarded.check(change))
                .extracting(
                        conflict -> ((Conflict.DataAdded) conflict).dataFile().replaceFirst(".*/", ""))
                .containsExactlyInAnyOrder(files);
    }

    @Test
    void mindsNewDataOfThePartitions() throws IOException {
        table.append(guarded.file("c", 1), guarded.file("d", 2));
        assertAdded("c");
        assertThat(guarded.check(change).get(0).isOnlyUnderSerializable()).isTrue();
    }

    @Test
    void mindsDataOfOtherSpecsThatMayHoldTheirRows() throws IOException {
        table.append(
                table.dataFile("c").spec(GuardedTable.OTHER_SPEC).in(1).build(),
                table.dataFile("d").spec(GuardedTable.OTHER_SPEC).in(2).build(),
                table.dataFile("e").spec(GuardedTable.GLOBAL_SPEC).build());
        assertAdded("c", "e");
    }

    @Test
    void doesNotMindRemovedDataDeletesAndCompaction() throws IOException {
        table.change(Operation.DELETE).remove(b).commit();
        guarded.commit(Operation.DELETE, table.positions("p", a));
        guarded.replace(guarded.file("c", 1), a);
        assertAdded();
    }

    @Test
    void mindsNewDataAcrossAPromotion() throws IOException {
        guarded.promote();
        table.append(
                table.dataFile("c").in(1L).build(), table.dataFile("d").in(2L).build());
        assertAdded("c");
    }

    @Test
    void opensNoManifestOfOtherPartitions() throws IOException {
        table.append(guarded.file("c", 2));
        assertThat(guarded.opened(change)).containsExactly("list");
    }
}
