package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables with equality deletes, which only the peer writes: read and deleted from as the peer does. */
@Tag("iceberg-peer")
class EqualityDeleteIT {

    private static final int ROWS = 24;

    private static final Schema SCHEMA = new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "p", Types.IntegerType.get()),
            NestedField.optional(3, "s", Types.StringType.get()),
            NestedField.optional(4, "u", Types.UUIDType.get()),
            NestedField.optional(5, "b", Types.BinaryType.get()),
            NestedField.optional(6, "f", Types.FixedType.ofLength(4)),
            NestedField.optional(7, "small", Types.DecimalType.of(9, 2)),
            NestedField.optional(8, "large", Types.DecimalType.of(38, 10)),
            NestedField.optional(9, "d", Types.DateType.get()),
            NestedField.optional(10, "ts", Types.TimestampType.withoutZone()),
            NestedField.optional(11, "tz", Types.TimestampType.withZone()),
            NestedField.optional(12, "flag", Types.BooleanType.get()),
            NestedField.optional(13, "x", Types.DoubleType.get()),
            NestedField.optional(
                    14,
                    "point",
                    Types.StructType.of(
                            NestedField.optional(15, "a", Types.IntegerType.get()),
                            NestedField.optional(16, "t", Types.StringType.get()))));

    /** Sets of key columns, each the key of a delete file; the number is that of the row whose key it deletes. */
    private static final Map<List<String>, Integer> KEYS = keys();

    private static Map<List<String>, Integer> keys() {
        var keys = new LinkedHashMap<List<String>, Integer>();
        int row = 0;
        for (String name : List.of("id", "s", "u", "b", "f", "small", "large", "d", "ts", "tz", "x")) {
            keys.put(List.of(name), row++);
        }
        keys.put(List.of("id", "flag"), row++);
        keys.put(List.of("s", "d", "u"), row++);
        keys.put(List.of("p", "s"), row++);
        return keys;
    }

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("equality");
    }

    /** Every seventh row has nulls; values come again after as many rows as a prime. */
    private static Record row(Schema schema, int i) {
        Record row = GenericRecord.create(schema);
        row.setField("id", (long) i);
        row.setField("p", i % 2);
        if (i % 7 == 5) {
            return row;
        }
        row.setField("s", "s" + i % 13);
        row.setField("u", new UUID(i % 11, -i));
        row.setField("b", ByteBuffer.wrap(new byte[] {(byte) (i % 11), -1}));
        row.setField("f", new byte[] {0, 0, 0, (byte) (i % 11)});
        row.setField("small", new BigDecimal(i % 11 - 3).setScale(2));
        row.setField("large", new BigDecimal("-12345678901234567890.0000000001").add(new BigDecimal(i % 11)));
        row.setField("d", LocalDate.of(1969, 12, 30).plusDays(i % 11));
        row.setField(
                "ts", LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000).plusSeconds(i % 11));
        row.setField(
                "tz",
                OffsetDateTime.of(2024, 2, 29, 0, 0, 0, 1000, ZoneOffset.UTC).plusSeconds(i % 11));
        row.setField("flag", i % 3 == 0);
        row.setField("x", i % 11 == 10 ? Double.NaN : i % 11 == 1 ? -0.0 : i % 11 - 2.0);
        Record point = GenericRecord.create(schema.findType("point").asStructType());
        point.setField("a", i % 5 == 0 ? null : i % 5);
        point.setField("t", "t" + i % 3);
        row.setField("point", point);
        return row;
    }

    private static List<Record> rows(Schema schema, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> row(schema, i)).toList();
    }

    /** Unpartitioned first, so that deletes of that spec reach every partition, then with one more spec. */
    private static Table create(String name, int version, String shape) {
        Table table = tables.peerCatalog()
                .createTable(
                        tables.identifier(name),
                        SCHEMA,
                        PartitionSpec.unpartitioned(),
                        Map.of("format-version", Integer.toString(version)));
        switch (shape) {
            case "plain" -> {}
            case "identity" -> table.updateSpec().addField("p").commit();
            case "bucket" ->
                table.updateSpec().addField(Expressions.bucket("id", 2)).commit();
            default -> throw new IllegalArgumentException(shape);
        }
        return table;
    }

    private static GenericFileWriterFactory.Builder factory(Table table) {
        return new GenericFileWriterFactory.Builder(table)
                .dataSchema(table.schema())
                .dataFileFormat(FileFormat.PARQUET)
                .deleteFileFormat(FileFormat.PARQUET);
    }

    private static OutputFileFactory output(Table table) {
        return OutputFileFactory.builderFor(table, 1, 1)
                .format(FileFormat.PARQUET)
                .operationId(UUID.randomUUID().toString())
                .build();
    }

    private static PartitionKey key(PartitionSpec spec, Schema schema, Record row) {
        var key = new PartitionKey(spec, schema);
        key.partition(new InternalRecordWrapper(schema.asStruct()).wrap(row));
        return key;
    }

    private static void append(Table table, PartitionSpec spec, List<Record> rows) throws IOException {
        var partitions = new LinkedHashMap<PartitionKey, List<Record>>();
        rows.forEach(row -> partitions
                .computeIfAbsent(key(spec, table.schema(), row), none -> new ArrayList<>())
                .add(row));
        var append = table.newAppend();
        for (var partition : partitions.entrySet()) {
            var writer = factory(table)
                    .build()
                    .newDataWriter(output(table).newOutputFile(spec, partition.getKey()), spec, partition.getKey());
            try (writer) {
                partition.getValue().forEach(writer::write);
            }
            append.appendFile(writer.toDataFile());
        }
        append.commit();
    }

    /** Writes the keys of rows that lie in one partition of the spec. */
    private static DeleteFile deletes(Table table, PartitionSpec spec, List<String> names, List<Record> rows)
            throws IOException {
        Schema all = table.schema();
        int[] ids =
                names.stream().mapToInt(name -> all.findField(name).fieldId()).toArray();
        Schema schema = TypeUtil.select(all, Arrays.stream(ids).boxed().collect(Collectors.toSet()));
        PartitionKey partition = key(spec, all, rows.get(0));
        var writer = factory(table)
                .equalityFieldIds(ids)
                .equalityDeleteRowSchema(schema)
                .build()
                .newEqualityDeleteWriter(output(table).newOutputFile(spec, partition), spec, partition);
        try (writer) {
            for (Record row : rows) {
                writer.write(reduced(schema.asStruct(), row));
            }
        }
        return writer.toDeleteFile();
    }

    private static Record reduced(Types.StructType type, Record row) {
        Record reduced = GenericRecord.create(type);
        for (NestedField field : type.fields()) {
            Object value = row.getField(field.name());
            reduced.setField(
                    field.name(),
                    value instanceof Record nested ? reduced(field.type().asStructType(), nested) : value);
        }
        return reduced;
    }

    private static Stream<Arguments> shapes() {
        return Stream.of(
                Arguments.of(2, "plain"),
                Arguments.of(2, "identity"),
                Arguments.of(3, "bucket"),
                Arguments.of(3, "identity"));
    }

    /** Rows of both specs, deletes by every key, half of them everywhere, half in one partition; rows added again after. */
    private static Table filled(String name, int version, String shape) throws IOException {
        Table table = create(name, version, shape);
        append(table, table.specs().get(0), rows(SCHEMA, 0, ROWS));
        append(table, table.spec(), rows(SCHEMA, ROWS, 3 * ROWS));
        tables.setDeleteMode(name, "merge-on-read");
        tables.delete(Engine.PEER, name, "id IN (7, 31, 40, 69)");
        table.refresh();
        var delta = table.newRowDelta();
        int number = 0;
        for (var key : KEYS.entrySet()) {
            PartitionSpec spec =
                    table.specs().get(number++ % 2 == 0 ? 0 : table.spec().specId());
            delta.addDeletes(deletes(table, spec, key.getKey(), List.of(row(SCHEMA, key.getValue() + ROWS))));
        }
        delta.commit();
        // Row 5 has nulls, so one delete takes all of them.
        table.newRowDelta()
                .addDeletes(deletes(table, table.specs().get(0), List.of("small", "flag"), List.of(row(SCHEMA, 5))))
                .commit();
        append(table, table.spec(), rows(SCHEMA, 0, 8));
        table.newRowDelta()
                .addDeletes(
                        deletes(table, table.specs().get(0), List.of("id"), List.of(row(SCHEMA, 1), row(SCHEMA, 60))))
                .commit();
        return table;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void readsAsThePeerDoes(int version, String shape) throws IOException {
        String name = "read_v%d_%s".formatted(version, shape);
        filled(name, version, shape);

        List<Row> rows = tables.assertSame(name, "*");
        assertThat(rows.size()).isBetween(20, 3 * ROWS);
        tables.assertSame(name, "count(*)");
        tables.assertSame(name, "point.t, flag");
        List<Row> marked = tables.assertSame(name, "id, s, _pos, _deleted, _file");
        assertThat(marked).hasSize(3 * ROWS + 8);
        assertThat(marked.stream().filter(row -> !row.getBoolean(3))).hasSize(rows.size());
        assertThat(underConditions(Engine.CALVE, name))
                .isNotEmpty()
                .containsExactlyElementsOf(underConditions(Engine.PEER, name));
    }

    /** Rows that pass filters of several kinds, each with its filter. */
    private static List<String> underConditions(Engine engine, String name) {
        return PeerTables.text(tables.spark
                .sql(Stream.of("id >= 50", "s IS NULL", "u < '0001'", "p = 1", "d < DATE'1970-01-03'", "_deleted")
                        .map(condition -> "SELECT \"%s\", id, b FROM %s WHERE %s"
                                .formatted(condition, tables.in(engine, name), condition))
                        .collect(Collectors.joining(" UNION ALL ")))
                .collectAsList());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void deletesNoRowTwiceAndBringsNoneBack(int version, String shape) throws IOException {
        for (String mode : List.of("merge-on-read", "copy-on-write")) {
            String name = "delete_v%d_%s_%s".formatted(version, shape, mode.substring(0, 4));
            filled(name, version, shape);
            tables.setDeleteMode(name, mode);
            List<Row> before = tables.assertSame(name, "*");

            // Row 24 is deleted by key and would match, row 7 is deleted by position.
            tables.delete(Engine.CALVE, name, "id % 8 = 0 OR id = 7");

            List<Row> left = before.stream()
                    .filter(row -> row.getLong(0) % 8 != 0 && row.getLong(0) != 7)
                    .toList();
            tables.assertRows(name, left);
            long deleted = (long) before.size() - left.size();
            Table table = tables.table(name);
            Map<String, String> summary = table.currentSnapshot().summary();
            if (mode.equals("merge-on-read")) {
                long positions = Long.parseLong(summary.get("added-position-deletes"))
                        - Long.parseLong(summary.getOrDefault("removed-position-deletes", "0"));
                assertThat(positions).isEqualTo(deleted);
            } else {
                assertThat(summary).doesNotContainKey("added-delete-files");
            }
            assertThat(summary).containsAllEntriesOf(LiveFiles.of(table).totals());

            tables.delete(Engine.CALVE, name, "s = 's1' OR p = 1 AND s IS NOT NULL");
            tables.assertRows(
                    name,
                    left.stream()
                            .filter(row -> row.isNullAt(2) || !(row.getString(2).equals("s1") || row.getInt(1) == 1))
                            .toList());
        }
    }

    /** A file all of whose live rows match goes, although some of its rows do not match: they are deleted by key. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void removesAFileOnceAllItsLiveRowsMatch(int version) throws IOException {
        String name = "whole_v" + version;
        Table table = create(name, version, "plain");
        append(table, table.spec(), rows(SCHEMA, 0, 6));
        append(table, table.spec(), rows(SCHEMA, 6, 8));
        table.newRowDelta()
                .addDeletes(deletes(table, table.spec(), List.of("id"), List.of(row(SCHEMA, 3), row(SCHEMA, 4))))
                .commit();
        tables.setDeleteMode(name, "merge-on-read");

        tables.delete(Engine.CALVE, name, "id IN (0, 1, 2, 5)");

        assertThat(tables.table(name).currentSnapshot().summary())
                .containsEntry("deleted-data-files", "1")
                .doesNotContainKey("added-delete-files");
        assertThat(tables.assertSame(name, "id")).hasSize(2);
    }

    @Test
    void fieldsOfStructsAreKeys() throws IOException {
        Table table = create("nested", 2, "plain");
        append(table, table.spec(), rows(SCHEMA, 0, ROWS));
        table.newRowDelta()
                .addDeletes(deletes(table, table.spec(), List.of("point.a"), List.of(row(SCHEMA, 2), row(SCHEMA, 10))))
                .addDeletes(deletes(table, table.spec(), List.of("point.t", "p"), List.of(row(SCHEMA, 4))))
                .commit();

        var expected = rows(SCHEMA, 0, ROWS).stream()
                .filter(row -> {
                    Record point = (Record) row.getField("point");
                    Object a = point == null ? null : point.getField("a");
                    return a != null
                            && !a.equals(2)
                            && !(point.getField("t").equals("t1")
                                    && row.getField("p").equals(0));
                })
                .map(row -> row.getField("id"))
                .toList();
        for (String columns : List.of("id", "id, point.t", "id, point")) {
            assertThat(tables
                            .spark
                            .sql("SELECT " + columns + " FROM " + tables.in(Engine.CALVE, "nested"))
                            .collectAsList()
                            .stream()
                            .map(row -> row.getLong(0)))
                    .as(columns)
                    .containsExactlyInAnyOrderElementsOf(
                            expected.stream().map(Long.class::cast).toList());
        }
    }

    @Test
    void keysOutliveTheirColumnsNamesAndTypes() throws IOException {
        Table table = create("evolved", 3, "plain");
        append(table, table.spec(), rows(SCHEMA, 0, ROWS));
        table.newRowDelta()
                .addDeletes(deletes(table, table.spec(), List.of("p"), List.of(row(SCHEMA, 1))))
                .addDeletes(deletes(table, table.spec(), List.of("small", "s"), List.of(row(SCHEMA, 2))))
                .addDeletes(deletes(table, table.spec(), List.of("tz"), List.of(row(SCHEMA, 4))))
                .commit();
        List<Row> before = tables.assertSame("evolved", "id");

        table.updateSchema()
                .updateColumn("p", Types.LongType.get())
                .renameColumn("p", "q")
                .updateColumn("small", Types.DecimalType.of(20, 2))
                .deleteColumn("tz")
                .commit();

        assertThat(tables.rows(Engine.CALVE, "evolved", "id")).hasSize(before.size());
        assertThat(tables.spark
                        .sql("SELECT id FROM " + tables.in(Engine.CALVE, "evolved"))
                        .collectAsList())
                .containsExactlyInAnyOrderElementsOf(before);
        tables.delete(Engine.CALVE, "evolved", "id < 12");
        assertThat(tables.spark
                        .sql("SELECT id FROM " + tables.in(Engine.CALVE, "evolved"))
                        .collectAsList())
                .containsExactlyInAnyOrderElementsOf(
                        before.stream().filter(row -> row.getLong(0) >= 12).toList());
    }
}
