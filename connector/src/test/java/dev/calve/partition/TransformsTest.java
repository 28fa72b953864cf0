package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.schema.AnyType;
import dev.calve.schema.Bytes;
import dev.calve.schema.Json;
import dev.calve.schema.SchemaJson;
import dev.calve.schema.Type;
import dev.calve.schema.ValueJson;
import dev.calve.schema.Values;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TransformsTest {

    private static final List<Transform> KNOWN = List.of(
            Transform.IDENTITY,
            Transform.VOID,
            new Transform.Bucket(16),
            new Transform.Truncate(4),
            Transform.Time.YEAR,
            Transform.Time.MONTH,
            Transform.Time.DAY,
            Transform.Time.HOUR);

    /** Spec: Appendix B, 32-bit Hash Requirements. Values as JSON. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "int | 34 | 2017239379",
                "long | 34 | 2017239379",
                "decimal(9,2) | \"14.20\" | -500754589",
                "date | \"2017-11-16\" | -653330422",
                "time | \"22:31:08\" | -662762989",
                "timestamp | \"2017-11-16T22:31:08\" | -2047944441",
                "timestamp | \"2017-11-16T22:31:08.000001\" | -1207196810",
                "timestamptz | \"2017-11-16T22:31:08+00:00\" | -2047944441",
                "timestamptz | \"2017-11-16T22:31:08.000001+00:00\" | -1207196810",
                "timestamp_ns | \"2017-11-16T22:31:08\" | -2047944441",
                "timestamp_ns | \"2017-11-16T22:31:08.000001001\" | -1207196810",
                "timestamptz_ns | \"2017-11-16T22:31:08.000001001+00:00\" | -1207196810",
                "string | \"iceberg\" | 1210000089",
                "uuid | \"f79c3e09-677c-4bbd-a479-3f349cb785e7\" | 1488055340",
                "fixed[4] | \"00010203\" | -188683207",
                "binary | \"00010203\" | -188683207"
            })
    void hashesAsTheSpecificationDoes(String type, String value, int hash) {
        Type source = type(type);
        Object parsed = ValueJson.fromJson(source, Json.parse(value));
        assertThat(Transforms.bucketHash(source, parsed)).isEqualTo(hash);
        assertThat(Transforms.apply(new Transform.Bucket(100), source, parsed))
                .isEqualTo((hash & Integer.MAX_VALUE) % 100);
    }

    /** Published vectors of MurmurHash3_x86_32 with seed 0; lengths leave tails of 0 to 3 bytes. */
    @ParameterizedTest
    @CsvSource({"'', 00000000", "a, 3c2569b2", "abc, b3dd93fa", "test, ba6bd213", "'Hello, world!', c0363e43"})
    void hashesTailsOfEveryLength(String text, String hex) {
        assertThat(Murmur3.hash(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(Integer.parseUnsignedInt(hex, 16));
    }

    @Test
    void hashesLongsAsTheirLittleEndianBytes() {
        Randomly.check(500, random -> {
            long value = random.anyLong();
            var bytes = new byte[8];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
            assertThat(Murmur3.hash(value)).isEqualTo(Murmur3.hash(bytes));
        });
    }

    static Stream<Arguments> truncated() {
        var decimal = new Type.Decimal(9, 2);
        return Stream.of(
                Arguments.of(10, Type.Simple.INT, 0, 0),
                Arguments.of(10, Type.Simple.INT, 1, 0),
                Arguments.of(10, Type.Simple.INT, 11, 10),
                Arguments.of(10, Type.Simple.INT, -1, -10),
                Arguments.of(10, Type.Simple.INT, -10, -10),
                Arguments.of(10, Type.Simple.LONG, -1L, -10L),
                Arguments.of(10, Type.Simple.LONG, 8589934592L, 8589934590L),
                Arguments.of(50, decimal, new BigDecimal("10.65"), new BigDecimal("10.50")),
                Arguments.of(10, decimal, new BigDecimal("12.29"), new BigDecimal("12.20")),
                Arguments.of(10, decimal, new BigDecimal("0.05"), new BigDecimal("0.00")),
                Arguments.of(10, decimal, new BigDecimal("-0.05"), new BigDecimal("-0.10")),
                Arguments.of(3, Type.Simple.STRING, "iceberg", "ice"),
                Arguments.of(3, Type.Simple.STRING, "ic", "ic"),
                Arguments.of(2, Type.Simple.STRING, "\uD83D\uDE00\uD83D\uDE01\uD83D\uDE02", "\uD83D\uDE00\uD83D\uDE01"),
                Arguments.of(1, Type.Simple.BINARY, bytes("0102"), bytes("01")),
                Arguments.of(4, Type.Simple.BINARY, bytes("0102"), bytes("0102")));
    }

    @ParameterizedTest
    @MethodSource("truncated")
    void truncatesAsTheSpecificationDoes(int width, Type type, Object value, Object expected) {
        assertThat(Transforms.apply(new Transform.Truncate(width), type, value)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1970-01-01T00:00:00 | 0 | 0 | 0 | 0",
                "1969-12-31T23:59:59.999999 | -1 | -1 | -1 | -1",
                "1969-12-31T00:00:00 | -1 | -1 | -1 | -24",
                "1969-01-01T00:00:00 | -1 | -12 | -365 | -8760",
                "1968-12-31T23:00:00 | -2 | -13 | -366 | -8761",
                "2017-11-16T22:31:08 | 47 | 574 | 17486 | 419686",
                "2017-12-01T10:12:55.038194 | 47 | 575 | 17501 | 420034"
            })
    void countsTimeFromTheEpochDownwards(String timestamp, int year, int month, int day, int hour) {
        for (String type : List.of("timestamp", "timestamp_ns")) {
            Type source = type(type);
            Object value = ValueJson.fromJson(source, Json.parse("\"" + timestamp + "\""));
            assertThat(Transforms.apply(Transform.Time.YEAR, source, value)).isEqualTo(year);
            assertThat(Transforms.apply(Transform.Time.MONTH, source, value)).isEqualTo(month);
            assertThat(Transforms.apply(Transform.Time.DAY, source, value)).isEqualTo(day);
            assertThat(Transforms.apply(Transform.Time.HOUR, source, value)).isEqualTo(hour);
        }
        assertThat(Transforms.apply(Transform.Time.YEAR, Type.Simple.DATE, day)).isEqualTo(year);
        assertThat(Transforms.apply(Transform.Time.MONTH, Type.Simple.DATE, day))
                .isEqualTo(month);
        assertThat(Transforms.apply(Transform.Time.DAY, Type.Simple.DATE, day)).isEqualTo(day);
    }

    @Test
    void keepsNullAndNeverFailsWhereItSaysItApplies() {
        var applied = new int[1];
        Randomly.check(1000, random -> {
            Type source = AnyType.withValues(random);
            Object value = AnyType.value(random, source);
            for (Transform transform : KNOWN) {
                assertThat(Transforms.apply(transform, source, null)).isNull();
                if (Transforms.canApply(transform, source)) {
                    Object result = Transforms.apply(transform, source, value);
                    assertThat(result == null).isEqualTo(transform instanceof Transform.Void);
                    applied[0]++;
                } else {
                    assertThatThrownBy(() -> Transforms.apply(transform, source, value))
                            .isInstanceOf(IllegalArgumentException.class);
                }
            }
        });
        assertThat(applied[0]).isGreaterThan(10);
    }

    @Test
    void keepsTheOrderOfValuesWhereItSaysSo() {
        Randomly.check(2000, random -> {
            Type source = AnyType.withValues(random);
            Transform transform = random.oneOf(KNOWN);
            if (!transform.preservesOrder() || !Transforms.canApply(transform, source)) {
                return;
            }
            Object a = AnyType.value(random, source);
            Object b = AnyType.value(random, source);
            // Truncating numbers near the least one wraps around, as the specification's formula does.
            if (transform instanceof Transform.Truncate && isNearMinimum(a, b)) {
                return;
            }
            Object resultA = Transforms.apply(transform, source, a);
            Object resultB = Transforms.apply(transform, source, b);
            int order = Integer.signum(Values.comparator(source).compare(a, b));
            int resultOrder = Integer.signum(
                    Values.comparator(Transforms.resultType(transform, source)).compare(resultA, resultB));
            assertThat(resultOrder).isIn(0, order);
        });
    }

    private static boolean isNearMinimum(Object... values) {
        return Stream.of(values)
                .anyMatch(value -> (value instanceof Integer number && number < Integer.MIN_VALUE + 4)
                        || (value instanceof Long big && big < Long.MIN_VALUE + 4));
    }

    /** Spec: Partition Transforms, the table of source and result types. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "boolean | identity void",
                "int | identity void bucket[16] truncate[4]",
                "long | identity void bucket[16] truncate[4]",
                "float | identity void",
                "double | identity void",
                "decimal(9,2) | identity void bucket[16] truncate[4]",
                "date | identity void bucket[16] year month day",
                "time | identity void bucket[16]",
                "timestamp | identity void bucket[16] year month day hour",
                "timestamptz | identity void bucket[16] year month day hour",
                "timestamp_ns | identity void bucket[16] year month day hour",
                "timestamptz_ns | identity void bucket[16] year month day hour",
                "string | identity void bucket[16] truncate[4]",
                "uuid | identity void bucket[16]",
                "fixed[4] | identity void bucket[16]",
                "binary | identity void bucket[16] truncate[4]",
                "variant | void",
                "geometry | void",
                "geography | void"
            })
    void appliesToTheTypesOfTheSpecification(String type, String transforms) {
        assertThat(KNOWN.stream()
                        .filter(transform -> Transforms.canApply(transform, type(type)))
                        .map(Transform::toString))
                .containsExactlyInAnyOrder(transforms.split(" "));
        assertThat(Transforms.canApply(new Transform.Unknown("zorder"), type(type)))
                .isFalse();
    }

    @Test
    void typesItsResults() {
        Type source = Type.Simple.TIMESTAMP;
        assertThat(Transforms.resultType(Transform.IDENTITY, source)).isEqualTo(source);
        assertThat(Transforms.resultType(Transform.VOID, source)).isEqualTo(source);
        assertThat(Transforms.resultType(new Transform.Truncate(2), Type.Simple.STRING))
                .isEqualTo(Type.Simple.STRING);
        assertThat(Transforms.resultType(new Transform.Bucket(2), source)).isEqualTo(Type.Simple.INT);
        assertThat(Transforms.resultType(Transform.Time.YEAR, source)).isEqualTo(Type.Simple.INT);
        assertThat(Transforms.resultType(Transform.Time.MONTH, source)).isEqualTo(Type.Simple.INT);
        assertThat(Transforms.resultType(Transform.Time.DAY, source)).isEqualTo(Type.Simple.DATE);
        assertThat(Transforms.resultType(Transform.Time.HOUR, source)).isEqualTo(Type.Simple.INT);
        assertThat(Transforms.resultType(new Transform.Unknown("zorder"), source))
                .isEqualTo(Type.Simple.STRING);
        assertThat(Transforms.resultType(Transform.IDENTITY, Type.Simple.UNKNOWN))
                .isEqualTo(Type.Simple.UNKNOWN);
        assertThat(Transforms.resultType(new Transform.Bucket(2), Type.Simple.UNKNOWN))
                .isEqualTo(Type.Simple.INT);
    }

    @Test
    void refusesToComputeUnknownTransforms() {
        assertThatThrownBy(() -> Transforms.apply(new Transform.Unknown("zorder"), Type.Simple.INT, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("zorder");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "year | 47 | 2017",
                "year | -1 | 1969",
                "month | 575 | 2017-12",
                "month | -1 | 1969-12",
                "month | 0 | 1970-01",
                "day | 17501 | 2017-12-01",
                "day | -1 | 1969-12-31",
                "hour | 420034 | 2017-12-01-10",
                "hour | -1 | 1969-12-31-23",
                "bucket[16] | 7 | 7",
                "void | 7 | null"
            })
    void saysNumbersAsPeopleReadThem(String transform, int value, String text) {
        assertThat(Transforms.toHuman(TransformText.parse(transform), Type.Simple.TIMESTAMP, value))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "boolean | true | true",
                "int | -5 | -5",
                "date | \"2017-12-01\" | 2017-12-01",
                "time | \"10:12:55.038194\" | 10:12:55.038194",
                "time | \"10:12:00\" | 10:12:00",
                "timestamp | \"2017-12-01T10:12:55.038194\" | 2017-12-01T10:12:55.038194",
                "timestamp | \"1969-12-31T10:12:55.038194\" | 1969-12-31T10:12:55.038194",
                "timestamptz | \"2017-12-01T10:12:55.038194+00:00\" | 2017-12-01T10:12:55.038194+00:00",
                "timestamp_ns | \"2017-12-01T10:12:55.038194789\" | 2017-12-01T10:12:55.038194789",
                "string | \"a/b\" | a/b",
                "decimal(9,2) | \"-1.50\" | -1.50",
                "fixed[3] | \"000102\" | AAEC",
                "binary | \"000102\" | AAEC",
                "uuid | \"f79c3e09-677c-4bbd-a479-3f349cb785e7\" | f79c3e09-677c-4bbd-a479-3f349cb785e7"
            })
    void saysValuesAsPeopleReadThem(String type, String value, String text) {
        Type source = type(type);
        Object parsed = ValueJson.fromJson(source, Json.parse(value));
        assertThat(Transforms.toHuman(Transform.IDENTITY, source, parsed)).isEqualTo(text);
        assertThat(Transforms.toHuman(Transform.IDENTITY, source, null)).isEqualTo("null");
    }

    private static Type type(String text) {
        return SchemaJson.typeFromJson(Json.parse("\"" + text + "\""));
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }
}
