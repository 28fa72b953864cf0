package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.Conflict;
import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.rewrite.PositionMap;
import dev.calve.rowlevel.RowTable.Range;
import dev.calve.rowlevel.RowTable.Row;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do to the sources of a compaction while it runs. */
class MapAgainTest {

    private static final Range ALL = new Range(1, 20);

    private static RowTable table(int version) {
        var table = RowTable.unpartitioned(version);
        table.append(1, 10);
        table.append(11, 20);
        return table;
    }

    private static void delete(RowTable table, long from, long to) {
        table.run(false, IsolationLevel.SERIALIZABLE).deleteAndCommit(new Range(from, to));
    }

    private static RowTable.Run run(RowTable table) {
        return table.run(false, IsolationLevel.SERIALIZABLE);
    }

    private static Optional<Class<? extends Conflict>> refusal(ConcurrentChange change) {
        return switch (change) {
            case FILE_DELETED, ROWS_REWRITTEN, COMPACTED -> Optional.of(Conflict.DataFileRemoved.class);
            case ROW_IDS_ASSIGNED -> Optional.of(Conflict.RowIdsAssigned.class);
            default -> Optional.empty();
        };
    }

    @Test
    void carriesOverWhatOthersDeleteAndRefusesTheRest() {
        int count = 0;
        for (ConcurrentChange change : ConcurrentChange.values()) {
            for (int version = 2; version <= 3; version++) {
                for (boolean deletedBefore : new boolean[] {false, true}) {
                    if (change.happensIn(version)) {
                        compactDuring(change, version, deletedBefore);
                        count++;
                    }
                }
            }
        }
        assertThat(count).isEqualTo(2 * (2 * ConcurrentChange.values().length - 5));
    }

    private static void compactDuring(ConcurrentChange change, int version, boolean deletedBefore) {
        String description = change + ", version " + version + ", deleted before: " + deletedBefore;
        var table = table(version);
        if (deletedBefore) {
            delete(table, 9, 12);
            table.deleteByKey(4L, 13L);
        }
        var run = run(table);
        Compaction compaction = run.compact(ALL, 7);
        change.happen(table);
        Map<Long, Row> found = table.rows();
        var refusal = refusal(change);
        if (refusal.isPresent()) {
            assertThatThrownBy(() -> run.commit(run.again(compaction)))
                    .as(description)
                    .isInstanceOfSatisfying(
                            CommitConflictException.class,
                            refused -> assertThat(refused.conflicts()).first().isInstanceOf(refusal.get()));
            assertThat(table.rows()).as(description).isEqualTo(found);
        } else {
            assertThat(run.commit(run.again(compaction)).committed())
                    .as(description)
                    .isPresent();
            assertThat(table.idsByName()).as(description).isEqualTo(new java.util.HashMap<>(ids(found)));
            found.forEach((name, row) -> {
                if (row.rowId().isPresent()) {
                    assertThat(table.rows().get(name)).as(description).isEqualTo(row);
                }
            });
            assertThat(table.table.head().operation()).contains("replace");
        }
        table.check();
    }

    private static Map<Long, Long> ids(Map<Long, Row> rows) {
        var ids = new java.util.HashMap<Long, Long>();
        rows.forEach((name, row) -> ids.put(name, row.id()));
        return ids;
    }

