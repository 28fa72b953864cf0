package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What overwrites replace, what they leave, and what their snapshots say. */
@Tag("iceberg-peer")
class OverwriteIT {

    private static final String NAMESPACE = "overwrites";
    private static final String MODE = "spark.sql.sources.partitionOverwriteMode";
    private static final String COLUMNS = "id bigint, p int, s string";

    private static SparkSession spark() {
        return SparkTestSession.spark();
    }

    private static LakeTable create(int version, String columns, String partitions, String... properties) {
        return LakeTable.create(NAMESPACE, version, columns, partitions, String.join(", ", properties));
    }

    /** The peer's summary entries that depend on nothing but which files come and go. */
    private static final Set<String> COMPARED = Set.of(
            "operation",
            "replace-partitions",
            "added-data-files",
            "added-records",
            "deleted-data-files",
            "deleted-records",
            "changed-partition-count",
            "total-records",
            "total-data-files",
            "total-delete-files");

    private record Line(long id, Integer p, String s) {
        String text() {
            return "[" + id + "," + p + "," + s + "]";
        }
    }

    private static final List<Line> OLD = LongStream.range(0, 40)
            .mapToObj(id -> new Line(id, id % 4 == 3 ? null : (int) (id % 4), "old"))
            .toList();

    /** In two of the partitions of OLD, by p and the tens of id, and in one that is new. */
    private static final List<Line> NEW =
            List.of(new Line(4, 2, "new"), new Line(5, 2, "new"), new Line(37, 2, "new"), new Line(95, 2, "new"));

    /** How a table is divided. */
    private enum Division {
        PLAIN("p"),
        HIDDEN("p, truncate(10, id)"),
        /** Rows came while it was divided by p alone. */
        REFINED("p"),
        /** Rows came while it was not divided. */
        GROWN(""),
        NONE("");

        private final String partitions;

        Division(String partitions) {
            this.partitions = partitions;
        }

        void evolve(Table table) {
            if (this == REFINED) {
                table.updateSpec().addField(Expressions.truncate("id", 10)).commit();
            } else if (this == GROWN) {
                table.updateSpec().addField("p").commit();
            }
        }

        Object partition(Line row) {
            List<Object> values = new ArrayList<>();
            if (this != NONE) {
                values.add(row.p());
            }
            if (this == HIDDEN || this == REFINED) {
                values.add(Math.floorDiv(row.id(), 10L));
            }
            return values;
        }

        boolean isEvolved() {
            return this == REFINED || this == GROWN;
        }
    }

    private record Statement(boolean dynamic, String clause, boolean empty) {

        /** SQL's meaning: rows of the replaced partitions go, all rows of the query come. */
        List<String> expected(Division division) {
            List<Line> coming = empty ? List.of() : NEW;
            Set<Object> replaced = new HashSet<>();
            coming.forEach(row -> replaced.add(division.partition(row)));
            Stream<Line> staying = OLD.stream().filter(row -> {
                if (dynamic) {
                    return !replaced.contains(division.partition(row));
                }
                return clause.contains("=") && !Integer.valueOf(2).equals(row.p());
            });
            return Stream.concat(staying, coming.stream())
                    .map(Line::text)
                    .sorted()
                    .toList();
        }

        void run(String table) {
            boolean full = clause.contains("=");
            String rows = NEW.stream()
                    .map(row -> "(" + row.id() + "L, " + row.p() + ", 'new')")
                    .reduce((left, right) -> left + ", " + right)
                    .orElseThrow();
            Sql.run(
                    "INSERT OVERWRITE %s %s SELECT /*+ COALESCE(1) */ %s FROM (SELECT * FROM VALUES %s t(id, p, s)) WHERE %s",
                    table, clause, full ? "id, s" : "id, p, s", rows, empty ? "id < 0" : "true");
        }
    }

    private static List<Statement> statements(Division division) {
        var statements = new ArrayList<Statement>();
        List<String> clauses = switch (division) {
            case PLAIN -> List.of("", "PARTITION (p = 2)", "PARTITION (p)");
            case NONE -> List.of("");
            default -> List.of("", "PARTITION (p = 2)");
        };
        for (boolean dynamic : new boolean[] {false, true}) {
            for (String clause : clauses) {
                for (boolean empty : new boolean[] {false, true}) {
                    statements.add(new Statement(dynamic, clause, empty));
                }
            }
        }
        return statements;
    }

