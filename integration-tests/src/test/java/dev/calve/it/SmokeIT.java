package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What users do first, on every Spark version. A list of rows in memory is the oracle. */
class SmokeIT {

    private static final String NAMESPACE = SparkTestSession.LAKE + ".smoke";
    private static final StructType COLUMNS = StructType.fromDDL(
            "id bigint NOT NULL, name string, amount decimal(9,2), score double, at timestamp, day date, ok boolean");
    private static final Instant START = Instant.parse("2024-02-27T00:00:00Z");

    @BeforeAll
    static void createNamespace() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS " + NAMESPACE);
    }

    /** A row of the model; every column but the key is null now and then. */
    private record Line(
            long id, String name, BigDecimal amount, Double score, Timestamp at, java.sql.Date day, Boolean ok)
            implements Serializable {

        static Line of(long id) {
            Instant at = START.plusSeconds(id * 3_607);
            return new Line(
                    id,
                    id % 7 == 0 ? null : "name-" + id % 5,
                    id % 11 == 0 ? null : BigDecimal.valueOf(id * 25 - 1_000, 2),
                    id % 13 == 0 ? null : id % 17 == 0 ? Double.NaN : id / 4.0,
                    // Days are partitions: rows without one form a partition too.
                    id % 19 == 0 ? null : Timestamp.from(at),
                    id % 23 == 0 ? null : java.sql.Date.valueOf(at.toString().substring(0, 10)),
                    id % 3 == 0 ? null : id % 3 == 1);
        }

        static List<Line> range(long from, long to) {
            var lines = new ArrayList<Line>();
            for (long id = from; id < to; id++) {
                lines.add(of(id));
            }
            return lines;
        }

        Row row() {
            return RowFactory.create(id, name, amount, score, at, day, ok);
        }
    }

    private static Dataset<Row> frame(List<Line> lines) {
        return SparkTestSession.spark()
                .createDataFrame(lines.stream().map(Line::row).toList(), COLUMNS);
    }

    /** A table and what must be in it. */
    private static final class Model {

        final String table;
        final List<Line> lines = new ArrayList<>();

        Model(String table) {
            this.table = table;
        }

        void check() {
            checkWhere("true", line -> true);
        }

        void checkWhere(String condition, Predicate<Line> expected) {
            var rows = lines.stream()
                    .filter(expected)
                    .map(line -> line.row().toString())
                    .sorted()
                    .toList();
            assertThat(Sql.rows("SELECT * FROM %s WHERE %s", table, condition))
                    .as("rows of %s where %s", table, condition)
                    .isEqualTo(rows);
        }

        /** @param gone true where the condition is TRUE, thus false where it is UNKNOWN */
        void delete(String condition, Predicate<Line> gone) {
            String before = Sql.snapshot(table);
            Sql.run("DELETE FROM %s WHERE %s", table, condition);
            boolean changed = lines.removeIf(gone);
            check();
            assertThat(Sql.snapshot(table).equals(before))
                    .as("snapshot of %s stays after DELETE WHERE %s", table, condition)
                    .isEqualTo(!changed);
        }

        void append(List<Line> added, java.util.function.Consumer<Dataset<Row>> statement) {
            statement.accept(frame(added));
            lines.addAll(added);
        }
    }

    private static Model create(String partitions, int version, String mode) {
        var model = new Model(NAMESPACE + "." + Sql.unique("t"));
        Sql.run(
                "CREATE TABLE %s (%s) USING iceberg %s TBLPROPERTIES ('format-version'='%d', 'write.delete.mode'='%s')",
                model.table,
                COLUMNS.toDDL(),
                partitions.isEmpty() ? "" : "PARTITIONED BY (" + partitions + ")",
                version,
                mode);
        return model;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "          |3|merge-on-read",
                "bucket(4, id)|3|merge-on-read",
                "days(at)  |3|copy-on-write",
                "days(at)  |2|merge-on-read",
                "bucket(4, id)|2|copy-on-write",
                "          |2|merge-on-read",
            })
    void rowsComeAndGo(String partitions, int version, String mode) {
        Model model = create(partitions == null ? "" : partitions, version, mode);
        model.check();
        model.append(Line.range(0, 120), frame -> {
            frame.createOrReplaceTempView("lines");
            Sql.run("INSERT INTO %s SELECT * FROM lines", model.table);
        });
        model.append(Line.range(120, 200), frame -> append(frame, model.table));
        model.append(Line.range(200, 240), frame -> frame.write().mode("append").saveAsTable(model.table));
        model.check();

        model.checkWhere(
                "id BETWEEN 50 AND 130 AND ok", line -> line.id() >= 50 && line.id() <= 130 && isTrue(line.ok()));
        model.checkWhere(
                "name LIKE 'name-1%' OR amount IS NULL", line -> "name-1".equals(line.name()) || line.amount() == null);
        model.checkWhere(
                "at >= TIMESTAMP '2024-03-02 00:00:00'",
                line -> line.at() != null && !line.at().toInstant().isBefore(Instant.parse("2024-03-02T00:00:00Z")));
        model.checkWhere(
                "score > 40",
                line -> line.score() != null
                        && (line.score() > 40 || line.score().isNaN()));

        model.delete("id % 3 = 1", line -> line.id() % 3 == 1);
        model.delete(
                "amount < 3.5", line -> line.amount() != null && line.amount().compareTo(new BigDecimal("3.5")) < 0);
        model.delete(
                "NOT (score > 20)",
                line -> line.score() != null
                        && !(line.score() > 20 || line.score().isNaN()));
        model.delete("id = -5", line -> false);
        model.delete("name IN ('name-9', 'other')", line -> false);
        // On a table by days, a whole partition.
        model.delete(
                "at >= TIMESTAMP '2024-03-05 00:00:00' AND at < TIMESTAMP '2024-03-06 00:00:00'",
                line -> line.at() != null && line.at().toString().startsWith("2024-03-05"));
        model.append(Line.range(300, 320), frame -> append(frame, model.table));
        model.check();

        Sql.run("TRUNCATE TABLE " + model.table);
        model.lines.clear();
        model.check();
        model.append(Line.range(0, 10), frame -> append(frame, model.table));
        assertThat(Sql.count(model.table)).isEqualTo(10);
        model.delete("true", line -> true);
        assertThat(Sql.count(model.table)).isZero();
    }

    private static void append(Dataset<Row> frame, String table) {
        try {
            frame.writeTo(table).append();
        } catch (org.apache.spark.sql.catalyst.analysis.NoSuchTableException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isTrue(Boolean value) {
        return value != null && value;
    }

    @ParameterizedTest
    @CsvSource({"merge-on-read", "copy-on-write"})
    void rowIdsStayWithTheirRows(String mode) {
        Model model = create("", 3, mode);
        model.append(Line.range(0, 50), frame -> append(frame.coalesce(1), model.table));
        model.append(Line.range(50, 80), frame -> append(frame.coalesce(1), model.table));
        Map<Long, Long> before = rowIds(model.table);
        assertThat(before).hasSize(80);
        assertThat(new HashSet<>(before.values())).hasSize(80);

        model.delete("id % 4 = 0", line -> line.id() % 4 == 0);
        model.delete("id % 4 = 1", line -> line.id() % 4 == 1);
        before.keySet().removeIf(id -> id % 4 < 2);
        assertThat(rowIds(model.table)).isEqualTo(before);
        assertThat(Sql.rows("SELECT DISTINCT _last_updated_sequence_number FROM " + model.table))
                .containsExactly("[1]", "[2]");
    }

    private static Map<Long, Long> rowIds(String table) {
        var ids = new HashMap<Long, Long>();
        for (Row row :
                SparkTestSession.spark().sql("SELECT id, _row_id FROM " + table).collectAsList()) {
            ids.put(row.getLong(0), row.getLong(1));
        }
        return ids;
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "3,copy-on-write", "2,merge-on-read", "2,copy-on-write"})
    void rowsChangeAndKeepTheirIds(int version, String mode) {
        String table = NAMESPACE + "." + Sql.unique("changes");
        Sql.run(
                "CREATE TABLE %s (id bigint, part int, name string) USING calve PARTITIONED BY (part) TBLPROPERTIES"
                        + " ('format-version'='%d', 'write.delete.mode'='%s', 'write.update.mode'='%s',"
                        + " 'write.merge.mode'='%s')",
                table, version, mode, mode, mode);
        Sql.run("INSERT INTO %s SELECT id, CAST(id %% 3 AS int), concat('n', id) FROM range(60)", table);
        String ids = version < 3 ? "" : "SELECT id, _row_id FROM " + table + " WHERE id < 60 AND id <> 7";
        List<String> before = new ArrayList<>(ids.isEmpty() ? List.of() : Sql.rows("%s", ids));

        Sql.run("UPDATE %s SET name = 'up' WHERE id %% 10 = 4", table);
        Sql.run("UPDATE %s SET part = 2 WHERE id IN (SELECT id FROM range(3, 5))", table);
        Sql.run(
                "MERGE INTO %s t USING (SELECT * FROM VALUES (7L), (8L), (100L) AS s(id)) s ON t.id = s.id"
                        + " WHEN MATCHED AND t.id = 7 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'merged'"
                        + " WHEN NOT MATCHED THEN INSERT (id, part, name) VALUES (s.id, 1, 'added')",
                table);
        Sql.run(
                "MERGE INTO %s t USING (SELECT 101L AS id) s ON t.id = s.id"
                        + " WHEN NOT MATCHED THEN INSERT (id, part, name) VALUES (s.id, 1, 'added')",
                table);
        Sql.run("DELETE FROM %s WHERE id IN (SELECT id FROM range(58, 70))", table);
        assertThat(Sql.rows("SELECT id, part, name FROM " + table))
                .isEqualTo(Sql.rows("SELECT id, IF(id >= 100, 1, IF(id IN (3, 4), 2, CAST(id %% 3 AS int))),"
                        + " CASE WHEN id >= 100 THEN 'added' WHEN id = 8 THEN 'merged' WHEN id %% 10 = 4 THEN 'up'"
                        + " ELSE concat('n', id) END FROM range(102) WHERE id < 58 AND id <> 7 OR id >= 100"));
        if (!ids.isEmpty()) {
            before.removeIf(row -> row.startsWith("[58,") || row.startsWith("[59,"));
            assertThat(Sql.rows("%s", ids)).isEqualTo(before);
            assertThat(Sql.longs("SELECT _row_id FROM " + table))
                    .doesNotHaveDuplicates()
                    .hasSize(59);
            // Spec: Row Lineage. An updated row takes the number of the snapshot that updated it.
            assertThat(Sql.rows("SELECT DISTINCT _last_updated_sequence_number FROM %s WHERE id %% 10 = 4", table))
                    .containsExactlyInAnyOrder("[2]", "[3]");
        }
    }

    @Test
    void metadataColumnsTellWhereARowIs() {
        Model model = create("bucket(3, id)", 2, "merge-on-read");
        model.append(Line.range(0, 60), frame -> append(frame, model.table));
        model.delete("id < 10", line -> line.id() < 10);
        List<Row> places = SparkTestSession.spark()
                .sql("SELECT _file, _pos, _spec_id, _partition.id_bucket, id FROM " + model.table)
                .collectAsList();
        assertThat(places).hasSize(50);
        var distinct = new HashSet<String>();
        for (Row place : places) {
            assertThat(place.getString(0)).contains("/data/").contains("id_bucket=" + place.getInt(3));
            assertThat(place.getInt(2)).isZero();
            distinct.add(place.getString(0) + "#" + place.getLong(1));
        }
        assertThat(distinct).hasSize(50);
        String file = places.get(0).getString(0);
        long expected =
                places.stream().filter(row -> row.getString(0).equals(file)).count();
        assertThat(SparkTestSession.spark()
                        .sql("SELECT id FROM " + model.table + " WHERE _file = '" + file + "'")
                        .collectAsList())
                .hasSize(Math.toIntExact(expected));
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "3,merge-on-read"})
    void nestedValuesComeBack(int version, String mode) {
        String table = NAMESPACE + "." + Sql.unique("nested");
        Sql.run(
                "CREATE TABLE %s (id int, s struct<a: int, b: struct<c: string>>, l array<int>, m map<string, double>,"
                        + " p array<struct<x: int, y: string>>) USING calve"
                        + " TBLPROPERTIES ('format-version'='%d', 'write.delete.mode'='%s')",
                table, version, mode);
        Sql.run(
                "INSERT INTO %s VALUES"
                        + " (1, named_struct('a', 1, 'b', named_struct('c', 'x')), array(1, null, 3), map('k', 0.5D),"
                        + " array(named_struct('x', 1, 'y', 'one'), null)),"
                        + " (2, named_struct('a', null, 'b', null), array(), map(), array()),"
                        + " (3, null, null, null, null),"
                        + " (4, named_struct('a', 4, 'b', named_struct('c', null)), array(4), map('n', null),"
                        + " array(named_struct('x', null, 'y', null)))",
                table);
        String one = "[1,[1,[x]],ArraySeq(1, null, 3),Map(k -> 0.5),ArraySeq([1,one], null)]";
        String two = "[2,[null,null],ArraySeq(),Map(),ArraySeq()]";
        String three = "[3,null,null,null,null]";
        String four = "[4,[4,[null]],ArraySeq(4),Map(n -> null),ArraySeq([null,null])]";
        assertThat(Sql.rows("SELECT * FROM " + table)).containsExactly(one, two, three, four);
        assertThat(Sql.rows("SELECT id, s.b.c, p.y FROM %s WHERE s.a > 0", table))
                .containsExactly("[1,x,ArraySeq(one, null)]", "[4,null,ArraySeq(null)]");
        Sql.run("DELETE FROM %s WHERE s.a = 4", table);
        assertThat(Sql.rows("SELECT * FROM " + table)).containsExactly(one, two, three);
        Sql.run("DELETE FROM %s WHERE s.b.c IS NULL AND s IS NOT NULL", table);
        assertThat(Sql.rows("SELECT * FROM " + table)).containsExactly(one, three);
    }

    @Test
    void aQueryMakesATableOrNone() {
        String table = NAMESPACE + "." + Sql.unique("ctas");
        Sql.run(
                "CREATE TABLE %s USING calve PARTITIONED BY (part) TBLPROPERTIES ('format-version'='3')"
                        + " AS SELECT id, id %% 3 AS part FROM range(30)",
                table);
        assertThat(Sql.longs("SELECT id FROM %s WHERE part = 1", table))
                .containsExactly(1L, 4L, 7L, 10L, 13L, 16L, 19L, 22L, 25L, 28L);

        String failed = Sql.unique("failed");
        assertThat(Sql.failure(
                        "CREATE TABLE %s.%s USING calve AS"
                                + " SELECT if(id = 29, raise_error('enough'), id) AS id FROM range(0, 30, 1, 1)",
                        NAMESPACE, failed))
                .contains("enough");
        assertThat(SparkTestSession.spark().catalog().tableExists(NAMESPACE + "." + failed))
                .isFalse();
        assertThat(FolderState.filesBelow(folder(failed))).isEmpty();
    }

    private static Path folder(String table) {
        return SparkTestSession.warehouse().resolve("smoke").resolve(table);
    }

    @Test
    void dropRemovesTheTableAndItsFolder() {
        String name = Sql.unique("dropped");
        Sql.run("CREATE TABLE %s.%s (id bigint) USING calve", NAMESPACE, name);
        Sql.run("INSERT INTO %s.%s VALUES (1)", NAMESPACE, name);
        assertThat(Sql.rows("SHOW TABLES IN %s LIKE '%s'", NAMESPACE, name)).hasSize(1);
        Sql.run("DROP TABLE %s.%s", NAMESPACE, name);
        assertThat(Sql.rows("SHOW TABLES IN %s LIKE '%s'", NAMESPACE, name)).isEmpty();
        assertThat(folder(name)).doesNotExist();
        assertThat(Sql.failure("SELECT * FROM %s.%s", NAMESPACE, name)).contains("TABLE_OR_VIEW_NOT_FOUND");
    }

    @Test
    void aFolderIsReadWithoutACatalog() {
        Model model = create("", 3, "merge-on-read");
        model.append(Line.range(0, 20), frame -> append(frame, model.table));
        model.delete("id < 5", line -> line.id() < 5);
        String path = folder(model.table.substring(NAMESPACE.length() + 1)).toString();
        Dataset<Row> frame = SparkTestSession.spark().read().format("calve").load(path);
        assertThat(frame.filter("id >= 10").select("id").collectAsList().stream()
                        .map(row -> row.getLong(0))
                        .sorted()
                        .toList())
                .containsExactly(10L, 11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L);
        assertThat(frame.count()).isEqualTo(15);
    }

    @Test
    void proceduresChangeHowATableIsKept() {
        Model model = create("", 2, "merge-on-read");
        String name = model.table.substring(SparkTestSession.LAKE.length() + 1);
        model.append(Line.range(0, 20), frame -> append(frame, model.table));
        assertThat(Sql.rows("CALL lake.system.add_partition_field('%s', 'bucket(4, id)')", name))
                .containsExactly("[0,1,[id_bucket_4: bucket(4, id)]]");
        model.append(Line.range(20, 40), frame -> append(frame, model.table));
        model.check();
        model.delete("id % 3 = 1", line -> line.id() % 3 == 1);
        assertThat(Sql.longs("SELECT DISTINCT CAST(_spec_id AS bigint) FROM %s", model.table))
                .containsExactly(0L, 1L);

        Sql.run("CALL lake.system.create_tag(table => '%s', tag => 'kept', max_ref_age => '7 days')", name);
        long kept = Long.parseLong(Sql.snapshot(model.table));
        Sql.run("CACHE TABLE " + model.table);
        Sql.run("DELETE FROM %s WHERE true", model.table);
        assertThat(Sql.count(model.table)).isZero();
        long emptied = Long.parseLong(Sql.snapshot(model.table));
        assertThat(Sql.rows("CALL lake.system.set_current_snapshot('%s', ref => 'kept')", name))
                .containsExactly("[" + emptied + "," + kept + "]");
        model.check();
        Sql.run("UNCACHE TABLE " + model.table);
        assertThat(Sql.failure("CALL lake.system.drop_tag('%s', 'none')", name)).contains("no such tag, but [kept]");
    }

    /** What is left out is null, or its default. */
    @Test
    void someColumnsCanBeInserted() {
        String table = NAMESPACE + "." + Sql.unique("some");
        Sql.run(
                "CREATE TABLE %s (id bigint NOT NULL, name string, n int) USING calve PARTITIONED BY (n)"
                        + " TBLPROPERTIES ('format-version'='3')",
                table);
        Sql.run("ALTER TABLE %s ADD COLUMN d int DEFAULT 7", table);
        Sql.run("INSERT INTO %s (id) VALUES (1L)", table);
        Sql.run("INSERT INTO %s (NAME, id) SELECT concat('n', id), id FROM range(2, 4)", table);
        Sql.run("INSERT INTO %s BY NAME SELECT 9 AS n, id FROM range(4, 5)", table);
        Sql.run("INSERT INTO %s (id, d) VALUES (5L, DEFAULT), (6L, NULL)", table);
        Sql.run("INSERT INTO %s PARTITION (n = 8) (id) VALUES (7L)", table);
        assertThat(Sql.rows("SELECT * FROM %s", table))
                .containsExactly(
                        "[1,null,null,7]",
                        "[2,n2,null,7]",
                        "[3,n3,null,7]",
                        "[4,null,9,7]",
                        "[5,null,null,7]",
                        "[6,null,null,null]",
                        "[7,null,8,7]");
        String before = Sql.snapshot(table);
        assertThat(Sql.failure("INSERT INTO %s (name) VALUES ('x')", table))
                .containsPattern("INCOMPATIBLE_DATA_FOR_TABLE|NOT_ENOUGH|CANNOT_FIND_DATA");
        assertThat(Sql.snapshot(table)).isEqualTo(before);
    }
}
