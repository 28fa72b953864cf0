package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tables that take the place of others, as the peer replaces them. */
@Tag("iceberg-peer")
class ReplaceTableIT {

    private static final SparkSession SPARK = SparkTestSession.spark();
    private static final String NAMESPACE = "replaced";

    /** What a task does in the middle of a statement. */
    private static final AtomicReference<Runnable> MEANWHILE = new AtomicReference<>(() -> {});

    @BeforeAll
    static void prepares() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.%s", NAMESPACE);
        SPARK.udf().register("meanwhile", (UDF1<Long, Long>) ReplaceTableIT::meanwhile, DataTypes.LongType);
    }

    private static Long meanwhile(Long value) {
        MEANWHILE.getAndSet(() -> {}).run();
        return value;
    }

    private static String name() {
        return NAMESPACE + "." + Sql.unique("t");
    }

    private static Table peerTable(String table) {
        return new HadoopCatalog(
                        SPARK.sessionState().newHadoopConf(),
                        SparkTestSession.warehouse().toString())
                .loadTable(TableIdentifier.parse(table));
    }

    private static FolderState state(String table) {
        return FolderState.of(SparkTestSession.warehouse().resolve(table.replace('.', '/')));
    }

    /** A table with a history: two snapshots, a tag and a branch, a partition spec. Made by the peer. */
    private static String table(int version) {
        String table = name();
        Sql.run(
                "CREATE TABLE peer.%s (id int, name string, price decimal(8,2), s struct<a: int, b: string>)"
                        + " USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version'='%d', 'k'='old',"
                        + " 'kept'='yes')",
                table, version);
        Sql.run("INSERT INTO peer.%s SELECT id, concat('n', id), id / 2, struct(id, 'x') FROM range(6)", table);
        Sql.run("INSERT INTO peer.%s SELECT id, concat('n', id), id / 2, struct(id, 'y') FROM range(6, 9)", table);
        Table peer = peerTable(table);
        peer.manageSnapshots()
                .createTag("before", peer.currentSnapshot().parentId())
                .createBranch("audit", peer.currentSnapshot().snapshotId())
                .commit();
        return table;
    }

    private static List<String> specs(Table table) {
        var specs = new ArrayList<String>();
        table.specs().forEach((id, spec) -> {
            specs.add(id + ":" + (id == table.spec().specId() ? " default" : ""));
            for (PartitionField field : spec.fields()) {
                specs.add(field.fieldId() + " " + field.name() + " " + field.transform() + " " + field.sourceId());
            }
        });
        return specs;
    }

    /** The same statement, run by each engine on a twin, leaves the same table. */
    private static void assertSame(String ours, String theirs, String statement) {
        List<Long> before = ids(ours);
        Sql.run("%s", statement.replace("{t}", "lake." + ours));
        Sql.run("%s", statement.replace("{t}", "peer." + theirs));
        Table our = peerTable(ours);
        Table their = peerTable(theirs);
        assertThat(our.schema().asStruct())
                .as(statement)
                .isEqualTo(their.schema().asStruct());
        assertThat(our.schemas().keySet())
                .as(statement)
                .isEqualTo(their.schemas().keySet());
        assertThat(specs(our)).as(statement).isEqualTo(specs(their));
        assertThat(our.sortOrder()).as(statement).isEqualTo(their.sortOrder());
        assertThat(our.properties()).as(statement).isEqualTo(their.properties());
        assertThat(our.refs().keySet()).as(statement).isEqualTo(their.refs().keySet());
        assertThat(our.history()).as(statement).hasSameSizeAs(their.history());
        assertThat(ids(ours)).as(statement).containsAll(before).hasSameSizeAs(ids(theirs));
        assertThat(our.currentSnapshot() == null).isEqualTo(their.currentSnapshot() == null);
        if (our.currentSnapshot() != null) {
            assertThat(our.currentSnapshot().parentId()).isNull();
        }
        String all = "SELECT * FROM ";
        for (String engine : List.of("lake.", "peer.")) {
            assertThat(Sql.rows(all + engine + ours))
                    .as("%s %s", engine, statement)
                    .isEqualTo(Sql.rows(all + engine + theirs));
            assertThat(Sql.rows(all + engine + ours + ".tag_before"))
                    .as("%s %s", engine, statement)
                    .isEqualTo(Sql.rows(all + "peer." + theirs + ".tag_before"))
                    .hasSize(6);
        }
    }

    private static List<Long> ids(String table) {
        var ids = new ArrayList<Long>();
        for (Snapshot snapshot : peerTable(table).snapshots()) {
            ids.add(snapshot.snapshotId());
        }
        return ids;
    }

    @Test
    void replacesATableAsThePeerDoes() {
        for (int version : List.of(2, 3)) {
            String ours = table(version);
            String theirs = table(version);
            assertSame(
                    ours,
                    theirs,
                    "CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (truncate(2, name)) TBLPROPERTIES ('k'='new')"
                            + " AS SELECT 'later' AS added, name, id FROM {t} WHERE id > 2");
            assertSame(ours, theirs, "REPLACE TABLE {t} USING iceberg AS SELECT id, s FROM {t} VERSION AS OF 'before'");
            assertSame(
                    ours,
                    theirs,
                    "CREATE OR REPLACE TABLE {t} (id bigint, s struct<a: bigint, c: date>, price decimal(10,2))"
                            + " USING iceberg PARTITIONED BY (bucket(4, id), id)");
            Sql.run("INSERT INTO lake.%s SELECT 1L, struct(2L, NULL), 3", ours);
            Sql.run("INSERT INTO peer.%s SELECT 1L, struct(2L, NULL), 3", theirs);
            assertSame(ours, theirs, "REPLACE TABLE {t} (id bigint, other string) USING iceberg");
        }
    }

    /** The peer goes on with the id whatever the type, so that a branch from before cannot be read any more. */
    @Test
    void aColumnOfAnotherTypeIsAnotherColumn() {
        String table = table(2);
        Sql.run(
                "CREATE OR REPLACE TABLE lake.%s PARTITIONED BY (id) AS SELECT 'text' AS id, name FROM lake.%s",
                table, table);
        Types.NestedField id = peerTable(table).schema().findField("id");
        assertThat(id.fieldId()).isGreaterThan(6);
        for (String engine : List.of("lake.", "peer.")) {
            assertThat(Sql.rows("SELECT id, name FROM %s%s.branch_audit WHERE name < 'n2'", engine, table))
                    .containsExactly("[null,n0]", "[null,n1]");
            assertThat(Sql.rows("SELECT id FROM %s%s VERSION AS OF 'before' WHERE id = 3", engine, table))
                    .containsExactly("[3]");
            assertThat(Sql.rows("SELECT DISTINCT id FROM %s%s WHERE id = 'text'", engine, table))
                    .containsExactly("[text]");
        }
    }

    @Test
    void dataFramesCreateAndReplace() throws Exception {
        String table = name();
        SPARK.range(3).toDF("id").writeTo("lake." + table).createOrReplace();
        assertThat(Sql.longs("SELECT id FROM lake.%s", table)).containsExactly(0L, 1L, 2L);
        String uuid = peerTable(table).uuid().toString();
        SPARK.range(5, 7)
                .toDF("key")
                .writeTo("lake." + table)
                .tableProperty("k", "v")
                .partitionedBy(org.apache.spark.sql.functions.col("key"))
                .replace();
        assertThat(Sql.longs("SELECT key FROM lake.%s", table)).containsExactly(5L, 6L);
        SPARK.range(7, 9).toDF("key").writeTo("lake." + table).createOrReplace();
        assertThat(Sql.longs("SELECT key FROM peer.%s", table)).containsExactly(7L, 8L);
        SPARK.range(9, 10).toDF("key").write().mode("overwrite").saveAsTable("lake." + table);
        assertThat(Sql.longs("SELECT key FROM peer.%s", table)).containsExactly(9L);
        Table peer = peerTable(table);
        assertThat(peer.uuid()).hasToString(uuid);
        assertThat(peer.properties()).containsEntry("k", "v");
        assertThat(ids(table)).hasSize(4);
        assertThat(Sql.longs(
                        "SELECT id FROM lake.%s VERSION AS OF %d",
                        table, ids(table).get(0)))
                .containsExactly(0L, 1L, 2L);
    }

    @Test
    void aTableThatIsNotThereIsCreatedOrMissed() {
        String missing = name();
        assertThat(Sql.failure("REPLACE TABLE lake.%s AS SELECT 1 AS x", missing))
                .contains("TABLE_OR_VIEW_NOT_FOUND");
        assertThat(Sql.failure("REPLACE TABLE lake.%s (x INT)", missing)).contains("TABLE_OR_VIEW_NOT_FOUND");
        Sql.run("CREATE OR REPLACE TABLE lake.%s (x INT)", missing);
        String failed = name();
        assertThat(Sql.rows("SELECT * FROM peer.%s", missing)).isEmpty();
        assertThat(Sql.failure(
                        "CREATE OR REPLACE TABLE lake.%s AS SELECT CAST(raise_error('boom') AS INT) AS x", failed))
                .contains("boom");
        assertThat(state(failed).files()).isEmpty();
        assertThat(Sql.failure("SELECT * FROM lake.%s", failed)).contains("TABLE_OR_VIEW_NOT_FOUND");
    }

    @Test
    void whatFailsLeavesTheTableAndNoFile() {
        String table = table(3);
        FolderState before = state(table);
        for (List<String> failing : List.of(
                List.of("AS SELECT if(id > 3, raise_error('boom'), id) AS id FROM lake.{t}", "boom"),
                List.of("(id INT) TBLPROPERTIES ('write.delete.mode'='mor')", "write.delete.mode"),
                List.of("(id INT) TBLPROPERTIES ('format-version'='2')", "can only be raised"),
                List.of("(id INT) LOCATION '/tmp/elsewhere'", "LOCATION of table"),
                List.of("(id INT) USING orc", "USING orc"),
                List.of("(id INT) PARTITIONED BY (truncate(2, missing))", "missing"))) {
            assertThat(Sql.failure(
                            "%s",
                            "CREATE OR REPLACE TABLE lake." + table + " "
                                    + failing.get(0).replace("{t}", table)))
                    .as("%s", failing)
                    .contains(failing.get(1));
            assertThat(state(table)).as("%s", failing).isEqualTo(before);
        }
    }

    @Test
    void aCommitOfSomebodyElseMeanwhileMakesItFailAndStays() {
        String table = table(2);
        for (Map.Entry<String, String> statement : Map.of(
                        "CREATE OR REPLACE TABLE lake.%s AS SELECT meanwhile(id) AS id FROM range(0, 3, 1, 1)",
                        "CREATE OR REPLACE",
                        "REPLACE TABLE lake.%s AS SELECT meanwhile(id) AS id FROM range(0, 3, 1, 1)",
                        "REPLACE")
                .entrySet()) {
            AtomicReference<FolderState> theirs = new AtomicReference<>();
            MEANWHILE.set(() -> {
                peerTable(table)
                        .updateProperties()
                        .set("by", statement.getValue())
                        .commit();
                theirs.set(state(table));
            });
            assertThat(Sql.failure(statement.getKey(), table))
                    .contains("Cannot commit REPLACE TABLE to lake." + table)
                    .contains("changed since the statement began")
                    .contains("Nothing was changed; run the statement again");
            assertThat(state(table)).isEqualTo(theirs.get());
            assertThat(Sql.count("lake." + table)).isEqualTo(9);
        }
    }

    @Test
    void aCachedTableIsNotAnsweredFromTheOldRows() {
        String table = table(2);
        Sql.run("CACHE TABLE lake.%s", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(9);
        Sql.run("CREATE OR REPLACE TABLE lake.%s AS SELECT 1L AS one", table);
        assertThat(Sql.rows("SELECT * FROM lake.%s", table)).containsExactly("[1]");
        Sql.run("UNCACHE TABLE IF EXISTS lake.%s", table);
    }
}