    private static Map<String, String> compared(LakeTable table) {
        Map<String, String> summary = table.summary();
        summary.keySet().retainAll(COMPARED);
        return summary;
    }

    /** Makes a table with the old rows in it, by the engine whose catalog is named. */
    private static LakeTable filled(Division division, int version, String catalog) {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS %s.%s", catalog, NAMESPACE);
        var table = new LakeTable(NAMESPACE, Sql.unique("twin"));
        Sql.run(
                "CREATE TABLE %s (%s) USING iceberg %s TBLPROPERTIES ('format-version'='%d')",
                table.in(catalog),
                COLUMNS,
                division.partitions.isEmpty() ? "" : "PARTITIONED BY (" + division.partitions + ")",
                version);
        Sql.run(
                "INSERT INTO %s SELECT /*+ COALESCE(1) */ id, CASE id %% 4 WHEN 3 THEN NULL ELSE CAST(id %% 4 AS INT) END, 'old'"
                        + " FROM range(40)",
                table.in(catalog));
        division.evolve(table.peer());
        return table;
    }

    /** The peer's result is what is expected, where it follows the meaning of the statement. */
    @ParameterizedTest
    @CsvSource({"PLAIN,2,12", "HIDDEN,3,8", "REFINED,2,8", "GROWN,3,8", "NONE,2,4"})
    void replacesWhatTheStatementMeans(Division division, int version, int statements) {
        LakeTable ours = filled(division, version, SparkTestSession.LAKE);
        LakeTable theirs = filled(division, version, SparkTestSession.PEER);
        long ourStart = ours.newest().snapshotId();
        long theirStart = theirs.newest().snapshotId();
        int done = 0;
        int agreed = 0;
        for (Statement statement : statements(division)) {
            String what = division + " " + statement;
            boolean theyCan = true;
            spark().conf().set(MODE, statement.dynamic() ? "dynamic" : "static");
            try {
                statement.run(ours.name());
                statement.run(theirs.in(SparkTestSession.PEER));
            } catch (ValidationException e) {
                assertThat(e).hasMessageContaining("some, but not all, rows match");
                theyCan = false;
            } finally {
                spark().conf().unset(MODE);
            }
            List<String> expected = statement.expected(division);
            assertThat(ours.rows("*")).as(what).isEqualTo(expected);
            assertThat(ours.peerRows("*")).as(what).isEqualTo(expected);
            ours.live().assertSound(what);
            assertThat(ours.summary()).as(what).containsAllEntriesOf(ours.live().totals());
            boolean same = theyCan && theirs.peerRows("*").equals(expected);
            // What it leaves of older specs is what is not expected.
            assertThat(same || division.isEvolved()).as(what).isTrue();
            boolean unchanged = ours.newest().snapshotId() == ourStart;
            assertThat(unchanged).as(what).isEqualTo(statement.dynamic() && statement.empty());
            if (same && !division.isEvolved()) {
                agreed++;
                assertThat(compared(ours)).as(what).isEqualTo(compared(theirs));
            }
            assertThat(ours.history()).as(what).hasSize(unchanged ? 1 : 2);
            ours.peer().manageSnapshots().setCurrentSnapshot(ourStart).commit();
            theirs.peer().manageSnapshots().setCurrentSnapshot(theirStart).commit();
            done++;
        }
        assertThat(done).isEqualTo(statements);
        assertThat(agreed).isEqualTo(division.isEvolved() ? 0 : statements);
    }

