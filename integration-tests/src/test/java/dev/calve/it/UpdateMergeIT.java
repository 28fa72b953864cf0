package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.CommandResultExec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** UPDATE, MERGE and DELETE with subqueries, statement by statement on twin tables: ours must have the peer's rows. */
@Tag("iceberg-peer")
class UpdateMergeIT {

    private static final String COLUMNS =
            "id bigint, p int, s string, st struct<a: int, b: string>, d decimal(10, 2), ts timestamp";

    /** The target is called {@code {t}}, the source {@code changes}. */
    private static final List<String> STATEMENTS = List.of(
            "UPDATE {t} SET s = concat(s, '!') WHERE id % 10 = 3",
            "UPDATE {t} SET p = p + 1 WHERE id BETWEEN 20 AND 25",
            "UPDATE {t} SET s = NULL, d = d * 2 WHERE s IS NOT NULL AND id > 90",
            "UPDATE {t} SET st.a = st.a + 100 WHERE id < 5",
            "UPDATE {t} SET s = 'sub' WHERE id IN (SELECT id FROM changes WHERE op = 'U' AND id < 40)",
            "UPDATE {t} SET s = 'max' WHERE id = (SELECT max(id) FROM {t})",
            "UPDATE {t} SET s = 'none' WHERE id = -1",
            "DELETE FROM {t} WHERE id IN (SELECT id + 1 FROM changes WHERE op = 'D')",
            "DELETE FROM {t} WHERE s RLIKE '^s1[0-2]$'",
            "DELETE FROM {t} WHERE EXISTS (SELECT 1 FROM changes c WHERE c.id = {t}.id AND c.op = 'X')",
            "MERGE INTO {t} t USING changes c ON t.id = c.id"
                    + " WHEN MATCHED AND c.op = 'D' THEN DELETE"
                    + " WHEN MATCHED AND c.op = 'U' THEN UPDATE SET s = c.s, p = c.p"
                    + " WHEN NOT MATCHED AND c.op <> 'X' THEN INSERT (id, p, s) VALUES (c.id, c.p, c.s)",
            "MERGE INTO {t} t USING (SELECT id, s FROM changes WHERE id < 30) c ON t.id = c.id AND t.p < 3"
                    + " WHEN MATCHED THEN UPDATE SET s = 'm'"
                    + " WHEN NOT MATCHED BY SOURCE AND t.id % 17 = 0 THEN DELETE"
                    + " WHEN NOT MATCHED BY SOURCE AND t.id % 19 = 0 THEN UPDATE SET s = 'by source'",
            "MERGE INTO {t} t USING (SELECT id + 200 AS id, p, s, st, d, ts FROM {t} WHERE id < 4) c ON t.id = c.id"
                    + " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            "MERGE INTO {t} t USING changes c ON t.id = c.id + 300 WHEN NOT MATCHED THEN INSERT (id, s) VALUES (c.id + 300, c.s)",
            "MERGE INTO {t} t USING changes c ON t.id = c.id WHEN MATCHED AND c.id > 50 THEN DELETE",
            "UPDATE {t} SET s = upper(s)",
            "DELETE FROM {t} WHERE p = 2 AND id IN (SELECT id FROM changes)");

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("update_merge");
        SparkTestSession.spark()
                .sql(
                        "SELECT CASE WHEN i < 10 THEN i * 7 ELSE i * 11 END AS id, CAST(i % 5 AS int) AS p, concat('c', i) AS s,"
                                + " element_at(array('U', 'D', 'X', 'I'), CAST(i % 4 AS int) + 1) AS op"
                                + " FROM (SELECT id AS i FROM range(20))")
                .createOrReplaceTempView("changes");
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(2, "merge-on-read", "PARTITIONED BY (p)"),
                Arguments.of(1, "copy-on-write", "PARTITIONED BY (p)"),
                Arguments.of(3, "merge-on-read", "PARTITIONED BY (bucket(3, id), days(ts))"),
                Arguments.of(3, "copy-on-write", ""));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void changesRowsAsThePeerDoes(int version, String mode, String partitionedBy) {
        String table = Sql.unique("t");
        for (Engine engine : Engine.values()) {
            // Tables of version 1 are none of those we create.
            Engine creator = version == 1 ? Engine.PEER : engine;
            Sql.run(
                    "CREATE TABLE %s (%s) USING %s %s TBLPROPERTIES ('format-version' = '%d', 'write.delete.mode' = '%s',"
                            + " 'write.update.mode' = '%s', 'write.merge.mode' = '%s')",
                    tables.in(creator, name(engine, table)),
                    COLUMNS,
                    creator.provider,
                    partitionedBy,
                    version,
                    mode,
                    mode,
                    mode);
            for (int part = 0; part < 3; part++) {
                Sql.run(
                        "INSERT INTO %s SELECT id, CAST(id %% 4 AS int), if(id %% 7 = 5, NULL, concat('s', id)),"
                                + " named_struct('a', CAST(id AS int), 'b', 'x'), CAST(id AS decimal(10, 2)),"
                                + " timestamp_seconds(id * 40000) FROM range(%d, %d)",
                        tables.in(engine, name(engine, table)), part * 40, part * 40 + 40);
            }
        }
        String ours = tables.in(Engine.CALVE, name(Engine.CALVE, table));
        for (String statement : STATEMENTS) {
            for (Engine engine : Engine.values()) {
                Sql.run("%s", statement.replace("{t}", tables.in(engine, name(engine, table))));
            }
            List<String> expected = Sql.rows("SELECT * FROM " + tables.in(Engine.PEER, name(Engine.PEER, table)));
            assertThat(Sql.rows("SELECT * FROM " + ours)).as(statement).isEqualTo(expected);
        }
        assertThat(Sql.rows("SELECT * FROM " + tables.in(Engine.PEER, name(Engine.CALVE, table))))
                .as("ours as the peer reads it")
                .isEqualTo(Sql.rows("SELECT * FROM " + ours));
    }

    private static Row first(String query) {
        return SparkTestSession.spark().sql(query).head();
    }

    private static Map<String, String> summary(String table) {
        return first("SELECT summary FROM " + table + ".snapshots ORDER BY committed_at DESC LIMIT 1")
                .getJavaMap(0);
    }

    /** Runs a statement, and says what Spark's UI shows of its command. */
    private static Map<String, Long> metrics(String statement) {
        var result = (CommandResultExec) ((Dataset<?>) SparkTestSession.spark().sql(statement))
                .queryExecution()
                .executedPlan();
        var metrics = new HashMap<String, Long>();
        result.commandPhysicalPlan()
                .metrics()
                .foreach(metric -> metrics.put(metric._1(), metric._2().value()));
        return metrics;
    }

    @Test
    void aStatementSaysWhatItDidAndNothingMore() {
        String table = tables.in(Engine.CALVE, Sql.unique("said"));
        Sql.run(
                "CREATE TABLE %s (id bigint, p int, s string) USING calve PARTITIONED BY (p) TBLPROPERTIES"
                        + " ('format-version' = '3', 'write.update.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read')",
                table);
        Sql.run("INSERT INTO %s SELECT id, CAST(id %% 2 AS int), 'a' FROM range(400)", table);
        Sql.run("INSERT INTO %s SELECT id, CAST(id %% 2 AS int), 'b' FROM range(400, 600)", table);
        String snapshot = Sql.snapshot(table);

        Sql.run("UPDATE %s SET s = 'x' WHERE id = -1", table);
        Sql.run("DELETE FROM %s WHERE id IN (SELECT id FROM range(-9, -1))", table);
        Sql.run(
                "MERGE INTO %s t USING (SELECT id FROM range(3)) r ON t.id = r.id AND t.p = 7 WHEN MATCHED THEN DELETE",
                table);
        assertThat(Sql.failure(
                        "MERGE INTO %s t USING (SELECT id %% 5 AS id FROM range(10)) r ON t.id = r.id"
                                + " WHEN MATCHED THEN UPDATE SET s = 'twice'",
                        table))
                .contains("MERGE_CARDINALITY_VIOLATION");
        assertThat(Sql.snapshot(table)).as("a snapshot without a change").isEqualTo(snapshot);

        String update = "UPDATE %s SET s = 'x' WHERE p = 1 AND (id < 150 OR id > 550)".formatted(table);
        assertThat(Sql.rows("EXPLAIN %s", update).toString())
                .contains("mode merge-on-read by write.update.mode")
                .contains("isolation serializable by write.update.isolation-level")
                .contains("distribution of new rows hash by write.distribution-mode");
        assertThat(Sql.snapshot(table)).as("EXPLAIN changes nothing").isEqualTo(snapshot);
        assertThat(metrics(update))
                .as("Spark's metrics")
                .containsEntry("rowsMatched", 100L)
                .containsEntry("rowsUpdated", 100L)
                .containsEntry("rowsDeleted", 0L)
                .containsEntry("dataFilesAdded", 1L)
                .containsEntry("deletionVectorsAdded", 2L)
                .containsEntry("attempts", 1L);
        assertThat(summary(table))
                .as("one new file for one partition")
                .containsEntry("added-data-files", "1")
                .containsEntry("added-dvs", "2")
                .containsEntry("added-records", "100")
                .containsEntry("calve.rows-updated", "100")
                .doesNotContainKeys("calve.rows-deleted", "calve.rows-inserted", "deleted-data-files");
        Sql.run(
                "MERGE INTO %s t USING (SELECT id FROM range(595, 605)) r ON t.id = r.id"
                        + " WHEN MATCHED AND t.id < 597 THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'm'"
                        + " WHEN NOT MATCHED THEN INSERT (id, p, s) VALUES (r.id, 0, 'n')",
                table);
        assertThat(summary(table))
                .containsEntry("calve.rows-updated", "3")
                .containsEntry("calve.rows-deleted", "2")
                .containsEntry("calve.rows-inserted", "5");

        SparkTestSession.spark().conf().set("spark.calve.update.mode", "copy-on-write");
        try {
            assertThat(Sql.rows("EXPLAIN %s", update).toString())
                    .contains("mode copy-on-write by spark.calve.update.mode");
            Sql.run("UPDATE %s SET s = 'y' WHERE id = 0", table);
            assertThat(summary(table))
                    .containsEntry("deleted-data-files", "1")
                    .containsEntry("calve.rows-copied", "199")
                    .containsEntry("calve.files-rewritten", "1")
                    .containsKey("calve.bytes-encoded")
                    .containsEntry("calve.rows-updated", "1");
            SparkTestSession.spark().conf().set("spark.calve.update.mode", "adaptive");
            assertThat(Sql.rows("EXPLAIN %s", update).toString())
                    .contains(
                            "mode adaptive by spark.calve.update.mode (files are written again from a share of 0.3 deleted"
                                    + " rows on, by write.calve.adaptive-threshold)");
            SparkTestSession.spark().conf().set("spark.calve.update.mode", "sometimes");
            assertThat(Sql.failure("UPDATE %s SET s = 'z' WHERE id = 0", table))
                    .contains(
                            "spark.calve.update.mode must be 'copy-on-write', 'merge-on-read' or 'adaptive', not 'sometimes'");
        } finally {
            SparkTestSession.spark().conf().unset("spark.calve.update.mode");
        }
    }

    @Test
    void fewRowsOfManyTasksBecomeOneFile() {
        String table = tables.in(Engine.CALVE, Sql.unique("few"));
        Sql.run(
                "CREATE TABLE %s (id bigint, s string) USING calve TBLPROPERTIES ('format-version' = '3',"
                        + " 'write.update.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read',"
                        + " 'read.split.open-file-cost' = '134217728')",
                table);
        for (int file = 0; file < 4; file++) {
            Sql.run(
                    "INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'a' FROM range(%d, %d)",
                    table, file * 200, file * 200 + 200);
        }
        String ids = "SELECT id, _row_id FROM %s ORDER BY id".formatted(table);
        List<String> rowIds = Sql.rows("%s", ids);

        Sql.run("UPDATE %s SET s = concat('u', id) WHERE id %% 50 = 3", table);
        assertThat(summary(table))
                .as("four tasks with four rows each")
                .containsEntry("added-data-files", "1")
                .containsEntry("added-dvs", "4")
                .containsEntry("calve.rows-updated", "16");
        Sql.run(
                "MERGE INTO %s t USING (SELECT id * 49 AS id FROM range(20)) r ON t.id = r.id"
                        + " WHEN MATCHED THEN UPDATE SET s = 'm' WHEN NOT MATCHED THEN INSERT (id, s) VALUES (r.id, NULL)",
                table);
        assertThat(summary(table))
                .containsEntry("added-data-files", "1")
                .containsEntry("calve.rows-updated", "17")
                .containsEntry("calve.rows-inserted", "3");
        assertThat(Sql.rows(
                        "SELECT count(*), count(s), sum(id), count_if(s = concat('u', id)), count_if(s = 'm') FROM %s",
                        table))
                .containsExactly("[803,800,322246,16,17]");
        assertThat(Sql.rows("%s", ids)).as("updated rows keep their ids").containsAll(rowIds);

        Sql.run(
                "UPDATE %s SET s = concat_ws('', transform(sequence(1, 100), i -> hex(xxhash64(id, i)))) WHERE id < 800",
                table);
        assertThat(Integer.parseInt(summary(table).get("added-data-files")))
                .as("each task has enough for a file")
                .isGreaterThanOrEqualTo(4);
        assertThat(Sql.rows("SELECT count(*), sum(octet_length(s)) FROM %s WHERE id < 800", table)
                        .toString())
                .startsWith("[[800,");
    }

    @Test
    void aMillionRowsForOnePartitionAreWrittenByFourTasks() {
        String table = tables.in(Engine.CALVE, Sql.unique("million"));
        Sql.run(
                "CREATE TABLE %s (id bigint, p int, s string) USING calve PARTITIONED BY (p) TBLPROPERTIES"
                        + " ('format-version' = '3', 'write.merge.mode' = 'merge-on-read')",
                table);
        Sql.run("INSERT INTO %s VALUES (-1, 1, 'a')", table);
        // What Spark would do by itself with four cores.
        var conf = SparkTestSession.spark().conf();
        String partitions = conf.get("spark.sql.shuffle.partitions");
        conf.set("spark.sql.shuffle.partitions", "8");
        conf.set("spark.sql.adaptive.coalescePartitions.minPartitionNum", "4");
        try {
            mergeAMillion(table);
        } finally {
            conf.set("spark.sql.shuffle.partitions", partitions);
            conf.unset("spark.sql.adaptive.coalescePartitions.minPartitionNum");
        }
        assertThat(summary(table))
                .containsEntry("calve.rows-inserted", "1000000")
                .containsEntry("calve.rows-deleted", "1");
        assertThat(Integer.parseInt(summary(table).get("added-data-files"))).isBetween(4, 16);
    }

    private static void mergeAMillion(String table) {
        Sql.run(
                "MERGE INTO %s t USING (SELECT id - 1 AS id FROM range(0, 1000001, 1, 4)) r ON t.id = r.id"
                        + " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p, s) VALUES (r.id, 1,"
                        + " concat(hex(xxhash64(r.id, 1)), hex(xxhash64(r.id, 2)), hex(xxhash64(r.id, 3))))",
                table);
    }

    private static String name(Engine engine, String table) {
        return table + (engine == Engine.CALVE ? "_ours" : "_theirs");
    }

    /** Spark adds and widens the columns before the statement; on 4.1 and later. */
    @Test
    void mergesWithSchemaEvolutionAsThePeerDoes() {
        String table = Sql.unique("evolving");
        for (Engine engine : Engine.values()) {
            String name = tables.in(engine, name(engine, table));
            Sql.run(
                    "CREATE TABLE %s (id bigint, n int, s struct<a: int>) USING %s TBLPROPERTIES ('format-version' = '3',"
                            + " 'write.merge.mode' = 'merge-on-read')",
                    name, engine.provider);
            Sql.run("INSERT INTO %s SELECT id, CAST(id AS int), named_struct('a', 1) FROM range(6)", name);
            Sql.run(
                    "MERGE WITH SCHEMA EVOLUTION INTO %s t USING (SELECT id, id * 5000000000 AS n,"
                            + " named_struct('a', 2, 'b', 'new') AS s, concat('x', id) AS extra FROM range(3, 9)) c ON t.id = c.id"
                            + " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
                    name);
            // Without the clause there is no such column.
            assertThat(Sql.failure(
                            "MERGE INTO %s t USING (SELECT 1L AS id, 2 AS more) c ON t.id = c.id"
                                    + " WHEN MATCHED THEN UPDATE SET more = c.more",
                            name))
                    .contains("more");
        }
        String ours = tables.in(Engine.CALVE, name(Engine.CALVE, table));
        String peers = tables.in(Engine.PEER, name(Engine.PEER, table));
        assertThat(SparkTestSession.spark().table(ours).schema())
                .isEqualTo(SparkTestSession.spark().table(peers).schema());
        assertThat(Sql.rows("SELECT * FROM " + ours))
                .isEqualTo(Sql.rows("SELECT * FROM " + peers))
                .hasSize(9);
        assertThat(Sql.rows("SELECT * FROM " + tables.in(Engine.PEER, name(Engine.CALVE, table))))
                .isEqualTo(Sql.rows("SELECT * FROM " + ours));
        Sql.run("ALTER TABLE %s SET TBLPROPERTIES ('write.spark.auto-schema-evolution.enabled' = 'false')", ours);
        assertThat(Sql.failure(
                        "MERGE WITH SCHEMA EVOLUTION INTO %s t USING (SELECT 1L AS id, 2 AS more) c ON t.id = c.id"
                                + " WHEN NOT MATCHED THEN INSERT *",
                        ours))
                .isNotEmpty();
        assertThat(SparkTestSession.spark().table(ours).schema().fieldNames()).doesNotContain("more");
    }
}
