package dev.calve.it;

import java.util.List;
import java.util.Random;

/**
 * Random choices of a test. {@link #check} runs a property with many seeds and names the one that failed; {@code
 * -Dcalve.seed=N} runs only that one.
 */
final class Randomly {

    private static final String SEED = "calve.seed";

    private final Random random;

    /** Seeds that follow each other are taken apart, because {@link Random} begins much the same for all of them. */
    Randomly(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
    }

    /** A property: throws for values that contradict it. */
    interface Property {
        void holdsFor(Randomly random) throws Exception;
    }

    /** Runs a property {@code times} times, or once with the seed of system property {@code calve.seed}. */
    static void check(int times, Property property) {
        Long chosen = Long.getLong(SEED);
        long first = chosen != null ? chosen : System.nanoTime();
        for (long seed = first; seed < first + (chosen != null ? 1 : times); seed++) {
            try {
                property.holdsFor(new Randomly(seed));
            } catch (Throwable e) {
                throw new AssertionError("Failed with -D" + SEED + "=" + seed + ": " + e, e);
            }
        }
    }

    /** From 0 up to, not including, {@code bound}. */
    int intBelow(int bound) {
        return random.nextInt(bound);
    }

    /** Both ends included. */
    int intBetween(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    /** From 0 up to, not including, {@code bound}. */
    long longBelow(long bound) {
        return random.nextLong(bound);
    }

    boolean yes() {
        return random.nextBoolean();
    }

    /** True with a probability of {@code percent} in 100. */
    boolean percent(int percent) {
        return random.nextInt(100) < percent;
    }

    @SafeVarargs
    final <T> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }

    <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
