package dev.calve.it;

import static dev.calve.it.PeerTables.Engine.CALVE;
import static dev.calve.it.PeerTables.Engine.PEER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code CALL lake.system.…}: what it answers, and what the peer then makes of the table. */
class ProcedureIT {

    private static final String NAMESPACE = "procedures";
    private static final StructType COLUMNS =
            StructType.fromDDL("id bigint NOT NULL, category string, ts timestamp, `odd name` string");

    private final PeerTables tables = new PeerTables(NAMESPACE);
    private final List<Row> rows = new ArrayList<>();

    /** A partitioned table without rows, made by the peer, because it makes every version. */
    private String create(int formatVersion) {
        String name = Sql.unique("t");
        tables.spark.sql("CREATE TABLE " + tables.in(PEER, name) + " (" + COLUMNS.toDDL() + ") USING iceberg"
                + " PARTITIONED BY (category) TBLPROPERTIES ('format-version'='" + formatVersion + "'"
                + (formatVersion == 1 ? "" : ", 'write.delete.mode'='merge-on-read'") + ")");
        return name;
    }

    private void append(PeerTables.Engine engine, String table, long from, long to) {
        var added = new ArrayList<Row>();
        for (long id = from; id < to; id++) {
            added.add(RowFactory.create(
                    id,
                    id % 7 == 0 ? null : "c" + id % 3,
                    java.time.Instant.parse("2024-01-30T00:00:00Z").plusSeconds(id * 7_211),
                    id % 5 == 0 ? null : "n" + id % 4));
        }
        tables.append(engine, table, tables.frame(added, COLUMNS));
        rows.addAll(added);
    }

    private void delete(
            PeerTables.Engine engine, String table, String condition, java.util.function.Predicate<Row> gone) {
        tables.delete(engine, table, condition);
        rows.removeIf(gone);
    }

    /** Runs a procedure on a table and gives its one row. */
    private Row call(String procedure, String table, String more) {
        List<Row> answer = tables.spark
                .sql("CALL lake.system." + procedure + "('" + NAMESPACE + "." + table + "'" + more + ")")
                .collectAsList();
        assertThat(answer).hasSize(1);
        return answer.get(0);
    }

    private static String fields(Table table) {
        PartitionSpec spec = table.spec();
        return spec.fields().stream()
                .map(field -> field.fieldId() + " " + field.name() + " " + field.transform())
                .toList()
                .toString();
    }

