package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.FaultyFileSystem.Moment;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements that fail in a task or are cancelled: the folder is as it was, without files of tasks that had succeeded. */
class FailedStatementIT {

    /** A Calve catalog on {@link FaultyFileSystem}. */
    private static final String SLOW = "slow";

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() {
        var conf = SparkTestSession.spark().conf();
        conf.set("fs.s3a.impl", FaultyFileSystem.class.getName());
        conf.set("spark.sql.catalog." + SLOW, "dev.calve.spark.CalveCatalog");
        conf.set("spark.sql.catalog." + SLOW + ".warehouse", FaultyFileSystem.location(folder));
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.failed");
    }

    @AfterEach
    void heal() {
        FaultyFileSystem.heal();
    }

    /** Rows 0 to 1999 in four files, one row group each. */
    private static void create(String table, int version, String mode) {
        Sql.run(
                "CREATE TABLE %s (id bigint, text string) USING calve TBLPROPERTIES ('format-version'='%d',"
                        + " 'write.delete.mode'='%s')",
                table, version, mode);
        for (int first = 0; first < 2000; first += 500) {
            Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'x' FROM range(%d, %d)", table, first, first + 500);
        }
    }

    @Test
    void anInsertWhoseLastTaskFailsLeavesNoFile() {
        String name = Sql.unique("insert");
        Sql.run(
                "CREATE TABLE lake.failed.%s (id bigint, part int) USING calve PARTITIONED BY (part) TBLPROPERTIES"
                        + " ('write.target-file-size-bytes'='2000', 'write.parquet.row-group-size-bytes'='1000',"
                        + " 'write.distribution-mode'='none')",
                name);
        Sql.run("INSERT INTO lake.failed.%s VALUES (-1, 0)", name);
        Path table = SparkTestSession.warehouse().resolve("failed/" + name);
        var before = FolderState.of(table);
        assertThat(Sql.failure(
                        "INSERT INTO lake.failed.%s SELECT if(id = 29999, raise_error('enough'), id), CAST(id %% 3 AS int)"
                                + " FROM range(0, 30000, 1, 3)",
                        name))
                .contains("enough");
        assertThat(FolderState.of(table).files()).isEqualTo(before.files());
        assertThat(Sql.longs("SELECT id FROM lake.failed." + name)).containsExactly(-1L);
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "3,copy-on-write", "2,copy-on-write"})
    void aDeleteThatFailsOnOneRowLeavesNoFile(int version, String mode) {
        String name = Sql.unique("delete");
        create("lake.failed." + name, version, mode);
        Path table = SparkTestSession.warehouse().resolve("failed/" + name);
        var before = FolderState.of(table);
        // All files have rows that match; the last has the row the condition cannot be computed for.
        assertThat(Sql.failure("DELETE FROM lake.failed.%s WHERE 100 / (id - 1999) < -0.09", name))
                .contains("DIVIDE_BY_ZERO");
        assertThat(FolderState.of(table).files()).isEqualTo(before.files());
        assertThat(Sql.count("lake.failed." + name)).isEqualTo(2000);
    }

    /** Spark's own exception is a checked one that no method declares, unlike that of a condition, which it hands on. */
    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "2,copy-on-write"})
    void aDeleteOfWhichOneTaskCannotReadLeavesNoFile(int version, String mode) {
        String name = Sql.unique("unreadable");
        String table = SLOW + ".ns." + name;
        create(table, version, mode);
        Sql.run("ALTER TABLE %s SET TBLPROPERTIES ('read.split.open-file-cost'='134217728')", table);
        Path files = folder.resolve("ns/" + name);
        var before = FolderState.of(files);
        String last = SparkTestSession.spark()
                .sql("SELECT _file FROM " + table + " WHERE id = 1999")
                .head()
                .getString(0);
        var written = new CountDownLatch(1);
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.WRITE && path.contains("/data/")) {
                written.countDown();
            }
            if (moment == Moment.LOOK && path.equals(last)) {
                awaitUnlessInterrupted(written);
                // The results of the others arrive first.
                pause(2_000);
                throw new IOException("the disk is gone");
            }
        });
        assertThat(Sql.failure("DELETE FROM %s WHERE id %% 5 = 4", table)).contains("the disk is gone");
        FaultyFileSystem.heal();
        assertThat(FolderState.of(files).files()).isEqualTo(before.files());
        assertThat(Sql.count(table)).isEqualTo(2000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO %s SELECT id, 'new' FROM range(4)|2|copy-on-write",
                "DELETE FROM %s WHERE id % 5 = 0|3|merge-on-read",
                "DELETE FROM %s WHERE id % 5 = 0|2|merge-on-read",
                "DELETE FROM %s WHERE id % 5 = 0|2|copy-on-write",
            })
    void aCancelledStatementLeavesNoFile(String statement, int version, String mode) throws Exception {
        String name = Sql.unique("t");
        String table = SLOW + ".ns." + name;
        create(table, version, mode);
        Path files = folder.resolve("ns/" + name);
        var before = FolderState.of(files);

        // Tasks stop at their first data file until they are interrupted.
        var writing = new CountDownLatch(1);
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.WRITE && path.contains("/data/")) {
                writing.countDown();
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("cancelled while writing");
                }
            }
        });
        var context = SparkTestSession.spark().sparkContext();
        String group = "group of " + name;
        var failure = CompletableFuture.supplyAsync(() -> {
            context.setJobGroup(group, "a statement that is cancelled", true);
            return Sql.failure("%s", statement.replace("%s", table));
        });
        assertThat(writing.await(60, TimeUnit.SECONDS))
                .as("the statement writes")
                .isTrue();
        context.cancelJobGroup(group);
        assertThat(failure.get(30, TimeUnit.SECONDS)).containsIgnoringCase("cancel");
        FaultyFileSystem.heal();
        // Spark does not wait for the tasks it cancelled.
        for (int wait = 0; wait < 200 && !FolderState.of(files).equals(before); wait++) {
            Thread.sleep(50);
        }
        assertThat(FolderState.of(files).files()).isEqualTo(before.files());
        assertThat(Sql.count(table)).isEqualTo(2000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO %s SELECT if(id = 1999, raise_error('DIVIDE_BY_ZERO'), id), text FROM %s|2|copy-on-write",
                "DELETE FROM %s WHERE 100 / (id - 1999) < -0.09|3|merge-on-read",
                "DELETE FROM %s WHERE 100 / (id - 1999) < -0.09|2|merge-on-read",
                "DELETE FROM %s WHERE 100 / (id - 1999) < -0.09|3|copy-on-write",
            })
    void aTaskThatEndsAfterItsStatementFailedLeavesNoFile(String statement, int version, String mode) throws Exception {
        String name = Sql.unique("late");
        String table = SLOW + ".ns." + name;
        create(table, version, mode);
        // A task per file, so that some have written when another fails.
        Sql.run("ALTER TABLE %s SET TBLPROPERTIES ('read.split.open-file-cost'='134217728')", table);
        Path files = folder.resolve("ns/" + name);
        var before = FolderState.of(files);
        String last = SparkTestSession.spark()
                .sql("SELECT _file FROM " + table + " WHERE id = 1999")
                .head()
                .getString(0);
        // The first task that writes goes on when the statement has failed, and the task that fails waits for it to
        // write.
        var writing = new CountDownLatch(1);
        var failed = new CountDownLatch(1);
        var first = new AtomicBoolean(true);
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.WRITE && path.contains("/data/") && first.compareAndSet(true, false)) {
                writing.countDown();
                awaitUnlessInterrupted(failed);
            }
            if (moment == Moment.LOOK && path.equals(last)) {
                awaitUnlessInterrupted(writing);
                // A result on its way while its job fails is lost with its files: let those of the others arrive.
                pause(2_000);
            }
        });
        try {
            assertThat(Sql.failure("%s", statement.replace("%s", table))).contains("DIVIDE_BY_ZERO");
        } finally {
            failed.countDown();
        }
        assertThat(writing.await(1, TimeUnit.SECONDS))
                .as("a task writes when the statement fails")
                .isTrue();
        Thread.sleep(1_000); // The task ends, and cleans up or does not.
        FaultyFileSystem.heal();
        assertThat(FolderState.of(files).files()).isEqualTo(before.files());
        assertThat(Sql.count(table)).isEqualTo(2000);
    }

    private static void pause(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted in a pause");
        }
    }

    private static void awaitUnlessInterrupted(CountDownLatch latch) throws InterruptedIOException {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new InterruptedIOException("waited in vain");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }
}
