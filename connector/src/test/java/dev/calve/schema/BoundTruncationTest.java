package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundTruncationTest {

    private static final String HIGHEST = "\uDBFF\uDFFF";

    @ParameterizedTest
    @CsvSource({"iceberg, 4, iceb, icec", "iceberg, 7, iceberg, iceberg", "iceberg, 9, iceberg, iceberg"})
    void cutsStrings(String value, int length, String lower, String upper) {
        assertThat(BoundTruncation.lower(value, length)).isEqualTo(lower);
        assertThat(BoundTruncation.upper(value, length)).contains(upper);
    }

    @Test
    void countsCodePointsNotChars() {
        assertThat(BoundTruncation.lower("\uD83D\uDE00\uD83D\uDE00b", 2)).isEqualTo("\uD83D\uDE00\uD83D\uDE00");
        assertThat(BoundTruncation.upper("\uD83D\uDE00\uD83D\uDE00b", 2)).contains("\uD83D\uDE00\uD83D\uDE01");
        assertThat(BoundTruncation.upper("\uD83D\uDE00\uD83D\uDE00", 2)).contains("\uD83D\uDE00\uD83D\uDE00");
    }

    @Test
    void skipsSurrogates() {
        assertThat(BoundTruncation.upper("a\uD7FFb", 2)).contains("a\uE000");
    }

    @Test
    void stepsFromTheBasicPlaneIntoTheNext() {
        assertThat(BoundTruncation.upper("\uFFFFb", 1)).contains("\uD800\uDC00");
    }

    @Test
    void movesLeftWhenTheLastCodePointIsTheHighest() {
        assertThat(BoundTruncation.upper("a" + HIGHEST + "b", 2)).contains("b");
    }

    @Test
    void hasNoUpperBoundAboveTheHighestCodePoints() {
        assertThat(BoundTruncation.upper(HIGHEST + HIGHEST + "a", 2)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "000102, 2, 0001, 0002",
        "00ff02, 2, 00ff, 01",
        "7f02, 1, 7f, 80",
        "ff, 1, ff, ff",
        "0001, 2, 0001, 0001"
    })
    void cutsBytes(String value, int length, String lower, String upper) {
        assertThat(BoundTruncation.lower(Type.Simple.BINARY, bytes(value), length))
                .isEqualTo(bytes(lower));
        assertThat(BoundTruncation.upper(Type.Simple.BINARY, bytes(value), length))
                .contains(bytes(upper));
    }

    @Test
    void hasNoUpperBoundAboveBytesThatAreAllFf() {
        assertThat(BoundTruncation.upper(bytes("ffff00"), 2)).isEmpty();
    }

    @Test
    void leavesOtherTypesAlone() {
        assertThat(BoundTruncation.lower(Type.Simple.LONG, 123456789L, 2)).isEqualTo(123456789L);
        assertThat(BoundTruncation.upper(Type.Simple.LONG, 123456789L, 2)).contains(123456789L);
    }

    @Test
    void boundsTheValue() {
        Randomly.check(2000, random -> {
            Type type = random.oneOf(Type.Simple.STRING, Type.Simple.BINARY, new Type.Fixed(random.intBelow(8)));
            Object value = type == Type.Simple.STRING && random.yes()
                    ? random.oneOf("", "a") + HIGHEST + random.string(2) + "\uD7FF" + HIGHEST
                    : AnyType.value(random, type);
            int length = random.intBetween(1, 5);
            var order = Values.comparator(type);

            assertThat(order.compare(BoundTruncation.lower(type, value, length), value))
                    .isLessThanOrEqualTo(0);
            BoundTruncation.upper(type, value, length)
                    .ifPresent(upper -> assertThat(order.compare(upper, value)).isGreaterThanOrEqualTo(0));
        });
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }
}
