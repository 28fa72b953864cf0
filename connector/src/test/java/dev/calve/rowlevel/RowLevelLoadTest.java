package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.Conflict;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.RowTable.Range;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many writers at once. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RowLevelLoadTest {

    private static final int WRITERS = 8;
    private static final long STATEMENTS = 100;

    private interface Work {
        void run(int writer) throws Exception;
    }

    private static void inParallel(int writers, Work work) throws Exception {
        var pool = Executors.newFixedThreadPool(writers);
        var start = new CyclicBarrier(writers);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                int writer = i;
                all.add(pool.submit(() -> {
                    start.await();
                    work.run(writer);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError("A writer failed: " + e.getCause(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void landsEverySingleRowDeleteOfOneFile(int version) throws Exception {
        var table = RowTable.unpartitioned(version);
        table.append(1, 1_000);
        inParallel(WRITERS, writer -> {
            for (int i = 0; i < STATEMENTS; i++) {
                long row = 1L + writer * STATEMENTS + i;
                var run = table.run(false, IsolationLevel.SERIALIZABLE);
                assertThat(run.commit(run.again(run.delete(new Range(row, row))))
                                .committed())
                        .isPresent();
            }
        });
        assertThat(table.idsByName().keySet()).hasSize(200).allMatch(name -> name > WRITERS * STATEMENTS);
        assertThat(table.table.metadata().snapshots()).hasSize((int) (1 + WRITERS * STATEMENTS));
        assertRowsDeleted(table, WRITERS * STATEMENTS);
        assertThat(table.table.live().deletes()).hasSize(1);
        assertNoLeftovers(table);
    }

    private static void assertRowsDeleted(RowTable table, long rows) {
        long counted = table.table.metadata().snapshots().stream()
                .mapToLong(snapshot -> Long.parseLong(snapshot.summary().getOrDefault("calve.rows-deleted", "0")))
                .sum();
        assertThat(counted).isEqualTo(rows);
    }

    private static void assertNoLeftovers(RowTable table) {
        table.table.live();
        table.checkStorage();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void landsEverySingleRowUpdateOfOneFile(int version) throws Exception {
        var table = new RowTable(CommitFixture.partitionedBy(Type.Simple.INT, version));
        table.append(1, 1_000, 0);
        Map<Long, RowTable.Row> before = table.rows();
        inParallel(WRITERS, writer -> {
            for (int i = 0; i < STATEMENTS; i++) {
                long row = 1L + writer * STATEMENTS + i;
                var run = table.run(false, IsolationLevel.SERIALIZABLE);
                RowChange change = run.updateInto(new Range(row, row).in(0), id -> id + 10_000, 1 + writer);
                assertThat(run.commit(run.again(change)).committed()).isPresent();
            }
        });
        var expected = new HashMap<Long, Long>();
        for (long name = 1; name <= 1_000; name++) {
            expected.put(name, name <= WRITERS * STATEMENTS ? name + 10_000 : name);
        }
        assertThat(table.idsByName()).isEqualTo(expected);
        Map<Long, RowTable.Row> after = table.rows();
        before.forEach((name, row) -> assertThat(
                        Objects.requireNonNull(after.get(name)).rowId())
                .as("row id of " + name)
                .isEqualTo(row.rowId()));
        assertNoLeftovers(table);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void letsOneUpdateOfARowWin(int version) throws Exception {
        var table = RowTable.unpartitioned(version);
        int rows = 20;
        // One more than is updated, so that the file stays.
        table.append(1, rows + 1);
        var winners = new AtomicInteger[rows + 1];
        for (int row = 1; row <= rows; row++) {
            winners[row] = new AtomicInteger(-1);
        }
        var losers = new AtomicInteger();
        var next = new CyclicBarrier(WRITERS);
        inParallel(WRITERS, writer -> {
            for (int row = 1; row <= rows; row++) {
                var run = table.run(false, IsolationLevel.SNAPSHOT);
                long newId = row + 1_000L * (writer + 1);
                RowChange change = run.update(new Range(row, row), id -> newId);
                next.await();
                try {
                    run.commit(run.again(change));
                    assertThat(winners[row].getAndSet(writer))
                            .as("another winner of row %d", row)
                            .isEqualTo(-1);
                } catch (CommitConflictException e) {
                    assertThat(e.conflicts().get(0)).isInstanceOf(Conflict.RowsOverlap.class);
                    losers.incrementAndGet();
                }
                next.await();
            }
        });
        assertThat(losers).hasValue(rows * (WRITERS - 1));
        for (long row = 1; row <= rows; row++) {
            assertThat(table.idsByName()).containsEntry(row, row + 1_000L * (winners[(int) row].get() + 1));
        }
        assertNoLeftovers(table);
    }

    @Test
    void landsAppendersAndWritersOfDisjointPartitions() throws Exception {
        int appenders = 32;
        int writers = 8;
        int rounds = 5;
        var table = new RowTable(CommitFixture.partitionedBy(Type.Simple.INT, 3));
        for (int part = 0; part < writers; part++) {
            table.append(part * 100L, part * 100L + 99, part);
        }
        inParallel(appenders + writers, number -> {
            for (int i = 0; i < rounds; i++) {
                if (number < writers) {
                    long row = number * 100L + i * 2L;
                    var run = table.run(i % 2 == 1, IsolationLevel.SERIALIZABLE);
                    assertThat(run.commit(run.again(run.delete(new Range(row, row))))
                                    .committed())
                            .isPresent();
                    var update = table.run(false, IsolationLevel.SERIALIZABLE);
                    assertThat(update.commit(update.again(update.update(new Range(row + 1, row + 1), id -> id)))
                                    .committed())
                            .isPresent();
                } else {
                    long name = 100_000L + number * 100L + i;
                    table.append(name, name, 1_000 + number);
                }
            }
        });
        assertThat(table.idsByName()).hasSize(writers * 100 - writers * rounds + appenders * rounds);
        assertThat(table.table.metadata().snapshots()).hasSize(writers + appenders * rounds + writers * rounds * 2);
        assertNoLeftovers(table);
    }
}
