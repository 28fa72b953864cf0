package dev.calve.parquet;

import static dev.calve.parquet.ParquetFiles.schema;
import static dev.calve.parquet.ParquetFiles.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Metrics;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Expected bytes are the specification's single-value serialization, written down by hand. */
class ColumnMetricsTest {

    private final ParquetFiles files = new ParquetFiles();

    static Stream<Arguments> boundsByType() {
        return Stream.of(
                Arguments.of(Type.Simple.BOOLEAN, true, false, "00", "01"),
                Arguments.of(Type.Simple.INT, 84202, -1, "ffffffff", "ea480100"),
                Arguments.of(Type.Simple.DATE, 1000, -1, "ffffffff", "e8030000"),
                Arguments.of(Type.Simple.LONG, 200L, -2L, "feffffffffffffff", "c800000000000000"),
                Arguments.of(Type.Simple.TIME, 1L, 256L, "0100000000000000", "0001000000000000"),
                Arguments.of(Type.Simple.TIMESTAMP, 1L, 256L, "0100000000000000", "0001000000000000"),
                Arguments.of(Type.Simple.TIMESTAMPTZ, 1L, -1L, "ffffffffffffffff", "0100000000000000"),
                Arguments.of(Type.Simple.TIMESTAMP_NS, 1L, -1L, "ffffffffffffffff", "0100000000000000"),
                Arguments.of(Type.Simple.FLOAT, -4.5f, 2f, "000090c0", "00000040"),
                Arguments.of(Type.Simple.DOUBLE, 6.0, -2.0, "00000000000000c0", "0000000000001840"),
                Arguments.of(Type.Simple.STRING, "b", "a", "61", "62"),
                Arguments.of(
                        Type.Simple.UUID,
                        UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
                        UUID.fromString("079c3e09-677c-4bbd-a479-3f349cb785e7"),
                        "079c3e09677c4bbda4793f349cb785e7",
                        "f79c3e09677c4bbda4793f349cb785e7"),
                Arguments.of(Type.Simple.BINARY, bytes("ff"), bytes("00"), "00", "ff"),
                Arguments.of(new Type.Fixed(2), bytes("ff00"), bytes("7fff"), "7fff", "ff00"),
                Arguments.of(new Type.Decimal(9, 2), new BigDecimal("3.45"), new BigDecimal("-3.45"), "fea7", "0159"),
                Arguments.of(
                        new Type.Decimal(18, 4),
                        new BigDecimal("123.4567"),
                        new BigDecimal("-123.4567"),
                        "ed2979",
                        "12d687"),
                Arguments.of(new Type.Decimal(38, 3), new BigDecimal("0.011"), new BigDecimal("-0.001"), "ff", "0b"));
    }

    @ParameterizedTest
    @MethodSource("boundsByType")
    void boundsAreTheLeastAndGreatestValue(Type type, Object one, Object other, String lower, String upper)
            throws IOException {
        var metrics = files.writeColumn(type, one, null, other, one).metrics();

        assertThat(metrics.lowerBounds()).containsExactly(Map.entry(1, bytes(lower)));
        assertThat(metrics.upperBounds()).containsExactly(Map.entry(1, bytes(upper)));
        assertThat(metrics.recordCount()).isEqualTo(4);
        assertThat(metrics.valueCounts()).containsExactly(Map.entry(1, 4L));
        assertThat(metrics.nullValueCounts()).containsExactly(Map.entry(1, 1L));
        assertThat(metrics.nanValueCounts()).isEqualTo(type.isFloating() ? Map.of(1, 0L) : Map.of());
        assertThat(metrics.columnSizes())
                .containsExactly(Map.entry(
                        1,
                        files.footer("f0")
                                .getBlocks()
                                .get(0)
                                .getColumns()
                                .get(0)
                                .getTotalSize()));
    }

    @Test
    void boundsSpanAllRowGroups() throws IOException {
        var small = settings("write.parquet.row-group-size-bytes", "1");
        var metrics = files.writeColumn(Type.Simple.INT, small, 5, null, -5, 3).metrics();

        assertThat(files.footer("f0").getBlocks()).hasSizeGreaterThan(1);
        assertThat(metrics.lowerBounds()).containsEntry(1, bytes("fbffffff"));
        assertThat(metrics.upperBounds()).containsEntry(1, bytes("05000000"));
        assertThat(metrics.nullValueCounts()).containsEntry(1, 1L);
    }

