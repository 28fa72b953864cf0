package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.FaultyFileSystem.Moment;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writers that die, answers that get lost and races that are lost: no row is lost, and no half of a statement is seen. */
class CrashIT {

    /** A Calve catalog on {@link FaultyFileSystem}. */
    private static final String FAULTY = "faulty";

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() {
        var conf = SparkTestSession.spark().conf();
        conf.set("fs.s3a.impl", FaultyFileSystem.class.getName());
        conf.set("spark.sql.catalog." + FAULTY, "dev.calve.spark.CalveCatalog");
        conf.set("spark.sql.catalog." + FAULTY + ".warehouse", FaultyFileSystem.location(folder));
        Sql.run("CREATE NAMESPACE " + FAULTY + ".ns");
    }

    @AfterEach
    void heal() {
        FaultyFileSystem.heal();
    }

    /** The statements that change rows, each as it differs from the others on its way to the commit. */
    @SuppressWarnings("ImmutableEnumChecker") // The lists are immutable.
    enum Statement {
        INSERT("INSERT INTO %s VALUES (100, 0)", 2, "copy-on-write", List.of(1L, 2L, 3L, 4L, 5L, 6L, 100L)),
        DELETE_COPY_ON_WRITE("DELETE FROM %s WHERE id IN (2, 5)", 3, "copy-on-write", List.of(1L, 3L, 4L, 6L)),
        DELETE_VECTORS("DELETE FROM %s WHERE id IN (2, 5)", 3, "merge-on-read", List.of(1L, 3L, 4L, 6L)),
        DELETE_POSITIONS("DELETE FROM %s WHERE id IN (2, 5)", 2, "merge-on-read", List.of(1L, 3L, 4L, 6L)),
        DELETE_WHOLE_FILES("DELETE FROM %s WHERE part = 1", 2, "copy-on-write", List.of(1L, 2L, 3L)),
        TRUNCATE("TRUNCATE TABLE %s", 2, "copy-on-write", List.of());

        final String sql;
        final int version;
        final String mode;
        final List<Long> result;

        Statement(String sql, int version, String mode, List<Long> result) {
            this.sql = sql;
            this.version = version;
            this.mode = mode;
            this.result = result;
        }

        boolean writesData() {
            return this != DELETE_WHOLE_FILES && this != TRUNCATE;
        }

        /** What is left if rows 101 and 102 came first. */
        List<Long> afterAnotherInsert() {
            // TRUNCATE takes what is there when it commits.
            if (this == TRUNCATE) {
                return List.of();
            }
            var all = new ArrayList<>(result);
            all.addAll(List.of(101L, 102L));
            return all;
        }
    }

