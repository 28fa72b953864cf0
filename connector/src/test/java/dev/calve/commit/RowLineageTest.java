package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowLineageTest {

    private static OptionalLong idOf(CommitFixture table, DataFile file) {
        return table.live().entry(file).file().firstRowId();
    }

    @Test
    void givesIdsInTheOrderOfTheFiles() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        var c = table.dataFile("c.parquet").records(5).build();
        table.append(a, b);
        table.append(c);
        assertThat(idOf(table, a)).hasValue(0);
        assertThat(idOf(table, b)).hasValue(3);
        assertThat(idOf(table, c)).hasValue(7);
        assertThat(table.metadata().nextRowId()).isEqualTo(12);
        assertThat(table.head().firstRowId()).hasValue(7);
        assertThat(table.head().addedRows()).hasValue(5);
    }

    /** A rewritten manifest burns a range for its existing rows, which keep the ids they have. */
    @Test
    void keepsIdsInARewrittenManifestAndSpendsARange() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        table.append(a, b);
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(idOf(table, b)).hasValue(3);
        assertThat(table.head().firstRowId()).hasValue(7);
        assertThat(table.head().addedRows()).hasValue(4);
        assertThat(table.metadata().nextRowId()).isEqualTo(11);
        var c = table.dataFile("c.parquet").records(1).build();
        table.append(c);
        assertThat(idOf(table, c)).hasValue(11);
        assertThat(idOf(table, b)).hasValue(3);
    }

    @Test
    void givesIdsToOldFilesWithTheFirstCommitAfterAnUpgradeNewOnesFirst() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        table.append(a);
        table.append(b);
        table.upgradeTo(3);
        assertThat(idOf(table, a)).isEmpty();
        var c = table.dataFile("c.parquet").records(5).build();
        table.append(c);
        assertThat(idOf(table, c)).hasValue(0);
        assertThat(Set.of(idOf(table, a).getAsLong(), idOf(table, b).getAsLong()))
                .isIn(Set.of(5L, 9L), Set.of(5L, 8L));
        assertThat(table.metadata().nextRowId()).isEqualTo(12);
    }

    @Test
    void givesIdsToTheRestOfAManifestRewrittenByTheFirstCommitAfterAnUpgrade() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        table.append(a, b);
        table.upgradeTo(3);
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(idOf(table, b)).hasValue(0);
        assertThat(table.metadata().nextRowId()).isEqualTo(4);
    }

    @Test
    void givesIdsAnewWhenARaceIsLost() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        table.committer.beforeSwap(() -> table.append(b));
        table.append(a);
        assertThat(idOf(table, b)).hasValue(0);
        assertThat(idOf(table, a)).hasValue(4);
        assertThat(table.metadata().nextRowId()).isEqualTo(7);
    }

    /** A file that was written again without ids must not replace one whose rows have ids by now. */
    @Test
    void refusesARewriteWithoutIdsOnceAnotherCommitGaveThem() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").records(3).build();
        table.append(a);
        table.upgradeTo(3);
        var rewrite = table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(table.dataFile("a2.parquet").records(2).build())
                .rule(new ConflictRule.RowIdsStillUnassigned(
                        Map.of(a.path(), new ConflictRule.Place(a.specId(), a.partition()))))
                .build();
        table.append(table.dataFile("b.parquet").build());
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> table.commit(rewrite))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("row ids")
                .hasMessageContaining(a.path());
    }

    @Test
    void neverMovesOrSharesAnIdOverAnySeriesOfChanges() {
        Randomly.check(10, random -> {
            var table = CommitFixture.unpartitioned(random.yes() ? 3 : 2);
            Map<String, Long> seen = new HashMap<>();
            for (int step = 0; step < 12; step++) {
                if (table.metadata().formatVersion() == 2 && random.percent(20)) {
                    table.upgradeTo(3);
                }
                randomChange(random, table, step);
                table.live()
                        .data()
                        .forEach((path, entry) -> entry.file().firstRowId().ifPresent(id -> {
                            Long before = seen.put(path, id);
                            if (before != null) {
                                assertThat(id).as("first_row_id of " + path).isEqualTo(before);
                            }
                        }));
            }
        });
    }

    private static void randomChange(Randomly random, CommitFixture table, int step) {
        List<DataFile> live = table.metadata().currentSnapshot().isEmpty()
                ? List.of()
                : table.live().data().values().stream()
                        .map(entry -> entry.file())
                        .toList();
        int kind = live.isEmpty() ? 0 : random.intBelow(4);
        var fresh = table.dataFile("f" + step + ".parquet")
                .records(random.intBelow(5))
                .build();
        var more = table.dataFile("g" + step + ".parquet")
                .records(random.intBelow(5))
                .build();
        if (kind == 0) {
            table.append(fresh, more);
            return;
        }
        DataFile victim = random.oneOf(live);
        var change =
                table.change(kind == 1 ? Operation.DELETE : Operation.OVERWRITE).remove(victim);
        if (kind == 2) {
            change.addRewritten(fresh).addRewritten(more);
        } else if (kind == 3) {
            change.add(fresh);
        }
        change.commit();
    }
}