    private void assertBothRead(String table) {
        tables.assertRows(table, "_spec_id, _partition", rows);
        for (String condition : List.of(
                "category = 'c1'",
                "category IS NULL",
                "id = 12",
                "id BETWEEN 5 AND 40 AND category = 'c2'",
                "ts >= TIMESTAMP '2024-02-01 00:00:00'",
                "`odd name` = 'n3' OR id IN (1, 30, 61)")) {
            tables.assertSame(table + " WHERE " + condition, "*");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void dividesNewRowsOtherwiseAndReadsFilesOfEverySpec(int formatVersion) {
        String t = create(formatVersion);
        append(CALVE, t, 0, 20);

        assertThat(call("add_partition_field", t, ", 'bucket(4, id)'"))
                .isEqualTo(RowFactory.create(0, 1, "[category: category, id_bucket_4: bucket(4, id)]"));
        append(CALVE, t, 20, 40);
        assertThat(call("replace_partition_field", t, ", 'category', 'days(ts)', 'day'")
                        .getInt(1))
                .isEqualTo(2);
        append(PEER, t, 40, 60);
        call("drop_partition_field", t, ", field => 'bucket(4, id)'");
        append(CALVE, t, 60, 80);
        assertThat(fields(tables.table(t)))
                .isEqualTo(
                        formatVersion == 1
                                ? "[1000 category void, 1001 id_bucket_4 void, 1002 day day]"
                                : "[1002 day day]");
        assertBothRead(t);

        call("add_partition_field", t, ", transform => 'truncate(1, `odd name`)', name => 'odd.field'");
        call("add_partition_field", t, ", 'category'");
        append(CALVE, t, 80, 100);
        append(PEER, t, 100, 110);
        assertThat(fields(tables.table(t)))
                .isEqualTo(
                        formatVersion == 1
                                ? "[1000 category_1000 void, 1001 id_bucket_4 void, 1002 day day,"
                                        + " 1003 odd.field truncate[1], 1004 category identity]"
                                : "[1002 day day, 1003 odd.field truncate[1], 1000 category identity]");
        assertBothRead(t);
        assertThat(tables.spark
                        .sql("SELECT DISTINCT spec_id FROM " + tables.in(PEER, t) + ".data_files")
                        .count())
                .isEqualTo(5);

        if (formatVersion > 1) {
            delete(CALVE, t, "id % 9 = 4", row -> row.getLong(0) % 9 == 4);
            assertBothRead(t);
            // A whole partition of the first spec, and parts of files of the others.
            delete(CALVE, t, "category = 'c1'", row -> "c1".equals(row.getString(1)));
            assertBothRead(t);
            delete(PEER, t, "id > 95", row -> row.getLong(0) > 95);
        }
        tables.set(t, "write.delete.mode", "copy-on-write");
        delete(CALVE, t, "id % 11 = 3", row -> row.getLong(0) % 11 == 3);
        delete(CALVE, t, "id < 10", row -> row.getLong(0) < 10);
        assertBothRead(t);
        assertThat(tables.cellsCompared()).isGreaterThan(2_000);
    }

    @Test
    void saysHowRowsAreSortedAndIdentified() {
        String t = create(2);
        assertThat(call("set_write_order", t, ", 'category DESC, bucket(8, id) NULLS LAST, days(ts)'"))
                .isEqualTo(RowFactory.create(
                        1, "category DESC NULLS LAST, bucket(8, id) ASC NULLS LAST, days(ts) ASC NULLS FIRST"));
        assertThat(tables.table(t).sortOrder())
                .hasToString(
                        org.apache.iceberg.SortOrder.builderFor(tables.table(t).schema())
                                .desc("category", org.apache.iceberg.NullOrder.NULLS_LAST)
                                .asc(
                                        org.apache.iceberg.expressions.Expressions.bucket("id", 8),
                                        org.apache.iceberg.NullOrder.NULLS_LAST)
                                .asc(
                                        org.apache.iceberg.expressions.Expressions.day("ts"),
                                        org.apache.iceberg.NullOrder.NULLS_FIRST)
                                .build()
                                .toString());
        append(CALVE, t, 0, 10);
        assertThat(call("set_write_order", t, ", ''")).isEqualTo(RowFactory.create(0, ""));
        assertThat(tables.table(t).sortOrder().isUnsorted()).isTrue();

        assertThat(call("set_identifier_fields", t, ", fields => array('id')").getList(0))
                .hasToString("[id]");
        assertThat(tables.table(t).schema().identifierFieldNames()).containsExactly("id");
        append(PEER, t, 10, 20);
        assertThat(call("set_identifier_fields", t, ", array()").getList(0)).isEmpty();
        assertThat(tables.table(t).schema().identifierFieldNames()).isEmpty();
        assertBothRead(t);
    }

    private List<Long> snapshots(String table) {
        var ids = new ArrayList<Long>();
        for (Snapshot snapshot : tables.table(table).snapshots()) {
            ids.add(snapshot.snapshotId());
        }
        return ids;
    }

    private List<String> ids(PeerTables.Engine engine, String table) {
        return tables.rows(engine, table, "id");
    }

    @Test
    void movesBranchesAndNamesSnapshots() {
        String t = create(2);
        append(CALVE, t, 0, 2);
        append(CALVE, t, 2, 4);
        append(CALVE, t, 4, 6);
        List<Long> ids = snapshots(t);
        long first = ids.get(0);
        long second = ids.get(1);
        long third = ids.get(2);

        assertThat(call("create_tag", t, ", 'v1', " + first)).isEqualTo(RowFactory.create("v1", null, first));
        assertThat(call(
                        "create_branch",
                        t,
                        ", branch => 'audit', min_snapshots_to_keep => 3, max_snapshot_age => '2 days',"
                                + " max_ref_age => '1 week 1 hour'"))
                .isEqualTo(RowFactory.create("audit", null, third));
        call("create_branch", t, ", 'main', replace => true, min_snapshots_to_keep => 10");
        Map<String, SnapshotRef> refs = tables.table(t).refs();
        assertThat(refs)
                .containsEntry("v1", SnapshotRef.tagBuilder(first).build())
                .containsEntry(
                        "audit",
                        SnapshotRef.branchBuilder(third)
                                .minSnapshotsToKeep(3)
                                .maxSnapshotAgeMs(172_800_000L)
                                .maxRefAgeMs(608_400_000L)
                                .build())
                .containsEntry(
                        "main",
                        SnapshotRef.branchBuilder(third).minSnapshotsToKeep(10).build());

        tables.spark.sql("CACHE TABLE " + tables.in(CALVE, t));
        assertThat(ids(CALVE, t)).hasSize(6);
        assertThat(call("rollback_to_snapshot", t, ", " + second)).isEqualTo(RowFactory.create(third, second));
        assertThat(ids(CALVE, t)).hasSize(4).isEqualTo(ids(PEER, t));
        assertThat(tables.spark.catalog().isCached(tables.in(CALVE, t))).isTrue();
        tables.spark.sql("UNCACHE TABLE " + tables.in(CALVE, t));
        assertThat(call("rollback_to_snapshot", t, ", " + second)).isEqualTo(RowFactory.create(second, second));

        long secondMillis = tables.table(t).snapshot(second).timestampMillis();
        assertThat(call("rollback_to_timestamp", t, ", timestamp_millis(" + secondMillis + ")"))
                .isEqualTo(RowFactory.create(second, first));
        assertThat(ids(CALVE, t)).hasSize(2).isEqualTo(ids(PEER, t));

        assertThat(call("fast_forward", t, ", 'main', 'audit'")).isEqualTo(RowFactory.create("main", first, third));
        assertThat(ids(CALVE, t)).hasSize(6).isEqualTo(ids(PEER, t));
        assertThat(call("fast_forward", t, ", branch => 'fresh', to => 'v1'"))
                .isEqualTo(RowFactory.create("fresh", null, first));

        assertThat(call("set_current_snapshot", t, ", " + first)).isEqualTo(RowFactory.create(third, first));
        assertThat(call("set_current_snapshot", t, ", ref => 'audit'")).isEqualTo(RowFactory.create(first, third));
        assertThat(tables.table(t).refs().get("main").minSnapshotsToKeep()).isEqualTo(10);
        append(CALVE, t, 6, 8);
        assertBothRead(t);

        call("create_tag", t, ", tag => 'v1', replace => true");
        call("create_branch", t, ", branch => 'audit', if_not_exists => true");
        long fourth = tables.table(t).currentSnapshot().snapshotId();
        assertThat(tables.table(t).refs())
                .containsEntry("v1", SnapshotRef.tagBuilder(fourth).build());
        assertThat(tables.table(t).refs().get("audit").snapshotId()).isEqualTo(third);
        assertThat(call("drop_tag", t, ", 'v1'")).isEqualTo(RowFactory.create("v1", fourth, null));
        assertThat(call("drop_branch", t, ", branch => 'audit'")).isEqualTo(RowFactory.create("audit", third, null));
        call("drop_branch", t, ", branch => 'fresh'");
        call("drop_branch", t, ", branch => 'audit', if_exists => true");
        assertThat(tables.table(t).refs()).containsOnlyKeys("main");
    }

    private String metadata(String table) {
        return ((BaseTable) tables.table(table)).operations().current().metadataFileLocation();
    }

    private String failure(String statement) {
        try {
            tables.spark.sql(statement).collectAsList();
        } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
            return Sql.messages(e);
        }
        throw new AssertionError("This must fail: " + statement);
    }

    @Test
    void saysWhatIsWrongAndChangesNothing() {
        String t = create(2);
        String name = NAMESPACE + "." + t;
        append(CALVE, t, 0, 2);
        long snapshot = tables.table(t).currentSnapshot().snapshotId();
        call("create_tag", t, ", 'v1'");
        String before = metadata(t);
        Map<String, List<String>> failures = Map.ofEntries(
                Map.entry("add_partition_field('%s', 'days(nope)')", List.of("no column 'nope'", "odd name")),
                Map.entry("add_partition_field('%s', 'days(id)')", List.of("not defined for type long")),
                Map.entry("add_partition_field('%s', 'zorder(id)')", List.of("'zorder(id)' cannot be read")),
                Map.entry("add_partition_field('%s', 'category')", List.of("by it already: category: category")),
                Map.entry("add_partition_field('%s', NULL)", List.of("argument 'transform', and not NULL")),
                Map.entry("add_partition_field('%s')", List.of("REQUIRED_PARAMETER_NOT_FOUND", "transform")),
                Map.entry("add_partition_field('%s', 'days(ts)', colour => 'red')", List.of("colour")),
                Map.entry("drop_partition_field('%s', 'ts_day')", List.of("no such field, but [category: category]")),
                Map.entry("set_write_order('%s', 'nope DESC')", List.of("no column 'nope'")),
                Map.entry("set_identifier_fields('%s', array('category'))", List.of("must be required")),
                Map.entry("set_identifier_fields('%s', array('id', NULL))", List.of("must not hold NULL")),
                Map.entry("set_identifier_fields('%s', 'id')", List.of("DATATYPE_MISMATCH")),
                Map.entry("create_branch('%s', 'v1')", List.of("'v1' is a tag")),
                Map.entry("create_branch('%s', 'b', 17)", List.of("no snapshot 17, but [" + snapshot + "]")),
                Map.entry("create_branch('%s', 'b', 'x')", List.of("CAST_INVALID_INPUT")),
                Map.entry("create_branch('%s', 'b', max_ref_age => 'soon')", List.of("'max_ref_age'", "'7 days'")),
                Map.entry("create_branch('%s', 'b', min_snapshots_to_keep => 0)", List.of("must be positive, not 0")),
                Map.entry(
                        "create_branch('%s', 'b', replace => true, if_not_exists => true)",
                        List.of("must not both be true")),
                Map.entry("create_tag('%s', 'v1')", List.of("it exists, at snapshot " + snapshot)),
                Map.entry("drop_branch('%s', 'main')", List.of("the branch of the table itself")),
                Map.entry("drop_tag('%s', 'v2')", List.of("no such tag, but [v1]")),
                Map.entry("rollback_to_snapshot('%s', 17)", List.of("no such snapshot, but [" + snapshot + "]")),
                Map.entry(
                        "rollback_to_timestamp('%s', TIMESTAMP '2001-01-01 00:00:00')",
                        List.of("no snapshot older", "2001-01-01T00:00:00Z")),
                Map.entry("set_current_snapshot('%s')", List.of("either snapshot_id or ref", "neither")),
                Map.entry("set_current_snapshot('%s', 1, 'v1')", List.of("either snapshot_id or ref", "both")),
                Map.entry("set_current_snapshot('%s', ref => 'x')", List.of("branches [main] and tags [v1]")),
                Map.entry("fast_forward('%s', 'v1', 'main')", List.of("'v1' is a tag")));
        failures.forEach((call, parts) -> assertThat(failure("CALL lake.system." + call.formatted(name)))
                .as(call)
                .contains(parts));
        assertThat(metadata(t)).isEqualTo(before);

        assertThat(failure("CALL lake.system.create_tag('" + NAMESPACE + ".none', 'x')"))
                .contains("there is no table lake." + NAMESPACE + ".none");
        assertThat(failure("CALL lake.system.create_tag('peer." + name + "', 'x')"))
                .contains("one of catalog peer");
        assertThat(failure("CALL lake.system.create_tag('a b', 'x')")).contains("'a b' is not the name of a table");
        assertThat(failure("CALL lake.system.nope('" + name + "')")).contains("no procedure system.nope", "create_tag");
        assertThat(failure("CALL lake.other.create_tag('" + name + "', 'x')"))
                .contains("no procedure other.create_tag");
    }

    @Test
    void findsTablesAsSqlDoes() {
        String t = create(2);
        append(CALVE, t, 0, 1);
        tables.spark.sql("CALL lake.SYSTEM.Create_Tag(tag => 'a', table => 'lake." + NAMESPACE + "." + t + "')");
        tables.spark.sql("CALL lake.system.create_tag('`" + NAMESPACE + "`.`" + t + "`', 'b')");
        tables.spark.sql("USE lake." + NAMESPACE);
        try {
            tables.spark.sql("CALL system.create_tag('" + t + "', 'c')");
        } finally {
            tables.spark.sql("USE spark_catalog.default");
        }
        assertThat(tables.table(t).refs()).containsOnlyKeys("main", "a", "b", "c");
    }

    @Test
    void tellsWhichProceduresThereAre() {
        List<String> shown = tables.spark.sql("SHOW PROCEDURES IN lake.system").collectAsList().stream()
                .map(row -> row.getString(row.fieldIndex("procedure_name")))
                .sorted()
                .toList();
        assertThat(shown)
                .containsExactly(
                        "add_partition_field",
                        "cherrypick_snapshot",
                        "commit_delete",
                        "create_branch",
                        "create_tag",
                        "drop_branch",
                        "drop_partition_field",
                        "drop_tag",
                        "equality_delete",
                        "fast_forward",
                        "plan_delete",
                        "publish_changes",
                        "replace_partition_field",
                        "rewrite_data_files",
                        "rollback_to_snapshot",
                        "rollback_to_timestamp",
                        "set_current_snapshot",
                        "set_identifier_fields",
                        "set_write_order");
        for (String procedure : shown) {
            assertThat(tables.spark
                            .sql("DESCRIBE PROCEDURE lake.system." + procedure)
                            .collectAsList()
                            .toString())
                    .contains(
                            procedure,
                            procedure.equals("commit_delete") ? "Arguments: id STRING (" : "Arguments: table STRING (");
        }
        String explained = tables.spark
                .sql("EXPLAIN CALL lake.system.create_tag('" + NAMESPACE + ".none', 'x')")
                .head()
                .getString(0);
        assertThat(explained).contains("create_tag");
    }

    @Test
    void letsTwoWritersChangeATableAtOnce() throws Exception {
        String t = create(2);
        append(CALVE, t, 0, 2);
        var calls = new ArrayList<Callable<Row>>();
        for (String tag : Arrays.asList("a", "b", "c", "d")) {
            calls.add(() -> call("create_tag", t, ", '" + tag + "'"));
        }
        calls.add(() -> call("add_partition_field", t, ", 'bucket(4, id)'"));
        var pool = Executors.newFixedThreadPool(calls.size());
        try {
            for (Future<Row> done : pool.invokeAll(calls)) {
                done.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(tables.table(t).refs()).containsOnlyKeys("main", "a", "b", "c", "d");
        assertThat(fields(tables.table(t))).contains("id_bucket_4");
    }
}