    /** Each attempt meets another delete, of sources that had some before and of others. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void carriesOverDeletesOfSeveralAttempts(int version) {
        var table = table(version);
        var run = run(table);
        Compaction compaction = run.compact(ALL, 7);
        delete(table, 2, 2);
        table.table.committer.beforeSwap(() -> delete(table, 3, 4));
        table.table.committer.beforeSwap(() -> {});
        table.table.committer.beforeSwap(() -> delete(table, 15, 15));
        MapAgain again = run.again(compaction);
        CommitOutcome outcome = run.commit(again);
        assertThat(outcome.committed().orElseThrow().attempts()).isGreaterThan(2);
        assertThat(table.idsByName().keySet())
                .containsExactlyInAnyOrder(1L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L, 16L, 17L, 18L, 19L, 20L);
        assertThat(again.current().carried()).hasSize(2);
        table.check();
    }

    @Test
    void carriesOverAgainWhatWasCarriedForAnOlderFormatVersion() {
        var table = table(2);
        var run = run(table);
        Compaction compaction = run.compact(ALL, 7);
        delete(table, 2, 2);
        table.table.committer.beforeSwap(() -> {
            table.table.upgradeTo(3);
        });
        run.commit(run.again(compaction));
        assertThat(table.idsByName()).hasSize(19).doesNotContainKey(2L);
        assertThat(table.table.live().deletes().keySet())
                .singleElement()
                .asString()
                .contains(".puffin");
        table.check();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void addsNoOutputOfWhichOthersDeletedEveryRow(int version) {
        var table = table(version);
        var run = run(table);
        Compaction compaction = run.compact(ALL, 5);
        delete(table, 1, 5);
        run.commit(run.again(compaction));
        assertThat(table.table.live().data()).hasSize(3);
        assertThat(table.table.live().deletes()).isEmpty();
        assertThat(table.idsByName()).hasSize(15);
        table.check();
    }

    /** Outputs are as old as the rows that were read, so equality deletes since then apply to them. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void leavesRowsOfOutputsToEqualityDeletesSince(int version) {
        var table = table(version);
        long read = table.table.head().sequenceNumber();
        var run = run(table);
        Compaction compaction = run.compact(ALL, 30);
        table.deleteByKey(4L);
        delete(table, 5, 5);
        run.commit(run.again(compaction));
        assertThat(table.table.live().data().values())
                .singleElement()
                .extracting(ManifestEntry::sequenceNumber)
                .isEqualTo(read);
        assertThat(table.idsByName()).hasSize(18).doesNotContainKeys(4L, 5L);
        table.check();
    }

    /** An equality delete applies to one partition of one spec: it finds no row that has moved, and must find none that came. */
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1"})
    void refusesToMoveRowsOutOfReachOfKeysDeletedSince(int specOfKeys, int partitionOfKeys) {
        CommitFixture fixture = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        var table = new RowTable(fixture);
        table.append(1, 10, 1);
        fixture.evolve(new MetadataUpdate.AddSpec(byParity()), new MetadataUpdate.SetDefaultSpec(-1));
        var run = run(table);
        Compaction compaction = run.compact(ALL, 10);
        assertThat(compaction.outputs()).extracting(DataFile::specId).containsExactly(1);
        fixture.change(Operation.DELETE)
                .delete(fixture.equality("keys", specOfKeys, partitionOfKeys))
                .commit();
        assertThatThrownBy(() -> run.commit(run.again(compaction)))
                .isInstanceOfSatisfying(
                        CommitConflictException.class,
                        refused -> assertThat(refused.conflicts())
                                .singleElement()
                                .isInstanceOf(Conflict.KeysDeleted.class));
        assertThat(fixture.live().data().values())
                .extracting(entry -> entry.file().specId())
                .containsExactly(0);
        table.check();
    }

    @Test
    void movesRowsToAnotherSpecWhileKeysAreDeletedElsewhere() {
        CommitFixture fixture = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        var table = new RowTable(fixture);
        table.append(1, 10, 1);
        fixture.evolve(new MetadataUpdate.AddSpec(byParity()), new MetadataUpdate.SetDefaultSpec(-1));
        var run = run(table);
        Compaction compaction = run.compact(ALL, 10);
        fixture.change(Operation.DELETE).delete(fixture.equality("keys", 0, 2)).commit();
        assertThat(run.commit(run.again(compaction)).committed()).isPresent();
        assertThat(table.rows()).hasSize(10);
        table.check();
    }

    private static PartitionSpec byParity() {
        return new PartitionSpec(
                1, List.of(PartitionField.of(CommitFixture.PART, 1001, "parity", new Transform.Bucket(2))));
    }

    @Test
    void leavesNothingBehindIfOthersAreFasterForGood() {
        var table = table(3);
        var run = run(table);
        Compaction compaction = run.compact(ALL, 7);
        delete(table, 2, 2);
        table.table.committer.answer(Answer.REJECTED).beforeSwap(() -> delete(table, 11, 20));
        assertThatThrownBy(() -> run.commit(run.again(compaction))).isInstanceOf(CommitConflictException.class);
        assertThat(table.idsByName()).hasSize(9);
        table.check();
    }

    @Test
    void refusesAMapThatLosesRows() {
        var table = table(3);
        Compaction good = run(table).compact(ALL, 30);
        List<String> sources = new ArrayList<>();
        good.sources().forEach(source -> sources.add(source.file().path()));
        String output = good.outputs().get(0).path();
        PositionMap other = PositionMap.builder()
                .addRun(sources.get(0), 0, 10, output, 0)
                .source(sources.get(1))
                .build();
        assertThatThrownBy(() -> Compaction.of(good.base(), good.sources(), good.outputs(), other, Map.of()))
                .hasMessageContaining("10 for 20 rows");
        PositionMap partly =
                PositionMap.builder().addRun(sources.get(0), 0, 20, output, 0).build();
        assertThatThrownBy(() -> Compaction.of(good.base(), good.sources(), good.outputs(), partly, Map.of()))
                .hasMessageContaining(sources.get(1));
        assertThatThrownBy(() -> Compaction.of(good.base(), good.sources(), List.of(), good.map(), Map.of()))
                .hasMessageContaining(output);
    }
}
