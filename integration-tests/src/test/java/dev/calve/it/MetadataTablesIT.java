package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.it.PeerTables.Engine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Metadata tables show what the peer's show, row by row, and what only they show is what counting gives. */
class MetadataTablesIT {

    private static final List<String> NAMES = List.of(
            "snapshots",
            "history",
            "refs",
            "metadata_log_entries",
            "files",
            "data_files",
            "delete_files",
            "entries",
            "manifests",
            "partitions",
            "position_deletes",
            "all_files",
            "all_data_files",
            "all_delete_files",
            "all_entries",
            "all_manifests");

    private static final List<String> OF_ONE_SNAPSHOT =
            List.of("files", "data_files", "delete_files", "entries", "manifests", "partitions", "position_deletes");

    private static PeerTables tables;

    @BeforeAll
    static void create() {
        tables = new PeerTables("inspect");
        createEmpty();
        createVersion1();
        createVersion2();
        createVersion3();
        createWithDroppedSource();
        createEmptied();
    }

    private static void sql(String statement) {
        tables.spark.sql(statement);
    }

    private static String ours(String table) {
        return tables.in(Engine.CALVE, table);
    }

    private static String peers(String table) {
        return tables.in(Engine.PEER, table);
    }

    private static void createEmpty() {
        sql("CREATE TABLE " + peers("nothing") + " (id bigint, p string) USING iceberg PARTITIONED BY (p)");
    }

    /** Version 1: partition fields that are replaced by void ones, a partition dropped by metadata alone, another's writer. */
    private static void createVersion1() {
        String table = peers("one");
        sql("CREATE TABLE " + table + " (id bigint, p string, f double, day date) USING iceberg"
                + " PARTITIONED BY (p) TBLPROPERTIES ('format-version' = '1')");
        String rows = " SELECT id, concat('p', id % 3), IF(id % 4 = 0, double('NaN'), id / 2.0),"
                + " date_add(DATE '2023-12-30', CAST(id AS int)) FROM range(";
        sql("INSERT INTO " + table + rows + "0, 12)");
        sql("INSERT INTO " + ours("one") + rows + "12, 24)");
        Table one = tables.table("one");
        one.updateSpec().removeField("p").addField(Expressions.month("day")).commit();
        sql("INSERT INTO " + table + rows + "24, 60)");
        sql("DELETE FROM " + table + " WHERE p = 'p1' AND day < DATE '2024-02-01'");
        sql("DELETE FROM " + ours("one") + " WHERE id = 30");
    }

    /** Version 2: position deletes of one and of several files, keys deleted in a partition and everywhere, refs, evolution. */
    private static void createVersion2() {
        String table = peers("two");
        sql("CREATE TABLE " + table
                + " (id int, p string, point struct<x: int, y: float>, list array<int>) USING iceberg"
                + " PARTITIONED BY (p) TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read',"
                + " 'write.delete.granularity' = 'partition', 'write.metadata.metrics.column.list.element' = 'full',"
                + " 'write.delete.distribution-mode' = 'none')");
        String rows = " SELECT CAST(id AS int), concat('p', id % 2), named_struct('x', CAST(id AS int), 'y',"
                + " IF(id = 3, float('NaN'), CAST(id AS float))), array(CAST(id AS int), 7) FROM range(";
        sql("INSERT INTO " + table + rows + "0, 20)");
        sql("INSERT INTO " + table + rows + "20, 40)");
        sql("DELETE FROM " + table + " WHERE id % 10 = 4");
        tables.table("two").manageSnapshots().createTag("early", head("two")).commit();
        tables.set("two", "write.delete.granularity", "file");
        sql("DELETE FROM " + table + " WHERE id = 5");
        Table two = tables.table("two");
        two.updateSchema()
                .updateColumn("id", Types.LongType.get())
                .renameColumn("list", "numbers")
                .commit();
        two.updateSpec().addField(Expressions.truncate("id", 10)).commit();
        sql("INSERT INTO " + table + rows.replace("CAST(id AS int), concat", "id, concat") + "100, 110)");
        two.refresh();
        two.manageSnapshots()
                .createBranch("work", head("two"))
                .setMinSnapshotsToKeep("work", 3)
                .setMaxSnapshotAgeMs("work", 5_000_000_000L)
                .setMaxRefAgeMs("work", 50_000_000_000L)
                .commit();
        sql("DELETE FROM " + ours("two") + " WHERE id = 101");
        two.refresh();
        deleteByKey(two, "keys-everywhere", 2L, 102L);
        sql("INSERT INTO " + ours("two") + rows.replace("CAST(id AS int), concat", "id, concat") + "200, 204)");
    }

