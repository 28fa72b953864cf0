package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.it.PeerTables.Engine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types the table format has and Spark 4.0 lacks, in files the peer's Java API wrote: the peer's Spark side refuses most of them. */
@Tag("iceberg-peer")
class TypesWithoutSparkFormIT {

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("formless");
    }

    private static Table create(String name, Schema schema, String mode) {
        return tables.peerCatalog()
                .buildTable(tables.identifier(name), schema)
                .withPartitionSpec(PartitionSpec.unpartitioned())
                .withProperty("format-version", "3")
                .withProperty("write.delete.mode", mode)
                .create();
    }

    private static void append(Table table, int from, int to, BiConsumer<Record, Integer> fill) {
        DataWriter<Record> writer;
        try {
            writer = Parquet.writeData(table.io()
                            .newOutputFile(table.locationProvider().newDataLocation(UUID.randomUUID() + ".parquet")))
                    .forTable(table)
                    .createWriterFunc(GenericParquetWriter::create)
                    .withSpec(table.spec())
                    .build();
            try (writer) {
                for (int i = from; i < to; i++) {
                    var row = GenericRecord.create(table.schema());
                    row.setField("id", (long) i);
                    fill.accept(row, i);
                    writer.write(row);
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        table.newAppend().appendFile(writer.toDataFile()).commit();
    }

    private static List<String> ours(String query) {
        return PeerTables.text(tables.spark.sql(query).collectAsList());
    }

    private static final Schema TIMES = new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "t", Types.TimeType.get()),
            Types.NestedField.optional(3, "ns", Types.TimestampNanoType.withoutZone(), "when"),
            Types.NestedField.optional(4, "nstz", Types.TimestampNanoType.withZone()),
            Types.NestedField.optional(
                    5, "s", Types.StructType.of(Types.NestedField.optional(6, "t", Types.TimeType.get()))),
            Types.NestedField.optional(7, "l", Types.ListType.ofOptional(8, Types.TimestampNanoType.withZone())));

    /** The peer's values as the numbers Calve must show. */
    private static List<String> numbers(Table table) throws IOException {
        var rows = new ArrayList<String>();
        try (var records = IcebergGenerics.read(table).build()) {
            for (Record record : records) {
                var struct = (Record) record.getField("s");
                var list = (List<?>) record.getField("l");
                rows.add("[%s, %s, %s, %s, %s, %s]"
                        .formatted(
                                number(record.getField("id")),
                                number(record.getField("t")),
                                number(record.getField("ns")),
                                number(record.getField("nstz")),
                                struct == null ? "NULL" : "[" + number(struct.getField("t")) + "]",
                                list == null
                                        ? "NULL"
                                        : list.stream()
                                                .map(TypesWithoutSparkFormIT::number)
                                                .toList()));
            }
        }
        return rows.stream().sorted().toList();
    }

    private static String number(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof LocalTime time) {
            return "Long:" + time.toNanoOfDay() / 1000;
        }
        if (value instanceof LocalDateTime time) {
            return "Long:" + ChronoUnit.NANOS.between(LocalDateTime.of(1970, 1, 1, 0, 0), time);
        }
        if (value instanceof OffsetDateTime time) {
            return "Long:" + ChronoUnit.NANOS.between(Instant.EPOCH, time.toInstant());
        }
        return "Long:" + value;
    }

    private static void times(Record row, int i) {
        if (i % 4 == 0) {
            return;
        }
        var at = LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999 - i).plusDays(i * 37L);
        row.setField("t", LocalTime.ofNanoOfDay(86_399_999_999_000L - i * 1_000_000L));
        row.setField("ns", at);
        row.setField("nstz", at.atOffset(ZoneOffset.UTC));
        var struct = GenericRecord.create(TIMES.findType("s").asStructType());
        struct.setField("t", i % 3 == 0 ? null : LocalTime.ofNanoOfDay(i * 1000L));
        row.setField("s", struct);
        var list = new ArrayList<OffsetDateTime>();
        list.add(at.atOffset(ZoneOffset.UTC));
        list.add(null);
        row.setField("l", list);
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge-on-read", "copy-on-write"})
    void timesAndNanosecondsAreNumbersAndLoseNothing(String mode) throws IOException {
        String name = "times_" + mode.substring(0, 4);
        String table = tables.in(Engine.CALVE, name);
        Table peer = create(name, TIMES, mode);
        append(peer, 0, 40, TypesWithoutSparkFormIT::times);

        assertThat(ours("SELECT * FROM " + table)).isEqualTo(numbers(peer)).hasSize(40);
        assertThat(tables.spark.table(table).schema().simpleString())
                .isEqualTo("struct<id:bigint,t:bigint,ns:bigint,nstz:bigint,s:struct<t:bigint>,l:array<bigint>>");
        assertThat(tables.spark
                        .sql("DESCRIBE " + table)
                        .where("col_name = 'ns'")
                        .first()
                        .getString(2))
                .isEqualTo("when (timestamp_ns, as nanoseconds since 1970-01-01 00:00:00)");

        tables.spark.sql("INSERT INTO " + table
                + " VALUES (100, 86399999999, -1, 9223372036854775807, named_struct('t', 0), array(NULL, -5)),"
                + " (101, NULL, NULL, NULL, NULL, NULL)");
        peer.refresh();
        assertThat(ours("SELECT * FROM " + table)).isEqualTo(numbers(peer)).hasSize(42);
        assertThat(ours("SELECT id FROM " + table + " WHERE ns = -1 OR t = 86399999999 AND nstz > 0"))
                .containsExactly("[Long:100]");

        tables.delete(Engine.CALVE, name, "ns < 0 OR id IN (3, 101) OR s.t = 10");
        peer.refresh();
        List<String> left = ours("SELECT * FROM " + table);
        assertThat(left).isEqualTo(numbers(peer)).hasSizeBetween(20, 40);
        assertThat(ours("SELECT id FROM " + table)).doesNotContain("[Long:100]", "[Long:101]", "[Long:3]", "[Long:10]");
        LiveFiles.of(tables.table(name)).assertSound(name);
        assertThatThrownBy(() ->
                        tables.spark.sql("INSERT INTO " + table + " VALUES (102, 86400000000, NULL, NULL, NULL, NULL)"))
                .hasStackTraceContaining("'t'")
                .hasStackTraceContaining("86400000000");
        assertThatThrownBy(() -> tables.spark.sql("INSERT INTO " + table
                        + " VALUES (102, NULL, TIMESTAMP_NTZ'2024-01-01 00:00:00', NULL, NULL, NULL)"))
                .hasMessageContaining("ns");
    }

    @Test
    void partitionsOfNanosecondsPruneByOtherColumnsAndTakeRows() throws IOException {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "ns", Types.TimestampNanoType.withZone()),
                Types.NestedField.optional(3, "t", Types.TimeType.get()),
                Types.NestedField.optional(4, "p", Types.StringType.get()));
        PartitionSpec spec = PartitionSpec.builderFor(schema)
                .day("ns")
                .bucket("t", 4)
                .identity("p")
                .build();
        Table peer = tables.peerCatalog()
                .buildTable(tables.identifier("by_day"), schema)
                .withPartitionSpec(spec)
                .withProperty("format-version", "3")
                .create();
        String table = tables.in(Engine.CALVE, "by_day");
        long day = 86_400_000_000_000L;
        tables.spark.sql("INSERT INTO " + table + " SELECT id, (id % 3) * " + day + " - 1, id * 1000, 'p' || id % 2"
                + " FROM range(0, 24)");
        peer.refresh();
        assertThat(ours("SELECT count(*), count(DISTINCT _partition) FROM " + table)
                        .get(0))
                .startsWith("[Long:24");
        try (var files = peer.newScan().planFiles()) {
            for (var task : files) {
                int days = task.file().partition().get(0, Integer.class);
                assertThat(days).isBetween(-1, 1);
            }
        }
        try (var records = IcebergGenerics.read(peer)
                .where(org.apache.iceberg.expressions.Expressions.lessThan("ns", "1970-01-01T00:00:00+00:00"))
                .build()) {
            assertThat(records).hasSize(8);
        }
        assertThat(ours("SELECT id FROM " + table + " WHERE p = 'p1' AND ns < 0"))
                .hasSize(4);
        assertThat(ours("SELECT a.id FROM " + table + " a JOIN " + table + " b ON a.ns = b.ns AND a.id = b.id"))
                .hasSize(24);
        tables.delete(Engine.CALVE, "by_day", "p = 'p0' AND ns >= " + day);
        assertThat(ours("SELECT id FROM " + table)).hasSize(20);
    }

    private static byte[] point(int x) {
        return ByteBuffer.allocate(21)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 1)
                .putInt(1)
                .putDouble(x)
                .putDouble(-x)
                .array();
    }

    @ParameterizedTest
    @ValueSource(strings = {"geometry", "geography"})
    void tablesWithGeometriesAreUsedByTheirOtherColumns(String kind) throws IOException {
        var type = kind.equals("geometry") ? Types.GeometryType.of("EPSG:4326") : Types.GeographyType.crs84();
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "geo", type, "where"),
                Types.NestedField.optional(3, "p", Types.StringType.get()),
                Types.NestedField.optional(
                        4,
                        "s",
                        Types.StructType.of(
                                Types.NestedField.optional(5, "geo", type),
                                Types.NestedField.optional(6, "x", Types.LongType.get()))));
        Table peer = create(kind, schema, "merge-on-read");
        append(peer, 0, 20, (row, i) -> {
            row.setField("geo", i % 3 == 0 ? null : ByteBuffer.wrap(point(i)));
            row.setField("p", "p" + i % 2);
            var struct = GenericRecord.create(schema.findType("s").asStructType());
            struct.setField("geo", ByteBuffer.wrap(point(-i)));
            struct.setField("x", i * 10L);
            row.setField("s", struct);
        });
        String table = tables.in(Engine.CALVE, kind);

        var shown =
                tables.spark.sql("DESCRIBE " + table).where("col_name = 'geo'").first();
        assertThat(shown.getString(1)).isEqualTo("binary");
        assertThat(shown.getString(2)).startsWith("where (" + kind).endsWith(", which cannot be read)");
        for (String query : List.of(
                "SELECT * FROM %s",
                "SELECT id FROM %s WHERE geo IS NOT NULL", "SELECT s FROM %s", "SELECT s.geo FROM %s")) {
            assertThatThrownBy(() -> ours(query.formatted(table)))
                    .as(query)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(query.contains("s FROM") || query.contains("s.") ? "'s.geo'" : "'geo'")
                    .hasMessageContaining(table)
                    .hasMessageContaining(kind)
                    .hasMessageContaining("id, p");
        }
        assertThat(ours("SELECT count(*) FROM " + table)).containsExactly("[Long:20]");
        assertThat(ours("SELECT id, s.x FROM " + table + " WHERE p = 'p1' AND id < 4"))
                .containsExactly("[Long:1, Long:10]", "[Long:3, Long:30]");

        long before = peer.currentSnapshot().snapshotId();
        assertThatThrownBy(() -> tables.delete(Engine.CALVE, kind, "geo IS NULL"))
                .hasStackTraceContaining("'geo'")
                .hasStackTraceContaining(kind);
        tables.setDeleteMode(kind, "copy-on-write");
        assertThatThrownBy(() -> tables.delete(Engine.CALVE, kind, "id = 1"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'geo'")
                .hasMessageContaining("merge-on-read");
        assertThatThrownBy(() -> tables.spark.sql("INSERT INTO " + table + " VALUES (50, X'00', 'p', NULL)"))
                .hasStackTraceContaining("'geo' of type " + kind);
        assertThat(tables.table(kind).currentSnapshot().snapshotId()).isEqualTo(before);
        assertThat(dataFiles(peer)).isEqualTo(1);

        tables.setDeleteMode(kind, "merge-on-read");
        tables.delete(Engine.CALVE, kind, "id = 1 OR s.x = 20");
        tables.spark.sql("INSERT INTO " + table + " VALUES (50, NULL, 'p', named_struct('geo', NULL, 'x', 7))");
        tables.spark.sql("INSERT INTO " + table + " (id, p) VALUES (51, 'p')");
        assertThat(ours("SELECT count(*), sum(id), max(s.x) FROM " + table))
                .containsExactly("[Long:20, Long:" + (190 - 3 + 101) + ", Long:190]");
        peer.refresh();
        var found = new ArrayList<String>();
        try (var records = IcebergGenerics.read(peer).build()) {
            for (Record record : records) {
                var geo = (ByteBuffer) record.getField("geo");
                long id = (long) record.getField("id");
                assertThat(geo == null).as("geo of %s", id).isEqualTo(id % 3 == 0 || id >= 50);
                if (geo != null) {
                    assertThat(geo.duplicate().order(ByteOrder.LITTLE_ENDIAN).getDouble(geo.position() + 5))
                            .isEqualTo((double) id);
                }
                found.add("" + id);
            }
        }
        assertThat(found).hasSize(20).doesNotContain("1", "2").contains("50", "51");
        LiveFiles.of(tables.table(kind)).assertSound(kind);
    }

    private static long dataFiles(Table table) throws IOException {
        var location = java.nio.file.Path.of(table.location().replaceFirst("^file:", ""));
        try (var files = java.nio.file.Files.walk(location)) {
            return files.filter(path -> path.toString().endsWith(".parquet")).count();
        }
    }

    @Test
    void rowsCannotBeAppendedWithoutARequiredGeometry() {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.required(2, "geo", Types.GeometryType.crs84()));
        create("required_geo", schema, "merge-on-read");

        assertThatThrownBy(() -> tables.spark.sql(
                        "INSERT INTO " + tables.in(Engine.CALVE, "required_geo") + " VALUES (1, X'00')"))
                .hasStackTraceContaining("column 'geo' of type geometry cannot be left out");
    }

    @Test
    void columnsOfUnknownTypeAreNullsWhereverTheyAre() throws IOException {
        var schema = new Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "u", Types.UnknownType.get()),
                Types.NestedField.optional(
                        3,
                        "s",
                        Types.StructType.of(
                                Types.NestedField.optional(4, "u", Types.UnknownType.get()),
                                Types.NestedField.optional(5, "x", Types.LongType.get()))));
        Table peer = create("unknowns", schema, "copy-on-write");
        append(peer, 0, 6, (row, i) -> {
            var struct = GenericRecord.create(schema.findType("s").asStructType());
            struct.setField("x", (long) i);
            row.setField("s", i % 3 == 0 ? null : struct);
        });
        String table = tables.in(Engine.CALVE, "unknowns");
        tables.spark.sql(
                "INSERT INTO " + table + " VALUES (6, NULL, named_struct('u', NULL, 'x', 6L)), (7, NULL, NULL)");
        tables.delete(Engine.CALVE, "unknowns", "id = 1 OR u IS NOT NULL");

        List<String> rows = ours("SELECT id, u, s.u, s.x, s IS NULL FROM " + table);

        assertThat(rows)
                .containsExactly(
                        "[Long:0, NULL, NULL, NULL, Boolean:true]",
                        "[Long:2, NULL, NULL, Long:2, Boolean:false]",
                        "[Long:3, NULL, NULL, NULL, Boolean:true]",
                        "[Long:4, NULL, NULL, Long:4, Boolean:false]",
                        "[Long:5, NULL, NULL, Long:5, Boolean:false]",
                        "[Long:6, NULL, NULL, Long:6, Boolean:false]",
                        "[Long:7, NULL, NULL, NULL, Boolean:true]");
        assertThat(ours("SELECT * FROM " + table)).hasSize(7);
        tables.spark.sql("CREATE TABLE " + tables.in(Engine.CALVE, "own_unknown")
                + " (id bigint, u void) USING calve TBLPROPERTIES ('format-version' = '3')");
        tables.spark.sql("INSERT INTO " + tables.in(Engine.PEER, "own_unknown") + " VALUES (1, NULL)");
        tables.assertSame("own_unknown", "*");
    }
}
