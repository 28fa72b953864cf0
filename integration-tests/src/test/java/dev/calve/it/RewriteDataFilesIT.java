package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.iceberg.DataFile;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code CALL rewrite_data_files}: the same rows in other files, as both engines read them. */
@Tag("iceberg-peer")
class RewriteDataFilesIT {

    private static final String LINEAGE = "_row_id, _last_updated_sequence_number";
    private static final String COLUMNS = "id bigint, p int, s string, st struct<a: double, l: array<int>>";

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("compaction");
    }

    private static String rows(int from, int to) {
        return "SELECT id, CAST(id % 3 AS INT) AS p, IF(id % 4 = 0, NULL, 's' || id) AS s, IF(id % 5 = 0, NULL, "
                + "named_struct('a', IF(id % 2 = 0, double('NaN'), -0.0D), 'l', IF(id % 3 = 0, NULL, array(CAST(id AS INT), NULL)))) AS st"
                + " FROM range(" + from + ", " + to + ", 1, 1)";
    }

    private static void create(String table, int version, String partitions) {
        tables.spark.sql(
                "CREATE TABLE %s (%s) USING calve %s TBLPROPERTIES ('format-version'='%d', 'write.delete.mode'='merge-on-read')"
                        .formatted(tables.in(Engine.CALVE, table), COLUMNS, partitions, version));
    }

    private static void insert(Engine engine, String table, int from, int to) {
        tables.append(engine, table, tables.spark.sql(rows(from, to)));
    }

    private static Row call(String table, String arguments) {
        return tables.spark
                .sql("CALL %s.system.rewrite_data_files(table => 'compaction.%s'%s)"
                        .formatted(SparkTestSession.LAKE, table, arguments))
                .head();
    }

    private static List<Row> expected(int to, Predicate<Row> gone) {
        return PeerTables.without(tables.spark.sql(rows(0, to)).collectAsList(), gone);
    }

    private static List<DataFile> data(String table) {
        LiveFiles live = LiveFiles.of(tables.table(table));
        live.assertSound(table);
        assertThat(tables.table(table).currentSnapshot().summary()).containsAllEntriesOf(live.totals());
        return live.data();
    }

    @ParameterizedTest
    @CsvSource({"2,false", "2,true", "3,false", "3,true"})
    void smallFilesBecomeFewAndRowsStayAsTheyAre(int version, boolean partitioned) {
        String table = "small_%d_%s".formatted(version, partitioned);
        create(table, version, partitioned ? "PARTITIONED BY (p)" : "");
        for (int file = 0; file < 6; file++) {
            insert(file % 2 == 0 ? Engine.CALVE : Engine.PEER, table, file * 100, file * 100 + 100);
        }
        tables.delete(Engine.CALVE, table, "id BETWEEN 150 AND 170 OR id = 599");
        tables.delete(Engine.PEER, table, "id = 20");
        List<Row> kept = expected(600, row -> {
            long id = row.getLong(0);
            return (id >= 150 && id <= 170) || id == 599 || id == 20;
        });
        String further = version == 3 ? LINEAGE : "";
        Map<Object, List<Object>> lineage = version == 3
                ? PeerTables.byKey(tables.assertRows(table, further, kept), "id", LINEAGE.split(", "))
                : Map.of();
        long bytes = data(table).stream().mapToLong(DataFile::fileSizeInBytes).sum();
        int before = data(table).size();
        int deletes = LiveFiles.of(tables.table(table)).deletes().size();

        Row result = call(table, "");
        assertThat(result.schema().fieldNames())
                .containsExactly(
                        "rewritten_data_files_count",
                        "added_data_files_count",
                        "rewritten_bytes_count",
                        "failed_data_files_count",
                        "removed_delete_files_count");
        int after = partitioned ? 3 : 1;
        assertThat(result).isEqualTo(RowFactory.create(before, after, bytes, 0, deletes));
        assertThat(data(table)).hasSize(after);
        assertThat(LiveFiles.of(tables.table(table)).deletes()).isEmpty();
        assertThat(tables.table(table).currentSnapshot().operation()).isEqualTo("replace");
        List<Row> found = tables.assertRows(table, further, kept);
        if (version == 3) {
            assertThat(PeerTables.byKey(found, "id", LINEAGE.split(", "))).isEqualTo(lineage);
        }

        long snapshot = tables.table(table).currentSnapshot().snapshotId();
        assertThat(call(table, "")).isEqualTo(RowFactory.create(0, 0, 0L, 0, 0));
        assertThat(tables.table(table).currentSnapshot().snapshotId()).isEqualTo(snapshot);
        tables.delete(Engine.CALVE, table, "id = 30");
        tables.assertRows(table, "", PeerTables.without(kept, row -> row.getLong(0) == 30));
    }

    @Test
    void onlyFilesThatMayMatchAreRewritten() {
        create("some", 3, "PARTITIONED BY (p)");
        for (int file = 0; file < 3; file++) {
            insert(Engine.CALVE, "some", file * 100, file * 100 + 100);
        }
        List<String> others = new ArrayList<>();
        for (DataFile file : data("some")) {
            if (file.partition().get(0, Integer.class) != 1) {
                others.add(file.location());
            }
        }
        Row result = call("some", ", where => 'p = 1', options => map('min-input-files', '2')");
        assertThat(result.getInt(0)).isEqualTo(3);
        assertThat(result.getInt(1)).isEqualTo(1);
        assertThat(data("some")).hasSize(7);
        assertThat(data("some").stream().map(DataFile::location)).containsAll(others);
        tables.assertRows("some", "", expected(300, row -> false));
        assertThat(call("some", ", where => 'p = 17'").getInt(0)).isZero();
        assertThat(Sql.failure(
                        "CALL %s.system.rewrite_data_files(table => 'compaction.some', where => 'rand() < 0.5')",
                        SparkTestSession.LAKE))
                .contains("where must be a condition by which files can be told apart");
    }

    /** Files of an older schema are read and written row by row, and the others of their group with them. */
    @Test
    void filesOfOlderSchemasGetTheNewOne() {
        create("older", 3, "");
        insert(Engine.CALVE, "older", 0, 100);
        tables.spark.sql("ALTER TABLE " + tables.in(Engine.CALVE, "older") + " RENAME COLUMN s TO text");
        tables.append(Engine.CALVE, "older", tables.spark.sql(rows(100, 200)).withColumnRenamed("s", "text"));
        List<Row> expected = expected(200, row -> false);
        Map<Object, List<Object>> lineage =
                PeerTables.byKey(tables.assertRows("older", LINEAGE, expected), "id", LINEAGE.split(", "));
        Row result = call("older", ", options => map('rewrite-all', 'true')");
        assertThat(result.getInt(0)).isEqualTo(2);
        assertThat(result.getInt(1)).isEqualTo(1);
        List<Row> found = tables.assertRows("older", LINEAGE, expected);
        assertThat(PeerTables.byKey(found, "id", LINEAGE.split(", "))).isEqualTo(lineage);
    }

    @Test
    void largeFilesAreCutAndBranchesAreCompactedAlone() {
        create("large", 2, "");
        tables.spark.sql("ALTER TABLE " + tables.in(Engine.CALVE, "large")
                + " SET TBLPROPERTIES ('write.parquet.row-group-size-bytes'='2000')");
        insert(Engine.CALVE, "large", 0, 5_000);
        tables.spark.sql("CALL %s.system.create_branch('compaction.large', 'b')".formatted(SparkTestSession.LAKE));
        long size = data("large").get(0).fileSizeInBytes();
        long main = tables.table("large").currentSnapshot().snapshotId();
        Row result = call("large", ", branch => 'b', options => map('target-file-size-bytes', '" + size / 4 + "')");
        assertThat(result.getInt(0)).isEqualTo(1);
        assertThat(result.getInt(1)).isBetween(2, 5);
        assertThat(tables.table("large").currentSnapshot().snapshotId()).isEqualTo(main);
        List<String> all = PeerTables.text(expected(5_000, row -> false));
        for (Engine engine : Engine.values()) {
            assertThat(PeerTables.text(tables.spark
                            .sql("SELECT * FROM " + tables.in(engine, "large") + ".branch_b")
                            .collectAsList()))
                    .isEqualTo(all);
        }
    }

    @Test
    void argumentsThatAreNotUnderstoodAreRefused() {
        create("refused", 3, "");
        Map<String, String> refused = Map.of(
                "strategy => 'sort'", "can only pack files",
                "sort_order => 'id'", "can only pack files",
                "options => map('no-such', '1')", "[no-such]",
                "options => map('partial-progress.enabled', 'true')", "[partial-progress.enabled]",
                "options => map('min-input-files', 'few')", "must be a number, not 'few'",
                "branch => 'nowhere'", "'nowhere' must be a branch");
        refused.forEach((arguments, message) -> assertThat(Sql.failure(
                        "CALL %s.system.rewrite_data_files(table => 'compaction.refused', %s)",
                        SparkTestSession.LAKE, arguments))
                .contains(message));
        assertThat(call("refused", ", options => map('partial-progress.enabled', 'false')")
                        .getInt(0))
                .isZero();
    }
}
