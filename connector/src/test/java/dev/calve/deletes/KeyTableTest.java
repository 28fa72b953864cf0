package dev.calve.deletes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class KeyTableTest {

    @Test
    void integersAreFoundWithTheirHighestRank() {
        Randomly.check(60, random -> {
            var keys = new LongKeys(random.intBelow(100));
            var merged = new LongKeys(0);
            Map<Long, Integer> expected = new HashMap<>();
            Map<Long, Integer> expectedMerged = new HashMap<>();
            long spread = 1L << random.intBelow(63);
            int ranks = random.intBetween(1, 4);
            for (int i = random.intBelow(3000); i > 0; i--) {
                long key = random.longBelow(spread) * (random.intBelow(2) == 0 ? 1 : -1);
                int rank = random.intBelow(ranks);
                keys.put(key, rank);
                expected.merge(key, rank, Math::max);
            }
            for (int i = random.intBelow(300); i > 0; i--) {
                long key = random.longBelow(spread);
                merged.put(key, 2);
                expectedMerged.put(key, 2);
            }
            int all = random.intBelow(6);
            merged.putAll(keys, all);
            expected.keySet().forEach(key -> expectedMerged.merge(key, all, Math::max));

            assertThat(keys.size()).isEqualTo(expected.size());
            assertThat(merged.size()).isEqualTo(expectedMerged.size());
            for (int i = 0; i < 2000; i++) {
                long key = random.longBelow(spread) * (random.intBelow(2) == 0 ? 1 : -1);
                assertThat(keys.rank(key)).isEqualTo(expected.getOrDefault(key, KeyTable.ABSENT));
                assertThat(merged.rank(key)).isEqualTo(expectedMerged.getOrDefault(key, KeyTable.ABSENT));
            }
            expected.forEach((key, rank) -> assertThat(keys.rank(key)).isEqualTo(rank));
            expectedMerged.forEach((key, rank) -> assertThat(merged.rank(key)).isEqualTo(rank));
        });
    }

    @Test
    void nullZeroAndTheExtremesAreKeysLikeOthers() {
        var keys = new LongKeys(0);
        assertThat(keys.rankOfNull()).isEqualTo(KeyTable.ABSENT);
        assertThat(keys.rank(0)).isEqualTo(KeyTable.ABSENT);
        keys.put(Long.MIN_VALUE, 0);
        keys.put(Long.MAX_VALUE, 1);
        assertThat(keys.rankOfNull()).isEqualTo(KeyTable.ABSENT);
        assertThat(keys.rank(0)).isEqualTo(KeyTable.ABSENT);
        keys.putNull(3);
        keys.putNull(2);
        keys.put(0, 2);

        var copy = new LongKeys(0);
        copy.putAll(keys, 7);

        assertThat(keys.rankOfNull()).isEqualTo(3);
        assertThat(keys.rank(0)).isEqualTo(2);
        assertThat(keys.rank(Long.MIN_VALUE)).isEqualTo(0);
        assertThat(keys.rank(Long.MAX_VALUE)).isEqualTo(1);
        assertThat(keys.size()).isEqualTo(4);
        assertThat(copy.size()).isEqualTo(4);
        assertThat(copy.rankOfNull()).isEqualTo(7);
        assertThat(copy.rank(0)).isEqualTo(7);
    }

    @Test
    void bytesAreFoundWithTheirHighestRank() {
        Randomly.check(60, random -> {
            var keys = new EncodedKeys(random.intBelow(100));
            Map<byte[], Integer> expected = new TreeMap<>(Arrays::compare);
            int longest = 1 + random.intBelow(random.intBelow(10) == 0 ? 5000 : 12);
            int letters = random.intBetween(1, 256);
            int ranks = random.intBetween(1, 4);
            for (int i = random.intBelow(3000); i > 0; i--) {
                byte[] key = bytes(random, longest, letters);
                int rank = random.intBelow(ranks);
                keys.put(key, key.length, rank);
                expected.merge(key, rank, Math::max);
            }
            var merged = new EncodedKeys(0);
            merged.putAll(keys, 5);

            assertThat(keys.size()).isEqualTo(expected.size());
            assertThat(merged.size()).isEqualTo(expected.size());
            expected.forEach((key, rank) -> {
                assertThat(keys.rank(key, key.length)).isEqualTo(rank);
                assertThat(merged.rank(key, key.length)).isEqualTo(5);
            });
            for (int i = 0; i < 500; i++) {
                byte[] key = bytes(random, longest, letters);
                assertThat(keys.rank(key, key.length)).isEqualTo(expected.getOrDefault(key, KeyTable.ABSENT));
            }
        });
    }

    private static byte[] bytes(Randomly random, int longest, int letters) {
        var key = new byte[random.intBelow(longest)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) random.intBelow(letters);
        }
        return key;
    }

    @Test
    void keysLargerThanABlockAreKeptWhole() {
        var keys = new EncodedKeys(0);
        int[] sizes = {3, (1 << 20) - 4, (1 << 20) - 3, 1 << 20, 5, 3 << 20, 0, (2 << 20) - 4, 700_000, 700_000, 1};
        for (int i = 0; i < sizes.length; i++) {
            keys.put(filled(sizes[i], i), sizes[i], 0);
        }

        for (int i = 0; i < sizes.length; i++) {
            assertThat(keys.rank(filled(sizes[i], i), sizes[i])).as("key %d", i).isEqualTo(0);
            if (sizes[i] > 0) {
                byte[] other = filled(sizes[i], i);
                other[sizes[i] - 1]++;
                assertThat(keys.rank(other, sizes[i])).isEqualTo(KeyTable.ABSENT);
            }
        }
        assertThat(keys.heapBytes()).isGreaterThan(9 << 20).isLessThan(15 << 20);
    }

    private static byte[] filled(int size, int value) {
        var key = new byte[size];
        Arrays.fill(key, (byte) value);
        return key;
    }

    @Test
    void aMillionKeysNeedNoMoreThanIsSaid() {
        var integers = new LongKeys(1_000_000);
        var bytes = new EncodedKeys(Long.MAX_VALUE);
        var key = new byte[17];
        for (int i = 0; i < 1_000_000; i++) {
            integers.put(i * 1_000_003L, 0);
            for (int j = 0; j < 4; j++) {
                key[j] = (byte) (i >> (8 * j));
            }
            bytes.put(key, key.length, 0);
        }

        assertThat(integers.size()).isEqualTo(1_000_000);
        assertThat(integers.heapBytes()).isLessThan(24L * 1_000_000);
        assertThat(bytes.size()).isEqualTo(1_000_000);
        assertThat(bytes.heapBytes()).isLessThan((24L + 24) * 1_000_000);
    }

    @Test
    void refusesToMixTheForms() {
        assertThatThrownBy(() -> new LongKeys(0).putAll(new EncodedKeys(0), 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EncodedKeys(0).putAll(new LongKeys(0), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
