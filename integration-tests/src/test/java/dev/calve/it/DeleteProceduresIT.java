package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitConflictException;
import dev.calve.it.PeerTables.Engine;
import dev.calve.spark.Deletes;
import dev.calve.spark.rowlevel.DeletePlan;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Deletes that are counted first, and deletes by key: what is left is what the peer reads. */
@Tag("iceberg-peer")
class DeleteProceduresIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("deletes");
    }

    /** Two files of 10 rows, one per partition; v is null in every fifth row. */
    private static String create(int version, String mode) {
        String name = Sql.unique("t");
        Engine creates = version == 1 ? Engine.PEER : Engine.CALVE;
        Sql.run(
                "CREATE TABLE %s (id bigint, p int, v int) USING %s PARTITIONED BY (p) TBLPROPERTIES"
                        + " ('format-version' = '%d', 'write.delete.mode' = '%s')",
                tables.in(creates, name), version == 1 ? "iceberg" : "calve", version, mode);
        Sql.run(
                "INSERT INTO %s SELECT /*+ COALESCE(1) */ id, CAST(id %% 2 AS int), IF(id %% 5 = 0, NULL, CAST(id AS int))"
                        + " FROM range(20)",
                tables.in(Engine.CALVE, name));
        return name;
    }

    private static List<String> both(String name) {
        List<String> rows = Sql.rows("SELECT * FROM " + tables.in(Engine.PEER, name));
        assertThat(Sql.rows("SELECT * FROM " + tables.in(Engine.CALVE, name))).isEqualTo(rows);
        return rows;
    }

    private static List<Row> plan(String name, String where, boolean keep) {
        return SparkTestSession.spark()
                .sql("CALL lake.system.plan_delete(table => 'deletes.%s', where => \"%s\", keep => %s)"
                        .formatted(name, where, keep))
                .orderBy("file_path")
                .collectAsList();
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "2,copy-on-write", "1,copy-on-write"})
    void whatIsCountedIsWhatIsDeleted(int version, String mode) {
        String name = create(version, mode);
        String table = tables.in(Engine.CALVE, name);
        Sql.run("DELETE FROM %s WHERE id IN (0, 1)", table);
        List<String> before = both(name);
        int files = tables.table(name).currentSnapshot() == null ? 0 : filesOnDisk(name);

        // Null is no match, neither for a comparison nor for its opposite.
        List<Row> planned = plan(name, "NOT (v > 3)", true);
        assertThat(planned).hasSize(2);
        for (Row file : planned) {
            assertThat(file.getLong(1)).isEqualTo(1);
            assertThat(file.getLong(2)).isEqualTo(mode.equals("copy-on-write") ? 0 : 1);
            assertThat(file.getLong(3)).isEqualTo(9);
            assertThat(file.getString(4)).isEqualTo("some rows");
            assertThat(file.getString(5)).isEqualTo(mode);
            assertThat(file.getString(6)).isEqualTo(planned.get(0).getString(6));
        }
        List<Row> whole = plan(name, "p = 1", false);
        assertThat(whole).hasSize(1);
        assertThat(whole.get(0).getLong(1)).isEqualTo(9);
        assertThat(whole.get(0).getString(4)).isEqualTo("whole file");
        assertThat(whole.get(0).getString(5)).isEqualTo("metadata");
        assertThat(whole.get(0).isNullAt(6)).isTrue();
        assertThat(plan(name, "id > 1000", true)).isEmpty();
        assertThat(both(name)).isEqualTo(before);
        assertThat(filesOnDisk(name)).isEqualTo(files);

        String id = planned.get(0).getString(6);
        List<Row> committed = SparkTestSession.spark()
                .sql("CALL lake.system.commit_delete('" + id + "')")
                .collectAsList();
        assertThat(committed.get(0).getLong(0))
                .isEqualTo(tables.table(name).currentSnapshot().snapshotId());
        assertThat(committed.get(0).getLong(1)).isEqualTo(2);
        assertThat(both(name))
                .isEqualTo(before.stream()
                        .filter(row -> !row.equals("[2,0,2]") && !row.equals("[3,1,3]"))
                        .toList());
        assertThat(Sql.failure("CALL lake.system.commit_delete('%s')", id)).contains("There is no plan '" + id + "'");

        for (String every : List.of("1 = 1", "id >= 0", "v IS NULL OR v IS NOT NULL")) {
            assertThat(plan(name, every, false)).as(every).hasSize(2);
        }
        for (String none : List.of("false", "CAST(NULL AS BOOLEAN)", "id = NULL", "1 = 2")) {
            assertThat(plan(name, none, false)).as(none).isEmpty();
        }
        List<Row> all = plan(name, "true", true);
        assertThat(all).extracting(row -> row.getLong(1)).containsExactly(8L, 8L);
        Sql.run("CALL lake.system.commit_delete('%s')", all.get(0).getString(6));
        assertThat(both(name)).isEmpty();
    }

    private static int filesOnDisk(String name) {
        try (var files = java.nio.file.Files.walk(
                SparkTestSession.warehouse().resolve("deletes").resolve(name).resolve("data"))) {
            return (int) files.count();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aPlanIsHeldAgainstWhatHappenedSince() {
        SparkSession spark = SparkTestSession.spark();
        String name = create(3, "merge-on-read");
        String table = tables.in(Engine.CALVE, name);
        DeletePlan plan = Deletes.plan(spark, table, "id BETWEEN 4 AND 7");
        assertThat(plan.matchedRows()).isEqualTo(4);
        // Other rows of the same files.
        Sql.run("DELETE FROM %s WHERE id IN (10, 11)", tables.in(Engine.PEER, name));
        assertThat(Deletes.commit(spark, plan).committed()).isPresent();
        assertThat(both(name)).hasSize(14).doesNotContain("[4,0,4]", "[7,1,7]", "[10,0,null]");
        assertThatThrownBy(() -> plan.commit(spark)).isInstanceOf(IllegalStateException.class);

        // One of the counted rows is gone: it would be one less.
        DeletePlan overlapping = Deletes.plan(spark, table, "id IN (12, 13)");
        Sql.run("DELETE FROM %s WHERE id = 12", table);
        assertThatThrownBy(() -> overlapping.commit(spark)).isInstanceOf(CommitConflictException.class);
        // A row was added that would have been counted.
        DeletePlan outdated = Deletes.plan(spark, table, "id >= 14");
        Sql.run("INSERT INTO %s VALUES (30, 0, 30)", table);
        assertThatThrownBy(() -> outdated.commit(spark))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("may hold rows the statement selects");
        DeletePlan compacted = Deletes.plan(spark, table, "id = 14");
        Sql.run(
                "CALL lake.system.rewrite_data_files(table => 'deletes.%s', options => map('rewrite-all', 'true'))",
                name);
        assertThatThrownBy(() -> compacted.commit(spark)).isInstanceOf(CommitConflictException.class);
        assertThat(both(name)).hasSize(14).contains("[13,1,13]", "[14,0,14]", "[30,0,30]");

        assertThat(Sql.failure(
                        "CALL lake.system.plan_delete('deletes.%s', 'id IN (SELECT max(id) FROM lake.deletes.%s)')",
                        name, name))
                .contains("only a query can find these rows");
        assertThat(Sql.failure("CALL lake.system.plan_delete('deletes.%s', 'upper(v) = 1')", name))
                .contains("such as a subquery or a function");
        assertThat(Sql.failure("CALL lake.system.plan_delete('deletes.%s', 'id = 1) OR (true')", name))
                .contains("where must be a condition");
        assertThat(Sql.failure("CALL lake.system.plan_delete('deletes.%s', 'nothing = 1')", name))
                .contains("nothing");
        assertThat(Sql.failure("CALL lake.system.commit_delete('x')")).contains("There is no plan 'x'");
    }

    /** What was counted is read again to be written again, if it is still there. */
    @Test
    void aPlanWhoseFilesAreGoneIsAConflict() {
        SparkSession spark = SparkTestSession.spark();
        String name = create(2, "copy-on-write");
        String table = tables.in(Engine.CALVE, name);
        String expired = plan(name, "id = 4", true).get(0).getString(6);
        String elsewhere = plan(name, "id = 8", true).get(0).getString(6);
        Sql.run("UPDATE %s SET v = 100 WHERE id >= 0", table);
        Sql.run(
                "CALL peer.system.expire_snapshots(table => 'deletes.%s', older_than => TIMESTAMP '2100-01-01 00:00:00',"
                        + " retain_last => 1)",
                name);
        assertThat(Sql.failure("CALL lake.system.commit_delete('%s')", expired))
                .contains("CommitConflictException")
                .contains("was removed by snapshot")
                .contains("plan the DELETE again");
        assertThat(both(name)).hasSize(20);
        aPlanWhoseVectorsAreGoneDeletesWhatWasCounted();

        DeletePlan recreated = Deletes.plan(spark, table, "id = 5");
        Sql.run("DROP TABLE %s PURGE", table);
        assertThatThrownBy(() -> recreated.commit(spark)).hasMessageContaining("must exist");
        DeletePlan again = planOfTableMadeAnew(spark, table);
        assertThatThrownBy(() -> again.commit(spark))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("was dropped and created again");
        assertThat(both(name)).containsExactly("[5,1,5]");

        // Another session may call another folder the same.
        SparkSession other = spark.newSession();
        other.conf().set("spark.sql.catalog.lake.warehouse", SparkTestSession.warehouse() + "-other");
        other.sql("CREATE TABLE " + table + " (id bigint) USING calve");
        assertThatThrownBy(() -> other.sql("CALL lake.system.commit_delete('" + elsewhere + "')"))
                .hasMessageContaining("it was made for the table at");
        other.sql("DROP TABLE " + table);
    }

    private static void aPlanWhoseVectorsAreGoneDeletesWhatWasCounted() {
        String name = create(3, "merge-on-read");
        Sql.run("DELETE FROM %s WHERE id IN (0, 1)", tables.in(Engine.CALVE, name));
        String disjoint = plan(name, "id IN (4, 5)", true).get(0).getString(6);
        String overlapping = plan(name, "id IN (2, 6)", true).get(0).getString(6);
        Sql.run("DELETE FROM %s WHERE id IN (2, 3)", tables.in(Engine.CALVE, name));
        Sql.run(
                "CALL peer.system.expire_snapshots(table => 'deletes.%s', older_than => TIMESTAMP '2100-01-01 00:00:00',"
                        + " retain_last => 1)",
                name);
        Sql.run("CALL lake.system.commit_delete('%s')", disjoint);
        assertThat(both(name))
                .hasSize(14)
                .doesNotContain("[4,0,4]", "[5,1,null]")
                .contains("[6,0,6]");
        assertThat(Sql.failure("CALL lake.system.commit_delete('%s')", overlapping))
                .contains("CommitConflictException")
                .contains("plan the DELETE again");
        assertThat(both(name)).hasSize(14);
    }

    private static DeletePlan planOfTableMadeAnew(SparkSession spark, String table) {
        String columns =
                "CREATE TABLE %s (id bigint, p int, v int) USING calve TBLPROPERTIES ('write.delete.mode' = 'copy-on-write')";
        Sql.run(columns, table);
        Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 1, 1 FROM range(10)", table);
        DeletePlan plan = Deletes.plan(spark, table, "id = 5");
        Sql.run("DROP TABLE %s PURGE", table);
        Sql.run(columns, table);
        Sql.run("INSERT INTO %s VALUES (5, 1, 5)", table);
        return plan;
    }

    @Test
    void rowsOfAKeyGoWhateverFileTheyAreIn() {
        String name = create(2, "merge-on-read");
        String table = tables.in(Engine.CALVE, name);
        Sql.run("INSERT INTO %s VALUES (100, 0, NULL), (101, 7, 4), (102, 7, NULL)", table);
        int spec = tables.table(name).spec().specId();
        // A key of two columns: null equals null, also of the second.
        Sql.run("CREATE OR REPLACE TEMP VIEW keys AS SELECT * FROM VALUES (0, 4, 'x'), (0, 4, 'y'), (7, NULL, 'z'),"
                + " (1, 99, 'a') AS k(p, v, other)");
        assertThat(Sql.rows(
                                "CALL lake.system.equality_delete(table => 'deletes.%s', columns => array('p', 'v'), source => 'keys')",
                                name)
                        .get(0))
                .contains(",3]");
        assertThat(both(name))
                .hasSize(21)
                .doesNotContain("[4,0,4]", "[102,7,null]")
                .contains("[101,7,4]");

        Table peer = tables.table(name);
        assertThat(peer.spec().specId()).isEqualTo(spec);
        assertThat(peer.currentSnapshot().operation()).isEqualTo("delete");
        assertThat(peer.currentSnapshot().summary())
                .containsEntry("added-equality-deletes", "3")
                .containsEntry("total-equality-deletes", "3");
        DeleteFile keys = keyFiles(peer).get(0);
        assertThat(keys.equalityFieldIds()).containsExactly(2, 3);
        assertThat(peer.specs().get(keys.specId()).isUnpartitioned()).isTrue();
        long rows = 0;
        for (DeleteFile file : keyFiles(peer)) {
            rows += file.recordCount();
            assertThat(file.valueCounts()).containsOnlyKeys(2, 3);
            assertThat(file.nullValueCounts()).containsOnlyKeys(2, 3);
            ByteBuffer lower = file.lowerBounds().get(2);
            assertThat((Integer) Conversions.fromByteBuffer(Types.IntegerType.get(), lower))
                    .isBetween(0, 7);
        }
        assertThat(rows).isEqualTo(3);

        // What comes later stays, whatever its key; a second delete needs no other spec.
        Sql.run("INSERT INTO %s VALUES (4, 0, 4)", table);
        assertThat(both(name)).contains("[4,0,4]");
        int specs = peer.specs().size();
        Sql.run(
                "CALL lake.system.equality_delete(table => 'deletes.%s', columns => array('ID'),"
                        + " source => 'SELECT id FROM lake.deletes.%s WHERE id > 15 -- old ones')",
                name, name);
        peer.refresh();
        assertThat(peer.specs()).hasSize(specs);
        assertThat(both(name)).noneMatch(row -> row.startsWith("[101,") || row.startsWith("[16,"));
        // Counted for real where keys were deleted.
        assertThat(plan(name, "p = 0 AND id < 10", false).stream()
                        .mapToLong(row -> row.getLong(1))
                        .sum())
                .isEqualTo(5);

        // By partition, for columns that say which.
        Sql.run("CALL lake.system.create_branch(table => 'deletes.%s', branch => 'dev')", name);
        Sql.run(
                "CALL lake.system.equality_delete(table => 'deletes.%s', columns => array('p', 'id'), scope => 'partition',"
                        + " branch => 'dev', source => 'VALUES (1, 3L), (0, 3L), (0, 6L) AS k(p, id)')",
                name);
        assertThat(Sql.rows("SELECT id FROM %s VERSION AS OF 'dev'", tables.in(Engine.PEER, name)))
                .isEqualTo(Sql.rows("SELECT id FROM %s.branch_dev", table))
                .doesNotContain("[3]", "[6]")
                .contains("[2]");
        assertThat(both(name)).contains("[3,1,3]");
        refusals(name);
    }

    private static List<DeleteFile> keyFiles(Table table) {
        Map<String, DeleteFile> files = new java.util.TreeMap<>();
        try (var tasks = table.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                task.deletes().forEach(file -> files.put(file.location(), file));
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return List.copyOf(files.values());
    }

    private static void refusals(String name) {
        String call = "CALL lake.system.equality_delete(table => 'deletes.%s', columns => array(%s), source => '%s')";
        assertThat(Sql.failure(call, name, "'nothing'", "SELECT 1 AS nothing")).contains("must be a top-level column");
        assertThat(Sql.failure(call, name, "'id', 'ID'", "SELECT 1 AS id")).contains("named twice");
        assertThat(Sql.failure(call, name, "'v'", "SELECT 1L AS v")).contains("must be a INT");
        assertThat(Sql.failure(call, name, "'v'", "SELECT 1 AS w")).contains("must have a column 'v'");
        assertThat(Sql.failure(call, name, "'v'", "DROP TABLE lake.deletes." + name))
                .contains("source must be a table, a view or a query");
        String typed = Sql.unique("typed");
        Sql.run(
                "CREATE TABLE %s (f float, d double, s struct<a: int>) USING calve TBLPROPERTIES ('format-version' = '2')",
                tables.in(Engine.CALVE, typed));
        for (String column : List.of("f", "d")) {
            assertThat(Sql.failure(call, typed, "'" + column + "'", "SELECT 1 AS " + column))
                    .contains("floating-point numbers must not be compared");
        }
        assertThat(Sql.failure(call, typed, "'s'", "SELECT 1 AS s")).contains("must be of a primitive type");
        assertThat(Sql.failure(call, typed, "'s.a'", "SELECT 1 AS a")).contains("must be a top-level column");
        for (int version : new int[] {1, 3}) {
            assertThat(Sql.failure(call, create(version, "copy-on-write"), "'id'", "SELECT 1L AS id"))
                    .contains("format version")
                    .contains("Run a DELETE");
        }
    }
}
