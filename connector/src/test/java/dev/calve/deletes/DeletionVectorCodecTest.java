package dev.calve.deletes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeletionVectorCodecTest {

    private static final String WHERE = "Deletion vector at a.puffin[4, 54)";

    /** Complete vectors as the reference implementation writes them, and the positions it says they have. */
    enum Golden {
        EMPTY("0000000cd1d339640000000000000000bf18480c") {
            @Override
            void fill(PositionBitmap positions) {}
        },
        SMALL_ALTERNATING(
                "0000002ad1d339640100000000000000000000003a30000001000000000004001000000001000300050007000900b3fb20be") {
            @Override
            void fill(PositionBitmap positions) {
                for (long position = 1; position < 10; position += 2) {
                    positions.add(position);
                }
            }
        },
        SMALL_AND_LARGE(
                "00000030d1d339640100000000000000000000003a300000020000000000010000800100180000001c00000064006500"
                        + "63006400" + "15eb1c7c") {
            @Override
            void fill(PositionBitmap positions) {
                for (long position : new long[] {100, 101, 2147483747L, 2147483748L}) {
                    positions.add(position);
                }
            }
        },
        ALL_CONTAINERS(
                "00000056d1d339640200000000000000000000003b30020006000001000100e6030200fdff0500070001000100e603010001"
                        + "00fdff010000003b30020006000001000100e9010200fdff0a00140001000a00e90101000100fdffc89be397") {
            @Override
            void fill(PositionBitmap positions) {
                positions.add(5);
                positions.add(7);
                positions.addRange(65536 + 1, 65536 + 1000);
                positions.addRange(2 * 65536 + 1, 2 * 65536 + 65535);
                long second = 1L << 32;
                positions.add(second + 10);
                positions.add(second + 20);
                positions.addRange(second + 65536 + 10, second + 65536 + 500);
                positions.addRange(second + 2 * 65536 + 1, second + 2 * 65536 + 65535);
            }
        };

        private final String hex;

        Golden(String hex) {
            this.hex = hex;
        }

        byte[] bytes() {
            return HexFormat.of().parseHex(hex);
        }

        abstract void fill(PositionBitmap positions);

        PositionBitmap positions() {
            var positions = new PositionBitmap();
            fill(positions);
            return positions;
        }
    }

    @ParameterizedTest
    @EnumSource
    void decodesWhatThePeerWrites(Golden golden) {
        assertThat(DeletionVectorCodec.decode(golden.bytes(), golden.positions().cardinality(), WHERE))
                .isEqualTo(golden.positions());
    }

    @ParameterizedTest
    @EnumSource
    void encodesAsThePeerDoes(Golden golden) {
        assertThat(DeletionVectorCodec.encode(golden.positions())).isEqualTo(golden.bytes());
        assertThat(DeletionVectorCodec.encode(DeletionVectorCodec.decode(golden.bytes(), WHERE)))
                .isEqualTo(golden.bytes());
    }

    @Test
    void storesTheChecksumThePeerStores() {
        var bytes = DeletionVectorCodec.encode(PositionBitmap.of(1, 2));

        assertThat(ByteBuffer.wrap(bytes).getInt(bytes.length - 4)).isEqualTo(0x712fa6e8);
    }

    /** The peer run-optimizes before it writes, so the bytes do not depend on how the rows were found. */
    @Test
    void storesRangesAsRunsHoweverTheyWereAdded() {
        var oneByOne = new PositionBitmap();
        for (long position = 1; position < 1000; position++) {
            oneByOne.add(position);
        }

        var bytes = DeletionVectorCodec.encode(oneByOne);

        assertThat(HexFormat.of().formatHex(bytes, 8, bytes.length - 4))
                .isEqualTo("0100000000000000" + "00000000" + "3b300000" + "01" + "0000e603" + "0100" + "0100e603");
    }

    @Test
    void writesEveryKeyUpToTheLargest() {
        var bytes = DeletionVectorCodec.encode(PositionBitmap.of((2L << 32) + 9));

        var bitmap = HexFormat.of().formatHex(bytes, 8, bytes.length - 4);
        assertThat(bitmap)
                .isEqualTo("0300000000000000" + "00000000" + "3a30000000000000" + "01000000" + "3a30000000000000"
                        + "02000000" + "3a30000001000000" + "00000000" + "10000000" + "0900");
    }

    @Test
    void refusesToWriteMoreThanAnArrayHolds() {
        assertThatThrownBy(() -> DeletionVectorCodec.encode(PositionBitmap.of(PositionBitmap.MAX_POSITION)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 GiB");
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryDamagedBit(Golden golden) {
        long cardinality = golden.positions().cardinality();
        for (int bit = 0; bit < golden.bytes().length * 8; bit++) {
            var damaged = golden.bytes();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> DeletionVectorCodec.decode(damaged, cardinality, WHERE))
                    .as("bit %s", bit)
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageStartingWith(WHERE + " is corrupt: ");
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryTruncation(Golden golden) {
        for (int length = 0; length < golden.bytes().length; length++) {
            var truncated = Arrays.copyOf(golden.bytes(), length);
            assertThatThrownBy(() -> DeletionVectorCodec.decode(truncated, WHERE))
                    .isInstanceOf(InvalidTableException.class);
        }
    }

    @Test
    void namesWhatIsWrong() {
        assertRefused(0, 1, 5, "its length must be 42, but is 16777258");
        assertRefused(4, 0, 5, "its magic must be d1d33964, but is 00d33964");
        assertRefused(49, 0xbf, 5, "CRC 0xb3fb20be but stored 0xb3fb20bf");
        assertRefused(49, 0xbe, 4, "it must have 4 positions by its metadata, but has 5");
        assertThatThrownBy(() -> DeletionVectorCodec.decode(new byte[19], 0, WHERE))
                .hasMessage(WHERE + " is corrupt: it must have at least 20 bytes, but has 19.");
    }

    @Test
    void looksAtTheChecksumBeforeTheContent() {
        // A number of keys that would be refused by itself.
        assertRefused(15, 0xff, 5, "CRC 0x");
    }

    @Test
    void checksTheContentEvenIfTheChecksumIsRight() {
        var bytes = Golden.SMALL_ALTERNATING.bytes();
        bytes[15] = (byte) 0xff;
        var crc = new CRC32();
        crc.update(bytes, 4, bytes.length - 8);
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) crc.getValue());

        assertThatThrownBy(() -> DeletionVectorCodec.decode(bytes, 5, WHERE))
                .isInstanceOf(InvalidTableException.class)
                .hasMessage(
                        WHERE + " is corrupt: number of keys must fit into the bytes, but is 18374686479671623681.");
    }

    @Test
    void survivesTheWayThroughBytes() {
        Randomly.check(100, random -> {
            var positions = new PositionBitmap();
            for (int i = random.intBelow(8); i > 0; i--) {
                long from = random.oneOf(0L, 65_000L, 1L << 31, 1L << 32, 3L << 32) + random.intBelow(3000);
                positions.addRange(from, from + random.intBetween(1, 5000));
                positions.add(random.longBelow(1L << 34));
            }

            var bytes = DeletionVectorCodec.encode(positions.copy());
            var read = DeletionVectorCodec.decode(bytes, positions.cardinality(), WHERE);

            assertThat(read).isEqualTo(positions);
            assertThat(DeletionVectorCodec.encode(read)).isEqualTo(bytes);
        });
    }

    private static void assertRefused(int at, int value, long cardinality, String message) {
        var bytes = Golden.SMALL_ALTERNATING.bytes();
        bytes[at] = (byte) value;
        assertThatThrownBy(() -> DeletionVectorCodec.decode(bytes, cardinality, WHERE))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageStartingWith(WHERE + " is corrupt: " + message);
    }
}
