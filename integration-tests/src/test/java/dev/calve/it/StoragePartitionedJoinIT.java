package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Joins of tables that are partitioned alike: without a shuffle, and with the rows a shuffle gives. */
@Tag("iceberg-peer")
class StoragePartitionedJoinIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("partitioned_joins");
        tables.spark.conf().set("spark.sql.adaptive.enabled", "false");
        tables.spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
        tables.spark.conf().set("spark.sql.requireAllClusterKeysForCoPartition", "false");
        tables.spark.conf().set("spark.sql.sources.v2.bucketing.pushPartValues.enabled", "true");
        tables.spark
                .sql("SELECT id, CAST(id % 11 AS INT) AS i, IF(id % 5 = 0, NULL, 'p' || id % 3) AS p, "
                        + "timestampadd(HOUR, CAST(id * 5 AS INT), TIMESTAMP'2024-01-01 00:00:00Z') AS ts, "
                        + "date_add(DATE'1960-01-01', CAST(id % 9 * 700 AS INT)) AS dt FROM range(400)")
                .createOrReplaceTempView("left_rows");
        tables.spark
                .sql("SELECT * FROM left_rows WHERE id % 3 <> 1 UNION ALL SELECT * FROM left_rows WHERE id % 7 = 0")
                .createOrReplaceTempView("right_rows");
    }

    private static void create(Engine engine, String table, String partitions, String rows) {
        tables.spark.sql("CREATE TABLE " + tables.in(engine, table) + " USING " + engine.provider + " PARTITIONED BY ("
                + partitions + ") AS SELECT * FROM " + rows);
    }

    private static Dataset<Row> join(boolean grouped, String sql) {
        tables.spark.conf().set("spark.sql.sources.v2.bucketing.enabled", String.valueOf(grouped));
        tables.spark.conf().set("spark.calve.preserve-data-grouping", String.valueOf(grouped));
        tables.spark.conf().set("spark.sql.iceberg.planning.preserve-data-grouping", String.valueOf(grouped));
        return tables.spark.sql(sql);
    }

    private static String plan(Dataset<Row> query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .executedPlan()
                .toString();
    }

    private static void assertJoined(String left, String right, String condition, boolean shuffles) {
        for (String kind : List.of("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT ANTI JOIN")) {
            String sql = "SELECT * FROM %s a " + kind + " %s b ON " + condition;
            Dataset<Row> ours = join(true, sql.formatted(left, right));
            String plan = plan(ours);
            List<String> found = PeerTables.text(ours.collectAsList());
            assertThat(plan.contains("Exchange")).as(kind + plan).isEqualTo(shuffles);
            assertThat(found)
                    .as(condition)
                    .isEqualTo(PeerTables.text(join(false, sql.formatted("left_rows", "right_rows"))
                            .collectAsList()))
                    .isNotEmpty();
        }
    }

    @Test
    void bucketedTablesAreJoinedWithoutAShuffle() {
        create(Engine.CALVE, "a", "bucket(4, id)", "left_rows");
        create(Engine.CALVE, "b", "bucket(4, id)", "right_rows");
        create(Engine.PEER, "c", "bucket(4, id)", "right_rows");
        create(Engine.CALVE, "d", "bucket(3, id)", "right_rows");
        String left = tables.in(Engine.CALVE, "a");
        assertJoined(left, tables.in(Engine.CALVE, "b"), "a.id = b.id", false);
        // The peer's table, whose functions have the same canonical names.
        assertJoined(left, tables.in(Engine.PEER, "c"), "a.id = b.id", false);
        assertJoined(left, tables.in(Engine.CALVE, "d"), "a.id = b.id", true);
        String aggregate = "SELECT id, count(*), max(p) FROM " + left + " GROUP BY id";
        assertThat(plan(join(true, aggregate))).doesNotContain("Exchange");
        assertThat(PeerTables.text(join(true, aggregate).collectAsList()))
                .isEqualTo(PeerTables.text(
                        join(false, aggregate.replace(left, "left_rows")).collectAsList()));
        // The option of one read overrides the session; deletes change nothing.
        tables.delete(Engine.CALVE, "a", "id % 2 = 0");
        String alone = "SELECT a.id FROM " + left + " WITH (`preserve-data-grouping` = true) a JOIN "
                + tables.in(Engine.CALVE, "b") + " WITH (`preserve-data-grouping` = true) b ON a.id = b.id";
        join(true, "SELECT 1");
        tables.spark.conf().set("spark.calve.preserve-data-grouping", "false");
        Dataset<Row> optional = tables.spark.sql(alone);
        assertThat(plan(optional)).doesNotContain("Exchange");
        assertThat(PeerTables.text(optional.collectAsList()))
                .isEqualTo(PeerTables.text(tables.spark
                        .sql("SELECT a.id FROM left_rows a JOIN right_rows b ON a.id = b.id WHERE a.id % 2 = 1")
                        .collectAsList()));
        Dataset<Row> off = tables.spark.sql(alone.replace("true", "false"));
        assertThat(plan(off)).contains("Exchange");
    }

    /** Null equals null in a partition, but not in a join. */
    @Test
    void partitionsOfNullAreJoinedAsNulls() {
        create(Engine.CALVE, "n1", "p", "left_rows");
        create(Engine.CALVE, "n2", "p", "right_rows");
        create(Engine.CALVE, "n3", "p", "right_rows WHERE p IS NULL OR p <> 'p1'");
        assertJoined(tables.in(Engine.CALVE, "n1"), tables.in(Engine.CALVE, "n2"), "a.p = b.p AND a.id = b.id", false);
        Dataset<Row> lacking = join(
                true,
                "SELECT a.id, b.id FROM " + tables.in(Engine.CALVE, "n1") + " a LEFT JOIN "
                        + tables.in(Engine.CALVE, "n3") + " b ON a.p = b.p AND a.i = b.i");
        String plan = plan(lacking);
        assertThat(plan).doesNotContain("Exchange");
        assertThat(PeerTables.text(lacking.collectAsList()))
                .isEqualTo(PeerTables.text(join(
                                false,
                                "SELECT a.id, b.id FROM left_rows a LEFT JOIN (SELECT * FROM right_rows WHERE p IS NULL OR p <> 'p1') b "
                                        + "ON a.p = b.p AND a.i = b.i")
                        .collectAsList()));
    }

    @Test
    void specsThatChangedAreJoinedByWhatTheyHaveInCommon() {
        create(Engine.CALVE, "e1", "bucket(4, id), i", "left_rows");
        tables.table("e1").updateSpec().removeField("i").commit();
        create(Engine.CALVE, "e2", "bucket(4, id)", "right_rows");
        String left = tables.in(Engine.CALVE, "e1");
        String right = tables.in(Engine.CALVE, "e2");
        // All files are of the older spec still: both fields count.
        Dataset<Row> old = join(true, "SELECT * FROM " + left);
        assertThat(plan(old)).contains("grouped by: bucket(4, id), i");
        tables.spark.sql("INSERT INTO " + left + " SELECT * FROM left_rows");
        assertThat(plan(join(true, "SELECT * FROM " + left))).contains("grouped by: bucket(4, id)]");
        Dataset<Row> joined = join(true, "SELECT * FROM " + left + " a JOIN " + right + " b ON a.id = b.id");
        assertThat(plan(joined)).doesNotContain("Exchange");
        String both = "(SELECT * FROM left_rows UNION ALL SELECT * FROM left_rows)";
        assertThat(PeerTables.text(joined.collectAsList()))
                .isEqualTo(PeerTables.text(join(false, "SELECT * FROM " + both + " a JOIN right_rows b ON a.id = b.id")
                        .collectAsList()));
    }

    /** Before 1970 writers did not agree on the partition of a time, so such a partition is no key. */
    @Test
    void timesAreKeysFrom1970On() {
        create(Engine.CALVE, "t1", "days(ts)", "left_rows");
        create(Engine.CALVE, "t2", "days(ts)", "right_rows");
        assertJoined(tables.in(Engine.CALVE, "t1"), tables.in(Engine.CALVE, "t2"), "a.ts = b.ts", false);
        create(Engine.CALVE, "t3", "months(dt)", "left_rows");
        create(Engine.CALVE, "t4", "months(dt)", "right_rows");
        assertJoined(tables.in(Engine.CALVE, "t3"), tables.in(Engine.CALVE, "t4"), "a.dt = b.dt AND a.id = b.id", true);
    }

    @Test
    void filesDroppedWhileAJoinRunsLeaveTheOthersInPlace() {
        create(Engine.CALVE, "f1", "bucket(4, id), i", "left_rows");
        create(Engine.CALVE, "f2", "bucket(4, id)", "right_rows");
        tables.spark.sql(
                "CREATE TABLE " + tables.in(Engine.CALVE, "small") + " USING calve AS SELECT 3 AS k, 'x' AS name");
        String sql =
                "SELECT /*+ BROADCAST(s) */ a.id, b.id FROM %s a JOIN %s b ON a.id = b.id JOIN %s s ON a.i = s.k AND s.name = 'x'";
        Dataset<Row> ours = join(
                true,
                sql.formatted(
                        tables.in(Engine.CALVE, "f1"),
                        tables.in(Engine.CALVE, "f2"),
                        tables.in(Engine.CALVE, "small")));
        assertThat(PeerTables.text(ours.collectAsList()))
                .isEqualTo(PeerTables.text(
                        join(false, sql.formatted("left_rows", "right_rows", "(SELECT 3 AS k, 'x' AS name)"))
                                .collectAsList()))
                .isNotEmpty();
    }
}
