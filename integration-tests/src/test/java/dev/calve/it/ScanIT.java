package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.expressions.Expressions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What a query reads, and what it does not. That bytes are not read is shown by overwriting them with noise: who reads them
 * fails or answers wrongly.
 */
@Tag("iceberg-peer")
class ScanIT {

    private static final String NAMESPACE = "scans";

    private static SparkSession spark() {
        return SparkTestSession.spark();
    }

    private static LakeTable create(int version, String columns, String partitions, String properties) {
        return LakeTable.create(NAMESPACE, version, columns, partitions, properties);
    }

    private static void with(String setting, String value, Runnable queries) {
        String before = spark().conf().get(setting);
        spark().conf().set(setting, value);
        try {
            queries.run();
        } finally {
            spark().conf().set(setting, before);
        }
    }

    private static SparkPlan plan(Dataset<Row> query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .executedPlan();
    }

    private static List<SparkPlan> scans(Dataset<Row> query) {
        return CollectionConverters.asJava(plan(query).collectLeaves()).stream()
                .filter(leaf -> leaf.nodeName().startsWith("BatchScan"))
                .toList();
    }

    /** Rows the scan of a query handed to Spark, before Spark's own filter. */
    private static long rowsScanned(Dataset<Row> query) {
        var counted = new long[1];
        with("spark.sql.adaptive.enabled", "false", () -> {
            query.collectAsList();
            counted[0] = scans(query).stream()
                    .mapToLong(scan -> scan.metrics().apply("numOutputRows").value())
                    .sum();
        });
        return counted[0];
    }