    @Test
    void aColumnOfNullsHasCountsButNoBounds() throws IOException {
        var metrics =
                files.writeColumn(Type.Simple.STRING, settings(), null, null).metrics();

        assertThat(metrics.nullValueCounts()).containsEntry(1, 2L);
        assertThat(metrics.lowerBounds()).isEmpty();
        assertThat(metrics.upperBounds()).isEmpty();
    }

    @Test
    void nanIsCountedAndLeftOutOfBounds() throws IOException {
        var metrics = files.writeColumn(Type.Simple.DOUBLE, Double.NaN, 6.0, null, Double.NaN)
                .metrics();

        assertThat(metrics.nanValueCounts()).containsEntry(1, 2L);
        assertThat(metrics.valueCounts()).containsEntry(1, 4L);
        assertThat(metrics.lowerBounds()).containsEntry(1, bytes("0000000000001840"));
        assertThat(metrics.upperBounds()).containsEntry(1, bytes("0000000000001840"));
    }

    @Test
    void onlyNansMeansNoBounds() throws IOException {
        var metrics = files.writeColumn(Type.Simple.FLOAT, Float.NaN, null).metrics();

        assertThat(metrics.nanValueCounts()).containsEntry(1, 1L);
        assertThat(metrics.lowerBounds()).isEmpty();
        assertThat(metrics.upperBounds()).isEmpty();
    }

