package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of UPDATE and MERGE that have bitten users of systems of this kind, each as a small case. Expected rows are written down
 * here, and the peer reads them too.
 */
@Tag("iceberg-peer")
class RowLevelStatementFaultsIT {

    private static final String NAMESPACE = "statement_faults";
    private static final String COPY_ON_WRITE = "copy-on-write";
    private static final String MERGE_ON_READ = "merge-on-read";

    private static LakeTable create(int version, String mode, String columns, String partitions) {
        var properties = new ArrayList<String>();
        for (String command : List.of("delete", "update", "merge")) {
            properties.add("'write." + command + ".mode'='" + mode + "'");
        }
        return LakeTable.create(NAMESPACE, version, columns, partitions, String.join(", ", properties));
    }

    private static LakeTable filled(int version, String mode, String columns, String partitions, String values) {
        return create(version, mode, columns, partitions).insert("SELECT /*+ COALESCE(1) */ * FROM VALUES " + values);
    }

    private static void run(LakeTable table, String statement) {
        Sql.run("%s", statement.replace("{t}", table.name()));
    }

    /** Both engines read these rows, files are sound and counted right. */
    private static void assertRows(LakeTable table, String columns, String... rows) {
        String[] sorted = Stream.of(rows).sorted().toArray(String[]::new);
        assertThat(table.rows(columns)).containsExactly(sorted);
        assertThat(table.peerRows(columns)).containsExactly(sorted);
        table.live().assertSound(table.name());
        assertThat(table.live().dangling()).isEmpty();
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "3,copy-on-write", "3,merge-on-read"})
    void aMergeKeepsNullsOfRowsItDoesNotTouch(int version, String mode) {
        LakeTable table = filled(
                version,
                mode,
                "id int, ts timestamp, n int, s string, b boolean, d decimal(5, 2), st struct<x: int>, l array<int>,"
                        + " m map<string, int>",
                "",
                "(1, timestamp'2000-01-01', 1, 'a', true, 1.5, named_struct('x', 1), array(1), map('k', 1)),"
                        + " (6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
        run(
                table,
                "MERGE INTO {t} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 123,"
                        + " ts = timestamp'2024-01-01', n = 7, s = 'z', b = false, d = 2, st = named_struct('x', 2),"
                        + " l = array(2), m = map('q', 3)");
        assertRows(
                table,
                "id, year(ts), n, s, b, d, st, l[0], m",
                "[123,2024,7,z,false,2.00,[2],2,Map(q -> 3)]",
                "[6,null,null,null,null,null,null,null,null]");
        assertThat(table.longs("CAST(id AS bigint)", "ts IS NULL AND st IS NULL AND l IS NULL AND m IS NULL"))
                .containsExactly(6L);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void anUpdateAfterADeleteLeavesOneDeleteFile(int version) {
        LakeTable table = filled(
                version, MERGE_ON_READ, "id int, s string", "", "(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')");
        table.delete("id = 2");
        run(table, "UPDATE {t} SET s = 'x' WHERE id = 4");
        assertRows(table, "id, s", "[1,a]", "[3,c]", "[4,x]", "[5,e]");
        assertThat(table.onlyDelete().recordCount()).isEqualTo(2);
        String kind = version == 3 ? "dvs" : "position-delete-files";
        assertThat(table.summary()).containsEntry("added-" + kind, "1").containsEntry("removed-" + kind, "1");
        // Rows of the file that the update wrote are changed again.
        run(table, "UPDATE {t} SET s = concat(s, '!') WHERE id >= 4");
        assertRows(table, "id, s", "[1,a]", "[3,c]", "[4,x!]", "[5,e!]");
    }

    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "3,merge-on-read", "3,copy-on-write"})
    void rowsOfAnOlderSpecAreUpdatedOnce(int version, String mode) {
        LakeTable table = filled(
                version,
                mode,
                "id int, ts timestamp, v string",
                "days(ts)",
                "(1, timestamp'2024-01-01 01:00:00', 'a'), (2, timestamp'2024-01-01 02:00:00', 'b')");
        run(
                table,
                "CALL lake.system.replace_partition_field('" + NAMESPACE + "."
                        + table.name().replaceAll(".*\\.", "") + "', 'days(ts)', 'hours(ts)')");
        table.insert("SELECT 3, timestamp'2024-01-01 03:00:00', 'b'");
        run(table, "UPDATE {t} SET v = 'x' WHERE v = 'b'");
        assertRows(table, "id, v", "[1,a]", "[2,x]", "[3,x]");
        if (mode.equals(MERGE_ON_READ)) {
            assertThat(table.live().data()).extracting(file -> file.specId()).contains(0, 1);
        }
        run(
                table,
                "MERGE INTO {t} t USING (SELECT explode(array(1, 3, 4)) AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm'"
                        + " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n')");
        assertRows(table, "id, v", "[1,m]", "[2,x]", "[3,m]", "[4,n]");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aRewriteByUpdateOrMergeDoesNotBringBackRows(int version) {
        for (String statement : List.of(
                "UPDATE {t} SET id = 20 WHERE id = 2",
                "MERGE INTO {t} t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 20",
                "INSERT INTO {t} REPLACE WHERE id = 2 VALUES (20)")) {
            LakeTable table = filled(version, MERGE_ON_READ, "id int", "", "(1), (2), (3), (4), (5)");
            table.delete("id = 1");
            String old = table.onlyData().location();
            for (String command : List.of("delete", "update", "merge")) {
                table.set("write." + command + ".mode", COPY_ON_WRITE);
            }
            run(table, statement);
            assertRows(table, "id", "[20]", "[3]", "[4]", "[5]");
            assertThat(table.live().deletes()).as(statement).isEmpty();
            assertThat(table.live().data()).extracting(file -> file.location()).doesNotContain(old);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void eachCommandFollowsItsOwnMode(int version) {
        List<String> statements = List.of(
                "DELETE FROM {t} WHERE id % 10 = 1 AND id < 10 + length(s)",
                "UPDATE {t} SET s = 'u' WHERE id = 2",
                "MERGE INTO {t} t USING (SELECT 3 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE");
        List<String> commands = List.of("delete", "update", "merge");
        LakeTable table = create(version, MERGE_ON_READ, "id int, s string", "");
        for (int cell = 0; cell < 8; cell++) {
            for (int i = 0; i < 3; i++) {
                table.set("write." + commands.get(i) + ".mode", (cell >> i & 1) == 1 ? COPY_ON_WRITE : MERGE_ON_READ);
            }
            Sql.run(
                    "INSERT OVERWRITE %s SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
                    table.name());
            int rewriting = 0;
            for (int i = 0; i < 3; i++) {
                run(table, statements.get(i));
                boolean rewrites = (cell >> i & 1) == 1;
                assertThat(table.summary().containsKey("deleted-data-files"))
                        .as("cell %d, %s", cell, commands.get(i))
                        .isEqualTo(rewrites);
                rewriting += rewrites ? 1 : 0;
            }
            assertRows(table, "id, s", "[2,u]", "[4,d]");
            assertThat(rewriting).isEqualTo(Integer.bitCount(cell));
        }
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void aNullStructStaysNull(int version, String mode) {
        LakeTable table = filled(
                version,
                mode,
                "id int, n int, s struct<a: int, b: int>",
                "",
                "(1, 1, named_struct('a', 1, 'b', 2)), (2, 2, NULL), (3, 3, NULL), (4, 4, named_struct('a', NULL, 'b', NULL))");
        run(
                table,
                "MERGE INTO {t} t USING (SELECT explode(array(1, 2)) AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = 10");
        assertRows(
                table,
                "id, n, s, s IS NULL",
                "[1,10,[1,2],false]",
                "[2,10,null,true]",
                "[3,3,null,true]",
                "[4,4,[null,null],false]");
        run(
                table,
                "MERGE INTO {t} t USING (SELECT 1 AS id, CAST(NULL AS struct<a: int, b: int>) AS s) s ON t.id = s.id"
                        + " WHEN MATCHED THEN UPDATE SET s = s.s");
        // A field of a null struct is assigned: SQL makes it a struct.
        run(table, "UPDATE {t} SET s.a = 5 WHERE id = 2");
        run(table, "ALTER TABLE {t} ADD COLUMN s.c bigint");
        run(table, "UPDATE {t} SET n = n + 1");
        assertRows(
                table,
                "id, n, s, s IS NULL",
                "[1,11,null,true]",
                "[2,11,[5,null,null],false]",
                "[3,4,null,true]",
                "[4,5,[null,null,null],false]");
    }

    @Test
    void namesAreFoundWhateverTheirCase() {
        LakeTable table =
                filled(3, MERGE_ON_READ, "Id int, Data string", "Id", "(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
        String merge = "MERGE INTO {t} t USING (SELECT explode(array(2, 9)) AS ID) s ON t.ID = s.id"
                + " WHEN MATCHED THEN UPDATE SET DATA = 'm' WHEN NOT MATCHED THEN INSERT (iD, dATA) VALUES (s.Id, 'n')";
        run(table, merge);
        run(table, "DELETE FROM {t} WHERE ID = 1");
        run(table, "DELETE FROM {t} WHERE dATA = 'd'");
        run(table, "UPDATE {t} SET DaTa = upper(data) WHERE iD = 3");
        assertRows(table, "*", "[2,m]", "[3,C]", "[9,n]");
        assertThat(table.peer().schema().columns())
                .extracting(column -> column.name())
                .containsExactly("Id", "Data");
        String snapshot = table.snapshot();
        var session = SparkTestSession.spark();
        session.conf().set("spark.sql.caseSensitive", "true");
        try {
            for (String statement :
                    List.of(merge, "DELETE FROM {t} WHERE ID = 2", "UPDATE {t} SET DATA = 'x' WHERE Id = 2")) {
                assertThat(Sql.failure("%s", statement.replace("{t}", table.name())))
                        .contains("UNRESOLVED_COLUMN");
            }
        } finally {
            session.conf().unset("spark.sql.caseSensitive");
        }
        assertThat(table.snapshot()).isEqualTo(snapshot);
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void rowsThatMoveToOtherPartitionsAreThereOnce(int version, String mode) {
        LakeTable table = filled(version, mode, "p string, k int", "p, bucket(4, k)", "('a', 1), ('a', 2)");
        List<String> ids = version == 3 ? table.rows("_row_id") : List.of();
        run(table, "UPDATE {t} SET p = CASE WHEN k = 1 THEN 'x' ELSE 'y' END");
        assertRows(table, "p, k", "[x,1]", "[y,2]");
        run(table, "UPDATE {t} SET k = k + 10, p = lower(p)");
        assertRows(table, "p, k", "[x,11]", "[y,12]");
        assertThat(Sql.rows("SELECT k FROM %s WHERE p = 'a'", table.name())).isEmpty();
        if (version == 3) {
            assertThat(table.rows("_row_id")).isEqualTo(ids);
        }
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void totalsEqualARecountAfterMergeAndCompaction(int version, String mode) {
        LakeTable table = create(version, mode, "id bigint, p bigint", "p");
        table.insert("SELECT id, id % 2 FROM range(0, 100)");
        run(
                table,
                "MERGE INTO {t} t USING (SELECT id FROM range(80, 110)) s ON t.id = s.id WHEN MATCHED AND s.id < 90 THEN DELETE"
                        + " WHEN MATCHED THEN UPDATE SET id = t.id + 1000 WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 7)");
        assertThat(table.summary())
                .containsEntry("calve.rows-deleted", "10")
                .containsEntry("calve.rows-updated", "10")
                .containsEntry("calve.rows-inserted", "10");
        assertRows(table, "count(*), count_if(id >= 1000), count_if(p = 7)", "[100,10,10]");
        table.delete("id % 10 = 3");
        assertRows(table, "count(*)", "[90]");
        run(
                table,
                "CALL lake.system.rewrite_data_files(table => '" + NAMESPACE + "."
                        + table.name().replaceAll(".*\\.", "") + "', options => map('rewrite-all', 'true'))");
        assertRows(table, "count(*)", "[90]");
        assertThat(table.live().deletes()).isEmpty();
        table.delete("p = 1");
        assertRows(table, "count(*), max(p)", "[54,7]");
    }
}
