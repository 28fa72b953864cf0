package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers that do not know of each other, on one local warehouse: what was acknowledged is there, and nothing else.
 *
 * <p>How long two JVMs write is the system property {@code calve.two.writers.seconds}, 60 unless set.
 */
class TwoWritersIT {

    private static final String NAMESPACE = SparkTestSession.LAKE + ".writers";

    /** Rows of the file that both writers delete from, the even ones by writer 0 and the odd ones by writer 1. */
    private static final int SHARED = 4_000;

    /** Table by name: format version and delete mode. */
    private static final List<String> TABLES = List.of("v3_mor", "v2_mor", "v3_cow");

    @TempDir
    Path notes;

    /** Appends and deletes until the time is up; each acknowledged row is noted as {@code +id}, each delete as {@code -id}. */
    static final class AppendAndDelete implements WriterProcess.Work {

        @Override
        public void run(SparkSession spark, List<String> arguments) throws Exception {
            int writer = Integer.parseInt(arguments.get(0));
            Path notes = Path.of(arguments.get(1));
            long nanos = Long.parseLong(arguments.get(2)) * 1_000_000_000L;
            // The writers start together: what one does while the other still starts proves nothing.
            WriterProcess.note(notes.resolve("ready-" + writer), "");
            while (Files.notExists(notes.resolve("ready-" + (1 - writer)))) {
                Thread.sleep(20);
            }
            long start = System.nanoTime();
            for (int round = 0; System.nanoTime() - start < nanos; round++) {
                String name = TABLES.get(round % TABLES.size());
                String table = "lake.writers." + name;
                Path log = notes.resolve(name + "-" + writer);
                long first = 1_000_000L * (writer + 1) + round * 10L;
                spark.sql("INSERT INTO " + table + " SELECT id, 'mine' FROM range(" + first + ", " + (first + 4) + ")");
                acknowledge(log, "+", first, first + 1, first + 2, first + 3);
                // Rows of a file that the other writer deletes from at the same time …
                long shared = round * 2L % SHARED + writer;
                spark.sql("DELETE FROM " + table + " WHERE id = " + shared + " AND what = 'shared'");
                acknowledge(log, "-", shared);
                // … and of one of its own.
                if (round % 2 == 0) {
                    spark.sql("DELETE FROM " + table + " WHERE id = " + (first + 1));
                    acknowledge(log, "-", first + 1);
                }
            }
        }

        private static void acknowledge(Path log, String sign, long... ids) throws IOException {
            var line = new StringBuilder();
            for (long id : ids) {
                line.append(line.isEmpty() ? "" : "\n").append(sign).append(id);
            }
            WriterProcess.note(log, line.toString());
        }
    }

    @Test
    void twoProcessesLoseNothingOfEachOther() throws Exception {
        long seconds = Long.getLong("calve.two.writers.seconds", 60);
        Sql.run("CREATE NAMESPACE IF NOT EXISTS " + NAMESPACE);
        for (String name : TABLES) {
            Sql.run(
                    "CREATE TABLE %s.%s (id bigint, what string) USING calve"
                            + " TBLPROPERTIES ('format-version'='%s', 'write.delete.mode'='%s')",
                    NAMESPACE, name, name.substring(1, 2), name.endsWith("mor") ? "merge-on-read" : "copy-on-write");
            Sql.run("INSERT INTO %s.%s SELECT /*+ COALESCE(1) */ id, 'shared' FROM range(%d)", NAMESPACE, name, SHARED);
        }
        String warehouse = SparkTestSession.warehouse().toString();
        var writers = new ArrayList<WriterProcess>();
        for (int writer = 0; writer < 2; writer++) {
            writers.add(
                    WriterProcess.start(warehouse, AppendAndDelete.class, "" + writer, notes.toString(), "" + seconds));
        }
        for (WriterProcess writer : writers) {
            assertThat(writer.await(seconds + 300)).as(writer.output()).isZero();
        }
        int statements = 0;
        for (String name : TABLES) {
            statements += check(name);
        }
        System.out.printf("Two JVMs committed %d times in %d s%n", statements, seconds);
    }