    @Test
    void zeroBoundsCoverBothZeros() throws IOException {
        var metrics = files.writeColumn(Type.Simple.FLOAT, 0f).metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, bytes("00000080"));
        assertThat(metrics.upperBounds()).containsEntry(1, bytes("00000000"));
    }

    @Test
    void infinitiesAreBounds() throws IOException {
        var metrics = files.writeColumn(Type.Simple.DOUBLE, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
                .metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, bytes("000000000000f0ff"));
        assertThat(metrics.upperBounds()).containsEntry(1, bytes("000000000000f07f"));
    }

    @Test
    void stringBoundsAreCutToSixteenCodePoints() throws IOException {
        var metrics = files.writeColumn(Type.Simple.STRING, "é".repeat(20)).metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, utf8("é".repeat(16)));
        assertThat(metrics.upperBounds()).containsEntry(1, utf8("é".repeat(15) + "ê"));
    }

    @Test
    void anUpperBoundThatCannotBeRaisedIsLeftOut() throws IOException {
        var metrics =
                files.writeColumn(Type.Simple.BINARY, bytes("ff".repeat(17))).metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, bytes("ff".repeat(16)));
        assertThat(metrics.upperBounds()).isEmpty();
    }

    @Test
    void boundsOfFixedKeepTheirLength() throws IOException {
        var metrics =
                files.writeColumn(new Type.Fixed(20), bytes("ab".repeat(20))).metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, bytes("ab".repeat(20)));
        assertThat(metrics.upperBounds()).containsEntry(1, bytes("ab".repeat(20)));
    }

    @Test
    void boundsOfLongValuesDoNotDependOnTheFooter() throws IOException {
        // Parquet drops statistics of more than 4 KB from the footer.
        var metrics = files.writeColumn(Type.Simple.STRING, "a".repeat(10_000), "b".repeat(10_000))
                .metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, utf8("a".repeat(16)));
        assertThat(metrics.upperBounds()).containsEntry(1, utf8("b".repeat(15) + "c"));
    }

    @Test
    void stringsAreOrderedAsTheirBytes() throws IOException {
        // U+FFFD is lower than U+1F600, although Java's order of chars says otherwise.
        var metrics =
                files.writeColumn(Type.Simple.STRING, "\uFFFD", "\uD83D\uDE00").metrics();

        assertThat(metrics.lowerBounds()).containsEntry(1, utf8("\uFFFD"));
        assertThat(metrics.upperBounds()).containsEntry(1, utf8("\uD83D\uDE00"));
    }

    @Test
    void modesDecideWhatIsKept() throws IOException {
        var schema = schema(
                Field.optional(1, "none", Type.Simple.STRING),
                Field.optional(2, "counts", Type.Simple.DOUBLE),
                Field.optional(3, "three", Type.Simple.STRING),
                Field.optional(4, "full", Type.Simple.STRING),
                Field.optional(5, "s", new Type.Struct(List.of(Field.optional(6, "x", Type.Simple.STRING)))));
        String text = "abcdefghijklmnopqrstuvwxyz";
        var metrics = files.write(
                        "f",
                        schema,
                        settings(
                                "write.metadata.metrics.default", "counts",
                                "write.metadata.metrics.column.none", "none",
                                "write.metadata.metrics.column.three", "truncate(3)",
                                "write.metadata.metrics.column.full", "full",
                                "write.metadata.metrics.column.s.x", "truncate(1)"),
                        List.of(List.of(text, 1.0, text, text, List.of(text))))
                .metrics();

        assertThat(metrics.columnSizes()).containsOnlyKeys(2, 3, 4, 6);
        assertThat(metrics.valueCounts()).containsOnlyKeys(2, 3, 4, 6);
        assertThat(metrics.nullValueCounts()).containsOnlyKeys(2, 3, 4, 6);
        assertThat(metrics.nanValueCounts()).containsOnlyKeys(2);
        assertThat(metrics.lowerBounds()).isEqualTo(Map.of(3, utf8("abc"), 4, utf8(text), 6, utf8("a")));
        assertThat(metrics.upperBounds()).isEqualTo(Map.of(3, utf8("abd"), 4, utf8(text), 6, utf8("b")));
    }

    @Test
    void columnsInListsAndMapsGetOnlyASize() throws IOException {
        var schema = schema(
                Field.optional(1, "l", new Type.ListOf(2, false, Type.Simple.DOUBLE)),
                Field.optional(3, "m", new Type.MapOf(4, Type.Simple.STRING, 5, false, Type.Simple.FLOAT)));
        var metrics = files.write("f", schema, settings(), List.of(List.of(List.of(1.0, Double.NaN), Map.of("k", 1f))))
                .metrics();

        assertThat(metrics.columnSizes()).containsOnlyKeys(2, 4, 5);
        assertThat(metrics.valueCounts()).isEmpty();
        assertThat(metrics.nullValueCounts()).isEmpty();
        assertThat(metrics.nanValueCounts()).isEmpty();
        assertThat(metrics.lowerBounds()).isEmpty();
        assertThat(metrics.upperBounds()).isEmpty();
    }

    @Test
    void variantsAreCountedOnceAndHaveNoBounds() throws IOException {
        List<Bytes> variant = List.of(bytes("010000"), bytes("0c01"));
        var type = Type.Simple.VARIANT;
        for (String mode : List.of("full", "truncate(16)", "counts")) {
            var metrics = files.writeColumn(
                            type, settings("write.metadata.metrics.default", mode), variant, null, variant)
                    .metrics();

            assertThat(metrics.valueCounts()).as(mode).isEqualTo(Map.of(1, 3L));
            assertThat(metrics.nullValueCounts()).as(mode).isEqualTo(Map.of(1, 1L));
            assertThat(metrics.columnSizes()).as(mode).containsOnlyKeys(1);
            assertThat(metrics.lowerBounds()).as(mode).isEmpty();
            assertThat(metrics.upperBounds()).as(mode).isEmpty();
        }
        var none = files.writeColumn(type, settings("write.metadata.metrics.default", "none"), variant);
        assertThat(none.metrics().columnSizes()).isEmpty();
    }

    @Test
    void aNullStructMeansNullsBelowIt() throws IOException {
        var schema = schema(Field.optional(1, "s", new Type.Struct(List.of(Field.required(2, "x", Type.Simple.INT)))));
        var metrics = files.write("f", schema, settings(), List.of(List.of(List.of(7)), Arrays.asList((Object) null)))
                .metrics();

        assertThat(metrics.valueCounts()).containsExactly(Map.entry(2, 2L));
        assertThat(metrics.nullValueCounts()).containsExactly(Map.entry(2, 1L));
        assertThat(metrics.lowerBounds()).containsExactly(Map.entry(2, bytes("07000000")));
    }

    @Test
    void aStringThatIsNotTextGetsNoBounds() throws IOException {
        // What the fake reader hands over as string: Spark's may be any bytes.
        var layout = FileLayout.of(ParquetFiles.column(Type.Simple.STRING), settings());
        RowReader<byte[]> raw = new RowReader<>() {
            @Override
            public boolean isNull(byte[] row, int index) {
                return false;
            }

            @Override
            public void getString(byte[] row, int index, ByteSlice target) {
                target.set(row);
            }
        };
        var writer = DataFileWriter.create(files.storage, "f", layout, raw, ParquetFiles.UNPARTITIONED);
        writer.write(new byte[] {(byte) 0x80});
        Metrics metrics = writer.close().metrics();

        assertThat(metrics.lowerBounds()).isEmpty();
        assertThat(metrics.upperBounds()).isEmpty();
        assertThat(metrics.valueCounts()).containsEntry(1, 1L);
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }

    private static Bytes utf8(String text) {
        return Bytes.wrap(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
