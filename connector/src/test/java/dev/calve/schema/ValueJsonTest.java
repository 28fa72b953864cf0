package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ValueJsonTest {

    private static final Type.Struct STRUCT = new Type.Struct(
            List.of(Field.optional(1, "a", Type.Simple.INT), Field.optional(2, "b", Type.Simple.STRING)));

    /** Spec: Appendix D, JSON single-value serialization: its own examples. */
    static Stream<Arguments> vectors() {
        return Stream.of(
                Arguments.of(Type.Simple.BOOLEAN, true, "true"),
                Arguments.of(Type.Simple.INT, 34, "34"),
                Arguments.of(Type.Simple.LONG, 34L, "34"),
                Arguments.of(Type.Simple.FLOAT, 1.1f, "1.1"),
                Arguments.of(Type.Simple.DOUBLE, 1.0d, "1.0"),
                Arguments.of(new Type.Decimal(9, 2), new BigDecimal("14.20"), "\"14.20\""),
                Arguments.of(new Type.Decimal(9, 2), new BigDecimal("-0.05"), "\"-0.05\""),
                Arguments.of(Type.Simple.DATE, 17486, "\"2017-11-16\""),
                Arguments.of(Type.Simple.TIME, 81_068_123_456L, "\"22:31:08.123456\""),
                Arguments.of(Type.Simple.TIMESTAMP, 1_510_871_468_123_456L, "\"2017-11-16T22:31:08.123456\""),
                Arguments.of(Type.Simple.TIMESTAMPTZ, 1_510_871_468_123_456L, "\"2017-11-16T22:31:08.123456+00:00\""),
                Arguments.of(Type.Simple.TIMESTAMP_NS, 1_510_871_468_123_456_789L, "\"2017-11-16T22:31:08.123456789\""),
                Arguments.of(
                        Type.Simple.TIMESTAMPTZ_NS,
                        1_510_871_468_123_456_789L,
                        "\"2017-11-16T22:31:08.123456789+00:00\""),
                Arguments.of(Type.Simple.TIMESTAMP, -1L, "\"1969-12-31T23:59:59.999999\""),
                Arguments.of(Type.Simple.STRING, "iceberg", "\"iceberg\""),
                Arguments.of(
                        Type.Simple.UUID,
                        UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
                        "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""),
                Arguments.of(new Type.Fixed(4), bytes("000102ff"), "\"000102ff\""),
                Arguments.of(Type.Simple.BINARY, bytes("000102ff"), "\"000102ff\""),
                Arguments.of(STRUCT, Map.of(1, 1, 2, "bar"), "{\"1\":1,\"2\":\"bar\"}"),
                Arguments.of(STRUCT, Map.of(), "{}"),
                Arguments.of(new Type.ListOf(3, false, Type.Simple.INT), Arrays.asList(1, null, 3), "[1,null,3]"),
                Arguments.of(
                        new Type.MapOf(4, Type.Simple.STRING, 5, true, Type.Simple.INT),
                        Map.of("a", 1),
                        "{\"keys\":[\"a\"],\"values\":[1]}"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void writesAndReadsTheSpecificationsExamples(Type type, Object value, String json) {
        assertThat(Json.write(ValueJson.toJson(type, value))).isEqualTo(json);
        assertThat(ValueJson.fromJson(type, Json.parse(json))).isEqualTo(value);
    }

    @Test
    void readsBackWhatItWrote() {
        Randomly.check(2000, random -> {
            Type type = AnyType.withValues(random);
            Object value = AnyType.value(random, type);
            assertThat(ValueJson.fromJson(type, Json.parse(Json.write(ValueJson.toJson(type, value)))))
                    .as("%s", type)
                    .isEqualTo(value);
        });
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "int | 1.5",
                "int | 2147483648",
                "int | \"1\"",
                "long | 9223372036854775808",
                "float | 1e300",
                "boolean | 1",
                "date | \"2017-13-01\"",
                "date | 17486",
                "time | \"25:00:00\"",
                "time | \"10:00:00.0000001\"",
                "timestamp | \"2017-11-16T22:31:08+00:00\"",
                "timestamp | \"2017-11-16T22:31:08.1234567\"",
                "timestamptz | \"2017-11-16T22:31:08\"",
                "timestamptz | \"2017-11-16T22:31:08+01:00\"",
                "timestamp_ns | \"9999-11-16T22:31:08\"",
                "uuid | \"f79c3e09-677c-4bbd\"",
                "uuid | \"1-1-1-1-1\"",
                "fixed[2] | \"000102\"",
                "binary | \"0\"",
                "decimal(4,2) | \"1.234\"",
                "decimal(4,2) | \"123.45\"",
                "decimal(4,2) | 1.23",
                "variant | 1",
                "unknown | 1"
            })
    void refusesJsonThatIsNoValueOfTheType(String type, String json) {
        Type parsed = SchemaJson.typeFromJson(Json.parse("\"" + type + "\""));
        assertThatThrownBy(() -> ValueJson.fromJson(parsed, Json.parse(json)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(parsed.toString());
    }

    @Test
    void refusesNumbersThatJsonCannotSay() {
        assertThatThrownBy(() -> ValueJson.toJson(Type.Simple.DOUBLE, Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ValueJson.toJson(Type.Simple.FLOAT, Float.POSITIVE_INFINITY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }
}
