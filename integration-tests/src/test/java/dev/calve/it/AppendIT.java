package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What appends put into a table, into how many files, and what they leave behind when they fail. */
@Tag("iceberg-peer")
class AppendIT {

    private static final String NAMESPACE = "appends";

    @BeforeAll
    static void registerFunctions() {
        UDF1<Long, Long> failing = id -> {
            if (id == 77) {
                Thread.sleep(1_500);
                throw new IllegalStateException("no row 77 today");
            }
            return id;
        };
        spark().udf().register("fails_at_77", failing, DataTypes.LongType);
        UDF1<Long, Long> slow = id -> {
            Thread.sleep(20);
            return id;
        };
        spark().udf().register("slow_append", slow, DataTypes.LongType);
    }

    private static SparkSession spark() {
        return SparkTestSession.spark();
    }

    private static LakeTable create(int version, String columns, String partitions, String properties) {
        return LakeTable.create(NAMESPACE, version, columns, partitions, properties);
    }

    private static void append(Dataset<Row> frame, LakeTable table) {
        try {
            frame.writeTo(table.name()).append();
        } catch (NoSuchTableException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void partitionColumnsMayHaveNamesThatNeedQuotes() {
        LakeTable table = create(
                2,
                "id bigint, `a.b` int, `c d` string, st struct<`x-y`: int>",
                "`a.b`, bucket(4, `c d`), st.`x-y`",
                "");
        table.insert("VALUES (1L, 1, 'u', struct(7)), (2L, 2, 'v', struct(8)), (3L, NULL, NULL, NULL)");
        assertThat(Sql.rows(
                        "SELECT id, `a.b`, `c d`, st.`x-y` FROM %s WHERE `a.b` = 2 OR id = 3 ORDER BY id",
                        table.name()))
                .containsExactly("[2,2,v,8]", "[3,null,null,null]");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyWayToAppendAppends(int version) {
        LakeTable table = create(version, "id bigint, name string, p int", "p", "");
        table.insert("VALUES (1L, 'one', 1), (2L, 'two', 2)");
        table.insert("SELECT id, 'n' || id, 1 FROM range(3, 5)");
        table.insert("(p, id, name) VALUES (3, 5L, 'five')");
        table.insert("BY NAME SELECT 'six' AS name, 1 AS p, 6L AS id");
        table.insert("VALUES (7L, 'seven', 2)");
        Sql.run("INSERT INTO TABLE %s SELECT 8L, 'eight', 3", table.name());
        Dataset<Row> frame = spark().sql("SELECT 2 AS p, id, 'f' || id AS name FROM range(9, 11)");
        append(frame, table);
        // By name, as saveAsTable has always done for tables of a catalog.
        frame.selectExpr("id + 2 AS id", "name", "p").write().mode("append").saveAsTable(table.name());
        // By position, as insertInto says it does.
        frame.selectExpr("id + 4 AS a", "name AS b", "p AS c").write().insertInto(table.name());
        assertThat(table.rows("id, name, p"))
                .containsExactlyInAnyOrder(
                        "[1,one,1]",
                        "[2,two,2]",
                        "[3,n3,1]",
                        "[4,n4,1]",
                        "[5,five,3]",
                        "[6,six,1]",
                        "[7,seven,2]",
                        "[8,eight,3]",
                        "[9,f9,2]",
                        "[10,f10,2]",
                        "[11,f9,2]",
                        "[12,f10,2]",
                        "[13,f9,2]",
                        "[14,f10,2]");
        assertThat(table.peerRows("id, name, p")).isEqualTo(table.rows("id, name, p"));
        assertThat(table.history()).hasSize(9);
        assertThat(table.summary())
                .containsEntry("operation", "append")
                .containsEntry("engine-name", "spark")
                .containsEntry("engine-version", spark().version())
                .containsEntry("spark.app.id", spark().sparkContext().applicationId())
                .containsKey("calve-version")
                .containsEntry("added-records", "2")
                .containsAllEntriesOf(table.live().totals());
    }

    @Test
    void columnsThatAreNotNamedBecomeNull() {
        LakeTable table = create(2, "id bigint, name string, st struct<a: int>", "", "");
        table.insert("(id) VALUES (1L)");
        table.insert("(name, id) VALUES ('two', 2L)");
        table.insert("BY NAME SELECT 3L AS id, named_struct('a', 1) AS st");
        assertThat(table.rows("*")).containsExactlyInAnyOrder("[1,null,null]", "[2,two,null]", "[3,null,[1]]");
        LakeTable required = create(2, "id bigint NOT NULL, name string", "", "");
        FolderState before = required.state();
        assertThat(Sql.failure("INSERT INTO %s (name) VALUES ('x')", required.name()))
                .containsPattern("INCOMPATIBLE_DATA_FOR_TABLE|NOT_ENOUGH|CANNOT_FIND_DATA");
        assertThat(required.state()).isEqualTo(before);
    }

    private static void appendMerging(String query, String table, String option) throws Exception {
        spark().sql(query).writeTo(table).option(option, "true").append();
    }

    /** The same frames to a table of each engine: the same columns and rows; ours in one commit. */
    @Test
    void rowsBringNewAndWiderColumns() throws Exception {
        LakeTable table = create(
                3,
                "id bigint NOT NULL, n int, s struct<a: int>, l array<struct<x: int>>",
                "",
                "'write.spark.accept-any-schema'='true'");
        String peers =
                SparkTestSession.PEER + "." + table.name().substring(SparkTestSession.LAKE.length() + 1) + "_peer";
        Sql.run(
                "CREATE TABLE %s (id bigint NOT NULL, n int, s struct<a: int>, l array<struct<x: int>>) USING iceberg"
                        + " TBLPROPERTIES ('format-version'='3', 'write.spark.accept-any-schema'='true')",
                peers);
        List<String> frames = List.of(
                "SELECT id, CAST(id AS INT) AS n, named_struct('a', 1) AS s, array(named_struct('x', 1)) AS l FROM range(2)",
                // Some columns are missing.
                "SELECT id + 2 AS id, 7 AS n FROM range(2)",
                // New columns at the top and nested, and wider ones.
                "SELECT id + 4 AS id, 5000000000 AS n, named_struct('a', 2, 'b', 'new') AS s,"
                        + " array(named_struct('x', 2, 'y', 1.5D)) AS l, date'2024-02-29' AS day, map('k', id) AS m FROM range(2)",
                "SELECT id + 6 AS id, CAST(3 AS INT) AS n, date'2024-03-01' AS DAY FROM range(2)");
        int snapshots = 0;
        for (String frame : frames) {
            appendMerging(frame, table.name(), "mergeSchema");
            appendMerging(frame, peers, "mergeSchema");
            assertThat(table.history()).hasSize(++snapshots);
            assertThat(spark().table(table.name()).schema())
                    .as(frame)
                    .isEqualTo(spark().table(peers).schema());
            assertThat(table.rows("*")).as(frame).isEqualTo(Sql.rows("SELECT * FROM " + peers));
        }
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*")).hasSize(8);
        assertThat(table.peer().currentSnapshot().schemaId())
                .isEqualTo(table.peer().schema().schemaId());
        FolderState before = table.state();
        for (var refused : Map.of(
                        "SELECT 1L AS id, 'text' AS n", "Cannot",
                        "SELECT 1 AS n", "Rows must have column 'id', which must not be null")
                .entrySet()) {
            assertThatThrownBy(() -> appendMerging(refused.getKey(), table.name(), "merge-schema"))
                    .hasMessageContaining(refused.getValue());
        }
        assertThatThrownBy(() -> appendMerging(
                        "SELECT IF(id = 1, NULL, id) AS id, 'x' AS more FROM range(2)", table.name(), "mergeSchema"))
                .hasStackTraceContaining(
                        "Column 'id' (field id 1) is required and must not be null. It is in the row [null,");
        assertThatThrownBy(() -> appendMerging("SELECT 1L AS id, 2 AS more", table.name(), "other"))
                .hasMessageContaining("set the write option 'mergeSchema' to add them");
        assertThat(table.state()).isEqualTo(before);

        // Overwrites too, and the older form of the writer; by name, in any order.
        spark().sql("SELECT 'o' AS over, 9L AS id")
                .writeTo(table.name())
                .option("mergeSchema", "true")
                .overwrite(functions.lit(true));
        spark().sql("SELECT 10L AS id, 'o' AS over, 1 AS last")
                .write()
                .mode("append")
                .option("mergeSchema", "true")
                .saveAsTable(table.name());
        assertThat(table.rows("id, over, last")).containsExactly("[10,o,1]", "[9,o,null]");
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
    }

    private static List<Long> filesPerPartition(LakeTable table) {
        return table.live().data().stream()
                .collect(Collectors.groupingBy(file -> file.partition().get(0, Integer.class), Collectors.counting()))
                .values()
                .stream()
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"'',1", "hash,1", "range,1", "none,4"})
    void theDistributionModeDecidesHowManyFilesAPartitionGets(String mode, long filesOfEach) {
        LakeTable table =
                create(2, "id bigint, p int", "p", mode.isEmpty() ? "" : "'write.distribution-mode'='" + mode + "'");
        table.insert("SELECT id, CAST(id % 5 AS INT) FROM range(0, 1000, 1, 4)");
        assertThat(filesPerPartition(table))
                .hasSize(5)
                .allSatisfy(files -> assertThat(files).isEqualTo(filesOfEach));
        assertThat(Sql.rows("SELECT p, count(*), sum(id) FROM %s GROUP BY p", table.name()))
                .containsExactly("[0,200,99500]", "[1,200,99700]", "[2,200,99900]", "[3,200,100100]", "[4,200,100300]");
        // Where a file lies, what is in it and what the manifest says of it agree.
        for (DataFile file : table.live().data()) {
            assertThat(file.location()).contains("/p=" + file.partition().get(0, Integer.class) + "/");
            assertThat(file.recordCount()).isEqualTo(200 / filesOfEach);
        }
        assertThat(table.peerRows("p, id")).isEqualTo(table.rows("p, id"));
    }

    @Test
    void rowsOfEveryTransformAreBroughtTogether() {
        LakeTable table = create(
                3,
                "id bigint, s string, at timestamp, d date",
                "bucket(3, id), truncate(s, 1), months(at), years(d)",
                "");
        table.insert("SELECT id, 's' || id, timestamp'2024-01-15 00:00:00', date'2023-05-05' FROM range(0, 300, 1, 4)");
        assertThat(table.live().data()).hasSize(3);
        assertThat(Sql.count(table.name())).isEqualTo(300);
        assertThat(table.peerRows("id, s")).isEqualTo(table.rows("id, s"));
    }

    @Test
    void noMoreFilesAreOpenAtOnceThanThePropertySays() {
        LakeTable table = create(
                2, "id bigint, p bigint", "p", "'write.distribution-mode'='none', 'write.calve.max-open-files'='10'");
        // Partitions come round and round. In the first round 90 of 100 files are completed; when the first of their
        // partitions
        // comes back, rows of all these wait, and are written one partition after the other.
        table.insert("SELECT id, id % 100 FROM range(0, 3000, 1, 1)");
        assertThat(table.longs("id", "true"))
                .isEqualTo(LongStream.range(0, 3000).boxed().toList());
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
        assertThat(table.live().data()).hasSize(190);
        assertThat(table.stored()).hasSize(190);
        // A task that fails with rows waiting leaves nothing.
        FolderState before = table.state();
        assertThat(Sql.failure(
                        "INSERT INTO %s SELECT id, CASE WHEN id < 2000 THEN id %% 100 ELSE CAST(raise_error('no ' || id) AS BIGINT) END"
                                + " FROM range(0, 3000, 1, 1)",
                        table.name()))
                .contains("no 2000");
        assertThat(table.state()).isEqualTo(before);
        // Rows that come by partition need no more than one.
        LakeTable clustered = create(
                2, "id bigint, p bigint", "p", "'write.distribution-mode'='none', 'write.calve.max-open-files'='1'");
        clustered.insert("SELECT id, id DIV 30 FROM range(0, 300, 1, 1)");
        assertThat(clustered.live().data()).hasSize(10);
        // The least recently used goes: with two in turn and a third now and then, the two stay.
        LakeTable three = create(
                2, "id bigint, p bigint", "p", "'write.distribution-mode'='none', 'write.calve.max-open-files'='3'");
        three.insert("SELECT id, CASE WHEN id % 10 = 9 THEN id ELSE id % 2 END FROM range(0, 100, 1, 1)");
        assertThat(three.live().data().stream()
                        .filter(file -> file.partition().get(0, Long.class) == 0)
                        .count())
                .isEqualTo(1);
        assertThat(Sql.count(three.name())).isEqualTo(100);
    }

    @Test
    void aFileIsClosedAtItsTargetSize() {
        LakeTable table = create(
                2,
                "id bigint, s string",
                "",
                "'write.target-file-size-bytes'='100000', 'write.parquet.row-group-size-bytes'='20000'");
        table.insert("SELECT id, uuid() || uuid() FROM range(0, 20000, 1, 1)");
        List<DataFile> files = table.data();
        assertThat(files.size()).isBetween(4, 20);
        assertThat(files.subList(0, files.size() - 1))
                .allSatisfy(file -> assertThat(file.fileSizeInBytes()).isBetween(60_000L, 200_000L));
        assertThat(table.longs("id", "true"))
                .isEqualTo(LongStream.range(0, 20_000).boxed().toList());
        assertThat(files.stream().mapToLong(DataFile::recordCount).sum()).isEqualTo(20_000);
    }

    @ParameterizedTest
    @CsvSource({"hash", "none"})
    void aFailedAppendLeavesNothing(String mode) throws Exception {
        LakeTable table = create(3, "id bigint, p bigint", "p", "'write.distribution-mode'='" + mode + "'");
        table.insert("SELECT 1000L, 1L");
        FolderState before = table.state();
        // The failing task is slow, so that the other three have written their files and are done.
        assertThat(Sql.failure("INSERT INTO %s SELECT fails_at_77(id), id %% 3 FROM range(0, 100, 1, 4)", table.name()))
                .contains("no row 77 today");
        table.awaitState(before);
        // The same in the middle of a file, and next to a slow task, which is killed.
        for (String query : List.of(
                "SELECT id, CAST(1 / (id - 77) AS BIGINT) FROM range(0, 100, 1, 1)",
                "SELECT IF(id < 50, slow_append(id), id), CAST(1 / (id - 77) AS BIGINT) FROM range(0, 100, 1, 2)")) {
            assertThat(Sql.failure("INSERT INTO %s %s", table.name(), query)).contains("DIVIDE_BY_ZERO");
            table.awaitState(before);
        }
        assertThat(table.longs("id", "true")).containsExactly(1_000L);
    }

    @Test
    void aCancelledAppendLeavesNothing() throws Exception {
        LakeTable table = create(2, "id bigint", "", "");
        table.insert("SELECT 1L");
        FolderState before = table.state();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<String> failure = other.submit(() -> {
                spark().sparkContext().setJobGroup("append-to-cancel", "a test", true);
                return Sql.failure("INSERT INTO %s SELECT slow_append(id) FROM range(0, 4000, 1, 2)", table.name());
            });
            while (spark().sparkContext().statusTracker().getJobIdsForGroup("append-to-cancel").length == 0) {
                Thread.sleep(10);
            }
            Thread.sleep(500);
            spark().sparkContext().cancelJobGroup("append-to-cancel");
            assertThat(failure.get()).contains("cancelled");
        } finally {
            other.shutdown();
        }
        table.awaitState(before);
    }

    @Test
    void valuesThatDoNotFitAreRefused() {
        LakeTable table = create(
                2,
                "id bigint NOT NULL, n int, s string, dec decimal(5, 2), d date, st struct<a: int NOT NULL, b: string>",
                "",
                "");
        FolderState before = table.state();
        for (String query : List.of(
                // Nulls where none may be, found by the analysis or by a row.
                "SELECT CAST(NULL AS BIGINT), 1, 'x', 1.0, date'2024-01-01', named_struct('a', 1, 'b', 'x')",
                "SELECT IF(id = 1, NULL, id), 1, 'x', 1.0, date'2024-01-01', named_struct('a', 1, 'b', 'x') FROM range(0, 3, 1, 1)",
                "SELECT 1L, 1, 'x', 1.0, date'2024-01-01', named_struct('a', CAST(NULL AS INT), 'b', 'x')",
                // Too large for the type.
                "SELECT 1L, 3000000000, 'x', 1.0, date'2024-01-01', named_struct('a', 1, 'b', 'x')",
                "SELECT 1L, 1, 'x', 1000.0, date'2024-01-01', named_struct('a', 1, 'b', 'x')",
                // Of another type.
                "SELECT 1L, 1, 'x', 1.0, true, named_struct('a', 1, 'b', 'x')",
                "SELECT 1L, 1, 'x', 1.0, date'2024-01-01', 5",
                "SELECT 1L, 1, 'x', 1.0, date'2024-01-01', named_struct('a', 'one', 'b', 'x')",
                // Too few, too many, of other names.
                "SELECT 1L, 1, 'x'",
                "SELECT 1L, 1, 'x', 1.0, date'2024-01-01', named_struct('a', 1, 'b', 'x'), 7",
                "BY NAME SELECT 1L AS nobody, 1 AS n")) {
            assertThat(Sql.failure("INSERT INTO %s %s", table.name(), query))
                    .as(query)
                    .containsPattern("org.apache.spark.[a-zA-Z.]*Exception")
                    .doesNotContain("INTERNAL_ERROR");
            assertThat(table.state()).as(query).isEqualTo(before);
        }
        // A null that a row brings is named with its column, nested ones too.
        assertThat(Sql.failure(
                        "INSERT INTO %s (id, st) SELECT id, named_struct('a', IF(id = 2, NULL, 1), 'b', 'x') FROM range(0, 3, 1, 1)",
                        table.name()))
                .contains("NOT_NULL_ASSERT_VIOLATION")
                .containsSubsequence("st\n", "a\n");
        table.insert("SELECT 1L, 2147483647, 'x', 999.99, date'2024-01-01', named_struct('a', 1, 'b', NULL)");
        assertThat(table.rows("*")).containsExactly("[1,2147483647,x,999.99,2024-01-01,[1,null]]");
        // Decimals are rounded as Spark rounds, times cut to days, dates widened: by the store assignment of ANSI.
        table.insert(
                "SELECT 2L, CAST(7 AS TINYINT), 8, 1.005, timestamp'2024-02-29 23:59:59', named_struct('a', 1, 'b', 9)");
        Sql.run(
                "INSERT INTO %s SELECT 2L, CAST(7 AS TINYINT), 8, 1.005, timestamp'2024-02-29 23:59:59', named_struct('a', 1, 'b', 9)",
                table.in(SparkTestSession.PEER));
        assertThat(Sql.rows("SELECT * EXCEPT (id) FROM %s WHERE id = 2", table.name()))
                .containsExactly("[7,8,1.01,2024-02-29,[1,9]]", "[7,8,1.01,2024-02-29,[1,9]]");
        assertThatThrownBy(() -> append(spark().sql("SELECT 1L AS id, 'no number' AS n"), table))
                .hasMessageContaining("INCOMPATIBLE_DATA_FOR_TABLE");
    }

    @Test
    void charAndVarcharAreStringsAsTheFormatHasNoOther() {
        LakeTable table = create(2, "id bigint, c char(4), v varchar(3)", "", "");
        table.insert("SELECT 1L, 'ab', 'xyz'");
        assertThat(table.peer().schema().findType("c").toString()).isEqualTo("string");
        assertThat(table.peer().schema().findType("v").toString()).isEqualTo("string");
        assertThat(Sql.count(table.name())).isEqualTo(1);
        assertThat(table.rows("id, c, v")).isEqualTo(table.peerRows("id, c, v"));
        // As the format stores no length, none is checked: what the peer does, too.
        table.insert("SELECT 2L, 'longer', 'longer'");
        Sql.run("INSERT INTO %s SELECT 3L, 'longer', 'longer'", table.in(SparkTestSession.PEER));
        assertThat(table.rows("c, v"))
                .isEqualTo(table.peerRows("c, v"))
                .hasSize(3)
                .contains("[longer,longer]");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void nestedValuesAndExtremesComeBack(int version) {
        LakeTable table = create(
                version,
                "id bigint, a array<struct<x: int, y: array<string>>>, m map<string, struct<k: decimal(38, 10)>>,"
                        + " st struct<s: struct<d: date, b: binary>, e: array<map<int, boolean>>>, f float, g double,"
                        + " t timestamp, n timestamp_ntz, small decimal(9, 2), mid decimal(18, 4)",
                "",
                "");
        String rows = """
                SELECT 1L, array(named_struct('x', 1, 'y', array('a', NULL)), NULL, named_struct('x', NULL, 'y', array())),
                    map('k1', named_struct('k', CAST('-9999999999999999999999999999.0123456789' AS decimal(38, 10))), 'k2', NULL),
                    named_struct('s', named_struct('d', date'0001-01-01', 'b', X'00FF'), 'e', array(map(1, true, 2, NULL), NULL)),
                    float('NaN'), -0.0D, timestamp'0001-01-01 00:00:00', timestamp_ntz'9999-12-31 23:59:59.999999',
                    -9999999.99, 99999999999999.9999
                UNION ALL
                SELECT 2L, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
                UNION ALL
                SELECT 3L, array(), map(), named_struct('s', NULL, 'e', array()), float('-Infinity'), 4.9E-324D,
                    timestamp'2024-02-29 12:34:56.789012', timestamp_ntz'1969-12-31 23:59:59.999999', 0.01, -0.0001""";
        table.insert(rows);
        List<String> expected = PeerTables.text(spark().sql(rows).collectAsList());
        for (String catalog : List.of(SparkTestSession.LAKE, SparkTestSession.PEER)) {
            assertThat(PeerTables.text(spark().table(table.in(catalog)).collectAsList()))
                    .as(catalog)
                    .isEqualTo(expected);
        }
        assertThat(table.longs("id", "st.s IS NULL AND st IS NOT NULL")).containsExactly(3L);
        assertThat(table.longs("id", "get(a, 1) IS NULL AND size(a) = 3")).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void appendsOfSeveralThreadsAllSucceed(int version) throws Exception {
        LakeTable table = create(version, "id bigint, p bigint", "p", "");
        int threads = 4;
        int each = 5;
        var next = new AtomicLong();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            var work = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < threads; i++) {
                work.add(() -> {
                    for (int j = 0; j < each; j++) {
                        long from = next.getAndAdd(10);
                        table.insert("SELECT id, id %% 2 FROM range(%d, %d, 1, 1)".formatted(from, from + 10));
                    }
                    return true;
                });
            }
            for (Future<Boolean> done : pool.invokeAll(work)) {
                assertThat(done.get()).isTrue();
            }
        } finally {
            pool.shutdown();
        }
        assertThat(table.longs("id", "true"))
                .isEqualTo(LongStream.range(0, 10L * threads * each).boxed().toList());
        assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
        assertThat(table.history()).hasSize(threads * each);
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        if (version == 3) {
            // Every row has an id of its own.
            assertThat(table.longs("_row_id", "true"))
                    .isEqualTo(LongStream.range(0, 10L * threads * each).boxed().toList());
            assertThat(table.rows("id, _row_id")).isEqualTo(table.peerRows("id, _row_id"));
        }
    }

    @Test
    void aTableCanBeAppendedToItself() {
        LakeTable table = create(3, "id bigint, v bigint", "bucket(2, id)", LakeTable.deleteMode("merge-on-read"));
        table.insert("SELECT id, id FROM range(0, 10)");
        table.delete("id = 3");
        table.insert("SELECT id + 100, v FROM " + table.name());
        assertThat(Sql.count(table.name())).isEqualTo(18);
        assertThat(table.longs("id", "id > 50 AND v = 3")).isEmpty();
    }

    /** The peer says where it would have put a file of that name. */
    @Test
    void objectStoragePathsAreWhereThePeerPutsThem() {
        String elsewhere = SparkTestSession.warehouse()
                .resolveSibling("elsewhere-" + Sql.unique("d"))
                .toString();
        int compared = 0;
        for (String more : List.of(
                "",
                ", 'write.object-storage.partitioned-paths'='false'",
                ", 'write.data.path'='" + elsewhere + "/'",
                ", 'write.object-storage.partitioned-paths'='false', 'write.data.path'='" + elsewhere + "'")) {
            LakeTable table = create(
                    3,
                    "id bigint, p string",
                    "p",
                    "'write.object-storage.enabled'='true', 'write.delete.mode'='merge-on-read'" + more);
            table.insert("VALUES (1L, 'a/b'), (2L, 'c d'), (3L, 'c d')");
            table.delete("id = 2");
            var peer = table.peer();
            assertThat(peer.locationProvider().getClass().getSimpleName()).isEqualTo("ObjectStoreLocationProvider");
            for (var file : table.live().data()) {
                String name = file.location().replaceFirst(".*[/-](\\d{5}-\\d+-[0-9a-f-]{36}-\\d+\\.parquet)$", "$1");
                assertThat(LakeTable.path(file.location()))
                        .as(more)
                        .isEqualTo(LakeTable.path(
                                peer.locationProvider().newDataLocation(peer.spec(), file.partition(), name)));
                compared++;
            }
            String vectors = table.onlyDelete().location();
            assertThat(LakeTable.path(vectors))
                    .isEqualTo(LakeTable.path(peer.locationProvider()
                            .newDataLocation(vectors.replaceFirst(".*[/-](\\d{5}-\\d+-[0-9a-f-]{36}-.*)$", "$1"))));
            assertThat(table.peerRows("*")).isEqualTo(table.rows("*")).hasSize(2);
        }
        assertThat(compared).isEqualTo(8);
    }

    /** Whatever the distribution: rows of a file are in the table's order, which the file names. */
    @ParameterizedTest
    @ValueSource(strings = {"", "none", "hash", "range"})
    void rowsOfASortedTableAreSortedInsideTheirFiles(String distribution) {
        LakeTable table = create(
                3,
                "id bigint, p int, s string",
                "p",
                "'write.calve.max-open-files'='1'"
                        + (distribution.isEmpty() ? "" : ", 'write.distribution-mode'='" + distribution + "'"));
        Sql.run(
                "CALL %s.system.set_write_order('%s', 'bucket(4, id) DESC, s DESC NULLS LAST')",
                SparkTestSession.LAKE, NAMESPACE + "." + table.table());
        table.insert("SELECT id, CAST(id % 3 AS INT), CASE WHEN id % 7 = 0 THEN NULL ELSE 's' || (id * 31 % 50) END"
                + " FROM range(0, 400, 1, 4)");
        int order = table.peer().sortOrder().orderId();
        assertThat(order).isPositive();
        assertThat(table.live().data())
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(file -> assertThat(file.sortOrderId()).isEqualTo(order));
        if (distribution.equals("hash")) {
            assertThat(table.live().data()).hasSize(3);
        }
        var byFile = spark()
                .sql("SELECT _file, peer.system.bucket(4, id) AS b, s FROM " + table.name() + " ORDER BY _file, _pos")
                .collectAsList()
                .stream()
                .collect(Collectors.groupingBy(row -> row.getString(0)));
        assertThat(byFile).hasSize(table.live().data().size());
        byFile.forEach((file, rows) -> {
            List<String> keys = rows.stream()
                    .map(row -> (9 - row.getInt(1)) + "/" + (row.isNullAt(2) ? "z" : inverted(row.getString(2))))
                    .toList();
            assertThat(keys).as(file).isSorted();
        });
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*")).hasSize(400);
    }

    /** Sorts the other way round; texts are of digits behind one letter. */
    private static String inverted(String text) {
        return text.chars()
                .map(letter -> 'a' + ('z' - letter))
                .collect(StringBuilder::new, (to, letter) -> to.append((char) letter), StringBuilder::append)
                .append('\uffff')
                .toString();
    }
}
