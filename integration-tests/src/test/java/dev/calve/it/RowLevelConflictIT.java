package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** UPDATE, MERGE and DELETE by subquery while another statement commits: what is merged row by row and what is refused. */
class RowLevelConflictIT {

    private static final String NAMESPACE = SparkTestSession.LAKE + ".row_conflicts";
    private static final int SECONDS = 120;

    private static CountDownLatch arrived = new CountDownLatch(1);
    private static CountDownLatch released = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS " + NAMESPACE);
        SparkTestSession.spark()
                .udf()
                .register(
                        "pause",
                        (UDF1<Long, Long>) id -> {
                            arrived.countDown();
                            if (!released.await(SECONDS, TimeUnit.SECONDS)) {
                                throw new IllegalStateException("Nobody released the paused statement.");
                            }
                            return id;
                        },
                        DataTypes.LongType);
    }

    /** One file with rows 0 to 19 and one with rows 20 to 39. DELETE writes deletes beside them whatever the mode of the others. */
    private static String table(int version, String mode, String isolation) {
        String table = NAMESPACE + "." + Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s (id bigint, s string) USING calve TBLPROPERTIES ('format-version' = '%d',"
                        + " 'write.delete.mode' = 'merge-on-read', 'write.update.mode' = '%s', 'write.merge.mode' = '%s',"
                        + " 'write.delete.isolation-level' = '%s', 'write.update.isolation-level' = '%s',"
                        + " 'write.merge.isolation-level' = '%s')",
                table, version, mode, mode, isolation, isolation, isolation);
        for (int from = 0; from < 40; from += 20) {
            Sql.run(
                    "INSERT INTO %s SELECT /*+ COALESCE(1) */ id, concat('s', id) FROM range(%d, %d)",
                    table, from, from + 20);
        }
        return table;
    }

    /** Runs a statement that calls {@code pause}, and others while it waits; its failure, or nothing if it went through. */
    private static String paused(String statement, String... meanwhile) throws Exception {
        arrived = new CountDownLatch(1);
        released = new CountDownLatch(1);
        var outcome = CompletableFuture.supplyAsync(() -> {
            try {
                Sql.run("%s", statement);
                return "";
            } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
                return Sql.messages(e);
            }
        });
        try {
            assertThat(arrived.await(SECONDS, TimeUnit.SECONDS))
                    .as("%s reads", statement)
                    .isTrue();
            for (String other : meanwhile) {
                Sql.run("%s", other);
            }
        } finally {
            released.countDown();
        }
        return outcome.get(SECONDS, TimeUnit.SECONDS);
    }

    private static Set<String> files(String table) throws IOException {
        var files = new TreeSet<String>();
        Path data = SparkTestSession.warehouse()
                .resolve("row_conflicts")
                .resolve(table.substring(NAMESPACE.length() + 1))
                .resolve("data");
        for (Path file : FolderState.filesBelow(data)) {
            files.add(file.toString());
        }
        return files;
    }

    private static List<String> changed(String table) {
        return Sql.rows("SELECT id, s FROM %s WHERE s <> concat('s', id)", table);
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "3,copy-on-write"})
    void otherRowsOfTheSameFileDoNotConflict(int version, String mode) throws Exception {
        String table = table(version, mode, "serializable");
        assertThat(paused(
                        "UPDATE " + table + " SET s = concat('u', pause(id)) WHERE id = 5",
                        "DELETE FROM " + table + " WHERE id IN (6, 7)",
                        "DELETE FROM " + table + " WHERE id IN (SELECT id FROM range(8, 10))"))
                .isEmpty();
        assertThat(changed(table)).containsExactly("[5,u5]");
        assertThat(Sql.count(table)).isEqualTo(36);
        if (mode.equals("merge-on-read")) {
            assertThat(paused(
                            "UPDATE " + table + " SET s = concat('u', pause(id)) WHERE id = 25",
                            "UPDATE " + table + " SET s = 'other' WHERE id = 26"))
                    .isEmpty();
            assertThat(changed(table)).containsExactly("[25,u25]", "[26,other]", "[5,u5]");
        }
        assertThat(paused(
                        "DELETE FROM " + table + " WHERE id = 30 AND pause(id) = 30",
                        "DELETE FROM " + table + " WHERE id IN (30, 31)"))
                .isEmpty();
        assertThat(Sql.count(table)).isEqualTo(34);
    }

    /** One row goes from the first file and half of the second; somebody else deletes from both. */
    @ParameterizedTest
    @CsvSource({"3", "2"})
    void eachFileIsSettledByItsShareAndSettledAgainAlike(int version) throws Exception {
        String table = table(version, "adaptive", "serializable");
        Sql.run(
                "ALTER TABLE %s SET TBLPROPERTIES ('write.delete.mode' = 'adaptive', 'write.calve.adaptive-threshold' = '0.5')",
                table);
        assertThat(Sql.rows("EXPLAIN UPDATE %s SET s = 'x' WHERE id = 1", table).toString())
                .contains(
                        "mode adaptive by write.update.mode (files are written again from a share of 0.5 deleted rows on,"
                                + " by write.calve.adaptive-threshold)");
        Set<String> before = dataFiles(table);
        assertThat(paused(
                        "UPDATE " + table + " SET s = concat('u', pause(id)) WHERE id = 5 OR id >= 30",
                        "DELETE FROM " + table + " WHERE id IN (6, 21)",
                        "DELETE FROM " + table + " WHERE id IN (SELECT id FROM range(22, 24))"))
                .isEmpty();
        assertThat(changed(table)).hasSize(11).contains("[5,u5]", "[39,u39]");
        assertThat(Sql.count(table)).isEqualTo(36);
        Set<String> kept = dataFiles(table);
        kept.retainAll(before);
        assertThat(kept).as("only the second file was written again").hasSize(1);
        assertThat(deleteFiles(table)).isEqualTo(1);
        // Row 6 is deleted and row 5 updated: with these eight rows half of the first file is gone.
        Sql.run("DELETE FROM %s WHERE (id < 9 AND id <> 5) OR id = 10", table);
        assertThat(deleteFiles(table)).as("the file has no deletes beside it").isZero();
        assertThat(dataFiles(table)).doesNotContainAnyElementsOf(before);
        assertThat(Sql.rows("SELECT count(*), sum(id) FROM %s", table)).containsExactly("[28,673]");
    }

    private static Set<String> dataFiles(String table) {
        return new TreeSet<>(Sql.rows("SELECT file_path FROM %s.data_files", table));
    }

    private static long deleteFiles(String table) {
        return Sql.count(table + ".delete_files");
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,copy-on-write"})
    void aRowSomebodyElseChangedIsRefusedByItsPlace(int version, String mode) throws Exception {
        String table = table(version, mode, "snapshot");
        Sql.run("DELETE FROM %s WHERE id = 0", table);
        Set<String> before = files(table);
        String failure = paused(
                "UPDATE " + table + " SET s = concat('u', pause(id)) WHERE id IN (5, 6)",
                "DELETE FROM " + table + " WHERE id = 6");
        assertThat(failure).contains("CommitConflictException").contains(table);
        assertThat(changed(table)).isEmpty();
        assertThat(Sql.count(table)).isEqualTo(38);
        Set<String> left = files(table);
        left.removeAll(before);
        assertThat(left).as("the deleting statement's file alone").hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"serializable", "snapshot"})
    void rowsAddedMeanwhileConflictOnlyWhenSerializable(String isolation) throws Exception {
        String table = table(3, "merge-on-read", isolation);
        String merge = "MERGE INTO " + table + " t USING (SELECT id FROM range(38, 42)) c ON t.id = c.id AND t.id > 30"
                + " WHEN MATCHED THEN UPDATE SET s = concat('m', pause(t.id))"
                + " WHEN NOT MATCHED THEN INSERT (id, s) VALUES (c.id, 'new')";
        // Bounds of a new file show that the filter leaves it out.
        assertThat(paused(merge, "INSERT INTO " + table + " VALUES (20, 'again')"))
                .isEmpty();
        assertThat(changed(table)).containsExactly("[20,again]", "[38,m38]", "[39,m39]", "[40,new]", "[41,new]");
        String failure = paused(merge, "INSERT INTO " + table + " VALUES (41, 'again')");
        if (isolation.equals("serializable")) {
            assertThat(failure).contains("CommitConflictException");
            assertThat(Sql.count(table)).isEqualTo(44);
        } else {
            assertThat(failure).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"serializable", "snapshot"})
    void aStatementThatReadsItsTableTwiceDependsOnAllOfIt(String isolation) throws Exception {
        String table = table(3, "merge-on-read", isolation);
        String failure = paused(
                "UPDATE " + table + " SET s = concat('max', pause(id)) WHERE id = (SELECT max(id) FROM " + table + ")",
                "DELETE FROM " + table + " WHERE id = 3");
        assertThat(failure.isEmpty()).as(failure).isEqualTo(isolation.equals("snapshot"));
        // So does one whose source is its target, whichever rows it asks for.
        String merge = "MERGE INTO " + table + " t USING (SELECT id + 1 AS id FROM " + table + " WHERE id = 38) c"
                + " ON t.id = c.id WHEN MATCHED THEN UPDATE SET s = concat('m', pause(t.id))"
                + " WHEN NOT MATCHED THEN INSERT (id, s) VALUES (c.id, 'new')";
        failure = paused(merge, "DELETE FROM " + table + " WHERE id = 30");
        assertThat(failure.isEmpty()).as(failure).isEqualTo(isolation.equals("snapshot"));
        // Without the second reading it goes through.
        assertThat(paused(
                        "UPDATE " + table + " SET s = concat('u', pause(id)) WHERE id = 12",
                        "DELETE FROM " + table + " WHERE id = 4"))
                .isEmpty();
        assertThat(changed(table)).contains("[12,u12]");
        Sql.run("%s", merge.replace("pause(t.id)", "t.id"));
        assertThat(changed(table)).contains("[39,m39]");
    }

    @ParameterizedTest
    @CsvSource({"serializable", "snapshot"})
    void anAppendThatReadsItsTableMindsWhatItRead(String isolation) throws Exception {
        String table = table(3, "merge-on-read", isolation);
        boolean serializable = isolation.equals("serializable");
        String merge = "MERGE INTO " + table + " t USING (SELECT id FROM range(38, 42)) c ON t.id = c.id AND t.id > 30"
                + " WHEN NOT MATCHED THEN INSERT (id, s) VALUES (c.id, concat('s', pause(c.id)))";
        // Neither of these rows could have matched.
        assertThat(paused(
                        merge,
                        "INSERT INTO " + table + " VALUES (12, 's12')",
                        "DELETE FROM " + table + " WHERE id = 3"))
                .isEmpty();
        assertThat(Sql.count(table)).isEqualTo(42);
        String snapshot = Sql.snapshot(table);
        Sql.run("%s", merge);
        assertThat(Sql.snapshot(table)).as("nothing to insert").isEqualTo(snapshot);

        Sql.run("DELETE FROM %s WHERE id = 41", table);
        String failure = paused(merge, merge.replace("pause(c.id)", "c.id"));
        assertThat(Sql.count(table + " WHERE id = 41")).isEqualTo(serializable ? 1 : 2);
        assertThat(failure.isEmpty()).as(failure).isEqualTo(!serializable);
        if (serializable) {
            assertThat(failure).contains("CommitConflictException", "MERGE", "write.merge.isolation-level");
        }

        String copy = "INSERT INTO " + table + " SELECT max(id) + pause(1L), 'max' FROM " + table + " WHERE id > 5";
        assertThat(paused(copy, "INSERT INTO " + table + " VALUES (1, 's1')")).isEmpty();
        failure = paused(copy, "INSERT INTO " + table + " VALUES (50, 's50')");
        assertThat(failure.isEmpty()).as(failure).isEqualTo(!serializable);
        // One that reads nothing of it depends on nothing.
        assertThat(paused(
                        "INSERT INTO " + table + " SELECT pause(id), 'blind' FROM range(60, 61)",
                        "INSERT INTO " + table + " VALUES (60, 's60')"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,copy-on-write"})
    void mergesMindRowsThatCouldHaveMatched(int version, String mode) throws Exception {
        String table = NAMESPACE + "." + Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s USING calve PARTITIONED BY (p) TBLPROPERTIES ('format-version' = '%d',"
                        + " 'write.delete.mode' = 'merge-on-read', 'write.merge.mode' = '%s')"
                        + " AS SELECT id, CAST(id %% 4 AS int) AS p, concat('s', id) AS s FROM range(40)",
                table, version, mode);
        String merge = "MERGE INTO " + table
                + " t USING (SELECT id, CAST(%1$d AS int) AS p FROM VALUES (%1$dL), (%2$dL) AS v(id)) c"
                + " ON t.id = c.id AND t.p = c.p WHEN MATCHED THEN UPDATE SET s = concat('m', %3$s)"
                + " WHEN NOT MATCHED THEN INSERT (id, p, s) VALUES (c.id, c.p, 'new')";
        // In other partitions, with rows added, changed and deleted there.
        assertThat(paused(
                        merge.formatted(0, 100, "pause(t.id)"),
                        merge.formatted(1, 101, "t.id"),
                        merge.formatted(2, 102, "t.id"),
                        "DELETE FROM " + table + " WHERE id = 7"))
                .isEmpty();
        assertThat(changed(table)).containsExactly("[0,m0]", "[1,m1]", "[100,new]", "[101,new]", "[102,new]", "[2,m2]");
        // In the same partition, but with another key.
        assertThat(paused(merge.formatted(0, 104, "pause(t.id)"), "INSERT INTO " + table + " VALUES (108, 0, 's108')"))
                .isEmpty();
        // From the same file.
        assertThat(paused(merge.formatted(0, 124, "pause(t.id)"), "DELETE FROM " + table + " WHERE id = 8"))
                .isEmpty();
        // With the same key.
        String failure =
                paused(merge.formatted(0, 112, "pause(t.id)"), "INSERT INTO " + table + " VALUES (112, 0, 's112')");
        assertThat(failure).contains("CommitConflictException");
        // Where it is not known what could have matched, everything is minded.
        failure = paused(
                merge.formatted(0, 116, "pause(t.id)") + " WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN DELETE",
                "INSERT INTO " + table + " VALUES (120, 1, 's120')");
        assertThat(failure).contains("CommitConflictException");
    }

    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "3,copy-on-write"})
    void aFileSomebodyRemovedIsRefused(int version, String mode) throws Exception {
        String table = table(version, mode, "snapshot");
        assertThat(paused(
                        "UPDATE " + table + " SET s = concat('u', pause(id)) WHERE id = 5",
                        "DELETE FROM " + table + " WHERE id < 20"))
                .contains("CommitConflictException");
        assertThat(Sql.count(table)).isEqualTo(20);
        assertThat(changed(table)).isEmpty();
    }

    /**
     * Single-row statements of eight threads on one file. {@code -Dcalve.load.statements=25} runs as many of each kind as are
     * promised.
     */
    @Test
    void manyStatementsOnDifferentRowsOfOneFileAllLand() throws Exception {
        int threads = 8;
        int each = Integer.getInteger("calve.load.statements", 2);
        String table = NAMESPACE + "." + Sql.unique("load");
        Sql.run(
                "CREATE TABLE %s (id bigint, s string) USING calve TBLPROPERTIES ('format-version' = '3',"
                        + " 'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read')",
                table);
        // A quarter of the rows for each kind of statement.
        long part = (long) threads * each;
        Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'a' FROM range(%d)", table, 4 * part);
        var refused = new AtomicInteger();
        inParallel(threads, each, row -> {
            Sql.run("DELETE FROM %s WHERE id = %d", table, row);
            Sql.run("UPDATE %s SET s = 'u' WHERE id = %d", table, part + row);
        });
        Sql.run(
                "ALTER TABLE %s SET TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', 'write.update.mode' = 'copy-on-write')",
                table);
        var updated = new ConcurrentSkipListSet<Long>();
        inParallel(threads, each, row -> {
            Sql.run("DELETE FROM %s WHERE id = %d", table, 2 * part + row);
            try {
                Sql.run("UPDATE %s SET s = 'c' WHERE id = %d", table, 3 * part + row);
                updated.add(3 * part + row);
            } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
                assertThat(Sql.messages(e)).contains("CommitConflictException");
                refused.incrementAndGet();
            }
        });
        assertThat(updated).isNotEmpty();
        assertThat(updated.size() + refused.get()).isEqualTo((int) part);
        assertThat(Sql.longs("SELECT id FROM %s", table))
                .isEqualTo(LongStream.range(0, 4 * part)
                        .filter(id -> id / part == 1 || id / part == 3)
                        .boxed()
                        .toList());
        assertThat(Sql.longs("SELECT id FROM %s WHERE s = 'u'", table))
                .isEqualTo(LongStream.range(part, 2 * part).boxed().toList());
        assertThat(Sql.longs("SELECT id FROM %s WHERE s = 'c'", table)).isEqualTo(List.copyOf(updated));
    }

    /** Gives each of the rows from 0 on to one of some threads, which start at once. */
    private static void inParallel(int threads, int each, LongConsumer work) throws Exception {
        var pool = Executors.newFixedThreadPool(threads);
        var start = new CountDownLatch(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                long first = (long) i * each;
                all.add(pool.submit(() -> {
                    start.countDown();
                    start.await();
                    LongStream.range(first, first + each).forEach(work);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