    private static long head(String table) {
        return tables.table(table).currentSnapshot().snapshotId();
    }

    /** An equality delete of an unpartitioned spec applies everywhere. */
    private static void deleteByKey(Table table, String name, long... ids) {
        table.updateSpec().removeField("p").removeField("id_trunc_10").commit();
        var schema = table.schema().select("id");
        var file = table.io().newOutputFile(table.location() + "/data/" + name + ".parquet");
        try {
            var writer = Parquet.writeDeletes(file)
                    .forTable(table)
                    .withSpec(table.spec())
                    .rowSchema(schema)
                    .createWriterFunc(GenericParquetWriter::create)
                    .equalityFieldIds(schema.findField("id").fieldId())
                    .overwrite()
                    .<GenericRecord>buildEqualityWriter();
            try (writer) {
                for (long id : ids) {
                    writer.write(GenericRecord.create(schema).copy(Map.of("id", id)));
                }
            }
            table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Version 3, mostly by Calve: vectors of both engines, vectors that replace vectors, a rolled back snapshot, all types. */
    private static void createVersion3() {
        String table = ours("three");
        sql("CREATE TABLE " + table
                + " (id bigint, `a.b` string, kind string, price decimal(9, 2), at timestamp, b binary,"
                + " `Dé f` map<string, int>) USING calve PARTITIONED BY (kind, days(at))"
                + " TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')");
        String rows =
                " SELECT id, IF(id % 5 = 0, NULL, concat('text-', id)), IF(id % 4 = 0, NULL, concat('k', id % 2)),"
                        + " CAST(id AS decimal(9, 2)), TIMESTAMP '2024-02-28 12:00:00' + make_interval(0, 0, 0, CAST(id % 3 AS int)),"
                        + " CAST(concat('b', id) AS binary), map('k', CAST(id AS int)) FROM range(";
        sql("INSERT INTO " + table + rows + "0, 60)");
        sql("DELETE FROM " + table + " WHERE id % 7 = 1");
        sql("DELETE FROM " + peers("three") + " WHERE id % 11 = 2");
        long good = head("three");
        sql("INSERT INTO " + peers("three") + rows + "60, 90)");
        tables.table("three").manageSnapshots().rollbackTo(good).commit();
        tables.table("three").updateSpec().addField(Expressions.bucket("id", 4)).commit();
        sql("INSERT INTO " + table + rows + "90, 120)");
        sql("DELETE FROM " + table + " WHERE id > 95 AND id % 2 = 0");
        tables.table("three")
                .manageSnapshots()
                .createTag("last", head("three"))
                .setMaxRefAgeMs("last", 1_000_000)
                .commit();
    }

    private static void createWithDroppedSource() {
        String table = peers("dropped");
        sql("CREATE TABLE " + table + " (id bigint, p string, q int) USING iceberg PARTITIONED BY (p, q)"
                + " TBLPROPERTIES ('format-version' = '2')");
        sql("INSERT INTO " + table + " SELECT id, concat('p', id % 2), CAST(id % 3 AS int) FROM range(12)");
        tables.table("dropped").updateSpec().removeField("p").commit();
        tables.table("dropped").updateSchema().deleteColumn("p").commit();
        sql("INSERT INTO " + table + " SELECT id, CAST(id % 3 AS int) FROM range(12, 24)");
    }

    private static void createEmptied() {
        sql("CREATE TABLE " + peers("emptied") + " (id bigint) USING iceberg TBLPROPERTIES ('format-version' = '2')");
        sql("INSERT INTO " + peers("emptied") + " SELECT id FROM range(5)");
        sql("DELETE FROM " + peers("emptied"));
    }

    private static void assertSame(String table, String name, String suffix, boolean withPartition) {
        Dataset<Row> theirs = tables.spark.sql("SELECT * FROM " + peers(table) + "." + name + suffix);
        Dataset<Row> shown = tables.spark.sql("SELECT * FROM " + ours(table) + "." + name + suffix);
        StructField[] expected = theirs.schema().fields();
        List<StructField> found = Arrays.asList(shown.schema().fields()).subList(0, expected.length);
        String where = table + "." + name + suffix;
        var columns = new ArrayList<String>();
        for (int i = 0; i < expected.length; i++) {
            assertThat(found.get(i).name()).as(where).isEqualTo(expected[i].name());
            boolean hasPartition =
                    List.of("partition", "data_file", "partition_summaries").contains(expected[i].name());
            if (withPartition || !hasPartition) {
                assertThat(found.get(i).dataType().asNullable().catalogString())
                        .as("%s.%s", where, expected[i].name())
                        .isEqualTo(expected[i].dataType().asNullable().catalogString());
                columns.add(column(expected[i].name()));
            }
        }
        String select = "SELECT " + String.join(", ", columns) + " FROM ";
        List<Row> expectedRows =
                tables.spark.sql(select + peers(table) + "." + name + suffix).collectAsList();
        List<Row> rows =
                tables.spark.sql(select + ours(table) + "." + name + suffix).collectAsList();
        assertThat(PeerTables.text(rows)).as(where).containsExactlyElementsOf(PeerTables.text(expectedRows));
        cells += (long) expectedRows.size() * columns.size();
        assertThat(tables.spark
                        .sql("SELECT count(*) FROM " + ours(table) + "." + name + suffix)
                        .head()
                        .getLong(0))
                .isEqualTo(expectedRows.size());
    }

    /** Engines spell the location of the newest metadata file with or without its scheme. */
    private static String column(String name) {
        return name.equals("file") ? "replace(file, 'file:', '') AS file" : "`" + name + "`";
    }

    private static long cells;

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "one", "two", "three", "emptied"})
    void showWhatThePeersShow(String table) {
        cells = 0;
        for (String name : NAMES) {
            assertSame(table, name, "", true);
        }
        System.out.println("Cells of metadata tables of '" + table + "' compared: " + cells);
    }

