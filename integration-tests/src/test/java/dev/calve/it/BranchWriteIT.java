package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements on branches: the branch moves as the peer reads it, and nothing else does. */
@Tag("iceberg-peer")
class BranchWriteIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("branch_writes");
    }

    private static String create(int version, String mode) {
        String name = Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s (id bigint, p int, s string) USING calve PARTITIONED BY (p) TBLPROPERTIES ('format-version' = '%d',"
                        + " 'write.delete.mode' = '%s', 'write.update.mode' = '%s', 'write.merge.mode' = '%s')",
                tables.in(Engine.CALVE, name), version, mode, mode, mode);
        Sql.run("INSERT INTO %s SELECT id, CAST(id %% 2 AS int), 'a' FROM range(20)", tables.in(Engine.CALVE, name));
        Sql.run("CALL lake.system.create_branch(table => 'branch_writes.%s', branch => 'dev')", name);
        return name;
    }

    private static List<String> byPeer(String table, String branch) {
        return Sql.rows("SELECT * FROM %s VERSION AS OF '%s'", tables.in(Engine.PEER, table), branch);
    }

    private static Map<String, Long> refs(String table) {
        var refs = new java.util.TreeMap<String, Long>();
        tables.table(table).refs().forEach((name, ref) -> refs.put(name, ref.snapshotId()));
        return refs;
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,copy-on-write"})
    void statementsMoveTheirBranchAlone(int version, String mode) {
        String name = create(version, mode);
        String main = tables.in(Engine.CALVE, name);
        String branch = main + ".branch_dev";
        List<String> onMain = Sql.rows("SELECT * FROM " + main);
        long head = refs(name).get("main");

        Sql.run("INSERT INTO %s VALUES (100, 0, 'new')", branch);
        Sql.run("DELETE FROM %s WHERE id < 3", branch);
        Sql.run("DELETE FROM %s WHERE id IN (SELECT max(id) - 1 FROM %s)", branch, main);
        Sql.run("UPDATE %s SET s = 'u' WHERE id BETWEEN 5 AND 6 OR id = 100", branch);
        Sql.run(
                "MERGE INTO %s t USING (SELECT * FROM VALUES (7L), (200L) AS s(id)) s ON t.id = s.id"
                        + " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p, s) VALUES (s.id, 1, 'm')",
                branch);
        List<String> expected = Sql.rows("SELECT * FROM (SELECT id, CAST(id %% 2 AS int), IF(id IN (5, 6), 'u', 'a')"
                + " FROM range(20) WHERE id >= 3 AND id NOT IN (7, 18)"
                + " UNION ALL VALUES (100L, 0, 'u'), (200L, 1, 'm'))");
        assertThat(Sql.rows("SELECT * FROM " + branch)).isEqualTo(expected);
        assertThat(byPeer(name, "dev")).isEqualTo(expected);

        Sql.run("INSERT OVERWRITE %s PARTITION (p = 1) SELECT 300, 'o'", branch);
        expected = Sql.rows(
                "SELECT * FROM (SELECT id, CAST(id %% 2 AS int), IF(id IN (5, 6), 'u', 'a')"
                        + " FROM range(20) WHERE id >= 3 AND id %% 2 = 0 AND id <> 18 UNION ALL VALUES (100L, 0, 'u'), (300L, 1, 'o'))");
        assertThat(byPeer(name, "dev")).isEqualTo(expected);
        assertThat(Sql.rows("SELECT * FROM " + branch)).isEqualTo(expected);

        assertThat(Sql.rows("SELECT * FROM " + main)).isEqualTo(onMain);
        assertThat(refs(name)).containsEntry("main", head);
        // What main does meanwhile is none of the branch's business, until it is published.
        Sql.run("DELETE FROM %s WHERE id = 19", main);
        assertThat(byPeer(name, "dev")).isEqualTo(expected);
        assertThat(Sql.failure("INSERT INTO %s VALUES (1, 1, 'x')", main + ".branch_nowhere"))
                .contains("nowhere");
        assertThat(Sql.failure("DELETE FROM %s VERSION AS OF '%d' WHERE id = 1", main, head))
                .isNotEmpty();
    }

    /** The statement's own query drops the branch, after the statement has begun and before it commits. */
    @Test
    void aBranchThatIsDroppedMeanwhileIsNotMadeAgain() {
        SparkSession spark = SparkTestSession.spark();
        String name = create(3, "merge-on-read");
        String branch = tables.in(Engine.CALVE, name) + ".branch_dev";
        spark.udf()
                .register(
                        "without_branch",
                        (org.apache.spark.sql.api.java.UDF1<Long, Long>) id -> {
                            synchronized (BranchWriteIT.class) {
                                if (refs(name).containsKey("dev")) {
                                    tables.table(name)
                                            .manageSnapshots()
                                            .removeBranch("dev")
                                            .commit();
                                }
                            }
                            return id;
                        },
                        org.apache.spark.sql.types.DataTypes.LongType);
        List<String> onMain = byPeer(name, "main");
        long head = refs(name).get("main");
        for (String statement : List.of(
                "INSERT INTO %s SELECT without_branch(id), 0, 'x' FROM range(3)",
                "INSERT OVERWRITE %s SELECT without_branch(id), 0, 'x' FROM range(3)",
                "DELETE FROM %s WHERE without_branch(id) = 3",
                "UPDATE %s SET s = 'x' WHERE without_branch(id) = 3",
                "MERGE INTO %s t USING (SELECT without_branch(id) AS id FROM range(3)) s ON t.id = s.id"
                        + " WHEN MATCHED THEN UPDATE SET s = 'x'")) {
            assertThat(Sql.failure(statement, branch))
                    .as(statement)
                    .contains("branch 'dev' was dropped since the statement began");
            assertThat(refs(name)).as(statement).containsOnly(Map.entry("main", head));
            Sql.run("CALL lake.system.create_branch(table => 'branch_writes.%s', branch => 'dev')", name);
        }
        assertThat(byPeer(name, "main")).isEqualTo(onMain);
    }

    @Test
    void aBranchBeginsInATableWithoutRows() {
        String name = Sql.unique("t");
        String table = tables.in(Engine.CALVE, name);
        Sql.run("CREATE TABLE %s (id bigint) USING calve TBLPROPERTIES ('format-version' = '2')", table);
        Sql.run("CALL lake.system.create_branch('branch_writes.%s', 'ours', min_snapshots_to_keep => 4)", name);
        tables.table(name).manageSnapshots().createBranch("theirs").commit();
        org.apache.iceberg.Table peer = tables.table(name);
        var ours = peer.snapshot(refs(name).get("ours"));
        var theirs = peer.snapshot(refs(name).get("theirs"));
        assertThat(peer.currentSnapshot()).isNull();
        assertThat(peer.refs().get("ours").minSnapshotsToKeep()).isEqualTo(4);
        assertThat(ours.operation()).isEqualTo(theirs.operation());
        assertThat(ours.parentId()).isNull();
        assertThat(ours.allManifests(peer.io())).isEmpty();
        assertThat(ours.summary()).containsAllEntriesOf(countsOf(theirs.summary()));
        Sql.run("INSERT INTO %s.branch_ours VALUES (1)", table);
        assertThat(byPeer(name, "ours")).containsExactly("[1]");
        assertThat(byPeer(name, "theirs")).isEmpty();
        assertThat(Sql.rows("SELECT * FROM " + table)).isEmpty();
        assertThat(Sql.failure("CALL lake.system.create_tag('branch_writes.%s', 'tag')", name))
                .contains("main has no snapshot yet");
    }

    private static Map<String, String> countsOf(Map<String, String> summary) {
        var counts = new java.util.TreeMap<>(summary);
        counts.keySet().removeIf(key -> !key.startsWith("total-") && !key.equals("changed-partition-count"));
        return counts;
    }

    @Test
    void anOptionNamesTheBranchAndMakesIt() throws Exception {
        String name = create(3, "merge-on-read");
        String main = tables.in(Engine.CALVE, name);
        long head = refs(name).get("main");
        SparkSession spark = SparkTestSession.spark();
        spark.sql("SELECT 50L AS id, 1 AS p, 'o' AS s")
                .writeTo(main)
                .option("branch", "made")
                .append();
        assertThat(refs(name)).containsEntry("main", head).containsKey("made");
        assertThat(byPeer(name, "made")).hasSize(21).contains("[50,1,o]");
        Sql.run("CALL lake.system.create_tag(table => 'branch_writes.%s', tag => 'fixed')", name);
        for (String other : List.of("fixed", "made")) {
            try {
                spark.sql("SELECT 50L AS id, 1 AS p, 'o' AS s")
                        .writeTo(other.equals("made") ? main + ".branch_dev" : main)
                        .option("branch", other)
                        .append();
                throw new AssertionError("This must fail: " + other);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("Cannot write to").hasMessageContaining(other);
            }
        }
    }

    @Test
    void aBranchIsOverwrittenFromAnother() {
        String name = create(3, "merge-on-read");
        String main = tables.in(Engine.CALVE, name);
        Sql.run("INSERT INTO %s.branch_dev VALUES (500, 1, 'own')", main);
        // What main does is no concurrent change of the branch, nor are the branch's own commits since it began.
        Sql.run("INSERT OVERWRITE %s.branch_dev SELECT * FROM %s", main, main);
        assertThat(byPeer(name, "dev")).isEqualTo(byPeer(name, "main"));
        Sql.run("INSERT OVERWRITE %s.branch_dev SELECT id, p, 'b' FROM %s VERSION AS OF 'dev'", main, main);
        assertThat(Sql.rows("SELECT DISTINCT s FROM %s.branch_dev", main)).containsExactly("[b]");
        assertThat(Sql.rows("SELECT DISTINCT s FROM %s", main)).containsExactly("[a]");
    }

    @Test
    void aTableIsReplacedOnMainAlone() {
        String name = create(3, "merge-on-read");
        String main = tables.in(Engine.CALVE, name);
        List<String> rows = Sql.rows("SELECT * FROM " + main);
        SparkSession spark = SparkTestSession.spark();
        try {
            spark.sql("SELECT 1L AS id")
                    .writeTo(main)
                    .using("calve")
                    .option("branch", "dev")
                    .createOrReplace();
            throw new AssertionError("This must fail.");
        } catch (UnsupportedOperationException e) {
            assertThat(e).hasMessageContaining("on branch 'dev'");
        }
        Sql.run("ALTER TABLE %s SET TBLPROPERTIES ('write.wap.enabled' = 'true')", main);
        spark.conf().set("spark.wap.branch", "audit");
        try {
            assertThat(Sql.failure("CREATE OR REPLACE TABLE %s USING calve AS SELECT 1L AS id", main))
                    .contains("spark.wap.branch", "INSERT OVERWRITE");
        } finally {
            spark.conf().unset("spark.wap.branch");
        }
        assertThat(Sql.rows("SELECT * FROM " + main)).isEqualTo(rows);
        assertThat(byPeer(name, "dev")).isEqualTo(rows);
    }

    @Test
    void aSessionWorksOnABranchUntilItIsPublished() {
        String name = create(3, "merge-on-read");
        String main = tables.in(Engine.CALVE, name);
        Sql.run("ALTER TABLE %s SET TBLPROPERTIES ('write.wap.enabled' = 'true')", main);
        List<String> onMain = byPeer(name, "main");
        SparkSession spark = SparkTestSession.spark();
        spark.conf().set("spark.wap.branch", "audit");
        try {
            assertThat(Sql.rows("SELECT * FROM " + main)).isEqualTo(onMain);
            Sql.run("DELETE FROM %s WHERE id = 4", main);
            Sql.run("UPDATE %s SET s = 'audited' WHERE id = 5", main);
            assertThat(Sql.rows("SELECT s FROM %s WHERE id IN (4, 5)", main)).containsExactly("[audited]");
            assertThat(byPeer(name, "main")).isEqualTo(onMain);
            assertThat(byPeer(name, "audit")).hasSize(19);
            assertThat(Sql.count(main + ".branch_dev")).isEqualTo(20);
            Sql.run(
                    "CREATE TABLE %s_new USING calve TBLPROPERTIES ('write.wap.enabled' = 'true') AS SELECT 1 AS id",
                    main);
            assertThat(Sql.rows("SELECT * FROM %s_new", main)).containsExactly("[1]");
            assertThat(refs(name + "_new")).containsOnlyKeys("audit");
            assertThat(byPeer(name + "_new", "audit")).containsExactly("[1]");
        } finally {
            spark.conf().unset("spark.wap.branch");
        }
        assertThat(Sql.rows("SELECT * FROM " + main)).isEqualTo(onMain);
        Sql.run("CALL lake.system.fast_forward(table => 'branch_writes.%s', branch => 'main', to => 'audit')", name);
        assertThat(Sql.count(main)).isEqualTo(19);
    }
}
