package dev.calve.deletes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PositionBitmapTest {

    /** Values 0 to 9 under one key: key, cookie, one container, its key and cardinality, its offset, the values. */
    private static final String TEN_VALUES = "3a3000000100000000000900100000000000010002000300040005000600070008000900";

    @Test
    void loadsThePeersEmptySample() {
        assertThat(PositionBitmap.fromBytes(hex("0000000000000000")).isEmpty()).isTrue();
    }

    @Test
    void loadsThePeersSampleOfOneKey() {
        var positions = PositionBitmap.fromBytes(hex("0100000000000000" + "00000000" + TEN_VALUES));

        assertThat(positions.toArray()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void loadsThePeersSampleOfTenKeys() {
        var sample = new StringBuilder("0a00000000000000");
        for (int key = 0; key < 10; key++) {
            sample.append("0").append(key).append("000000").append(TEN_VALUES);
        }

        var positions = PositionBitmap.fromBytes(hex(sample.toString()));

        assertThat(positions.toArray())
                .containsExactly(LongStream.range(0, 100)
                        .map(i -> ((i / 10) << 32) + i % 10)
                        .toArray());
    }

    @Test
    void loadsKeysWithGaps() {
        var bytes = hex("0200000000000000" + "03000000" + TEN_VALUES + "feffff7f" + TEN_VALUES);

        var positions = PositionBitmap.fromBytes(bytes);

        assertThat(positions.cardinality()).isEqualTo(20);
        assertThat(positions.first()).isEqualTo(3L << 32);
        assertThat(positions.last()).isEqualTo((0x7FFFFFFEL << 32) + 9);
        assertThat(positions.contains((4L << 32) + 1)).isFalse();
    }

    @Test
    void loadsKeysWithoutPositions() {
        var positions = PositionBitmap.fromBytes(
                hex("0200000000000000" + "00000000" + "3a30000000000000" + "01000000" + TEN_VALUES));

        assertThat(positions.first()).isEqualTo(1L << 32);
        assertThat(positions)
                .isEqualTo(PositionBitmap.of(
                        LongStream.range(1L << 32, (1L << 32) + 10).toArray()));
    }

    @Test
    void refusesKeysThatAreTooLarge() {
        var keys = Map.of("ffffff7f", "2147483647", "00000080", "2147483648", "ffffffff", "4294967295");
        keys.forEach((bytes, key) -> assertThatThrownBy(
                        () -> PositionBitmap.fromBytes(hex("0100000000000000" + bytes + TEN_VALUES)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessage("Position bitmap of 48 bytes is corrupt: key must be between 0 and 2147483646, but is "
                        + key + "."));
    }

    @Test
    void refusesKeysThatDoNotAscend() {
        assertThatThrownBy(() -> PositionBitmap.fromBytes(
                        hex("0200000000000000" + "01000000" + TEN_VALUES + "01000000" + TEN_VALUES)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("keys must ascend, but 1 follows 1");
    }

    @Test
    void refusesBytesThatEndEarlyOrLate() {
        var whole = "0100000000000000" + "00000000" + TEN_VALUES;
        for (int length = 0; length < whole.length(); length += 2) {
            String part = whole.substring(0, length);
            assertThatThrownBy(() -> PositionBitmap.fromBytes(hex(part)))
                    .as(part)
                    .isInstanceOf(InvalidTableException.class);
        }
        assertThatThrownBy(() -> PositionBitmap.fromBytes(hex(whole + "00")))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("1 bytes follow");
    }

    @Test
    void refusesContainersThatContradictThemselves() {
        // Each of these is accepted by the library's own decoder.
        var unsorted = TEN_VALUES.replace("02000300", "03000200");
        var repeated = TEN_VALUES.replace("02000300", "02000200");
        var reversedContainers =
                "3a30000002000000" + "01000000" + "00000000" + "18000000" + "1a000000" + "0500" + "0600";
        var repeatedContainers = reversedContainers.replace("01000000", "00000000");
        var overlappingRuns = "3b300000" + "01" + "00000b00" + "0200" + "00000500" + "03000500";
        var runPastItsContainer = "3b300000" + "01" + "00000100" + "0100" + "ffff0100";
        var runsOtherThanStated = "3b300000" + "01" + "00000900" + "0100" + "00000500";
        var bitsOtherThanStated = "3a30000001000000" + "00000010" + "10000000" + "ff".repeat(8192);

        for (String bitmap : List.of(
                unsorted,
                repeated,
                reversedContainers,
                repeatedContainers,
                overlappingRuns,
                runPastItsContainer,
                runsOtherThanStated,
                bitsOtherThanStated)) {
            assertThatThrownBy(() -> PositionBitmap.fromBytes(hex("0100000000000000" + "00000000" + bitmap)))
                    .as(bitmap)
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("is corrupt: ");
        }
    }

    @Test
    void saysWhichRunIsWrong() {
        var overlappingRuns = "3b300000" + "01" + "00000b00" + "0200" + "00000500" + "03000500";

        assertThatThrownBy(() -> PositionBitmap.fromBytes(hex("0100000000000000" + "00000000" + overlappingRuns)))
                .hasMessageEndingWith("runs must ascend within 65536 values, but [3, 9) follows a run up to 6.");
    }

    @Test
    void refusesMoreKeysThanTheBytesHaveRoomFor() {
        var threeEmptyKeys = IntStream.range(0, 3)
                .mapToObj(key -> "0" + key + "000000" + "3a30000000000000")
                .collect(Collectors.joining());

        assertThat(PositionBitmap.fromBytes(hex("0300000000000000" + threeEmptyKeys))
                        .isEmpty())
                .isTrue();
        assertThatThrownBy(() -> PositionBitmap.fromBytes(hex("0400000000000000" + threeEmptyKeys)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageEndingWith("number of keys must fit into the bytes, but is 4.");
    }

    @Test
    void refusesABitmapOfAnotherFormat() {
        assertThatThrownBy(() -> PositionBitmap.fromBytes(hex("0100000000000000" + "00000000" + "3a30010000000000")))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageEndingWith("cookie of a bitmap must be 12346 or 12347, but is 77882.");
    }

    /** Containers of more than 4,096 values are 65,536 bits, whatever follows them. */
    @Test
    void loadsAContainerOfBitsAndTheOneBehindIt() {
        var bitmap =
                "3a30000002000000" + "0000ff7f" + "01000000" + "18000000" + "18200000" + "55".repeat(8192) + "0700";

        var positions = PositionBitmap.fromBytes(hex("0100000000000000" + "00000000" + bitmap));

        assertThat(positions.toArray())
                .isEqualTo(LongStream.concat(LongStream.range(0, 32_768).map(i -> 2 * i), LongStream.of(65_536 + 7))
                        .toArray());
    }

    /** At 4,096 values a container is a list still; with a run and fewer than 4 containers there are no offsets. */
    @Test
    void readsBackContainersAtTheBordersOfTheFormat() {
        for (int values : new int[] {4095, 4096, 4097}) {
            var everyOther = PositionBitmap.of(
                    LongStream.range(0, values).map(i -> 2 * i).toArray());
            assertThat(PositionBitmap.fromBytes(everyOther.toBytes()))
                    .as("%s values", values)
                    .isEqualTo(everyOther);
        }
        for (int containers = 1; containers <= 20; containers++) {
            var runs = new PositionBitmap();
            for (long from = 0; from < containers * 65_536L; from += 65_536) {
                runs.addRange(from + 10, from + 2000);
            }
            assertThat(PositionBitmap.fromBytes(runs.toBytes()))
                    .as("%s runs", containers)
                    .isEqualTo(runs);
        }
        var everyContainer = PositionBitmap.of(
                LongStream.range(0, 65_536).map(i -> 65_536 * i).toArray());
        assertThat(PositionBitmap.fromBytes(everyContainer.toBytes())).isEqualTo(everyContainer);
    }

    @Test
    void neverAcceptsDamagedBytesAsASetThatContradictsItself() {
        Randomly.check(300, random -> {
            var bytes = randomSet(random, new TreeSet<>()).toBytes();
            bytes[random.intBelow(bytes.length)] ^= (byte) (1 << random.intBelow(8));
            PositionBitmap read;
            try {
                read = PositionBitmap.fromBytes(bytes);
            } catch (InvalidTableException e) {
                return;
            }
            var seen = read.toArray();
            assertThat(seen).isEqualTo(LongStream.of(seen).sorted().distinct().toArray());
            assertThat(PositionBitmap.fromBytes(read.toBytes())).isEqualTo(read);
        });
    }

    @Test
    void behavesLikeASortedSet() {
        Randomly.check(100, random -> {
            var expected = new TreeSet<Long>();
            var positions = randomSet(random, expected);

            assertThat(positions.toArray()).isEqualTo(toArray(expected));
            assertThat(positions.cardinality()).isEqualTo(expected.size());
            assertThat(positions.isEmpty()).isEqualTo(expected.isEmpty());
            if (!expected.isEmpty()) {
                assertThat(positions.first()).isEqualTo(expected.first());
                assertThat(positions.last()).isEqualTo(expected.last());
            }
            for (int i = 0; i < 50; i++) {
                long position = randomPosition(random);
                long to = position + random.oneOf(0L, 1L, 100L, 1L << 17, 1L << 33);
                assertThat(positions.contains(position)).isEqualTo(expected.contains(position));
                assertThat(positions.cardinalityInRange(position, to))
                        .isEqualTo(expected.subSet(position, to).size());
            }
        });
    }

    @Test
    void combinesLikeSortedSets() {
        Randomly.check(100, random -> {
            var left = new TreeSet<Long>();
            var right = new TreeSet<Long>();
            var one = randomSet(random, left);
            var other = randomSet(random, right);
            var otherBefore = other.copy();

            var both = new TreeSet<>(left);
            both.addAll(right);
            var common = new TreeSet<>(left);
            common.retainAll(right);
            var rest = new TreeSet<>(left);
            rest.removeAll(right);

            var or = one.copy();
            or.or(other);
            var and = one.copy();
            and.and(other);
            var andNot = one.copy();
            andNot.andNot(other);

            assertThat(or).isEqualTo(PositionBitmap.union(one, other)).isEqualTo(PositionBitmap.of(toArray(both)));
            assertThat(or.toArray()).isEqualTo(toArray(both));
            assertThat(and).isEqualTo(PositionBitmap.of(toArray(common)));
            assertThat(and.toArray()).isEqualTo(toArray(common));
            assertThat(andNot).isEqualTo(PositionBitmap.of(toArray(rest)));
            assertThat(andNot.toArray()).isEqualTo(toArray(rest));
            assertThat(one.intersects(other)).isEqualTo(!common.isEmpty());
            assertThat(one.toArray()).isEqualTo(toArray(left));
            assertThat(other).isEqualTo(otherBefore);
        });
    }

    @Test
    void sharesNothingAfterUnionWithAnotherSet() {
        var other = PositionBitmap.of(1);
        var union = new PositionBitmap();
        union.or(other);

        union.add(2);
        other.add(3);

        union.or(union);

        assertThat(union.toArray()).containsExactly(1, 2);
        assertThat(other.toArray()).containsExactly(1, 3);
    }

    @Test
    void isEmptyWithoutItself() {
        var positions = PositionBitmap.of(1, 1L << 40);
        positions.andNot(positions);

        assertThat(positions.isEmpty()).isTrue();
        assertThat(positions.toBytes()).isEqualTo(hex("0000000000000000"));
    }

    @Test
    void survivesTheWayThroughBytes() {
        Randomly.check(100, random -> {
            var positions = randomSet(random, new TreeSet<>());
            var before = positions.copy();

            var read = PositionBitmap.fromBytes(positions.toBytes());

            assertThat(read).isEqualTo(before).hasSameHashCodeAs(before);
        });
    }

    @Test
    void writesNoBytesForKeysWithoutPositions() {
        assertThat(PositionBitmap.of(PositionBitmap.MAX_POSITION).toBytes()).hasSizeLessThan(40);
    }

    @Test
    void writesARangeInFewBytesHoweverItWasAdded() {
        var oneByOne = PositionBitmap.of(LongStream.range(70_000, 73_000).toArray());

        assertThat(oneByOne.toBytes()).hasSizeLessThan(40);
    }

    @Test
    void differsFromASetWithOtherKeysAndFromOtherThings() {
        assertThat(PositionBitmap.of(1))
                .isNotEqualTo(PositionBitmap.of(1, 1L << 40))
                .isNotEqualTo(Set.of(1L));
        assertThat(PositionBitmap.of(1)).isNotEqualTo(PositionBitmap.of((1L << 40) + 1));
    }

    @Test
    void describesItselfWithoutListingEveryPosition() {
        assertThat(new PositionBitmap()).hasToString("{}");
        assertThat(PositionBitmap.of(3, 1L << 32, 7)).hasToString("{3 positions from 3 to 4294967296}");
    }

    @Test
    void hasNoFirstOrLastPositionWhenEmpty() {
        var empty = new PositionBitmap();

        assertThatThrownBy(empty::first).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(empty::last).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void equalsASetThatIsStoredDifferently() {
        var range = new PositionBitmap();
        range.addRange(70_000, 71_000);
        var single = PositionBitmap.of(LongStream.range(70_000, 71_000).toArray());
        range.runOptimize();

        assertThat(range).isEqualTo(single).hasSameHashCodeAs(single);
        single.add(5);
        assertThat(range).isNotEqualTo(single);
    }

    @Test
    void holdsTheLargestPosition() {
        var positions = new PositionBitmap();
        positions.addRange(PositionBitmap.MAX_POSITION - 1, PositionBitmap.MAX_POSITION + 1);

        assertThat(positions.toArray()).containsExactly(PositionBitmap.MAX_POSITION - 1, PositionBitmap.MAX_POSITION);
        assertThat(positions.cardinalityInRange(0, PositionBitmap.MAX_POSITION)).isEqualTo(1);
    }

    @Test
    void handsOutRangesInTheUpperHalfOfAKey() {
        var positions = new PositionBitmap();
        long from = (1L << 31) - 10;
        positions.addRange(from, from + 3000);
        positions.runOptimize();

        assertThat(positions.toArray())
                .isEqualTo(LongStream.range(from, from + 3000).toArray());
    }

    @Test
    void refusesPositionsOutsideTheFormat() {
        var positions = PositionBitmap.of(PositionBitmap.MAX_POSITION);
        for (long position : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, PositionBitmap.MAX_POSITION + 1}) {
            assertThatThrownBy(() -> positions.add(position))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not " + position);
        }
        assertThatThrownBy(() -> positions.addRange(3, 2)).hasMessageContaining("[3, 2)");
        assertThatThrownBy(() -> positions.addRange(-1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> positions.addRange(0, Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> positions.cardinalityInRange(3, 2)).hasMessageContaining("[3, 2)");
        assertThatThrownBy(() -> positions.cardinalityInRange(-1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThat(positions.contains(-1)).isFalse();
    }

    @Test
    void walksBesideBatchesOfRows() {
        Randomly.check(100, random -> {
            var expected = new TreeSet<Long>();
            var positions = randomSet(random, expected);
            var cursor = positions.cursor();
            long at = random.oneOf(0L, 65_000L, (1L << 32) - 500);
            for (int i = 0; i < 40; i++) {
                var next = expected.ceiling(at);
                assertThat(cursor.seek(at)).isEqualTo(next == null ? PositionCursor.NONE : next);

                int count = random.intBetween(0, 3000);
                var target = new int[count];
                int kept = cursor.survivors(at, count, target);
                long start = at;
                assertThat(Arrays.copyOf(target, kept))
                        .isEqualTo(IntStream.range(0, count)
                                .filter(row -> !expected.contains(start + row))
                                .toArray());
                at += count + random.oneOf(0L, 0L, 10_000L, 1L << 32);
            }
        });
    }

    private static PositionBitmap randomSet(Randomly random, Set<Long> model) {
        var positions = new PositionBitmap();
        for (int i = random.intBelow(6); i > 0; i--) {
            long from = randomPosition(random);
            long length = random.oneOf(1L, 3L, 300L, 300L, 300L, 5_000L);
            long step = random.oneOf(1L, 1L, 2L, 3L);
            if (step == 1) {
                positions.addRange(from, from + length);
            }
            for (long position = from; position < from + length; position += step) {
                positions.add(position);
                model.add(position);
            }
        }
        if (random.yes()) {
            positions.runOptimize();
        }
        return positions;
    }

    /** Near the borders where something could go wrong: containers, signs, keys. */
    private static long randomPosition(Randomly random) {
        long border = random.oneOf(
                0L, 1L << 16, 1L << 31, (1L << 32) - 2000, 1L << 32, (1L << 32) + (1L << 31), 5L << 32, 1L << 62);
        return border + random.intBelow(4000);
    }

    private static long[] toArray(Set<Long> positions) {
        return positions.stream().mapToLong(Long::longValue).toArray();
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