    /** A table of six rows in two files, one a partition. */
    private static String table(int version, String mode) {
        String table = FAULTY + ".ns." + Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s (id bigint, part int) USING calve PARTITIONED BY (part)"
                        + " TBLPROPERTIES ('format-version'='%d', 'write.delete.mode'='%s')",
                table, version, mode);
        Sql.run("INSERT INTO %s VALUES (1, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 1)", table);
        return table;
    }

    private static Path folderOf(String table) {
        return folder.resolve(table.substring(FAULTY.length() + 1).replace('.', '/'));
    }

    private static List<Long> ids(String table) {
        return Sql.longs("SELECT id FROM " + table);
    }

    private static boolean isMetadata(String path) {
        return path.endsWith(".metadata.json");
    }

    // The outcome is unknown

    /** What a client can run into after its request was carried out. */
    enum LostAnswer {
        CONNECTION_RESET,
        TIMEOUT,
        RUNTIME_EXCEPTION,
        OUT_OF_MEMORY;

        void strike() throws IOException {
            switch (this) {
                case CONNECTION_RESET -> throw new IOException("connection reset");
                case TIMEOUT -> throw new SocketTimeoutException("no answer in time");
                case RUNTIME_EXCEPTION -> throw new IllegalStateException("client is confused");
                case OUT_OF_MEMORY -> throw new OutOfMemoryError("not a real one");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Statement.class)
    void anUnknownOutcomeKeepsAllFiles(Statement statement) {
        String table = table(statement.version, statement.mode);
        int filesBefore = FolderState.filesBelow(folderOf(table)).size();
        // From the moment the metadata is published, the store does not answer any more.
        var gone = new AtomicBoolean();
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.AFTER_PUBLISH && isMetadata(path)) {
                gone.set(true);
            }
            if (gone.get() && (isMetadata(path) || path.contains("version-hint"))) {
                throw new IOException("the store does not answer");
            }
        });
        assertThat(Sql.failure(statement.sql, table))
                .contains("CommitStateUnknownException", "Cannot tell whether snapshot", table)
                .contains("All files written were kept");
        FaultyFileSystem.heal();
        assertThat(gone).isTrue();
        assertThat(ids(table)).isEqualTo(statement.result);
        assertThat(FolderState.filesBelow(folderOf(table))).hasSizeGreaterThan(filesBefore);
    }

    @ParameterizedTest
    @EnumSource(LostAnswer.class)
    void anUnknownOutcomeIsUnknownWhateverWasThrown(LostAnswer answer) {
        String table = table(3, "merge-on-read");
        var gone = new AtomicBoolean();
        FaultyFileSystem.fail((moment, path) -> {
            boolean struck = moment == Moment.AFTER_PUBLISH && isMetadata(path);
            gone.set(gone.get() || struck);
            if (struck || (gone.get() && (isMetadata(path) || path.contains("version-hint")))) {
                answer.strike();
            }
        });
        assertThat(Sql.failure("DELETE FROM %s WHERE id = 2", table)).contains("Cannot tell whether snapshot");
        FaultyFileSystem.heal();
        assertThat(ids(table)).containsExactly(1L, 3L, 4L, 5L, 6L);
    }

    @ParameterizedTest
    @EnumSource(LostAnswer.class)
    void aLostAnswerIsNoFailureWhenTheCommitCanBeFound(LostAnswer answer) {
        String table = table(2, "copy-on-write");
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.AFTER_PUBLISH && isMetadata(path)) {
                answer.strike();
            }
        });
        Sql.run("INSERT INTO %s VALUES (7, 1)", table);
        Sql.run("DELETE FROM %s WHERE id = 4", table);
        FaultyFileSystem.heal();
        assertThat(ids(table)).containsExactly(1L, 2L, 3L, 5L, 6L, 7L);
    }

    // The failure is certain

    @ParameterizedTest
    @EnumSource(Statement.class)
    void aCertainFailureRemovesWhatWasWritten(Statement statement) {
        String table = table(statement.version, statement.mode);
        var before = FolderState.of(folderOf(table));
        var struck = new AtomicInteger();
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.CREATE && isMetadata(path)) {
                struck.incrementAndGet();
                throw new IOException("access denied");
            }
        });
        assertThat(Sql.failure(statement.sql, table))
                .contains("access denied", "nothing was changed")
                .doesNotContain("Cannot tell");
        FaultyFileSystem.heal();
        assertThat(struck).hasPositiveValue();
        assertThat(FolderState.of(folderOf(table))).isEqualTo(before);
        assertThat(ids(table)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @ParameterizedTest
    @EnumSource(Statement.class)
    void aFullDiskChangesNothing(Statement statement) {
        String table = table(statement.version, statement.mode);
        var before = FolderState.of(folderOf(table));
        for (String full : List.of("/data/", ".avro", ".metadata.json")) {
            var struck = new AtomicInteger();
            FaultyFileSystem.fail((moment, path) -> {
                if (moment == Moment.WRITE && path.contains(full)) {
                    struck.incrementAndGet();
                    throw new IOException("No space left on device");
                }
            });
            if (full.equals("/data/") && !statement.writesData()) {
                continue; // These write no data.
            }
            assertThat(Sql.failure(statement.sql, table)).as(full).contains("No space left on device");
            FaultyFileSystem.heal();
            assertThat(struck).as(full).hasPositiveValue();
            assertThat(FolderState.of(folderOf(table))).as(full).isEqualTo(before);
        }
        Sql.run(statement.sql, table);
        assertThat(ids(table)).isEqualTo(statement.result);
    }

    // The race is lost

    @ParameterizedTest
    @EnumSource(Statement.class)
    void aLostRaceKeepsTheWinnersRows(Statement statement) throws Exception {
        String table = table(statement.version, statement.mode);
        List<Long> first = snapshots(table);
        var raced = new AtomicBoolean();
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.BEFORE_PUBLISH && isMetadata(path) && raced.compareAndSet(false, true)) {
                Sql.run("INSERT INTO %s VALUES (101, 1), (102, 2)", table);
            }
        });
        // Rows another writer adds to the scope of a serializable DELETE are judged too: these do not match.
        String sql =
                statement == Statement.DELETE_WHOLE_FILES ? "DELETE FROM %s WHERE part = 1 AND id < 50" : statement.sql;
        Sql.run(sql, table);
        FaultyFileSystem.heal();
        assertThat(raced).isTrue();
        assertThat(ids(table)).isEqualTo(statement.afterAnotherInsert());
        // S1, the winner's S2, and S3 whose parent is S2 and not S1.
        List<Long> line = snapshots(table);
        assertThat(line).hasSize(first.size() + 2).startsWith(first.toArray(new Long[0]));
    }

    @Test
    void aLostRaceFromAnEmptyTableKeepsTheWinnersRows() {
        String table = FAULTY + ".ns." + Sql.unique("empty");
        Sql.run("CREATE TABLE %s (id bigint, part int) USING calve", table);
        var raced = new AtomicBoolean();
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.BEFORE_PUBLISH && isMetadata(path) && raced.compareAndSet(false, true)) {
                Sql.run("INSERT INTO %s VALUES (101, 0), (102, 0)", table);
            }
        });
        Sql.run("INSERT INTO %s VALUES (1, 0)", table);
        FaultyFileSystem.heal();
        assertThat(raced).isTrue();
        assertThat(ids(table)).containsExactly(1L, 101L, 102L);
        assertThat(snapshots(table)).hasSize(2);
    }

    /** Ids from the oldest snapshot to the newest by following the parents from the current one, as the peer's classes see it. */
    private static List<Long> snapshots(String table) {
        var catalog = new org.apache.iceberg.hadoop.HadoopCatalog(
                SparkTestSession.spark().sessionState().newHadoopConf(), FaultyFileSystem.location(folder));
        var loaded = catalog.loadTable(
                org.apache.iceberg.catalog.TableIdentifier.parse(table.substring(FAULTY.length() + 1)));
        var line = new ArrayList<Long>();
        var at = loaded.currentSnapshot();
        while (at != null) {
            line.add(0, at.snapshotId());
            at = at.parentId() == null ? null : loaded.snapshot(at.parentId());
        }
        return line;
    }

    @Test
    void aDeleteLooksAtRowsThatCameWhileItRan() {
        String table = table(3, "merge-on-read");
        var raced = new AtomicBoolean();
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.BEFORE_PUBLISH && isMetadata(path) && raced.compareAndSet(false, true)) {
                Sql.run("INSERT INTO %s VALUES (2, 0), (7, 0)", table);
            }
        });
        Sql.run("DELETE FROM %s WHERE id = 2", table);
        FaultyFileSystem.heal();
        assertThat(raced).isTrue();
        assertThat(ids(table)).containsExactly(1L, 3L, 4L, 5L, 6L, 7L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge-on-read,3", "merge-on-read,2", "copy-on-write,3", "copy-on-write,2"})
    void twoDeletesInOneFileBothHappen(String modeAndVersion) {
        String[] parts = modeAndVersion.split(",", -1);
        String table = table(Integer.parseInt(parts[1]), parts[0]);
        var raced = new AtomicBoolean();
        FaultyFileSystem.fail((moment, path) -> {
            if (moment == Moment.BEFORE_PUBLISH && isMetadata(path) && raced.compareAndSet(false, true)) {
                Sql.run("DELETE FROM %s WHERE id = 1", table);
            }
        });
        Sql.run("DELETE FROM %s WHERE id = 3", table);
        FaultyFileSystem.heal();
        assertThat(raced).isTrue();
        assertThat(ids(table)).containsExactly(2L, 4L, 5L, 6L);
    }

    // The writer dies

    /** Stops the JVM, without any clean-up, at a moment of its insert. */
    static final class DieWhileInserting implements WriterProcess.Work {

        @Override
        public void run(SparkSession spark, List<String> arguments) {
            String table = arguments.get(0);
            Moment last = Moment.valueOf(arguments.get(1));
            String file = arguments.get(2);
            FaultyFileSystem.fail((moment, path) -> {
                if (moment == last && path.contains(file)) {
                    Runtime.getRuntime().halt(42);
                }
            });
            spark.sql("INSERT INTO lake.ns." + table + " VALUES (101, 0), (102, 1)")
                    .collectAsList();
        }
    }

    private static void dieWhileInserting(String table, Moment last, String file) throws Exception {
        String name = table.substring(table.lastIndexOf('.') + 1);
        WriterProcess writer = WriterProcess.start(
                FaultyFileSystem.location(folder), DieWhileInserting.class, name, last.name(), file);
        assertThat(writer.await(300)).as(writer.output()).isEqualTo(42);
    }

    @Test
    void aCrashBetweenPublicationAndHintLosesNothing() throws Exception {
        String table = table(3, "merge-on-read");
        dieWhileInserting(table, Moment.AFTER_PUBLISH, ".metadata.json");
        Path hint = folderOf(table).resolve("metadata/version-hint.text");
        assertThat(Files.readString(hint)).as("the hint is stale").isEqualTo("2");
        assertThat(ids(table)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 101L, 102L);

        Sql.run("DELETE FROM %s WHERE id = 101", table);
        assertThat(ids(table)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 102L);
        assertThat(Files.readString(hint)).isEqualTo("4");
    }

    @Test
    void aCrashBeforePublicationLeavesOnlyFilesNobodyRefersTo() throws Exception {
        String table = table(3, "merge-on-read");
        var before = FolderState.of(folderOf(table));
        dieWhileInserting(table, Moment.BEFORE_PUBLISH, ".metadata.json");
        assertThat(ids(table)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(FolderState.of(folderOf(table)).files()).containsAllEntriesOf(before.files());
        assertThat(FolderState.filesBelow(folderOf(table)))
                .as("what the dead writer wrote is there")
                .hasSizeGreaterThan(before.files().size());

        Sql.run("INSERT INTO %s VALUES (7, 0)", table);
        assertThat(ids(table)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    /** Inserts many rows, slowly, into a local table. */
    static final class InsertForever implements WriterProcess.Work {

        @Override
        public void run(SparkSession spark, List<String> arguments) {
            spark.sql("INSERT INTO lake." + arguments.get(0)
                    + " SELECT id, CAST(id % 3 AS int), repeat(sha2(CAST(id AS string), 512), 20)"
                    + " FROM range(0, 1000000000, 1, 1)");
        }
    }

    @Test
    void aKilledWriterLeavesNoHalfOfItsStatement() throws Exception {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.crash");
        Sql.run("CREATE TABLE lake.crash.killed (id bigint, part int, text string) USING calve PARTITIONED BY (part)"
                + " TBLPROPERTIES ('write.target-file-size-bytes'='200000', 'write.parquet.row-group-size-bytes'='50000',"
                + " 'write.distribution-mode'='none')");
        Sql.run("INSERT INTO lake.crash.killed VALUES (-1, 0, 'a')");
        Path data = SparkTestSession.warehouse().resolve("crash/killed/data");
        int before = FolderState.filesBelow(data).size();

        WriterProcess writer =
                WriterProcess.start(SparkTestSession.warehouse().toString(), InsertForever.class, "crash.killed");
        long start = System.nanoTime();
        while (FolderState.filesBelow(data).size() < before + 5) {
            assertThat(writer.isAlive()).as(writer.output()).isTrue();
            assertThat(System.nanoTime() - start).as(writer.output()).isLessThan(300_000_000_000L);
            Thread.sleep(50);
        }
        writer.kill();

        assertThat(Sql.longs("SELECT id FROM lake.crash.killed")).containsExactly(-1L);
        Sql.run("INSERT INTO lake.crash.killed VALUES (-2, 1, 'b')");
        Sql.run("DELETE FROM lake.crash.killed WHERE id = -1");
        assertThat(Sql.longs("SELECT id FROM lake.crash.killed")).containsExactly(-2L);
        assertThat(Sql.longs("SELECT id FROM peer.crash.killed")).containsExactly(-2L);
    }
}
