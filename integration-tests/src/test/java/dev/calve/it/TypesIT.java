package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.it.PeerTables.Engine;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Types Spark cannot declare, tables whose schema, spec or format version the peer changed, and tables of version 1. */
@Tag("iceberg-peer")
class TypesIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("types");
    }

    private static Table create(String name, Schema schema, PartitionSpec spec, int version, String mode) {
        return tables.peerCatalog()
                .buildTable(tables.identifier(name), schema)
                .withPartitionSpec(spec)
                .withProperty("format-version", "" + version)
                .withProperty("write.delete.mode", mode)
                .create();
    }

    private static void insert(Engine engine, String table, String values) {
        tables.spark.sql("INSERT INTO " + tables.in(engine, table) + " VALUES " + values);
    }

    private static void assertSound(String table) {
        Table now = tables.table(table);
        LiveFiles live = LiveFiles.of(now);
        live.assertSound(table);
        assertThat(now.currentSnapshot().summary()).containsAllEntriesOf(live.totals());
    }

    private static List<Row> ids(String table, long... expected) {
        List<Row> rows = tables.assertSame(table, "*");
        assertThat(rows.stream().map(row -> row.<Object>getAs("id")))
                .containsExactlyInAnyOrderElementsOf(java.util.Arrays.stream(expected)
                        .boxed()
                        .map(Object.class::cast)
                        .toList());
        return rows;
    }

    @ParameterizedTest
    @CsvSource({
        "2, merge-on-read, plain",
        "2, copy-on-write, identity",
        "3, merge-on-read, identity",
        "3, copy-on-write, bucket"
    })
    void uuidAndFixedAreTextAndBytes(int version, String mode, String partition) {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "u", Types.UUIDType.get()),
                Types.NestedField.optional(3, "fx", Types.FixedType.ofLength(4)),
                Types.NestedField.optional(
                        4, "st", Types.StructType.of(Types.NestedField.optional(5, "u", Types.UUIDType.get()))),
                Types.NestedField.optional(6, "us", Types.ListType.ofOptional(7, Types.UUIDType.get())));
        PartitionSpec spec = switch (partition) {
            case "identity" -> PartitionSpec.builderFor(schema).identity("u").build();
            case "bucket" ->
                PartitionSpec.builderFor(schema).bucket("u", 3).bucket("fx", 2).build();
            default -> PartitionSpec.unpartitioned();
        };
        String table = "uuid_%d_%s_%s".formatted(version, mode.substring(0, 4), partition);
        create(table, schema, spec, version, mode);
        StructType rowType =
                StructType.fromDDL("id bigint, u string, fx binary, st struct<u: string>, us array<string>");
        var rows = new ArrayList<Row>();
        for (long id = 0; id < 12; id++) {
            String uuid = id % 4 == 3 ? null : new UUID(id % 2 == 0 ? -id : id, id % 3 == 0 ? -1 : 1 << id).toString();
            byte[] fixed = id % 5 == 4 ? null : new byte[] {(byte) (id % 2 == 0 ? -1 : 1), 0, (byte) id, -128};
            rows.add(RowFactory.create(
                    id,
                    uuid,
                    fixed,
                    id % 6 == 5 ? null : RowFactory.create(uuid),
                    id % 5 == 0 ? null : new String[] {uuid, null}));
        }
        List<Row> model = tables.frame(rows, rowType).collectAsList();
        tables.append(
                Engine.PEER, table, tables.frame(rows.subList(0, 6), rowType).coalesce(1));
        tables.append(
                Engine.CALVE, table, tables.frame(rows.subList(6, 12), rowType).coalesce(1));
        tables.assertRows(table, model);

        String some = rows.get(2).getString(1);
        for (String condition : List.of(
                "u = '" + some + "'",
                "u > '8'",
                "u < '7' OR u IS NULL",
                "u IN ('" + some + "', '" + rows.get(9).getString(1) + "', 'no uuid')",
                "u = upper('" + some + "')",
                "fx = X'FF000280'",
                "fx >= X'80'",
                "st.u = '" + some + "'")) {
            List<Row> expected = tables.frame(rows, rowType).where(condition).collectAsList();
            assertThat(PeerTables.text(tables.spark
                            .sql("SELECT * FROM " + tables.in(Engine.CALVE, table) + " WHERE " + condition)
                            .collectAsList()))
                    .as(condition)
                    .isEqualTo(PeerTables.text(expected));
        }
        tables.delete(Engine.CALVE, table, "u = '" + some + "' OR fx = X'01000180'");
        tables.delete(Engine.CALVE, table, "st.u = '" + rows.get(4).getString(1) + "' AND u > ''");
        tables.delete(Engine.PEER, table, "id = 7");
        tables.assertRows(
                table, PeerTables.without(model, row -> List.of(1L, 2L, 4L, 7L).contains(row.getLong(0))));
        assertSound(table);
        assertThatThrownBy(() -> insert(Engine.CALVE, table, "(99, 'not a uuid', X'00000000', NULL, NULL)"))
                .hasStackTraceContaining("not a uuid");
        assertThatThrownBy(() -> insert(Engine.CALVE, table, "(99, NULL, X'0000', NULL, NULL)"))
                .hasStackTraceContaining("4 bytes");
    }

    @ParameterizedTest
    @CsvSource({"2, merge-on-read", "2, copy-on-write", "3, merge-on-read", "3, copy-on-write"})
    void rowsAreRightWhateverTheSchemaWasWhenTheyWereWritten(int version, String mode) {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "a", Types.IntegerType.get()),
                Types.NestedField.optional(3, "f", Types.FloatType.get()),
                Types.NestedField.optional(4, "d", Types.DecimalType.of(9, 2)),
                Types.NestedField.optional(5, "gone", Types.StringType.get()),
                Types.NestedField.optional(
                        6,
                        "st",
                        Types.StructType.of(
                                Types.NestedField.optional(7, "x", Types.IntegerType.get()),
                                Types.NestedField.optional(8, "y", Types.StringType.get()))));
        String table = "evolved_%d_%s".formatted(version, mode.substring(0, 4));
        create(table, schema, PartitionSpec.unpartitioned(), version, mode);
        insert(
                Engine.CALVE,
                table,
                "(1, 1, 1.5F, 1.50BD, 'x1', named_struct('x', 1, 'y', 'y1')), (2, NULL, NULL, NULL, NULL, NULL),"
                        + " (3, -3, float('NaN'), -3.25BD, 'x3', named_struct('x', NULL, 'y', 'y3'))");
        insert(Engine.PEER, table, "(4, 4, -0.0F, 4.00BD, 'x4', named_struct('x', 4, 'y', NULL))");

        tables.table(table)
                .updateSchema()
                .updateColumn("a", Types.LongType.get())
                .updateColumn("f", Types.DoubleType.get())
                .updateColumn("d", Types.DecimalType.of(20, 2))
                .updateColumn("st.x", Types.LongType.get())
                .renameColumn("a", "b")
                .deleteColumn("gone")
                .addColumn("st", "z", Types.DoubleType.get())
                .addColumn("added", Types.StringType.get())
                .moveFirst("d")
                .commit();
        ids(table, 1, 2, 3, 4);
        String wide = "named_struct('x', 50000000000L, 'y', 'y', 'z', 0.5D)";
        insert(
                Engine.CALVE,
                table,
                "(123456789012345678.25BD, 5, 50000000000L, 1e300D, " + wide
                        + ", 'new'), (NULL, 6, 4, 4.0D, NULL, NULL)");
        insert(Engine.PEER, table, "(4.00BD, 7, 4, -0.0D, " + wide + ", 'new')");
        ids(table, 1, 2, 3, 4, 5, 6, 7);

        // The name comes back as another column, after the rename frees it for yet another.
        tables.table(table)
                .updateSchema()
                .addColumn("gone", Types.StringType.get())
                .addColumn("a", Types.StringType.get())
                .deleteColumn("st.y")
                .moveBefore("b", "id")
                .commit();
        ids(table, 1, 2, 3, 4, 5, 6, 7);
        long before = tables.table(table).currentSnapshot().snapshotId();
        Map<String, long[]> left = Map.ofEntries(
                Map.entry("b = 4", new long[] {1, 2, 3, 5}),
                Map.entry("b > 3", new long[] {1, 2, 3}),
                Map.entry("b = 50000000000", new long[] {1, 2, 3, 4, 6, 7}),
                Map.entry("gone IS NULL", new long[] {}),
                Map.entry("gone = 'x1'", new long[] {1, 2, 3, 4, 5, 6, 7}),
                Map.entry("a IS NOT NULL", new long[] {1, 2, 3, 4, 5, 6, 7}),
                Map.entry("added IS NULL AND id > 1", new long[] {1, 5, 7}),
                Map.entry("added = 'new'", new long[] {1, 2, 3, 4, 6}),
                Map.entry("st.x = 4", new long[] {1, 2, 3, 5, 6, 7}),
                Map.entry("st.z > 0", new long[] {1, 2, 3, 4, 6}),
                Map.entry("f = 0", new long[] {1, 2, 3, 5, 6}),
                Map.entry("f = double('NaN')", new long[] {1, 2, 4, 5, 6, 7}),
                Map.entry("f > 2", new long[] {1, 2, 4, 7}),
                Map.entry("d = 4", new long[] {1, 2, 3, 5, 6}),
                Map.entry("d > 1000000000", new long[] {1, 2, 3, 4, 6, 7}),
                Map.entry("d < 0 OR st IS NULL", new long[] {1, 4, 5, 7}));
        left.forEach((condition, kept) -> {
            tables.table(table).manageSnapshots().setCurrentSnapshot(before).commit();
            tables.delete(Engine.CALVE, table, condition);
            assertThat(tables.rows(Engine.CALVE, table, "id"))
                    .as(condition)
                    .containsExactlyInAnyOrderElementsOf(java.util.Arrays.stream(kept)
                            .mapToObj(id -> "[Long:" + id + "]")
                            .toList());
        });
        tables.table(table).manageSnapshots().setCurrentSnapshot(before).commit();
        tables.delete(Engine.CALVE, table, "id IN (1, 6)");
        tables.delete(Engine.PEER, table, "b = -3");
        tables.delete(Engine.CALVE, table, "f = 0 AND d = 4 AND id > 4");
        ids(table, 2, 4, 5);
        assertSound(table);
    }

    @Test
    void filesWrittenBeforeAColumnHadADefaultReadAsIt() {
        var schema = new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
        for (String mode : List.of("merge-on-read", "copy-on-write")) {
            String table = "defaults_" + mode.substring(0, 4);
            create(table, schema, PartitionSpec.unpartitioned(), 3, mode);
            insert(Engine.PEER, table, "(1), (2)");
            insert(Engine.CALVE, table, "(3), (4)");
            tables.table(table)
                    .updateSchema()
                    .addColumn("i", Types.IntegerType.get(), Expressions.lit(7))
                    .addColumn("s", Types.StringType.get(), Expressions.lit("dflt"))
                    .addColumn("dec", Types.DecimalType.of(9, 2), Expressions.lit(new BigDecimal("1.25")))
                    .addColumn(
                            "dt",
                            Types.DateType.get(),
                            Expressions.lit("1969-12-31").to(Types.DateType.get()))
                    .commit();
            insert(
                    Engine.PEER,
                    table,
                    "(5, 8, 'own', 2.50BD, DATE'2020-01-01'), (6, NULL, NULL, NULL, NULL), (7, 7, 'dflt', 1.25BD, DATE'1969-12-31')");
            insert(Engine.CALVE, table, "(8, NULL, 'x', NULL, NULL)");
            ids(table, 1, 2, 3, 4, 5, 6, 7, 8);
            tables.delete(Engine.CALVE, table, "i = 7 AND id < 3 AND s = 'dflt'");
            ids(table, 3, 4, 5, 6, 7, 8);
            tables.delete(Engine.CALVE, table, "dec = 1.25BD AND dt < DATE'1970-01-01' AND id IN (3, 7)");
            ids(table, 4, 5, 6, 8);
            tables.delete(Engine.CALVE, table, "i IS NULL");
            ids(table, 4, 5);
            tables.delete(Engine.CALVE, table, "i <> 7");
            ids(table, 4);
            assertSound(table);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tablesOfVersion1AreReadAppendedToAndDeletedFromByCopyOnWrite(boolean partitioned) {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "p", Types.StringType.get()),
                Types.NestedField.optional(3, "at", Types.TimestampType.withZone()));
        PartitionSpec spec = partitioned
                ? PartitionSpec.builderFor(schema).identity("p").day("at").build()
                : PartitionSpec.unpartitioned();
        String table = "version1_" + partitioned;
        create(table, schema, spec, 1, "copy-on-write");
        ids(table);
        insert(
                Engine.PEER,
                table,
                "(1, 'a', TIMESTAMP'2024-01-01 00:00:00Z'), (2, 'b', TIMESTAMP'1969-12-31 23:59:59Z'), (3, NULL, NULL)");
        insert(
                Engine.CALVE,
                table,
                "(4, 'a', TIMESTAMP'2024-01-01 01:00:00Z'), (5, 'b', TIMESTAMP'2024-01-02 00:00:00Z'), (6, 'a', NULL)");
        ids(table, 1, 2, 3, 4, 5, 6);
        tables.delete(Engine.CALVE, table, "id = 4 OR at < TIMESTAMP'1970-01-01 00:00:00Z'");
        ids(table, 1, 3, 5, 6);
        tables.delete(Engine.PEER, table, "id = 3");
        tables.delete(Engine.CALVE, table, "p = 'b'");
        ids(table, 1, 6);
        assertSound(table);
        if (partitioned) {
            // A field that leaves a spec of version 1 stays in it as void.
            tables.table(table).updateSpec().removeField("p").commit();
            insert(Engine.CALVE, table, "(7, 'c', TIMESTAMP'2024-01-01 00:00:00Z'), (8, 'c', NULL)");
            insert(Engine.PEER, table, "(9, 'd', NULL)");
            tables.delete(Engine.CALVE, table, "p = 'c' AND id = 7 OR id = 1");
            ids(table, 6, 8, 9);
            assertSound(table);
        }
        tables.spark.sql(
                "INSERT INTO " + tables.in(Engine.CALVE, table)
                        + " SELECT /*+ COALESCE(1) */ * FROM VALUES (20L, 'z', TIMESTAMP'2024-01-01 00:00:00Z'), (21L, 'z', TIMESTAMP'2024-01-01 00:00:00Z')");
        tables.setDeleteMode(table, "merge-on-read");
        assertThatThrownBy(() -> tables.delete(Engine.CALVE, table, "id = 20"))
                .hasStackTraceContaining("merge-on-read")
                .hasStackTraceContaining("copy-on-write");
        assertThat(tables.table(table).currentSnapshot().summary().get("total-delete-files"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @CsvSource({"merge-on-read, false", "copy-on-write, false", "merge-on-read, true", "copy-on-write, true"})
    void upgradedTablesKeepTheirRowsAndGiveThemIds(String mode, boolean partitioned) {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "s", Types.StringType.get()));
        PartitionSpec spec =
                partitioned ? PartitionSpec.builderFor(schema).truncate("s", 1).build() : PartitionSpec.unpartitioned();
        String table = "upgraded_%s_%s".formatted(mode.substring(0, 4), partitioned);
        create(table, schema, spec, 1, "copy-on-write");
        insert(Engine.PEER, table, "(1, 'a'), (2, 'b')");
        insert(Engine.CALVE, table, "(3, 'a'), (4, 'b')");
        tables.set(table, "format-version", "2", "write.delete.mode", mode);
        ids(table, 1, 2, 3, 4);
        insert(Engine.CALVE, table, "(5, 'a'), (6, 'b'), (7, NULL), (8, 'a1'), (9, 'a2')");
        tables.delete(Engine.CALVE, table, "id = 1 OR id = 5");
        insert(Engine.PEER, table, "(10, 'a'), (11, 'a'), (12, 'b')");
        tables.delete(Engine.PEER, table, "id = 10");
        ids(table, 2, 3, 4, 6, 7, 8, 9, 11, 12);
        assertSound(table);

        tables.set(table, "format-version", "3");
        List<Row> without = tables.assertSame(table, "id, _row_id, _last_updated_sequence_number");
        assertThat(without).hasSize(9).allMatch(row -> row.isNullAt(1));
        tables.delete(Engine.CALVE, table, "id IN (8, 11)");
        ids(table, 2, 3, 4, 6, 7, 9, 12);
        assertSound(table);
        Map<Object, List<Object>> lineage = lineage(table);
        assertThat(lineage.values()).doesNotHaveDuplicates().allMatch(values -> values.get(0) != null);
        insert(Engine.CALVE, table, "(13, 'a'), (14, 'c')");
        assertThat(lineage(table)).containsAllEntriesOf(lineage);
        tables.delete(Engine.CALVE, table, "id IN (3, 9, 13)");
        tables.delete(Engine.PEER, table, "id = 6");
        ids(table, 2, 4, 7, 12, 14);
        Map<Object, List<Object>> last = lineage(table);
        last.remove(14L);
        assertThat(lineage).containsAllEntriesOf(last);
        assertSound(table);
    }

    private static Map<Object, List<Object>> lineage(String table) {
        return PeerTables.byKey(
                tables.assertSame(table, "id, _row_id, _last_updated_sequence_number"),
                "id",
                "_row_id",
                "_last_updated_sequence_number");
    }

    /** One partition field of each type, so that every kind of value is in tuples, paths and absent columns. */
    @ParameterizedTest
    @CsvSource({"2, CALVE", "3, PEER"})
    void everyTypeCanBeAPartition(int version, Engine writer) {
        String columns =
                "id bigint, b boolean, i int, l bigint, f float, d double, dec decimal(9,2), dec38 decimal(38,10), "
                        + "dt date, ts timestamp, ntz timestamp_ntz, s string, bin binary";
        String table = "all_partitions_%d_%s".formatted(version, writer);
        tables.spark.sql(
                ("CREATE TABLE %s (%s) USING %s PARTITIONED BY (b, i, l, f, d, dec, dec38, dt, ts, ntz, s, bin) "
                                + "TBLPROPERTIES ('format-version' = '%d', 'write.delete.mode' = 'merge-on-read')")
                        .formatted(tables.in(writer, table), columns, writer.provider, version));
        StructType type = StructType.fromDDL(columns);
        String query = "SELECT * FROM VALUES "
                + "(1L, true, -1, -1L, float('NaN'), double('NaN'), -1.25BD, CAST(-0.0000000001BD AS decimal(38,10)), DATE'1969-12-31', TIMESTAMP'1969-12-31 23:59:59.999999Z', TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', 'a/b=c d%é', X'00FF'), "
                + "(2L, false, 2147483647, 9223372036854775807L, float('Infinity'), double('-Infinity'), 0.00BD, 12345678901234567890.5BD, DATE'2024-02-29', TIMESTAMP'2024-02-29 12:00:00Z', TIMESTAMP_NTZ'2024-02-29 12:00:00', '', X''), "
                + "(3L, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), "
                + "(4L, true, 0, 0L, 1.5F, -2.5D, 9999999.99BD, 0BD, DATE'9999-12-31', TIMESTAMP'1970-01-01 00:00:00Z', TIMESTAMP_NTZ'1970-01-01 00:00:00', 'null', X'7F'), "
                + "(5L, true, 0, 0L, 1.5F, -2.5D, 9999999.99BD, 0BD, DATE'9999-12-31', TIMESTAMP'1970-01-01 00:00:00Z', TIMESTAMP_NTZ'1970-01-01 00:00:00', 'null', X'7F')";
        List<Row> rows =
                tables.spark.sql(query).toDF(type.fieldNames()).to(type).collectAsList();
        tables.append(writer, table, tables.frame(rows, type));
        tables.assertRows(table, "_file, _pos, _spec_id, _partition", rows);
        long before = tables.table(table).currentSnapshot().snapshotId();
        for (String condition : List.of(
                "b",
                "i < 0",
                "l IS NULL",
                "f = float('NaN')",
                "d < 0",
                "dec = 0",
                "dec38 < 0",
                "dt < DATE'1970-01-01'",
                "ts < TIMESTAMP'1970-01-01 00:00:00Z'",
                "ntz = TIMESTAMP_NTZ'2024-02-29 12:00:00'",
                "s = ''",
                "s = 'a/b=c d%é'",
                "bin = X'00FF'",
                "bin = X''",
                "s <=> NULL",
                "NOT (f > 2)",
                "id = 4")) {
            tables.table(table).manageSnapshots().setCurrentSnapshot(before).commit();
            List<Row> gone = tables.frame(rows, type).where(condition).collectAsList();
            assertThat(gone).as(condition).hasSizeBetween(1, 3);
            tables.delete(Engine.CALVE, table, condition);
            List<String> ids = gone.stream().map(row -> "" + row.get(0)).toList();
            tables.assertRows(table, PeerTables.without(rows, row -> ids.contains("" + row.get(0))));
            assertSound(table);
        }
    }
}