    private static List<BlockMetaData> footer(DataFile file) {
        try (var reader = ParquetFileReader.open(
                HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(file.location()), new Configuration(false)))) {
            return reader.getRowGroups();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void garble(DataFile file, ColumnChunkMetaData chunk) {
        long start = chunk.getStartingPos();
        LakeTable.garble(LakeTable.path(file.location()), start, start + chunk.getTotalSize());
    }

    /** Files as they are now, to be put back. */
    private record Backup(Map<Path, byte[]> files) {
        static Backup of(LakeTable table) {
            var files = new HashMap<Path, byte[]>();
            for (Path file : table.stored()) {
                try {
                    files.put(file, Files.readAllBytes(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return new Backup(files);
        }

        void restore() {
            files.forEach((file, content) -> {
                try {
                    Files.write(file, content);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** A query with the condition opens only the files its rows are in, or those named. */
    private static void assertOpensOnlyMatchingFiles(LakeTable table, String condition, String... alsoOpened) {
        List<String> rows = Sql.rows("SELECT * FROM %s WHERE %s", table.name(), condition);
        Set<String> needed = new TreeSet<>(Sql.rows("SELECT DISTINCT _file FROM %s WHERE %s", table.name(), condition));
        needed.addAll(List.of(alsoOpened));
        List<DataFile> others = table.data().stream()
                .filter(file -> !needed.contains("[" + file.location() + "]"))
                .toList();
        assertThat(others).as("files to skip where %s", condition).isNotEmpty();
        var backup = Backup.of(table);
        others.forEach(file -> LakeTable.garble(file.location()));
        try {
            assertThat(Sql.rows("SELECT * FROM %s WHERE %s", table.name(), condition))
                    .as("where %s", condition)
                    .isEqualTo(rows);
            String failure = Sql.failure("SELECT * FROM %s", table.name());
            assertThat(others).anySatisfy(file -> assertThat(failure).contains(file.location()));
        } finally {
            backup.restore();
        }
    }

    @Test
    void splitsOfAnySizeGiveTheSameRows() {
        LakeTable table = create(
                2,
                "id bigint, s string, st struct<a: bigint, b: array<int>>",
                "",
                "'write.parquet.row-group-size-bytes'='4096'");
        table.insert("SELECT id, uuid(), named_struct('a', id, 'b', array(1, 2)) FROM range(0, 4000, 1, 1)");
        assertThat(footer(table.onlyData()).size()).isGreaterThan(5);
        List<String> expected = LongStream.range(0, 4_000)
                .mapToObj(id -> "[" + id + "," + id + "]")
                .sorted()
                .toList();
        var tasks = new ArrayList<Integer>();
        for (String splitSize : List.of("1", "5000", "50000", "100000000")) {
            Dataset<Row> read = spark().read().option("split-size", splitSize).table(table.name());
            tasks.add(read.rdd().getNumPartitions());
            assertThat(read.selectExpr("id", "st.a").collectAsList().stream()
                            .map(Row::toString)
                            .sorted())
                    .as("split-size %s", splitSize)
                    .containsExactlyElementsOf(expected);
            assertThat(read.count()).isEqualTo(4_000);
            assertThat(read.where("id % 1000 = 999").count()).isEqualTo(4);
        }
        assertThat(tasks.get(0)).isEqualTo(footer(table.onlyData()).size());
        assertThat(tasks.get(1)).isGreaterThan(3).isLessThanOrEqualTo(tasks.get(0));
        assertThat(tasks.get(3)).isEqualTo(1);
        // The property says the same, and SQL has options too.
        assertThat(spark().sql("SELECT * FROM " + table.name() + " WITH (`split-size` = 1)")
                        .rdd()
                        .getNumPartitions())
                .isEqualTo(tasks.get(0));
        table.set("read.split.target-size", "5000");
        table.set("read.split.open-file-cost", "1");
        table.set("read.split.adaptive-size.enabled", "false");
        assertThat(spark().table(table.name()).rdd().getNumPartitions()).isEqualTo(tasks.get(1));
        assertThat(Sql.count(table.name())).isEqualTo(4_000);
        for (String bad : List.of("0", "-5", "big")) {
            assertThatThrownBy(() -> spark().read()
                            .option("split-size", bad)
                            .table(table.name())
                            .count())
                    .hasMessageContaining(
                            "Read option 'split-size' must be a positive whole number, not '" + bad + "'");
        }
    }

    @Test
    void filesOfOtherPartitionsAreNotOpened() {
        LakeTable identity = create(2, "id bigint, p string", "p", "");
        identity.insert("SELECT id, CASE WHEN id = 9 THEN NULL ELSE 'p' || id % 3 END FROM range(0, 10)");
        for (String condition : List.of(
                "p = 'p1'", "p IN ('p0', 'p2')", "p IS NULL", "p > 'p0'", "p LIKE 'p1%'", "p <=> 'p2'", "p <> 'p1'")) {
            assertOpensOnlyMatchingFiles(identity, condition);
        }
        LakeTable bucket = create(2, "id bigint, s string", "bucket(4, id)", "");
        bucket.insert("SELECT id, 'x' FROM range(0, 40)");
        assertOpensOnlyMatchingFiles(bucket, "id = 7");
        LakeTable truncate = create(3, "id bigint, s string", "truncate(s, 2)", "");
        truncate.insert("SELECT id, 'a' || id % 5 || 'tail' || id FROM range(0, 40)");
        assertOpensOnlyMatchingFiles(truncate, "s = 'a3tail8'");
        assertOpensOnlyMatchingFiles(truncate, "s LIKE 'a3%'");
        LakeTable days = create(3, "id bigint, at timestamp", "days(at)", "");
        days.insert("SELECT id, timestamp'2024-02-28 00:00:00' + make_interval(0, 0, 0, 0, id) FROM range(0, 96)");
        assertOpensOnlyMatchingFiles(
                days, "at >= timestamp'2024-02-29 05:00:00' AND at < timestamp'2024-02-29 07:00:00'");
        assertOpensOnlyMatchingFiles(days, "at = timestamp'2024-03-01 05:00:00'");
        // Two fields, and files of an older spec.
        LakeTable two = create(2, "id bigint, p int, q int", "p, bucket(2, id)", "");
        two.insert("SELECT id, id % 3, id % 5 FROM range(0, 60)");
        two.peer().updateSpec().removeField("p").addField("q").commit();
        two.insert("SELECT id, id % 3, id % 5 FROM range(60, 120)");
        assertOpensOnlyMatchingFiles(two, "p = 1 AND q = 2 AND id = 7");
    }

    @Test
    void filesWhoseMetricsRuleThemOutAreNotOpened() {
        LakeTable table = create(
                3,
                "id bigint, s string, d date, dec decimal(9,2), st struct<a: int, b: string>, n int, f double",
                "",
                "");
        for (int file = 0; file < 3; file++) {
            table.insert("""
                    SELECT /*+ COALESCE(1) */ id, '%s' || id, date'2024-01-01' + CAST(id AS INT), id / 2.0,
                        named_struct('a', CAST(id AS INT), 'b', 'x'),
                        %s, %s
                    FROM range(%d, %d)""".formatted(
                            "abc".charAt(file),
                            file == 0 ? "NULL" : file == 1 ? "1" : "CASE WHEN id = 25 THEN NULL ELSE 7 END",
                            file == 0 ? "id" : file == 1 ? "CASE WHEN id = 15 THEN double('NaN') ELSE -1D END" : "-5D",
                            file * 10,
                            file * 10 + 10));
        }
        for (String condition : List.of(
                "id = 5",
                "id > 19",
                "id BETWEEN 11 AND 12",
                "id IN (3, 25)",
                "NOT (id < 20)",
                "s = 'b11'",
                "s LIKE 'c2%'",
                "s < 'b'",
                "d = date'2024-01-13'",
                "dec < 2.5",
                "st.a = 22",
                "n = 7",
                "n IS NOT NULL AND n < 5",
                "id = 3 OR id = 13",
                "15 < id AND id < 17")) {
            assertOpensOnlyMatchingFiles(table, condition);
        }
        // NaN is larger than all numbers, so its file must be opened whatever the bounds say.
        assertThat(table.longs("id", "f > 8.5")).containsExactly(9L, 15L);
        assertThat(table.longs("id", "f = double('NaN')")).containsExactly(15L);
        assertThat(table.longs("id", "NOT (f <= 1000)")).containsExactly(15L);
        assertThat(table.longs("id", "n IS NULL")).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 25L);
    }

    @Test
    void rowGroupsWhoseStatisticsRuleThemOutAreNotRead() {
        LakeTable table = create(2, "id bigint, s string", "", "'write.parquet.row-group-size-bytes'='8192'");
        table.insert("SELECT id, uuid() FROM range(0, 4000, 1, 1)");
        DataFile file = table.onlyData();
        List<BlockMetaData> rowGroups = footer(file);
        assertThat(rowGroups.size()).isGreaterThan(4);
        Dataset<Row> query = spark().sql("SELECT * FROM " + table.name() + " WHERE id = 3999");
        assertThat(rowsScanned(query))
                .isEqualTo(rowGroups.get(rowGroups.size() - 1).getRowCount());
        assertThat(rowsScanned(spark().sql("SELECT * FROM " + table.name()))).isEqualTo(4_000);
        for (BlockMetaData rowGroup : rowGroups.subList(0, rowGroups.size() - 1)) {
            rowGroup.getColumns().forEach(chunk -> garble(file, chunk));
        }
        assertThat(table.longs("id", "id = 3999")).containsExactly(3_999L);
        assertThat(Sql.failure("SELECT * FROM %s", table.name())).contains(file.location());
    }

    @Test
    void columnsNotAskedForAreNotRead() {
        LakeTable table = create(2, "id bigint, s string, st struct<a: bigint, b: struct<c: string, d: int>>", "", "");
        table.insert(
                "SELECT id, uuid(), named_struct('a', id * 2, 'b', named_struct('c', uuid(), 'd', CAST(id AS INT)))"
                        + " FROM range(0, 100, 1, 1)");
        DataFile file = table.onlyData();
        for (ColumnChunkMetaData chunk : footer(file).get(0).getColumns()) {
            String path = chunk.getPath().toDotString();
            if (path.equals("s") || path.equals("st.b.c")) {
                garble(file, chunk);
            }
        }
        assertThat(Sql.rows("SELECT id, st.a, st.b.d FROM %s WHERE st.b.d = 7 AND id > 3", table.name()))
                .containsExactly("[7,14,7]");
        assertThat(Sql.count(table.name())).isEqualTo(100);
        assertThat(Sql.rows("SELECT sum(st.a) FROM %s", table.name())).containsExactly("[9900]");
        assertThat(Sql.failure("SELECT st.b.c FROM %s", table.name())).contains(file.location());
        assertThat(Sql.failure("SELECT s FROM %s", table.name())).contains(file.location());
        // A DELETE reads the columns of its condition, and no other, to find rows.
        table.set("write.delete.mode", "merge-on-read");
        table.delete("id < 50 AND id % 2 = 0");
        assertThat(Sql.count(table.name())).isEqualTo(75);
        table.delete("st.a < 50 AND st.b.d % 2 = 1");
        assertThat(Sql.count(table.name())).isEqualTo(63);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void scansAreColumnarAndSayWhatTheyRead(int version) {
        LakeTable table =
                create(version, "id bigint, p int, st struct<a: int>", "p", LakeTable.deleteMode("merge-on-read"));
        String empty = explain("SELECT * FROM " + table.name());
        assertThat(empty).contains(table.name()).contains("snapshot none");
        table.insert("SELECT id, id % 2, named_struct('a', 1) FROM range(0, 10)");
        table.delete("id = 3");
        Dataset<Row> query = spark().sql("SELECT id, st, _pos FROM " + table.name() + " WHERE id > 5 AND p = 1");
        with("spark.sql.adaptive.enabled", "false", () -> {
            assertThat(scans(query))
                    .singleElement()
                    .satisfies(scan -> assertThat(scan.supportsColumnar()).isTrue());
            assertThat(plan(query).toString()).contains("ColumnarToRow");
        });
        assertThat(explain("SELECT id, st, _pos FROM " + table.name() + " WHERE id > 5 AND p = 1"))
                .contains("ColumnarToRow")
                .contains("Calve scan of " + table.name())
                .contains("snapshot " + table.snapshot())
                .contains("answered by partitions: p IS NOT NULL AND p = 1")
                .contains("checked by Spark: id IS NOT NULL AND id > 5");
    }

    private static String explain(String query) {
        return spark().sql("EXPLAIN FORMATTED " + query).head().getString(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void metadataColumnsAreThoseOfThePeer(int version) {
        LakeTable table = create(version, "id bigint, p int, at date", "p", LakeTable.deleteMode("merge-on-read"));
        table.insert("SELECT id, id % 2, date'2024-01-01' FROM range(0, 10)");
        table.peer().updateSpec().addField(Expressions.month("at")).commit();
        table.insert("SELECT id, id % 2, date'2024-02-01' FROM range(10, 16)");
        table.peer().updateSpec().removeField("p").commit();
        table.insert("SELECT id, id % 2, date'2024-03-01' FROM range(16, 20)");
        table.delete("id IN (1, 6, 12, 17)");
        String columns = "id, _file, _pos, _spec_id, _partition";
        if (version >= 3) {
            columns += ", _row_id, _last_updated_sequence_number";
        }
        List<String> rows = table.rows(columns);
        assertThat(rows).hasSize(16).isEqualTo(table.peerRows(columns));
        assertThat(Sql.rows("SELECT DISTINCT _spec_id FROM %s", table.name())).containsExactly("[0]", "[1]", "[2]");
        assertThat(Sql.rows("SELECT DISTINCT _file FROM %s", table.name()))
                .containsExactlyInAnyOrderElementsOf(table.data().stream()
                        .map(file -> "[" + file.location() + "]")
                        .toList());
        // Positions count deleted rows too.
        for (String condition :
                List.of("_pos > 1", "_spec_id = 1", "_partition.p = 1", "_partition.at_month IS NULL")) {
            assertThat(Sql.rows("SELECT id FROM %s WHERE %s", table.name(), condition))
                    .as(condition)
                    .isNotEmpty()
                    .isEqualTo(Sql.rows("SELECT id FROM %s WHERE %s", table.in(SparkTestSession.PEER), condition));
        }
        String file = table.data().get(0).location();
        assertThat(Sql.rows("SELECT id FROM %s WHERE _file = '%s'", table.name(), file))
                .isNotEmpty()
                .isEqualTo(Sql.rows("SELECT id FROM %s WHERE _file = '%s'", table.in(SparkTestSession.PEER), file));
        if (version == 2) {
            assertThat(Sql.failure("SELECT _row_id FROM %s", table.name())).contains("UNRESOLVED_COLUMN");
        }
    }

    @Test
    void equalScansShareOneExchange() {
        LakeTable table = create(2, "k bigint, v bigint", "", "");
        table.insert("SELECT id % 10, id FROM range(0, 100)");
        String sums = "(SELECT k, sum(v) AS s FROM " + table.name() + " WHERE v > 3 GROUP BY k)";
        String otherSums = "(SELECT k, sum(v) AS s FROM " + table.name() + " WHERE v > 4 GROUP BY k)";
        with(
                "spark.sql.adaptive.enabled",
                "false",
                () -> with("spark.sql.autoBroadcastJoinThreshold", "-1", () -> {
                    Dataset<Row> same = spark().sql("SELECT * FROM " + sums + " a JOIN " + sums + " b ON a.k = b.k");
                    assertThat(plan(same).toString()).contains("ReusedExchange");
                    assertThat(same.collectAsList())
                            .hasSize(10)
                            .allSatisfy(row -> assertThat(row.get(1)).isEqualTo(row.get(3)));
                    Dataset<Row> different =
                            spark().sql("SELECT * FROM " + sums + " a JOIN " + otherSums + " b ON a.k = b.k");
                    assertThat(plan(different).toString()).doesNotContain("ReusedExchange");
                }));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aTableWithoutRowsIsRead(int version) {
        LakeTable table = create(version, "id bigint, p int", "p", LakeTable.deleteMode("merge-on-read"));
        Runnable none = () -> {
            assertThat(table.rows("*")).isEmpty();
            assertThat(table.rows("id, _file, _pos, _partition")).isEmpty();
            assertThat(Sql.rows("SELECT count(*), sum(id), max(p) FROM %s", table.name()))
                    .containsExactly("[0,null,null]");
            assertThat(table.longs("id", "id > 5 AND p = 1")).isEmpty();
        };
        none.run();
        table.insert("SELECT 1L, 2 WHERE false");
        none.run();
        table.insert("SELECT id, id % 2 FROM range(0, 10)");
        table.delete("id % 2 = 0 OR id >= 5");
        assertThat(table.longs("id", "true")).containsExactly(1L, 3L);
        table.delete("id IN (1, 3)");
        none.run();
        assertThat(table.live().data()).isEmpty();
        assertThat(table.peerRows("id")).isEmpty();
        table.insert("SELECT 7L, 7");
        assertThat(table.longs("id", "true")).containsExactly(7L);
    }

    @Test
    void namesFollowTheCaseSensitivityOfTheSession() {
        LakeTable table = create(3, "Id bigint, Data struct<Inner: string>, `Od d` int", "Id", "");
        table.insert("SELECT id, named_struct('x', 's' || id), 5 FROM range(0, 4)");
        assertThat(Sql.rows("SELECT iD, DATA.INNER, `oD D` FROM %s WHERE ID = 1 AND data.inner = 's1'", table.name()))
                .containsExactly("[1,s1,5]");
        assertOpensOnlyMatchingFiles(table, "ID = 1");
        assertOpensOnlyMatchingFiles(table, "data.inner = 's2'");
        table.delete("ID = 3 AND DATA.inner = 's3'");
        table.delete("dAtA.iNNer = 's2'");
        table.insert("(dATA, ID, `OD D`) SELECT named_struct('y', 's9'), 9L, 1");
        assertThat(table.longs("id", "true")).containsExactly(0L, 1L, 9L);
        with("spark.sql.caseSensitive", "true", () -> {
            assertThat(Sql.failure("SELECT ID FROM %s", table.name())).contains("UNRESOLVED_COLUMN");
            assertThat(Sql.failure("SELECT Id FROM %s WHERE Data.inner = 's1'", table.name()))
                    .contains("FIELD_NOT_FOUND");
            assertThat(table.deleteFailure("ID = 1")).contains("UNRESOLVED_COLUMN");
            assertThat(table.longs("Id", "Id = 1 AND Data.Inner = 's1'")).containsExactly(1L);
            table.delete("Id = 1 AND Data.Inner = 's1'");
            assertThat(table.longs("Id", "true")).containsExactly(0L, 9L);
        });
        assertThat(table.peer().schema().columns()).hasSize(3);
    }

    @Test
    void aFrameAndACacheSeeWhatWasCommittedSince() {
        LakeTable table = create(3, "id bigint", "", LakeTable.deleteMode("merge-on-read"));
        table.insert("SELECT id FROM range(0, 10)");
        Dataset<Row> frame = spark().table(table.name());
        frame.createOrReplaceTempView("of_lake");
        assertThat(frame.count()).isEqualTo(10);
        table.insert("SELECT id FROM range(10, 12)");
        assertThat(Sql.rows("SELECT count(*) FROM of_lake")).containsExactly("[12]");
        assertThat(spark().table(table.name()).count()).isEqualTo(12);
        Sql.run("CACHE TABLE %s", table.name());
        try {
            assertThat(Sql.count(table.name())).isEqualTo(12);
            table.insert("SELECT 100L");
            assertThat(Sql.count(table.name())).isEqualTo(13);
            table.delete("id < 2");
            assertThat(Sql.count(table.name())).isEqualTo(11);
            // Another engine's commit shows after a refresh.
            Sql.run("INSERT INTO %s SELECT 101L", table.in(SparkTestSession.PEER));
            Sql.run("REFRESH TABLE %s", table.name());
            assertThat(Sql.count(table.name())).isEqualTo(12);
        } finally {
            Sql.run("UNCACHE TABLE %s", table.name());
        }
        Dataset<Row> cached = spark().table(table.name()).where("id < 5").cache();
        try {
            assertThat(cached.count()).isEqualTo(3);
            table.delete("id = 2");
            assertThat(spark().table(table.name()).where("id < 5").count()).isEqualTo(2);
            table.insert("SELECT 4L");
            assertThat(spark().table(table.name()).where("id < 5").count()).isEqualTo(3);
        } finally {
            cached.unpersist();
        }
    }

    @Test
    void predicatesOfAllShapesKeepSparksMeaning() {
        LakeTable table = create(
                2, "id bigint, a int, s string, arr array<int>, m map<string, int>, t timestamp, b boolean", "", "");
        table.insert("""
                SELECT /*+ COALESCE(1) */ * FROM VALUES
                  (1L, 1, 'a', array(1, 2), map('x', 1), timestamp'2024-01-01 00:00:00', true),
                  (2L, NULL, NULL, NULL, NULL, NULL, NULL),
                  (3L, -5, '', array(), map(), timestamp'2024-06-01 12:00:00', false),
                  (4L, 2147483647, 'zz', array(NULL), map('x', NULL), timestamp'1969-12-31 23:59:59.999999', true)""");
        Map<String, Predicate<Integer>> conditions = new HashMap<>();
        conditions.put("a % 2 = 1", id -> id == 1 || id == 4);
        conditions.put("size(arr) = 1", id -> id == 4);
        conditions.put("get(arr, 0) = 1", id -> id == 1);
        conditions.put("m['x'] = 1", id -> id == 1);
        conditions.put("array_contains(arr, 2)", id -> id == 1);
        conditions.put("s RLIKE '^z+$'", id -> id == 4);
        conditions.put("upper(s) = 'ZZ'", id -> id == 4);
        conditions.put("year(t) = 2024", id -> id == 1 || id == 3);
        conditions.put("t < timestamp'1970-01-01 00:00:00'", id -> id == 4);
        conditions.put("CAST(t AS date) = date'2024-06-01'", id -> id == 3);
        conditions.put("b", id -> id == 1 || id == 4);
        conditions.put("NOT b", id -> id == 3);
        conditions.put("b IS NULL", id -> id == 2);
        conditions.put("a IN (1, NULL)", id -> id == 1);
        conditions.put("a <=> NULL", id -> id == 2);
        conditions.put("coalesce(a, 0) = 0", id -> id == 2);
        conditions.put("a = 1.0", id -> id == 1);
        conditions.put("a > 3000000000", id -> false);
        conditions.put("s = ''", id -> id == 3);
        conditions.put("id IN (SELECT id FROM " + table.name() + " WHERE a > 0)", id -> id == 1 || id == 4);
        conditions.forEach(
                (condition, expected) -> assertThat(Sql.rows("SELECT id FROM %s WHERE %s", table.name(), condition))
                        .as(condition)
                        .isEqualTo(List.of(1, 2, 3, 4).stream()
                                .filter(expected)
                                .map(id -> "[" + id + "]")
                                .toList()));
    }
}
