package dev.calve.parquet;

import static dev.calve.parquet.ParquetFiles.column;
import static dev.calve.parquet.ParquetFiles.schema;
import static dev.calve.parquet.ParquetFiles.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.FaultyStorage;
import dev.calve.manifest.FileFormat;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataFileWriterTest {

    private final ParquetFiles files = new ParquetFiles();

    @Test
    void valuesOfEveryPrimitiveTypeAreReadBack() throws IOException {
        var schema = schema(
                Field.required(1, "bool", Type.Simple.BOOLEAN),
                Field.optional(2, "int", Type.Simple.INT),
                Field.optional(3, "long", Type.Simple.LONG),
                Field.optional(4, "float", Type.Simple.FLOAT),
                Field.optional(5, "double", Type.Simple.DOUBLE),
                Field.optional(6, "date", Type.Simple.DATE),
                Field.optional(7, "time", Type.Simple.TIME),
                Field.optional(8, "ts", Type.Simple.TIMESTAMPTZ),
                Field.optional(9, "string", Type.Simple.STRING),
                Field.optional(10, "uuid", Type.Simple.UUID),
                Field.optional(11, "binary", Type.Simple.BINARY),
                Field.optional(12, "fixed", new Type.Fixed(3)),
                Field.optional(13, "d9", new Type.Decimal(9, 2)),
                Field.optional(14, "d18", new Type.Decimal(18, 4)),
                Field.optional(15, "d38", new Type.Decimal(38, 10)),
                Field.optional(16, "unknown", Type.Simple.UNKNOWN),
                Field.optional(17, "last", Type.Simple.INT));
        List<Object> full = Arrays.asList(
                true,
                -7,
                1L << 40,
                1.5f,
                -2.25,
                19_000,
                86_399_999_999L,
                -1L,
                "žluťoučký",
                UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
                bytes("00ff"),
                bytes("010203"),
                new BigDecimal("-123.45"),
                new BigDecimal("99999999999999.9999"),
                new BigDecimal("-1234567890123456789012345678.0000000001"),
                null,
                17);
        List<Object> empty = new ArrayList<>(full);
        empty.set(0, false);
        for (int i = 1; i < empty.size(); i++) {
            empty.set(i, null);
        }

        files.write("f", schema, settings(), List.of(full, empty));

        List<Group> rows = files.rows("f");
        Group first = rows.get(0);
        assertThat(first.getBoolean("bool", 0)).isTrue();
        assertThat(first.getInteger("int", 0)).isEqualTo(-7);
        assertThat(first.getLong("long", 0)).isEqualTo(1L << 40);
        assertThat(first.getFloat("float", 0)).isEqualTo(1.5f);
        assertThat(first.getDouble("double", 0)).isEqualTo(-2.25);
        assertThat(first.getInteger("date", 0)).isEqualTo(19_000);
        assertThat(first.getLong("time", 0)).isEqualTo(86_399_999_999L);
        assertThat(first.getLong("ts", 0)).isEqualTo(-1L);
        assertThat(first.getString("string", 0)).isEqualTo("žluťoučký");
        assertThat(hex(first, "uuid")).isEqualTo("f79c3e09677c4bbda4793f349cb785e7");
        assertThat(hex(first, "binary")).isEqualTo("00ff");
        assertThat(hex(first, "fixed")).isEqualTo("010203");
        assertThat(first.getInteger("d9", 0)).isEqualTo(-12_345);
        assertThat(first.getLong("d18", 0)).isEqualTo(999_999_999_999_999_999L);
        assertThat(new BigInteger(first.getBinary("d38", 0).getBytes()))
                .isEqualTo(new BigInteger("-12345678901234567890123456780000000001"));
        assertThat(first.getInteger("last", 0)).isEqualTo(17);
        Group second = rows.get(1);
        assertThat(second.getBoolean("bool", 0)).isFalse();
        for (int i = 1; i < second.getType().getFieldCount(); i++) {
            assertThat(second.getFieldRepetitionCount(i)).as("column %s", i).isZero();
        }
    }

    @Test
    void variantsAreReadBackAtAnyDepth() throws IOException {
        var variant = Type.Simple.VARIANT;
        var schema = schema(
                Field.optional(1, "v", variant),
                Field.optional(2, "s", new Type.Struct(List.of(Field.required(3, "v", variant)))),
                Field.optional(4, "l", new Type.ListOf(5, false, variant)),
                Field.optional(6, "m", new Type.MapOf(7, Type.Simple.INT, 8, false, variant)));
        List<Bytes> one = List.of(bytes("010000"), bytes("0c01"));
        List<Bytes> other = List.of(bytes("01000100"), bytes(""));
        Map<Integer, Object> map = new LinkedHashMap<>();
        map.put(7, null);
        map.put(8, one);
        List<List<Object>> rows = List.of(
                Arrays.asList(one, List.of(other), Arrays.asList(null, one, other), map),
                Arrays.asList(null, null, List.of(), null),
                Arrays.asList(other, List.of(one), null, Map.of()));

        files.write("f", schema, settings(), rows);

        List<Group> read = files.rows("f");
        assertThat(read.stream().map(row -> variants(row, "v"))).containsExactly("[010000 0c01]", "[]", "[01000100 ]");
        assertThat(read.stream()
                        .map(row ->
                                row.getFieldRepetitionCount("s") == 0 ? "null" : variants(row.getGroup("s", 0), "v")))
                .containsExactly("[01000100 ]", "null", "[010000 0c01]");
        Group list = read.get(0).getGroup("l", 0);
        assertThat(IntStream.range(0, 3).mapToObj(i -> variants(list.getGroup("list", i), "element")))
                .containsExactly("[]", "[010000 0c01]", "[01000100 ]");
        assertThat(read.get(1).getGroup("l", 0).getFieldRepetitionCount("list")).isZero();
        assertThat(read.get(2).getFieldRepetitionCount("l")).isZero();
        Group entries = read.get(0).getGroup("m", 0);
        assertThat(IntStream.range(0, 2).mapToObj(i -> variants(entries.getGroup("key_value", i), "value")))
                .containsExactly("[]", "[010000 0c01]");
    }

    private static String variants(Group row, String name) {
        var texts = new ArrayList<String>();
        for (int i = 0; i < row.getFieldRepetitionCount(name); i++) {
            Group variant = row.getGroup(name, i);
            texts.add(hex(variant, "metadata") + " " + hex(variant, "value"));
        }
        return texts.toString();
    }

    @Test
    void aValueOfATypeThatIsNotWrittenIsRefusedAndNotLost() throws IOException {
        var schema = schema(
                Field.required(1, "id", Type.Simple.INT),
                Field.optional(
                        2,
                        "s",
                        new Type.Struct(List.of(
                                Field.optional(3, "geo", new Type.Geometry("EPSG:4326")),
                                Field.optional(4, "a", Type.Simple.INT)))));

        files.write("f", schema, settings(), List.of(List.of(1, Arrays.asList(null, 5)), Arrays.asList(2, null)));

        assertThat(files.rows("f").get(0).getGroup("s", 0).getInteger("a", 0)).isEqualTo(5);
        assertThatThrownBy(() ->
                        files.write("g", schema, settings(), List.of(List.of(1, Arrays.asList(bytes("01"), 5)))))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'geo' of type geometry(EPSG:4326)");
    }

    @Test
    void nestedValuesOfEveryShapeAreReadBack() throws IOException {
        var point = new Type.Struct(List.of(
                Field.required(10, "x", Type.Simple.INT),
                Field.optional(11, "tags", new Type.ListOf(12, false, Type.Simple.STRING))));
        var schema = schema(
                Field.optional(1, "p", point),
                Field.optional(
                        2,
                        "ps",
                        new Type.ListOf(
                                13,
                                false,
                                new Type.Struct(List.of(
                                        Field.required(20, "x", Type.Simple.INT),
                                        Field.optional(21, "tags", new Type.ListOf(22, false, Type.Simple.STRING)))))),
                Field.required(3, "ll", new Type.ListOf(14, false, new Type.ListOf(15, true, Type.Simple.LONG))),
                Field.optional(4, "m", new Type.MapOf(16, Type.Simple.STRING, 17, false, Type.Simple.INT)));
        Randomly.check(20, randomly -> {
            var files = new ParquetFiles();
            List<List<Object>> rows = new ArrayList<>();
            for (int i = randomly.intBetween(1, 50); i > 0; i--) {
                rows.add(Arrays.asList(
                        maybe(randomly, point(randomly)),
                        maybe(randomly, randomly.listOf(3, () -> maybe(randomly, point(randomly)))),
                        randomly.listOf(3, () -> maybe(randomly, randomly.listOf(3, randomly::anyLong))),
                        maybe(randomly, map(randomly))));
            }
            files.write("f", schema, settings("write.parquet.row-group-size-bytes", "500"), rows);

            List<Group> read = files.rows("f");
            assertThat(read).hasSize(rows.size());
            for (int i = 0; i < rows.size(); i++) {
                assertThat(struct(schema.struct(), read.get(i))).isEqualTo(rows.get(i));
            }
        });
    }

    @Test
    void describesTheFileAsItIs() throws IOException {
        var file = files.writeColumn(Type.Simple.INT, 1, 2, 3);

        assertThat(file.path()).isEqualTo("f0");
        assertThat(file.format()).isEqualTo(FileFormat.PARQUET);
        assertThat(file.recordCount()).isEqualTo(3);
        assertThat(file.fileSizeBytes()).isEqualTo(files.storage.bytes("f0").length);
        assertThat(file.common().splitOffsets()).containsExactly(4L);
        assertThat(file.firstRowId()).isEmpty();
    }

    @Test
    void everyRowGroupIsAboutAsLargeAsAskedFor() throws IOException {
        var rows = IntStream.range(0, 40_000)
                .mapToObj(i -> List.of(i * 0x9E3779B97F4A7C15L))
                .toList();
        var file = files.write(
                "f", column(Type.Simple.LONG), settings("write.parquet.row-group-size-bytes", "65536"), rows);

        var blocks = files.footer("f").getBlocks();
        // 40,000 incompressible longs are 320,000 bytes.
        assertThat(blocks).hasSizeBetween(4, 8);
        assertThat(file.common().splitOffsets())
                .containsExactlyElementsOf(
                        blocks.stream().map(block -> block.getStartingPos()).toList());
        assertThat(blocks.stream().mapToLong(block -> block.getRowCount()).sum())
                .isEqualTo(40_000);
        assertThat(file.metrics().valueCounts()).containsEntry(1, 40_000L);
    }

    @Test
    void fewHugeValuesDoNotMakeAHugeRowGroup() throws IOException {
        var random = new Randomly(1);
        var rows = new ArrayList<List<Object>>();
        for (int i = 0; i < 50; i++) {
            rows.add(List.of(Bytes.wrap(random.bytes(100_000))));
        }
        files.write("f", column(Type.Simple.BINARY), settings("write.parquet.row-group-size-bytes", "1000000"), rows);

        assertThat(files.footer("f").getBlocks())
                .allSatisfy(block -> assertThat(block.getTotalByteSize()).isLessThan(1_500_000));
    }

    @Test
    void pagesHaveNoMoreRowsThanTheLimit() throws IOException {
        var rows = IntStream.range(0, 1_000).mapToObj(List::of).toList();
        files.write("f", column(Type.Simple.INT), settings("write.parquet.page-row-limit", "100"), rows);

        var encodings = files.footer("f").getBlocks().get(0).getColumns().get(0).getEncodingStats();
        int pages = encodings.getDataEncodings().stream()
                .mapToInt(encodings::getNumDataPagesEncodedAs)
                .sum();
        assertThat(pages).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "zstd, ZSTD, ",
        "zstd, ZSTD, 9",
        "snappy, SNAPPY, ",
        "gzip, GZIP, 1",
        "lz4, LZ4_RAW, ",
        "uncompressed, UNCOMPRESSED, "
    })
    void codecsAreHonoured(String name, CompressionCodecName codec, String level) throws IOException {
        var settings = level == null
                ? settings("write.parquet.compression-codec", name)
                : settings("write.parquet.compression-codec", name, "write.parquet.compression-level", level);
        var rows = IntStream.range(0, 100).mapToObj(i -> List.of("row " + i)).toList();
        files.write("f", column(Type.Simple.STRING), settings, rows);

        assertThat(files.footer("f").getBlocks().get(0).getColumns().get(0).getCodec())
                .isEqualTo(codec);
        assertThat(files.rows("f"))
                .hasSize(100)
                .last()
                .satisfies(row -> assertThat(row.getString(0, 0)).isEqualTo("row 99"));
    }

    @Test
    void refusesACodecThatSparkDoesNotShip() {
        assertThatThrownBy(() ->
                        FileLayout.of(column(Type.Simple.INT), settings("write.parquet.compression-codec", "brotli")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("brotli");
    }

    @Test
    void pagesOfVersion2AreWrittenWhenAskedFor() throws IOException {
        files.writeColumn(Type.Simple.INT, settings("write.parquet.page-version", "v2"), 1, 2);

        assertThat(files.footer("f0")
                        .getBlocks()
                        .get(0)
                        .getColumns()
                        .get(0)
                        .getEncodingStats()
                        .usesV2Pages())
                .isTrue();
        assertThat(files.rows("f0")).hasSize(2);
    }

    @Test
    void singleColumnsGetWhatTheirPropertiesSay() throws IOException {
        var schema = schema(
                Field.required(1, "a", Type.Simple.STRING),
                Field.required(2, "b", Type.Simple.STRING),
                Field.required(3, "l", new Type.ListOf(4, true, Type.Simple.STRING)));
        var rows = IntStream.range(0, 100)
                .mapToObj(i -> List.of("x", "y", List.of("z")))
                .toList();
        var file = files.write(
                "f",
                schema,
                settings(
                        "write.parquet.bloom-filter-enabled.column.a", "true",
                        "write.parquet.bloom-filter-ndv.column.a", "100",
                        "write.parquet.dict-encoding-enabled.column.a", "false",
                        "write.parquet.dict-encoding-enabled.column.l.element", "false",
                        "write.parquet.stats-enabled.column.b", "false",
                        "write.parquet.bloom-filter-enabled.column.gone", "true"),
                rows);

        var columns = files.footer("f").getBlocks().get(0).getColumns();
        assertThat(columns.get(0).getBloomFilterOffset()).isPositive();
        assertThat(columns.get(0).getEncodingStats().hasDictionaryPages()).isFalse();
        assertThat(columns.get(1).getBloomFilterOffset()).isNegative();
        assertThat(columns.get(1).getEncodingStats().hasDictionaryPages()).isTrue();
        assertThat(columns.get(2).getEncodingStats().hasDictionaryPages()).isFalse();
        assertThat(file.metrics().lowerBounds()).containsOnlyKeys(1);
        assertThat(file.metrics().nullValueCounts()).containsOnlyKeys(1);
        assertThat(file.metrics().valueCounts()).containsOnlyKeys(1, 2);
    }

    @Test
    void aRequiredColumnRefusesNullAndTheFileIsAbandoned() throws IOException {
        var layout = FileLayout.of(schema(Field.required(1, "a", Type.Simple.INT)), settings());
        var writer = DataFileWriter.create(files.storage, "f", layout, new ListRowReader(), ParquetFiles.UNPARTITIONED);
        writer.write(List.of(1));

        assertThatThrownBy(() -> writer.write(Arrays.asList((Object) null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a'");
        assertThatThrownBy(writer::close).isInstanceOf(IllegalStateException.class);
        writer.abandon();
        assertThat(files.storage.locations()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0102", "01020304"})
    void aFixedColumnRefusesOtherLengths(String value) {
        assertThatThrownBy(() -> files.writeColumn(new Type.Fixed(3), bytes(value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3 bytes, not " + value.length() / 2);
    }

    @Test
    void anExistingFileIsLeftAlone() {
        files.storage.put("f", new byte[] {1});

        assertThatThrownBy(() -> files.write("f", column(Type.Simple.INT), settings(), List.of()))
                .isInstanceOf(java.nio.file.FileAlreadyExistsException.class);
        assertThat(files.storage.bytes("f")).containsExactly(1);
    }

    @Test
    void aFailedWriteIsReportedAndLeavesNothingOnceAbandoned() throws IOException {
        var faulty = new FaultyStorage(files.storage);
        faulty.requests().failAll(dev.calve.io.RequestLog.Request.WRITE);
        var layout = FileLayout.of(column(Type.Simple.LONG), settings("write.parquet.row-group-size-bytes", "1000"));
        assertThatThrownBy(() -> {
                    var writer =
                            DataFileWriter.create(faulty, "f", layout, new ListRowReader(), ParquetFiles.UNPARTITIONED);
                    try {
                        for (long i = 0; i < 10_000; i++) {
                            writer.write(List.of(i));
                        }
                        writer.close();
                    } catch (IOException e) {
                        writer.abandon();
                        throw e;
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(files.storage.locations()).isEmpty();
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }

    private static String hex(Group row, String column) {
        return HexFormat.of().formatHex(row.getBinary(column, 0).getBytes());
    }

    private static @Nullable Object maybe(Randomly randomly, Object value) {
        return randomly.percent(25) ? null : value;
    }

    private static List<Object> point(Randomly randomly) {
        return Arrays.asList(
                randomly.intBelow(100), maybe(randomly, randomly.listOf(3, () -> maybe(randomly, randomly.string(5)))));
    }

    private static Map<String, Object> map(Randomly randomly) {
        var map = new LinkedHashMap<String, Object>();
        randomly.listOf(4, () -> map.put(randomly.string(8), maybe(randomly, randomly.intBelow(9))));
        return map;
    }

    /** The value a group holds, by the rules of three-level lists and maps. */
    private static List<Object> struct(Type.Struct type, Group group) {
        var values = new ArrayList<Object>();
        for (Field field : type.fields()) {
            values.add(
                    group.getFieldRepetitionCount(field.name()) == 0 ? null : value(field.type(), group, field.name()));
        }
        return values;
    }

    private static Object value(Type type, Group group, String name) {
        if (type instanceof Type.Struct struct) {
            return struct(struct, group.getGroup(name, 0));
        }
        if (type instanceof Type.ListOf list) {
            var values = new ArrayList<Object>();
            Group outer = group.getGroup(name, 0);
            for (int i = 0; i < outer.getFieldRepetitionCount("list"); i++) {
                Group entry = outer.getGroup("list", i);
                values.add(
                        entry.getFieldRepetitionCount("element") == 0 ? null : value(list.element(), entry, "element"));
            }
            return values;
        }
        if (type instanceof Type.MapOf map) {
            var values = new LinkedHashMap<Object, Object>();
            Group outer = group.getGroup(name, 0);
            for (int i = 0; i < outer.getFieldRepetitionCount("key_value"); i++) {
                Group entry = outer.getGroup("key_value", i);
                values.put(
                        value(map.key(), entry, "key"),
                        entry.getFieldRepetitionCount("value") == 0 ? null : value(map.value(), entry, "value"));
            }
            return values;
        }
        if (type == Type.Simple.INT) {
            return group.getInteger(name, 0);
        }
        return type == Type.Simple.LONG ? (Object) group.getLong(name, 0) : group.getString(name, 0);
    }
}