    /** Compares a table with what its writers noted; returns the number of snapshots they made. */
    private int check(String name) throws IOException {
        var expected = new TreeSet<Long>();
        for (long id = 0; id < SHARED; id++) {
            expected.add(id);
        }
        for (int writer = 0; writer < 2; writer++) {
            List<String> lines = Files.readAllLines(notes.resolve(name + "-" + writer));
            assertThat(lines.size())
                    .as("what writer %d did to %s", writer, name)
                    .isGreaterThan(4);
            for (String line : lines) {
                long id = Long.parseLong(line.substring(1));
                if (line.startsWith("+")) {
                    expected.add(id);
                } else {
                    expected.remove(id);
                }
            }
        }
        String table = "writers." + name;
        var rows = List.copyOf(expected);
        assertThat(Sql.longs("SELECT id FROM lake." + table)).isEqualTo(rows);
        assertThat(Sql.longs("SELECT id FROM peer." + table))
                .as("as the peer reads it")
                .isEqualTo(rows);
        assertNothingLeftOver(table);
        return Math.toIntExact(Sql.count("peer." + table + ".snapshots"));
    }

    /** Every file belongs to some snapshot; the peer says which do. */
    private static void assertNothingLeftOver(String table) {
        Set<Path> known = new HashSet<>();
        for (String query : List.of(
                "SELECT DISTINCT file_path FROM peer.%s.all_files",
                // The peer leaves removed files out of all_files in snapshots that removed them.
                "SELECT DISTINCT data_file.file_path FROM peer.%s.all_entries",
                "SELECT DISTINCT path FROM peer.%s.all_manifests",
                "SELECT manifest_list FROM peer.%s.snapshots",
                "SELECT file FROM peer.%s.metadata_log_entries")) {
            for (String path : Sql.rows(query, table)) {
                known.add(localPath(path.substring(1, path.length() - 1)));
            }
        }
        Path folder = SparkTestSession.warehouse().resolve(table.replace('.', '/'));
        var unknown = new ArrayList<>(FolderState.filesBelow(folder));
        unknown.removeAll(known);
        unknown.remove(folder.resolve("metadata/version-hint.text"));
        // The log of the newest metadata remembers a hundred of those before it.
        unknown.removeIf(file -> file.getFileName().toString().endsWith(".metadata.json"));
        assertThat(unknown).as("files no snapshot of %s refers to", table).isEmpty();
    }

    private static Path localPath(String location) {
        return Path.of(
                location.startsWith("file:") ? java.net.URI.create(location).getPath() : location);
    }

    @Test
    void eightThreadsOfOneSessionAllGetTheirTurn() throws Exception {
        int threads = 8;
        int each = 4;
        Sql.run("CREATE NAMESPACE IF NOT EXISTS " + NAMESPACE);
        Sql.run("CREATE TABLE %s.threads (id bigint) USING calve TBLPROPERTIES ('format-version'='3')", NAMESPACE);
        var work = new ArrayList<Callable<Integer>>();
        for (int thread = 0; thread < threads; thread++) {
            int first = thread * 100;
            work.add(() -> {
                for (int i = first; i < first + each; i++) {
                    Sql.run("INSERT INTO %s.threads VALUES (%d)", NAMESPACE, i);
                }
                return each;
            });
        }
        var pool = Executors.newFixedThreadPool(threads);
        try {
            for (Future<Integer> done : pool.invokeAll(work)) {
                assertThat(done.get()).isEqualTo(each);
            }
        } finally {
            pool.shutdownNow();
        }
        var expected = new ArrayList<Long>();
        for (long thread = 0; thread < threads; thread++) {
            for (long i = 0; i < each; i++) {
                expected.add(thread * 100 + i);
            }
        }
        assertThat(Sql.longs("SELECT id FROM peer.writers.threads")).isEqualTo(expected);
        assertThat(Sql.longs("SELECT id FROM %s.threads", NAMESPACE)).isEqualTo(expected);
        assertThat(Sql.count("peer.writers.threads.snapshots")).isEqualTo((long) threads * each);
        assertThat(Sql.longs("SELECT _row_id FROM %s.threads", NAMESPACE)).doesNotHaveDuplicates();
        assertNothingLeftOver("writers.threads");
    }
}
