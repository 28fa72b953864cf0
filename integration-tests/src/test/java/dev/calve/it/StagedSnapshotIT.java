package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots that no branch has: what one engine stages the other publishes, by the peer's rules. */
@Tag("iceberg-peer")
class StagedSnapshotIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("staged");
    }

    private static String create(int version) {
        String name = Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s (id bigint, p int, s string) USING calve PARTITIONED BY (p) TBLPROPERTIES"
                        + " ('format-version' = '%d', 'write.wap.enabled' = 'true', 'write.delete.mode' = 'merge-on-read',"
                        + " 'write.update.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read')",
                tables.in(Engine.CALVE, name), version);
        Sql.run("INSERT INTO %s SELECT id, CAST(id %% 2 AS int), 'a' FROM range(10)", tables.in(Engine.CALVE, name));
        return name;
    }

    private static void stage(String id, String statement, Object... arguments) {
        SparkSession spark = SparkTestSession.spark();
        spark.conf().set("spark.wap.id", id);
        try {
            Sql.run(statement, arguments);
        } finally {
            spark.conf().unset("spark.wap.id");
        }
    }

    private static String publish(Engine engine, String table, String id) {
        return "CALL %s.system.publish_changes('staged.%s', '%s')".formatted(catalog(engine), table, id);
    }

    private static String pick(Engine engine, String table, long id) {
        return "CALL %s.system.cherrypick_snapshot('staged.%s', %dL)".formatted(catalog(engine), table, id);
    }

    private static String catalog(Engine engine) {
        return engine == Engine.CALVE ? SparkTestSession.LAKE : SparkTestSession.PEER;
    }

    private static Snapshot staged(Table table, String id) {
        for (Snapshot snapshot : table.snapshots()) {
            if (id.equals(snapshot.summary().get("wap.id"))) {
                return snapshot;
            }
        }
        throw new AssertionError("Nothing is staged as " + id);
    }

    /** Rows of the head of main as the peer reads them. */
    private static List<String> main(String name) {
        List<String> rows = Sql.rows("SELECT * FROM " + tables.in(Engine.PEER, name));
        assertThat(Sql.rows("SELECT * FROM " + tables.in(Engine.CALVE, name))).isEqualTo(rows);
        return rows;
    }

    @Test
    void everyStatementIsStagedAndMainStaysWhereItIs() {
        String name = create(3);
        String table = tables.in(Engine.CALVE, name);
        List<String> before = main(name);
        stage("insert", "INSERT INTO %s VALUES (100, 0, 'new')", table);
        stage("delete", "DELETE FROM %s WHERE id < 3", table);
        stage("subquery", "DELETE FROM %s WHERE id IN (SELECT max(id) FROM %s)", table, table);
        stage("update", "UPDATE %s SET s = 'u' WHERE id = 4", table);
        stage(
                "merge",
                "MERGE INTO %s t USING (SELECT 5L AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = 'm'",
                table);
        stage("overwrite", "INSERT OVERWRITE %s SELECT id, p, 'o' FROM %s WHERE p = 1", table, table);
        stage("truncate", "TRUNCATE TABLE %s", table);
        stage("branch", "INSERT INTO %s.branch_main VALUES (101, 0, 'new')", table);

        Table peer = tables.table(name);
        assertThat(main(name)).isEqualTo(before);
        assertThat(peer.refs()).containsOnlyKeys("main");
        Map<String, Long> rows = new TreeMap<>();
        for (Snapshot snapshot : peer.snapshots()) {
            if (snapshot.summary().containsKey("wap.id")) {
                assertThat(snapshot.parentId()).isEqualTo(peer.currentSnapshot().snapshotId());
                rows.put(
                        snapshot.summary().get("wap.id"),
                        Sql.rows(
                                                        "SELECT * FROM %s VERSION AS OF %d",
                                                        tables.in(Engine.PEER, name), snapshot.snapshotId())
                                                .stream()
                                                .filter(row -> !before.contains(row))
                                                .count()
                                        * 100
                                + Sql.count(table + ".snapshot_id_" + snapshot.snapshotId()));
            }
        }
        // New rows times 100 and all rows.
        assertThat(rows)
                .containsOnly(
                        Map.entry("insert", 111L),
                        Map.entry("delete", 7L),
                        Map.entry("subquery", 9L),
                        Map.entry("update", 110L),
                        Map.entry("merge", 110L),
                        Map.entry("overwrite", 505L),
                        Map.entry("truncate", 0L),
                        Map.entry("branch", 111L));

        // What changes rows can only go on from where it began.
        long update = staged(peer, "update").snapshotId();
        assertThat(Sql.rows(publish(Engine.PEER, name, "update"))).containsExactly("[" + update + "," + update + "]");
        assertThat(main(name)).hasSize(10).contains("[4,0,u]");
        for (Engine engine : Engine.values()) {
            assertThat(Sql.failure(publish(engine, name, "delete"))).containsIgnoringCase("cannot");
            assertThat(Sql.failure(publish(engine, name, "update"))).containsIgnoringCase("cannot");
            assertThat(Sql.failure(publish(engine, name, "nothing"))).contains("nothing");
            assertThat(Sql.failure(pick(engine, name, 5))).contains("5");
        }
        assertThat(Sql.rows(publish(Engine.CALVE, name, "insert"))).hasSize(1);
        assertThat(main(name)).hasSize(11).contains("[4,0,u]", "[100,0,new]");
        String both = Sql.unique("both");
        SparkTestSession.spark().conf().set("spark.wap.branch", both);
        try {
            SparkTestSession.spark().conf().set("spark.wap.id", both);
            assertThat(Sql.failure("INSERT INTO %s VALUES (1, 1, 'x')", table)).contains("set one of them");
            // A table that is replaced must not lose its rows to a snapshot nobody sees.
            String plain = Sql.unique("plain");
            SparkTestSession.spark().conf().unset("spark.wap.branch");
            Sql.run("CREATE TABLE %s USING calve AS SELECT 1 AS id", tables.in(Engine.CALVE, plain));
            assertThat(Sql.failure(
                            "CREATE OR REPLACE TABLE %s USING calve TBLPROPERTIES ('write.wap.enabled' = 'true') AS SELECT 2 AS id",
                            tables.in(Engine.CALVE, plain)))
                    .contains("Cannot replace", "unset spark.wap.id");
            assertThat(main(plain)).containsExactly("[1]");
        } finally {
            SparkTestSession.spark().conf().unset("spark.wap.branch");
            SparkTestSession.spark().conf().unset("spark.wap.id");
        }
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void appendsAndOverwritesOfPartitionsArePublishedByEitherEngine(Engine stages) {
        int version = stages == Engine.CALVE ? 3 : 2;
        Map<Engine, String> twins = Map.of(Engine.CALVE, create(version), Engine.PEER, create(version));
        Map<Engine, List<Map<String, String>>> summaries = new TreeMap<>();
        twins.forEach((publishes, name) -> {
            String table = tables.in(stages, name);
            SparkSession spark = SparkTestSession.spark();
            stage("one", "INSERT INTO %s VALUES (100, 0, 'one'), (101, 1, 'one')", table);
            stage("two", "INSERT INTO %s VALUES (200, 0, 'two')", table);
            spark.conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
            try {
                stage("part", "INSERT OVERWRITE %s VALUES (300, 1, 'part')", table);
                stage("late", "INSERT OVERWRITE %s VALUES (400, 0, 'late')", table);
            } finally {
                spark.conf().unset("spark.sql.sources.partitionOverwriteMode");
            }
            Table peer = tables.table(name);
            long one = staged(peer, "one").snapshotId();
            assertThat(Sql.rows(publish(publishes, name, "one"))).containsExactly("[" + one + "," + one + "]");
            assertThat(Sql.rows(publish(publishes, name, "two"))).hasSize(1);
            assertThat(main(name)).hasSize(13);
            String conflict = Sql.failure(publish(publishes, name, "part"));
            assertThat(conflict)
                    .contains(
                            publishes == Engine.CALVE
                                    ? List.of("was added by snapshot", "run anew what the snapshot did")
                                    : List.of("partition"));
            for (String again : List.of("one", "two")) {
                assertThat(Sql.failure(publish(publishes, name, again))).contains(again);
            }
            Sql.run("DELETE FROM %s WHERE p = 1", tables.in(Engine.PEER, name));
            stage("three", "INSERT INTO %s VALUES (500, 1, 'three')", table);
            spark.conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
            try {
                stage("four", "INSERT OVERWRITE %s VALUES (600, 0, 'four')", table);
            } finally {
                spark.conf().unset("spark.sql.sources.partitionOverwriteMode");
            }
            Sql.run("INSERT INTO %s VALUES (700, 1, 'main')", tables.in(stages.other(), name));
            peer.refresh();
            assertThat(Sql.rows(pick(publishes, name, staged(peer, "four").snapshotId())))
                    .hasSize(1);
            assertThat(Sql.rows(publish(publishes, name, "three"))).hasSize(1);
            assertThat(main(name)).containsExactly("[500,1,three]", "[600,0,four]", "[700,1,main]");
            peer.refresh();
            Snapshot three = peer.currentSnapshot();
            Snapshot four = peer.snapshot(three.parentId());
            assertThat(three.summary())
                    .containsEntry("published-wap-id", "three")
                    .containsEntry(
                            "source-snapshot-id", "" + staged(peer, "three").snapshotId())
                    .doesNotContainKey("wap.id");
            summaries.put(publishes, List.of(counted(three), counted(four)));
        });
        assertThat(summaries.get(Engine.CALVE)).isEqualTo(summaries.get(Engine.PEER));
    }

    /** What the two engines must say alike. */
    private static Map<String, String> counted(Snapshot snapshot) {
        Map<String, String> entries = new TreeMap<>(snapshot.summary());
        entries.put("operation", snapshot.operation());
        entries.keySet()
                .removeIf(key -> key.startsWith("calve")
                        || key.startsWith("iceberg")
                        || key.startsWith("engine")
                        || key.contains("size")
                        || key.startsWith("manifests")
                        || key.contains("app")
                        || key.equals("source-snapshot-id"));
        return entries;
    }

    @Test
    void anIdThatWasStagedTwiceIsNotPublished() {
        String name = create(2);
        String table = tables.in(Engine.CALVE, name);
        stage("twice", "INSERT INTO %s VALUES (100, 0, 'one')", table);
        stage("twice", "INSERT INTO %s VALUES (200, 0, 'two')", table);
        assertThat(Sql.failure(publish(Engine.CALVE, name, "twice"))).contains("several snapshots");
        for (Snapshot snapshot : tables.table(name).snapshots()) {
            if (snapshot.summary().containsKey("wap.id") && snapshot.sequenceNumber() == 2) {
                Sql.run(pick(Engine.CALVE, name, snapshot.snapshotId()));
            }
        }
        assertThat(main(name)).hasSize(11);
        for (Engine engine : Engine.values()) {
            for (Snapshot snapshot : tables.table(name).snapshots()) {
                if (snapshot.sequenceNumber() == 3) {
                    assertThat(Sql.failure(pick(engine, name, snapshot.snapshotId())))
                            .contains("twice");
                }
            }
        }
        // Not asked for by the table, the setting means nothing.
        Sql.run("ALTER TABLE %s UNSET TBLPROPERTIES ('write.wap.enabled')", table);
        stage("ignored", "INSERT INTO %s VALUES (900, 0, 'shown')", table);
        assertThat(main(name)).contains("[900,0,shown]");
    }
}