    private static void overwrite(Dataset<Row> frame, LakeTable table, org.apache.spark.sql.Column condition) {
        try {
            frame.writeTo(table.name()).overwrite(condition);
        } catch (NoSuchTableException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"1,copy-on-write", "2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void filesCoveredInPartLoseTheRowsThatMatch(int version, String mode) {
        LakeTable table = create(version, "id bigint, n int, s string", "", LakeTable.deleteMode(mode));
        table.insert("SELECT /*+ COALESCE(1) */ id, CASE WHEN id % 5 = 0 THEN NULL ELSE CAST(id % 5 AS INT) END, 'a'"
                + " FROM range(10)");
        table.insert("SELECT /*+ COALESCE(1) */ id, 1, 'b' FROM range(10, 14)");
        Map<Long, String> ids = version < 3 ? Map.of() : lineage(table);
        long before = table.newest().snapshotId();
        // UNKNOWN for a null, which stays. All rows of the second file match by its statistics.
        Dataset<Row> frame = spark().sql("SELECT id, 7 AS n, 'new' AS s FROM range(100, 103)");
        overwrite(frame, table, functions.col("n").equalTo(1));
        assertThat(table.longs("id", "s = 'a'")).containsExactly(0L, 2L, 3L, 4L, 5L, 7L, 8L, 9L);
        assertThat(table.longs("id", "s <> 'a'")).containsExactly(100L, 101L, 102L);
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
        table.live().assertSound(table.name());
        assertThat(table.summary())
                .containsAllEntriesOf(table.live().totals())
                .containsEntry("operation", "overwrite")
                .containsEntry("calve.rows-deleted", "6")
                .containsEntry("calve.rows-inserted", "3")
                .doesNotContainKey("replace-partitions");
        assertThat(table.newest().parentId()).isEqualTo(before);
        boolean rewritten = mode.equals("copy-on-write");
        assertThat(table.summary().get("deleted-data-files")).isEqualTo(rewritten ? "2" : "1");
        assertThat(table.live().deletes()).hasSize(rewritten ? 0 : 1);
        // Rows that stay are who they were.
        ids.forEach((id, was) -> {
            if (table.longs("id", "id = " + id).size() == 1) {
                assertThat(lineage(table)).containsEntry(id, was);
            }
        });
        // The same by SQL, which names what is replaced in the statement; the new rows need not match.
        Sql.run("INSERT INTO %s REPLACE WHERE id >= 100 OR id < 3 SELECT 200L, 9, 'sql'", table.name());
        assertThat(table.longs("id", "true")).containsExactly(3L, 4L, 5L, 7L, 8L, 9L, 200L);
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
        table.live().assertSound(table.name());
        // Nothing comes: a delete. Nothing goes either: no snapshot.
        Sql.run("INSERT INTO %s REPLACE WHERE id IN (4, 5) SELECT 1L, 1, 'x' WHERE false", table.name());
        assertThat(table.longs("id", "true")).containsExactly(3L, 7L, 8L, 9L, 200L);
        long last = table.newest().snapshotId();
        Sql.run("INSERT INTO %s REPLACE WHERE id = 77 SELECT 1L, 1, 'x' WHERE false", table.name());
        assertThat(table.newest().snapshotId()).isEqualTo(last);
        // A condition on more than columns, judged by Spark itself.
        overwrite(
                frame.limit(1),
                table,
                functions.col("id").mod(2).equalTo(1).and(functions.col("s").startsWith("a")));
        assertThat(table.longs("id", "true")).containsExactly(8L, 100L, 200L);
    }

    private static Map<Long, String> lineage(LakeTable table) {
        Map<Long, String> lineage = new HashMap<>();
        spark().sql("SELECT id, _row_id, _last_updated_sequence_number FROM " + table.name())
                .collectAsList()
                .forEach(row -> lineage.put(row.getLong(0), row.getLong(1) + "/" + row.getLong(2)));
        return lineage;
    }

    @Test
    void rowsDeletedBeforeStayDeleted() {
        for (String mode : List.of("copy-on-write", "merge-on-read")) {
            LakeTable table = create(3, "id bigint, n int", "", LakeTable.deleteMode("merge-on-read"));
            table.insert("SELECT /*+ COALESCE(1) */ id, CAST(id AS INT) FROM range(10)");
            table.delete("id = 4");
            table.set("write.delete.mode", mode);
            overwrite(
                    spark().sql("SELECT 50L AS id, 50 AS n"),
                    table,
                    functions.col("n").leq(5));
            assertThat(table.longs("id", "true")).containsExactly(6L, 7L, 8L, 9L, 50L);
            assertThat(table.summary()).containsEntry("calve.rows-deleted", "5");
            table.live().assertSound(mode);
        }
    }

    /** New rows are younger than the delete, those written again are not: only the former may have its keys. */
    @Test
    void rowsDeletedByKeyStayDeletedAndNewOnesWithTheKeyAreThere() throws IOException {
        for (String mode : List.of("copy-on-write", "merge-on-read")) {
            LakeTable table = create(2, "id bigint, n int", "", LakeTable.deleteMode(mode));
            table.insert("SELECT /*+ COALESCE(1) */ id, CAST(id AS INT) FROM range(10)");
            deleteByKey(table.peer(), 4L);
            overwrite(
                    spark().sql("SELECT id, 70 AS n FROM range(4, 5)"),
                    table,
                    functions.col("n").between(3, 6));
            assertThat(table.rows("*"))
                    .as(mode)
                    .containsExactlyInAnyOrder("[0,0]", "[1,1]", "[2,2]", "[4,70]", "[7,7]", "[8,8]", "[9,9]");
            assertThat(table.peerRows("*")).as(mode).isEqualTo(table.rows("*"));
            assertThat(table.summary()).as(mode).containsEntry("calve.rows-deleted", "3");
        }
    }

    private static void deleteByKey(Table peer, long id) throws IOException {
        int field = peer.schema().findField("id").fieldId();
        var keys = peer.schema().select("id");
        var writer = new GenericFileWriterFactory.Builder(peer)
                .deleteFileFormat(FileFormat.PARQUET)
                .equalityFieldIds(new int[] {field})
                .equalityDeleteRowSchema(keys)
                .build()
                .newEqualityDeleteWriter(
                        OutputFileFactory.builderFor(peer, 1, 1)
                                .format(FileFormat.PARQUET)
                                .build()
                                .newOutputFile(),
                        peer.spec(),
                        null);
        try (writer) {
            var key = GenericRecord.create(keys);
            key.setField("id", id);
            writer.write(key);
        }
        peer.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
    }

    /** Rows are asked for the partition they belong to now, whatever the files are like that they are in. */
    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "2,merge-on-read", "3,merge-on-read"})
    void dynamicOverwriteFindsRowsOfEveryOlderSpec(int version, String mode) {
        LakeTable table = create(
                version, "id bigint, at timestamp, st struct<k: string>", "days(at)", LakeTable.deleteMode(mode));
        String rows =
                "SELECT /*+ COALESCE(1) */ id, timestamp'2024-01-01 00:00:00' + make_interval(0, 0, 0, 0, CAST(id AS INT)),"
                        + " named_struct('k', 'k' || mod(id, 3)) FROM range(%d, %d)";
        table.insert(rows.formatted(0, 48)); // two days
        Table peer = table.peer();
        peer.updateSpec().removeField("at_day").addField(Expressions.hour("at")).commit();
        table.insert(rows.formatted(48, 72)); // one file an hour
        peer = table.peer();
        peer.updateSpec()
                .removeField("at_hour")
                .addField(Expressions.day("at"))
                .addField(Expressions.bucket("st.k", 4))
                .commit();
        table.insert(rows.formatted(72, 96));
        // The day of row 30 with the bucket of its k, the day of row 60, and that of row 80.
        List<String> all = keyed(table, "true");
        Map<Long, String> partition = new HashMap<>();
        for (String row : all) {
            String[] parts = row.substring(1, row.length() - 1).split(",", -1);
            partition.put(Long.parseLong(parts[0]), parts[1] + "/" + parts[2]);
        }
        Set<String> replaced = Set.of(partition.get(30L), partition.get(60L), partition.get(80L));
        List<Long> expected = new ArrayList<>();
        partition.forEach((id, key) -> {
            if (!replaced.contains(key)) {
                expected.add(id);
            }
        });
        expected.addAll(List.of(1030L, 1060L, 1080L));
        expected.sort(null);
        assertThat(expected.size()).isBetween(10, 95);
        Dataset<Row> frame =
                spark().sql("SELECT id + 1000 AS id, at, st FROM " + table.name() + " WHERE id IN (30, 60, 80)");
        try {
            frame.localCheckpoint().writeTo(table.name()).overwritePartitions();
        } catch (NoSuchTableException e) {
            throw new AssertionError(e);
        }
        assertThat(table.longs("id", "true")).isEqualTo(expected);
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
        table.live().assertSound(table.name());
        assertThat(table.summary())
                .containsAllEntriesOf(table.live().totals())
                .containsEntry("operation", "overwrite")
                .containsEntry("replace-partitions", "true")
                .containsEntry("calve.rows-deleted", "" + (96 + 3 - expected.size()))
                .containsEntry("calve.rows-inserted", "3");
    }

    /** Rows with the day and the peer's own bucket of k. */
    private static List<String> keyed(LakeTable table, String condition) {
        return Sql.rows(
                "SELECT id, date(at), %s.system.bucket(4, st.k) FROM %s WHERE %s",
                SparkTestSession.PEER, table.in(SparkTestSession.PEER), condition);
    }

    @Test
    void dataFrameFormsMeanWhatSqlMeans() throws NoSuchTableException {
        LakeTable table = create(2, "id bigint, p int", "p");
        String rows = "SELECT /*+ COALESCE(1) */ id, CAST(mod(id, 3) AS INT) AS p FROM range(%d, %d)";
        Dataset<Row> one = spark().sql("SELECT 100L AS id, 1 AS p");
        table.insert(rows.formatted(0, 6));
        one.writeTo(table.name()).overwritePartitions();
        assertThat(table.longs("id", "true")).containsExactly(0L, 2L, 3L, 5L, 100L);
        one.selectExpr("id + 1 AS id", "2 AS p")
                .write()
                .mode("overwrite")
                .option("overwrite-mode", "dynamic")
                .insertInto(table.name());
        assertThat(table.longs("id", "true")).containsExactly(0L, 3L, 100L, 101L);
        one.selectExpr("id + 2 AS id", "0 AS p")
                .write()
                .mode("overwrite")
                .option("partitionOverwriteMode", "DYNAMIC")
                .insertInto(table.name());
        assertThat(table.longs("id", "true")).containsExactly(100L, 101L, 102L);
        assertThat(table.summary()).containsEntry("replace-partitions", "true");
        one.write().mode("overwrite").insertInto(table.name());
        assertThat(table.longs("id", "true")).containsExactly(100L);
        assertThat(table.summary()).doesNotContainKey("replace-partitions").containsEntry("operation", "overwrite");
        one.selectExpr("id + 3 AS id", "p")
                .writeTo(table.name())
                .option("snapshot-property.Job", "A7")
                .overwrite(functions.lit(true));
        assertThat(table.longs("id", "true")).containsExactly(103L);
        assertThat(table.summary()).containsEntry("Job", "A7");
        one.write().mode("append").insertInto(table.name());
        assertThat(table.history()).hasSize(7);
        String peerUuid = table.peer().uuid().toString();
        // Spark replaces the table; the format keeps its history.
        one.write().mode("overwrite").saveAsTable(table.name());
        assertThat(table.longs("id", "true")).containsExactly(100L);
        assertThat(table.peer().uuid()).hasToString(peerUuid);
        Sql.run("TRUNCATE TABLE %s", table.name());
        assertThat(table.rows("*")).isEmpty();
    }

    @Test
    void optionsThatContradictTheStatementAreRefused() {
        LakeTable table = create(2, "id bigint, p int", "p").insert("VALUES (1L, 1)");
        FolderState before = table.state();
        Dataset<Row> one = spark().sql("SELECT 100L AS id, 1 AS p");
        assertThat(failure(() -> one.writeTo(table.name())
                        .option("overwrite-mode", "static")
                        .overwritePartitions()))
                .contains("a write option asks for 'static'");
        assertThat(failure(() -> one.writeTo(table.name())
                        .option("overwrite-mode", "some")
                        .overwritePartitions()))
                .contains("must be 'static' or 'dynamic', not 'some'");
        assertThat(failure(() -> one.writeTo(table.name())
                        .option("isolation-level", "serial")
                        .overwritePartitions()))
                .contains("must be 'serializable' or 'snapshot', not 'serial'");
        assertThat(failure(() -> one.writeTo(table.name())
                        .option("isolation-level", "snapshot")
                        .append()))
                .contains("an append reads and replaces nothing");
        assertThat(failure(() -> one.writeTo(table.name())
                        .option("validate-from-snapshot-id", "77")
                        .overwritePartitions()))
                .contains("it has none with id 77");
        assertThat(Sql.failure("INSERT INTO %s REPLACE WHERE hash(id) = 3 VALUES (1L, 1)", table.name()))
                .contains("hash");
        assertThat(table.state()).isEqualTo(before);
    }

    private interface Write {
        void run() throws Exception;
    }

    private static String failure(Write write) {
        try {
            write.run();
        } catch (Throwable e) {
            return Sql.messages(e);
        }
        throw new AssertionError("This must fail.");
    }

    @Test
    void aFailedOverwriteLeavesTheTableAsItWas() throws InterruptedException {
        LakeTable table = create(3, "id bigint, p int", "p").insert("SELECT id, CAST(id % 2 AS INT) FROM range(10)");
        FolderState before = table.state();
        String query = "SELECT id, CAST(assert_true(id < 7) IS NULL AS INT) FROM range(10)";
        assertThat(Sql.failure("INSERT OVERWRITE %s %s", table.name(), query)).contains("id < 7");
        table.awaitState(before);
        assertThat(table.longs("id", "true")).hasSize(10);
    }
}