    @Test
    void showASnapshotOfThePast() {
        for (String table : List.of("one", "two", "three")) {
            long first = tables.table(table).history().get(1).snapshotId();
            for (String name : OF_ONE_SNAPSHOT) {
                assertSame(table, name, " VERSION AS OF " + first, true);
            }
        }
        for (String name :
                List.of("snapshots", "history", "refs", "metadata_log_entries", "all_files", "all_manifests")) {
            assertThat(Sql.failure("SELECT * FROM %s.%s VERSION AS OF 'early'", ours("two"), name))
                    .contains("Cannot read", name, "early", "shows the whole table as it is now");
        }
    }

    /** The peer forgets the values of partition fields whose source is gone, and so merges partitions. */
    @Test
    void keepPartitionFieldsWhoseSourceWasDropped() {
        for (String name : NAMES) {
            if (!name.equals("partitions")) {
                assertSame("dropped", name, "", false);
            }
        }
        assertThat(Sql.rows(
                        "SELECT partition.p, partition.q, spec_id, record_count, file_count FROM %s.partitions",
                        ours("dropped")))
                .containsExactly(
                        "[null,0,1,4,1]",
                        "[null,1,1,4,1]",
                        "[null,2,1,4,1]",
                        "[p0,0,0,2,1]",
                        "[p0,1,0,2,1]",
                        "[p0,2,0,2,1]",
                        "[p1,0,0,2,1]",
                        "[p1,1,0,2,1]",
                        "[p1,2,0,2,1]");
        assertThat(Sql.rows("SELECT DISTINCT partition.p FROM %s.files", ours("dropped")))
                .containsExactly("[null]", "[p0]", "[p1]");
    }

