package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What Spark leaves to a scan, and that the answer is the same as if it had done everything itself: the oracle is the same query
 * over the same rows in memory, or by the peer with its own short cuts off.
 */
@Tag("iceberg-peer")
@SuppressWarnings("AnnotateFormatMethod") // The annotation would need another dependency.
class PushDownIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("push_down");
        tables.spark.conf().set("spark.sql.adaptive.enabled", "false");
        tables.spark.conf().set("spark.sql.iceberg.aggregate-push-down.enabled", "false");
        tables.spark.conf().set("spark.sql.session.timeZone", "Europe/Berlin");
        tables.spark
                .sql("SELECT id, CAST(id % 50 AS INT) AS i, "
                        + "CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN 'b' ELSE 'a' || id % 3 END AS p, "
                        + "timestampadd(HOUR, CAST(id DIV 50 * 62 AS INT), TIMESTAMP_NTZ'2023-12-26 10:00:00') AS ntz, "
                        + "timestampadd(HOUR, CAST(id DIV 50 * 62 AS INT), TIMESTAMP'2023-12-26 10:00:00Z') AS ts, "
                        + "CAST(id * 1.25 - 100 AS decimal(9, 2)) AS dec, date_add(DATE'2024-01-01', CAST(id % 9 AS INT)) AS dt, "
                        + "IF(id % 4 = 0, NULL, id * 10) AS n, id % 2 = 0 AS b, 's' || id AS s, "
                        + "id * 0.5D - 0.25D AS d, CAST(id AS float) AS f FROM range(300)")
                .createOrReplaceTempView("pushed_rows");
    }

    @AfterAll
    static void end() {
        tables.spark.catalog().dropTempView("pushed_rows");
    }

    private static String create(String table, String partitions, int version) {
        String name = tables.in(Engine.CALVE, table);
        tables.spark.sql("CREATE TABLE " + name + " USING calve " + partitions + " TBLPROPERTIES ('format-version' = '"
                + version + "', 'write.delete.mode' = 'merge-on-read') AS SELECT * FROM pushed_rows");
        return name;
    }

    private static Dataset<Row> query(String sql, Object... parts) {
        return tables.spark.sql(sql.formatted(parts));
    }

    private static String optimized(Dataset<Row> query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .optimizedPlan()
                .toString();
    }

    private static List<SparkPlan> leaves(Dataset<Row> query) {
        return CollectionConverters.asJava(((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .executedPlan()
                .collectLeaves());
    }

    private static String executed(Dataset<Row> query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .executedPlan()
                .toString();
    }

    private static List<String> rows(Dataset<Row> query) {
        return PeerTables.text(query.collectAsList());
    }

    private static long metric(Dataset<Row> query, String name) {
        return leaves(query).stream()
                .filter(leaf -> leaf.nodeName().startsWith("BatchScan lake"))
                .mapToLong(leaf -> leaf.metrics().apply(name).value())
                .sum();
    }

    @Test
    void whatPartitionsAnswerIsNotCheckedAgain() {
        String table = create("answered", "PARTITIONED BY (days(ntz), p, bucket(2, id), days(ts))", 2);
        List<String> answered = List.of(
                "p = 'b'",
                "p IN ('b', 'a1')",
                "p NOT IN ('b', 'a1')",
                "p IS NULL",
                "p IS NOT NULL",
                "p <=> NULL",
                "p LIKE 'a%'",
                "NOT (p = 'b')",
                "p = 'b' OR p IS NULL",
                "ntz >= TIMESTAMP_NTZ'2024-01-03 00:00:00'",
                "ntz < TIMESTAMP_NTZ'2024-01-03 00:00:00' AND p > 'a1'",
                "CAST(ntz AS date) = DATE'2024-01-03'",
                "CAST(ntz AS date) IN (DATE'2024-01-03', DATE'2024-01-05')",
                "year(ntz) = 2024",
                "year(ntz) <> 2024",
                "trunc(CAST(ntz AS date), 'MM') = DATE'2024-01-01'",
                "lake.system.bucket(2, id) = 1",
                "lake.system.bucket(2, id) IN (1, 2)",
                "lake.system.days(ntz) > DATE'2024-01-03'",
                "ts >= TIMESTAMP'2024-01-03 00:00:00Z'");
        List<String> checked = List.of(
                "id = 17",
                "n > 5 AND p = 'b'",
                "ntz > TIMESTAMP_NTZ'2024-01-03 00:00:00'",
                "ts >= TIMESTAMP'2024-01-03 00:00:00'",
                "year(ts) = 2024",
                "CAST(ts AS date) = DATE'2024-01-03'",
                "month(ntz) = 1",
                "upper(p) = 'B'",
                "date_trunc('day', ntz) = TIMESTAMP_NTZ'2024-01-03 00:00:00'",
                "p = 'b' OR id = 3",
                "lake.system.bucket(8, id) = 2");
        for (String condition : answered) {
            Dataset<Row> ours = query("SELECT * FROM %s WHERE %s", table, condition);
            assertThat(optimized(ours)).as(condition).doesNotContain("Filter");
            assertSameRows(ours, condition);
        }
        for (String condition : checked) {
            Dataset<Row> ours = query("SELECT * FROM %s WHERE %s", table, condition);
            assertThat(optimized(ours)).as(condition).contains("Filter");
            assertSameRows(ours, condition);
        }
        // A partition field less: new files say nothing of p.
        tables.table("answered").updateSpec().removeField("p").commit();
        query("INSERT INTO %s SELECT * FROM pushed_rows WHERE p = 'b' OR p IS NULL", table);
        for (String condition : List.of("p = 'b'", "p IS NULL", "year(ntz) = 2024")) {
            Dataset<Row> ours = query("SELECT id FROM %s WHERE %s", table, condition);
            String plan = optimized(ours);
            assertThat(plan.contains("Filter")).as(plan).isEqualTo(condition.startsWith("p"));
            assertThat(rows(ours))
                    .isEqualTo(rows(query(
                            "SELECT id FROM pushed_rows WHERE %1$s UNION ALL SELECT id FROM pushed_rows "
                                    + "WHERE (%1$s) AND (p = 'b' OR p IS NULL)",
                            condition)));
        }
    }

    private static void assertSameRows(Dataset<Row> ours, String condition) {
        assertThat(rows(ours)).as(condition).isEqualTo(rows(query("SELECT * FROM pushed_rows WHERE %s", condition)));
    }

    /** The view was made in another zone than it is read in: Spark does not tell the scan. */
    @Test
    void keepsRowsOfAViewInAnotherZone() {
        String table = create("zoned", "PARTITIONED BY (days(ts))", 2);
        tables.spark.conf().set("spark.sql.session.timeZone", "Pacific/Kiritimati");
        tables.spark.sql(
                "CREATE VIEW spark_catalog.default.new_year AS SELECT id FROM " + table + " WHERE year(ts) = 2024");
        List<String> there = rows(query("SELECT id FROM pushed_rows WHERE year(ts) = 2024"));
        tables.spark.conf().set("spark.sql.session.timeZone", "Pacific/Honolulu");
        try {
            assertThat(rows(query("SELECT id FROM spark_catalog.default.new_year")))
                    .isEqualTo(there);
        } finally {
            tables.spark.conf().set("spark.sql.session.timeZone", "Europe/Berlin");
            tables.spark.sql("DROP VIEW spark_catalog.default.new_year");
        }
    }

    @Test
    void limitsReadNoMoreFilesThanTheyNeed() {
        String table = tables.in(Engine.CALVE, "limited");
        query(
                "CREATE TABLE %s (id bigint, p int) USING calve PARTITIONED BY (p) "
                        + "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')",
                table);
        query("INSERT INTO %s SELECT id, CAST(id DIV 100 AS INT) FROM range(1000)", table);
        assertThat(filesRead(table, "LIMIT 150", 150)).isEqualTo(2);
        assertThat(filesRead(table, "LIMIT 1", 1)).isEqualTo(1);
        assertThat(filesRead(table, "LIMIT 50 OFFSET 100", 50)).isEqualTo(2);
        assertThat(filesRead(table, "WHERE p >= 5 LIMIT 150", 150)).isEqualTo(2);
        assertThat(filesRead(table, "WHERE id % 2 = 0 LIMIT 150", 150)).isEqualTo(10);
        assertThat(filesRead(table, "LIMIT 5000", 1000)).isEqualTo(10);
        // Files with deletes do not count, as nobody knows how many of their rows are left.
        query("DELETE FROM %s WHERE id %% 100 < 50 AND p < 9", table);
        assertThat(filesRead(table, "LIMIT 100", 100)).isEqualTo(1);
        assertThat(filesRead(table, "LIMIT 101", 101)).isEqualTo(10);
    }

    private static long filesRead(String table, String rest, int rows) {
        Dataset<Row> query = tables.spark.sql("SELECT * FROM " + table + " " + rest);
        assertThat(query.collectAsList()).as(rest).hasSize(rows);
        return metric(query, "filesRead");
    }

    private static final String EVERYTHING =
            "count(*), count(1), count(n), count(p), min(id), max(id), min(i), max(i), "
                    + "min(dec), max(dec), min(dt), max(dt), min(ntz), max(ntz), min(ts), max(ts), min(b), max(b), min(n), max(n)";

    private static boolean isAnswered(String table, String columns, String rest) {
        Dataset<Row> ours = query("SELECT %s FROM %s %s", columns, tables.in(Engine.CALVE, table), rest);
        assertThat(rows(ours))
                .as("%s of %s %s", columns, table, rest)
                .isEqualTo(rows(query("SELECT %s FROM %s %s", columns, tables.in(Engine.PEER, table), rest)));
        return leaves(ours).stream().allMatch(leaf -> leaf.nodeName().startsWith("LocalTableScan"));
    }

    @Test
    void metadataAnswersAggregatesThatItProves() {
        create("counted", "PARTITIONED BY (p)", 3);
        assertThat(isAnswered("counted", EVERYTHING, "")).isTrue();
        assertThat(isAnswered("counted", "max(id) + 1 AS x, count(*) * 2", "HAVING count(*) > 1"))
                .isTrue();
        assertThat(isAnswered("counted", EVERYTHING, "WHERE p = 'b'")).isTrue();
        assertThat(isAnswered("counted", EVERYTHING, "WHERE p = 'nobody'")).isTrue();
        assertThat(isAnswered("counted", "count(*)", "LIMIT 1")).isTrue();
        for (String columns : List.of(
                "min(d), max(d)",
                "min(f), max(f)",
                "min(p), max(p)",
                "min(s)",
                "max(s)",
                "count(DISTINCT i)",
                "sum(i)",
                "avg(i)")) {
            isAnswered("counted", columns, "");
        }
        assertThat(isAnswered("counted", "min(s)", "")).isFalse();
        assertThat(isAnswered("counted", "count(DISTINCT i)", "")).isFalse();
        assertThat(isAnswered("counted", "count(*)", "WHERE id > 5")).isFalse();
        assertThat(isAnswered("counted", "p, count(*)", "GROUP BY p")).isFalse();
        assertThat(isAnswered("counted", "count(*) FILTER (WHERE i > 3)", "")).isFalse();
        // Vectors count exactly; what they delete may have been a bound.
        tables.delete(Engine.CALVE, "counted", "id % 3 = 0");
        assertThat(isAnswered("counted", "count(*)", "")).isTrue();
        assertThat(isAnswered("counted", "count(*)", "WHERE p IS NULL")).isTrue();
        assertThat(isAnswered("counted", "count(n)", "")).isFalse();
        assertThat(isAnswered("counted", "max(id)", "")).isFalse();
        assertThat(isAnswered("counted", "count(*), max(id)", "")).isFalse();
    }

    @Test
    void metadataThatProvesNothingAnswersNothing() {
        create("deleted", "", 2);
        tables.delete(Engine.CALVE, "deleted", "id % 3 = 0");
        assertThat(isAnswered("deleted", "count(*)", "")).isFalse();
        create("evolved", "", 2);
        tables.table("evolved")
                .updateSchema()
                .addColumn("later", Types.LongType.get())
                .updateColumn("i", Types.LongType.get())
                .commit();
        assertThat(isAnswered("evolved", "count(later)", "")).isFalse();
        assertThat(isAnswered("evolved", "min(later), max(later)", "")).isFalse();
        query("INSERT INTO %s SELECT *, 5 FROM pushed_rows", tables.in(Engine.CALVE, "evolved"));
        assertThat(isAnswered("evolved", "count(later)", "")).isFalse();
        assertThat(isAnswered("evolved", "min(i), max(i), count(i)", "")).isTrue();
        String empty = tables.in(Engine.CALVE, "empty");
        query("CREATE TABLE %s (id bigint, p int) USING calve", empty);
        assertThat(isAnswered("empty", "count(*), count(id), min(id), max(p)", ""))
                .isTrue();
        String odd = tables.in(Engine.CALVE, "odd");
        query("CREATE TABLE %s (d double, f float, z double, s string) USING calve", odd);
        query(
                "INSERT INTO %s VALUES (double('NaN'), 1.5F, -0.0D, 'same'), (2.5D, float('NaN'), 0.0D, 'same'), (NULL, NULL, NULL, NULL)",
                odd);
        isAnswered("odd", "min(d), max(d), min(f), max(f)", "");
        assertThat(isAnswered("odd", "min(z)", "")).isFalse();
        assertThat(isAnswered("odd", "max(z)", "")).isFalse();
        assertThat(isAnswered("odd", "min(s), max(s)", "")).isTrue();
        tables.set("odd", "write.metadata.metrics.default", "none");
        query("INSERT INTO %s VALUES (1, 1, 1, 'x')", odd);
        assertThat(isAnswered("odd", "count(d)", "")).isFalse();
        assertThat(isAnswered("odd", "count(*)", "")).isTrue();
    }

    @Test
    void joinsReadOnlyTheFilesTheirKeysMayBeIn() {
        String fact = tables.in(Engine.CALVE, "fact");
        query("CREATE TABLE %s (id bigint, p int, v string) USING calve PARTITIONED BY (truncate(100, id))", fact);
        query("INSERT INTO %s SELECT id, CAST(id %% 7 AS INT), 'v' || id FROM range(1000)", fact);
        String byBounds = tables.in(Engine.CALVE, "fact_by_bounds");
        query("CREATE TABLE %s (id bigint, p int, v string) USING calve", byBounds);
        for (int i = 0; i < 6; i++) {
            query(
                    "INSERT INTO %s SELECT /*+ COALESCE(1) */ id, CAST(id %% 7 AS INT), 'v' || id FROM range(%d, %d)",
                    byBounds, i * 100, i * 100 + 100);
        }
        String keys = tables.in(Engine.CALVE, "keys");
        query("CREATE TABLE %s (k bigint, name string) USING calve", keys);
        query("INSERT INTO %s VALUES (150, 'a'), (151, 'a'), (250, 'b'), (950, 'a'), (NULL, 'a')", keys);
        for (String table : List.of(fact, byBounds)) {
            for (String join : List.of("JOIN", "LEFT SEMI JOIN")) {
                String sql =
                        "SELECT /*+ BROADCAST(k) */ f.* FROM %s f " + join + " %s k ON f.id = k.k AND k.name = 'a'";
                Dataset<Row> ours = tables.spark.sql(sql.formatted(table, keys));
                List<String> found = rows(ours);
                assertThat(found)
                        .isEqualTo(rows(tables.spark.sql(
                                sql.formatted(table.replace("lake.", "peer."), keys.replace("lake.", "peer.")))))
                        .hasSize(table.equals(fact) ? 3 : 2);
                long read = leaves(ours).stream()
                        .filter(leaf -> leaf.nodeName().equals("BatchScan " + table))
                        .mapToLong(leaf -> leaf.metrics().apply("filesRead").value())
                        .sum();
                assertThat(read).as("%s %s", table, join).isEqualTo(table.equals(fact) ? 2 : 1);
            }
        }
    }

    /** One scan in two places of a query, of which only one is filtered while it runs. */
    @Test
    void aFilterOfOnePlaceOfAQueryIsNoneOfAnother() {
        String table = create("shared", "PARTITIONED BY (p)", 2);
        String sql = "WITH small AS (SELECT id AS k, p AS kp FROM %1$s WHERE id < 40) "
                + "SELECT a.id, s.k, c.kp FROM %1$s a JOIN small s ON a.p = s.kp LEFT JOIN small c ON c.k = a.id";
        assertThat(rows(query(sql, table))).isEqualTo(rows(query(sql, "pushed_rows")));
    }

    @Test
    void equalScansShareTheirExchange() {
        String table = create("twice", "PARTITIONED BY (p)", 2);
        tables.spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
        try {
            Map<String, Boolean> shares = new HashMap<>();
            shares.put("SELECT a.id FROM %1$s a JOIN %1$s b ON a.id = b.id", true);
            shares.put(
                    "SELECT a.id FROM (SELECT id FROM %1$s WHERE p = 'b') a JOIN (SELECT id FROM %1$s WHERE p = 'b') b ON a.id = b.id",
                    true);
            shares.put(
                    "SELECT a.id FROM (SELECT id FROM %1$s WHERE p = 'b') a JOIN (SELECT id FROM %1$s WHERE p = 'a1') b ON a.id = b.id",
                    false);
            shares.put(
                    "SELECT a.id FROM %1$s a JOIN (SELECT id, n FROM %1$s) b ON a.id = b.id WHERE b.n > 0 OR a.i > 0",
                    false);
            shares.forEach((sql, shared) -> {
                Dataset<Row> query = query(sql, table);
                String plan = executed(query);
                assertThat(plan.contains("ReusedExchange")).as(plan).isEqualTo(shared);
                assertThat(rows(query)).isEqualTo(rows(query(sql, "pushed_rows")));
            });
            Dataset<Row> plain = tables.spark.read().table(table).select("id");
            Dataset<Row> split = tables.spark
                    .read()
                    .option("split-size", "1000")
                    .table(table)
                    .select("id");
            assertThat(executed(plain.join(split, "id"))).doesNotContain("ReusedExchange");
        } finally {
            tables.spark.conf().unset("spark.sql.autoBroadcastJoinThreshold");
        }
    }

    @Test
    void explainSaysWhatWasPushedAndWhatRemains() {
        String table = create("explained", "PARTITIONED BY (p)", 2);
        String snapshot =
                String.valueOf(tables.table("explained").currentSnapshot().snapshotId());
        Dataset<Row> query = query("SELECT id FROM %s WHERE p = 'b' AND n > 100 AND upper(s) = 'S11'", table);
        // Nothing was planned so far, and EXPLAIN plans nothing.
        assertThat(executed(query))
                .contains("snapshot " + snapshot)
                .containsPattern("answered by partitions: [^;]*p = 'b'")
                .containsPattern("pruning by: [^;]*n > 100")
                .containsPattern("checked by Spark: [^;]*UPPER")
                .doesNotContain("planned:");
        assertThat(query.collectAsList()).hasSize(1);
        assertThat(executed(query)).contains("planned: 1 files, 4 pruned in 1 of 1 manifests");
        assertThat(executed(query("SELECT id FROM %s LIMIT 7", table))).contains("limit: 7");
    }

    @Test
    void theUiCountsWhatWasPlanned() {
        String table = create("measured", "PARTITIONED BY (p)", 3);
        tables.delete(Engine.CALVE, "measured", "id = 6");
        Dataset<Row> query = query("SELECT * FROM %s WHERE p = 'b'", table);
        assertThat(query.collectAsList()).hasSize(59);
        var found = new ArrayList<Long>();
        for (String name :
                List.of("filesRead", "manifestsRead", "deletionVectors", "positionDeletes", "equalityDeletes")) {
            found.add(metric(query, name));
        }
        assertThat(found).isEqualTo(List.of(1L, 1L, 1L, 0L, 0L));
        assertThat(metric(query, "filesPruned")).isEqualTo(4);
        assertThat(metric(query, "rowGroupsRead")).isEqualTo(1);
        assertThat(metric(query, "filesDecodedByRows")).isZero();
        assertThat(metric(query, "bytesRead")).isPositive();
    }
}
