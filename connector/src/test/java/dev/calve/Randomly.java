package dev.calve;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random values for property tests. {@link #check} runs a property with many seeds and names the one that failed;
 * {@code -Dcalve.seed=N} runs only that one.
 */
public final class Randomly {

    private static final String SEED = "calve.seed";

    private final Random random;

    /** Seeds that follow each other are taken apart: the first values of {@link Random} would be much the same for all of them. */
    public Randomly(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
    }

    /** A property: throws for values that contradict it. */
    @FunctionalInterface
    public interface Property {
        void holdsFor(Randomly random) throws Exception;
    }

    /** Runs a property {@code times} times, or once with the seed of system property {@code calve.seed}. */
    public static void check(int times, Property property) {
        var chosen = Long.getLong(SEED);
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
    public int intBelow(int bound) {
        return random.nextInt(bound);
    }

    /** Both ends included. */
    public int intBetween(int least, int most) {
        return random.nextInt(least, most == Integer.MAX_VALUE ? most : most + 1);
    }

    /** From 0 up to, not including, {@code bound}. */
    public long longBelow(long bound) {
        return random.nextLong(bound);
    }

    public long anyLong() {
        return random.nextLong();
    }

    public boolean yes() {
        return random.nextBoolean();
    }

    /** True with a probability of {@code percent} in 100. */
    public boolean percent(int percent) {
        return random.nextInt(100) < percent;
    }

    @SafeVarargs
    public final <T> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }

    public <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** Up to {@code most} values. */
    public <T> List<T> listOf(int most, Supplier<T> values) {
        int size = random.nextInt(most + 1);
        var list = new ArrayList<T>(size);
        for (int i = 0; i < size; i++) {
            list.add(values.get());
        }
        return list;
    }

    public byte[] bytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Up to {@code most} characters, some of them outside ASCII. */
    public String string(int most) {
        var text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.appendCodePoint(percent(80) ? intBetween(' ', '~') : intBetween(0xA0, 0xD7FF));
        }
        return text.toString();
    }
}