    @Test
    void countVectorsAndTheRowsTheyDelete() {
        String table = ours("three");
        // Every row of the table, and every row that is not deleted, by the file it is in.
        Map<String, Long> live = counts("SELECT _file, count(*) FROM " + table + " GROUP BY _file");
        List<Row> files = tables.spark
                .sql("SELECT file_path, record_count, dv_count, position_delete_file_count,"
                        + " equality_delete_file_count, deleted_record_count FROM " + table + ".data_files")
                .collectAsList();
        assertThat(files).hasSizeGreaterThan(10);
        long vectors = 0;
        for (Row file : files) {
            long expected = file.getLong(1) - live.getOrDefault(file.getString(0), 0L);
            assertThat(file.getLong(5)).as(file.getString(0)).isEqualTo(expected);
            assertThat(file.getInt(2)).as(file.getString(0)).isEqualTo(expected > 0 ? 1 : 0);
            assertThat(file.getInt(3)).isEqualTo(file.getInt(2));
            assertThat(file.getInt(4)).isZero();
            vectors += file.getInt(2);
        }
        assertThat(vectors).isGreaterThan(5);
        assertThat(Sql.rows("SELECT sum(dv_count) FROM %s.files", table)).containsExactly("[" + vectors + "]");
        assertThat(Sql.rows("SELECT count(*) FROM %s.delete_files WHERE content_offset IS NOT NULL", table))
                .containsExactly("[" + vectors + "]");
        assertThat(Sql.rows("SELECT DISTINCT dv_count, deleted_record_count FROM %s.delete_files", table))
                .containsExactly("[null,null]");

        String byPartition = "SELECT _partition, count(*) FROM " + table + " GROUP BY _partition";
        assertThat(Sql.rows(
                        "SELECT partition, total_record_count FROM %s.partitions WHERE total_record_count > 0", table))
                .isEqualTo(Sql.rows(byPartition));
        assertThat(Sql.rows(
                        "SELECT partition, deleted_record_count, dv_count, record_count - total_record_count"
                                + " FROM %s.partitions",
                        table))
                .isEqualTo(Sql.rows(
                        "SELECT partition, sum(deleted_record_count), sum(dv_count), sum(deleted_record_count)"
                                + " FROM %s.data_files GROUP BY partition",
                        table));
    }

    private static Map<String, Long> counts(String query) {
        return tables.spark.sql(query).collectAsList().stream()
                .collect(Collectors.toMap(row -> row.getString(0), row -> row.getLong(1)));
    }

    /** Which rows the keys of an equality delete hit, and which a position delete file of several files, only reading tells. */
    @Test
    void leaveOpenHowManyRowsOtherDeletesHit() {
        String table = ours("two");
        List<Row> files = tables.spark
                .sql("SELECT dv_count, position_delete_file_count, equality_delete_file_count, deleted_record_count,"
                        + " file_path FROM " + table + ".data_files")
                .collectAsList();
        assertThat(files).anyMatch(file -> file.getInt(2) > 0).anyMatch(file -> file.getInt(1) > 0);
        for (Row file : files) {
            assertThat(file.getInt(0)).isZero();
            if (file.getInt(1) + file.getInt(2) > 1) {
                assertThat(file.isNullAt(3)).isTrue();
            }
            if (file.getInt(1) + file.getInt(2) == 0) {
                assertThat(file.getLong(3)).isZero();
            }
        }
        // What was appended after the keys were deleted is not hit by them.
        long newest = files.stream().filter(file -> file.getInt(2) == 0).count();
        assertThat(newest)
                .isEqualTo(counts("SELECT 'n', count(*) FROM " + table + ".entries WHERE status < 2 AND"
                                + " data_file.content = 0 AND sequence_number >= (SELECT max(sequence_number) FROM "
                                + table
                                + ".entries WHERE data_file.content = 2)")
                        .get("n"));
        assertThat(Sql.rows("SELECT count(*) FROM %s.partitions WHERE deleted_record_count IS NULL", table))
                .doesNotContain("[0]");
        assertThat(Sql.rows("SELECT count(*) FROM %s.partitions WHERE dv_count <> 0", table))
                .containsExactly("[0]");
    }

