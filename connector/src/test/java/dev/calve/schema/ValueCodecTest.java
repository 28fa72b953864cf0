package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValueCodecTest {

    private static final UUID A_UUID = UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7");

    /** Spec: Appendix D, with the vectors the peer asserts. */
    static Stream<Arguments> vectors() {
        return Stream.of(
                Arguments.of(Type.Simple.BOOLEAN, false, "00"),
                Arguments.of(Type.Simple.BOOLEAN, true, "01"),
                Arguments.of(Type.Simple.INT, 84202, "ea480100"),
                Arguments.of(Type.Simple.INT, -1, "ffffffff"),
                Arguments.of(Type.Simple.LONG, 200L, "c800000000000000"),
                Arguments.of(Type.Simple.FLOAT, -4.5f, "000090c0"),
                Arguments.of(Type.Simple.DOUBLE, 6.0d, "0000000000001840"),
                Arguments.of(Type.Simple.DATE, 1000, "e8030000"),
                Arguments.of(Type.Simple.TIME, 10_000_000L, "8096980000000000"),
                Arguments.of(Type.Simple.TIMESTAMP, 400_000L, "801a060000000000"),
                Arguments.of(Type.Simple.TIMESTAMPTZ, 400_000L, "801a060000000000"),
                Arguments.of(Type.Simple.TIMESTAMP_NS, 400_000L, "801a060000000000"),
                Arguments.of(Type.Simple.TIMESTAMPTZ_NS, 400_000L, "801a060000000000"),
                Arguments.of(Type.Simple.STRING, "ABC", "414243"),
                Arguments.of(Type.Simple.STRING, "\u00fc\uD83D\uDE00", "c3bcf09f9880"),
                Arguments.of(Type.Simple.STRING, "\uFFFD", "efbfbd"),
                Arguments.of(Type.Simple.STRING, "", ""),
                Arguments.of(Type.Simple.UUID, A_UUID, "f79c3e09677c4bbda4793f349cb785e7"),
                Arguments.of(new Type.Fixed(2), bytes("6162"), "6162"),
                Arguments.of(Type.Simple.BINARY, bytes("5a00"), "5a00"),
                Arguments.of(new Type.Decimal(9, 2), new BigDecimal("3.45"), "0159"),
                Arguments.of(new Type.Decimal(9, 2), new BigDecimal("0.00"), "00"),
                Arguments.of(new Type.Decimal(7, 4), new BigDecimal("123.4567"), "12d687"),
                Arguments.of(new Type.Decimal(7, 4), new BigDecimal("-123.4567"), "ed2979"),
                Arguments.of(new Type.Decimal(9, 3), new BigDecimal("0.011"), "0b"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void writesAndReadsTheSpecificationsBytes(Type type, Object value, String hex) {
        assertThat(ValueCodec.encode(type, value).toString()).isEqualTo(hex);
        assertThat(ValueCodec.decode(type, bytes(hex))).isEqualTo(value);
    }

    @Test
    void readsBackWhatItWrote() {
        Randomly.check(2000, random -> {
            Type type = AnyType.withValues(random);
            Object value = AnyType.value(random, type);
            assertThat(ValueCodec.decode(type, ValueCodec.encode(type, value)))
                    .as("%s", type)
                    .isEqualTo(value);
        });
    }

    static Stream<Arguments> promoted() {
        return Stream.of(
                Arguments.of(Type.Simple.LONG, "ffffffff", -1L),
                Arguments.of(Type.Simple.DOUBLE, "000090c0", -4.5d),
                Arguments.of(Type.Simple.TIMESTAMP, "ffffffff", -86_400_000_000L),
                Arguments.of(Type.Simple.TIMESTAMP_NS, "01000000", 86_400_000_000_000L),
                Arguments.of(new Type.Decimal(20, 2), "0159", new BigDecimal("3.45")));
    }

    @ParameterizedTest
    @MethodSource("promoted")
    void readsBoundsWrittenBeforeThePromotion(Type type, String hex, Object value) {
        assertThat(ValueCodec.decode(type, bytes(hex))).isEqualTo(value);
    }

    static Stream<Arguments> corrupt() {
        return Stream.of(
                Arguments.of(Type.Simple.BOOLEAN, ""),
                Arguments.of(Type.Simple.INT, "00000000000000"),
                Arguments.of(Type.Simple.INT, "0000000000000000"),
                Arguments.of(Type.Simple.LONG, "000000"),
                Arguments.of(Type.Simple.DATE, ""),
                Arguments.of(Type.Simple.TIME, "00000000"),
                Arguments.of(Type.Simple.TIMESTAMPTZ, "00000000"),
                Arguments.of(Type.Simple.FLOAT, "0000000000000000"),
                Arguments.of(Type.Simple.DOUBLE, "00"),
                Arguments.of(Type.Simple.UUID, "f79c3e09"),
                Arguments.of(Type.Simple.STRING, "c3"),
                Arguments.of(Type.Simple.TIMESTAMP_NS, "ffffff7f"),
                Arguments.of(new Type.Fixed(2), "000000"),
                Arguments.of(new Type.Decimal(9, 2), ""));
    }

    @ParameterizedTest
    @MethodSource("corrupt")
    void refusesBytesThatAreNoValueOfTheType(Type type, String hex) {
        assertThatThrownBy(() -> ValueCodec.decode(type, bytes(hex))).isInstanceOf(InvalidTableException.class);
    }

    @Test
    void acceptsTruncatedBoundsOfFixed() {
        assertThat(ValueCodec.decode(new Type.Fixed(4), bytes("0102"))).isEqualTo(bytes("0102"));
        assertThat(ValueCodec.encode(new Type.Fixed(4), bytes("0102"))).isEqualTo(bytes("0102"));
    }

    static Stream<Arguments> unfit() {
        return Stream.of(
                Arguments.of(Type.Simple.INT, 1L),
                Arguments.of(Type.Simple.LONG, 1),
                Arguments.of(Type.Simple.STRING, "\uD800"),
                Arguments.of(new Type.Decimal(4, 2), new BigDecimal("1.234")),
                Arguments.of(new Type.Decimal(4, 2), new BigDecimal("123.45")),
                Arguments.of(new Type.Fixed(1), bytes("0102")),
                Arguments.of(Type.Simple.UNKNOWN, 1),
                Arguments.of(new Type.ListOf(1, true, Type.Simple.INT), 1));
    }

    @ParameterizedTest
    @MethodSource("unfit")
    void refusesToWriteValuesThatDoNotFit(Type type, Object value) {
        assertThatThrownBy(() -> ValueCodec.encode(type, value)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }
}