    @Test
    void answerQueriesLikeAnyTable() {
        String table = ours("three");
        assertThat(Sql.rows("SELECT count(*) FROM %s.FILES WHERE content = 0", table))
                .isEqualTo(Sql.rows("SELECT count(*) FROM %s.Data_Files", table));
        assertThat(Sql.rows(
                        "SELECT partition.kind, readable_metrics.id.lower_bound FROM %s.files"
                                + " WHERE readable_metrics.id.value_count > 3 AND partition.kind = 'k1'",
                        table))
                .isEqualTo(Sql.rows(
                        "SELECT partition.kind, readable_metrics.id.lower_bound FROM %s.files"
                                + " WHERE readable_metrics.id.value_count > 3 AND partition.kind = 'k1'",
                        peers("three")))
                .isNotEmpty();
        assertThat(Sql.rows("SELECT data_file.file_path, data_file.partition.kind, status FROM %s.entries", table))
                .isEqualTo(Sql.rows(
                        "SELECT data_file.file_path, data_file.partition.kind, status FROM %s.entries",
                        peers("three")));
        assertThat(Sql.rows(
                        "SELECT s.operation, count(*) FROM %s.entries e JOIN %s.snapshots s USING (snapshot_id)"
                                + " GROUP BY s.operation",
                        table, table))
                .isEqualTo(Sql.rows(
                        "SELECT s.operation, count(*) FROM %s.entries e JOIN %s.snapshots s USING"
                                + " (snapshot_id) GROUP BY s.operation",
                        peers("three"), peers("three")))
                .hasSize(2);
        // The peer cannot read a part of what a list holds.
        assertThat(Sql.rows("SELECT partition_summaries.lower_bound FROM %s.manifests", table))
                .isEqualTo(Sql.rows(
                        "SELECT transform(partition_summaries, s -> s.lower_bound) FROM %s.manifests", peers("three")));
        assertThat(tables.spark.sql("SHOW TABLES IN " + SparkTestSession.LAKE + ".inspect").collectAsList().stream()
                        .map(row -> row.getString(1)))
                .containsExactlyInAnyOrder("nothing", "one", "two", "three", "dropped", "emptied");
        assertThat(Sql.rows("EXPLAIN SELECT file_path FROM %s.files", table).toString())
                .contains("Calve scan of " + table + ".files [snapshot " + head("three") + "]");
        assertThat(Sql.rows("DESCRIBE %s.partitions", table).toString())
                .contains("[dv_count,int,Deletion vectors among the position delete files]");
        // Equal scans are one: the exchange of a self-join is used twice.
        String join = "SELECT count(*) FROM (SELECT file_path, count(*) c FROM %1$s.files GROUP BY file_path) a JOIN"
                + " (SELECT file_path, count(*) c FROM %1$s.files GROUP BY file_path) b USING (file_path)";
        tables.spark.conf().set("spark.sql.adaptive.enabled", "false");
        assertThat(tables.spark.sql("EXPLAIN " + join.formatted(table)).head().getString(0))
                .contains("ReusedExchange");
        tables.spark.conf().unset("spark.sql.adaptive.enabled");
    }

    @Test
    void areSeenAnewAfterEachCommit() {
        String table = ours("grows");
        sql("CREATE TABLE " + table + " (id bigint) USING calve");
        for (int commits = 0; commits < 3; commits++) {
            assertThat(Sql.rows("SELECT count(*) FROM %s.snapshots", table)).containsExactly("[" + commits + "]");
            assertThat(Sql.rows("SELECT coalesce(sum(record_count), 0) FROM %s.files", table))
                    .containsExactly("[" + commits + "]");
            sql("INSERT INTO " + table + " VALUES (" + commits + ")");
        }
        sql("DROP TABLE " + table);
        assertThat(Sql.failure("SELECT * FROM %s.files", table)).contains("TABLE_OR_VIEW_NOT_FOUND");
    }

    @Test
    void cannotBeWritten() {
        String files = ours("three") + ".files";
        for (String statement : List.of(
                "INSERT INTO " + files + " SELECT * FROM " + files,
                "DELETE FROM " + files + " WHERE content = 1",
                "UPDATE " + files + " SET content = 1",
                "ALTER TABLE " + files + " SET TBLPROPERTIES ('a' = 'b')",
                "DROP TABLE " + files,
                "TRUNCATE TABLE " + files)) {
            assertThatThrownBy(() -> sql(statement), statement)
                    .hasMessageMatching("(?s).*(files|FILES).*")
                    .hasMessageMatching("(?s).*(does not support|NOT_FOUND|not support|Cannot drop).*");
        }
        assertThat(Sql.rows("SELECT count(*) FROM %s", files)).isNotEmpty();
    }

    /** Who names a table so has that table. */
    @Test
    void giveWayToATableOfTheirName() {
        sql("CREATE NAMESPACE " + SparkTestSession.LAKE + ".inspect.nested");
        String real = SparkTestSession.LAKE + ".inspect.nested.files";
        sql("CREATE TABLE " + real + " (x int) USING calve");
        sql("INSERT INTO " + real + " VALUES (7)");
        assertThat(Sql.rows("SELECT * FROM %s", real)).containsExactly("[7]");
        assertThat(Sql.rows("SELECT record_count FROM %s.files", real)).containsExactly("[1]");
        assertThat(Sql.failure("SELECT * FROM %s.inspect.nested.entries", SparkTestSession.LAKE))
                .contains("TABLE_OR_VIEW_NOT_FOUND");
        sql("DROP TABLE " + real);
        sql("DROP NAMESPACE " + SparkTestSession.LAKE + ".inspect.nested");
    }
}
