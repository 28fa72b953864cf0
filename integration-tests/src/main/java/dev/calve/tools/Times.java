package dev.calve.tools;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * What one side needed in its timed runs.
 *
 * @param wallNanos time passed, of each run
 * @param cpuNanos processor time of the whole process, of each run
 */
record Times(List<Long> wallNanos, List<Long> cpuNanos) {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    Times() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    /** What is timed. */
    @FunctionalInterface
    interface Timed {
        void run() throws IOException;
    }

    /** One run of one side, of which it times what is to be timed. */
    @FunctionalInterface
    interface Turn<S> {
        /**
         * Takes one turn.
         *
         * @param run counted from 0, runs that are not to be kept included
         */
        void take(S side, int run, Times times) throws IOException;
    }

    /**
     * Lets the sides take turns, each round beginning with another one.
     *
     * @param warmup rounds whose times are forgotten
     * @param runs rounds after them
     * @return the times of each side, in the order of the sides
     */
    static <S> Map<S, Times> inTurn(List<S> sides, int warmup, int runs, Turn<S> turn) throws IOException {
        var times = new LinkedHashMap<S, Times>();
        sides.forEach(side -> times.put(side, new Times()));
        for (int run = 0; run < warmup + runs; run++) {
            for (int i = 0; i < sides.size(); i++) {
                S side = sides.get((run + i) % sides.size());
                turn.take(side, run, run < warmup ? new Times() : Objects.requireNonNull(times.get(side)));
            }
        }
        return times;
    }

    /**
     * Times one run.
     *
     * @param count how often it is repeated in one run: the clock of processor time ticks too slowly for a short one
     */
    void add(int count, Timed timed) throws IOException {
        // What the last run left must not be collected in the time of this one.
        System.gc();
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            timed.run();
        }
        wallNanos.add((System.nanoTime() - start) / count);
        cpuNanos.add((SYSTEM.getProcessCpuTime() - cpu) / count);
    }

    static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    static long sum(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sum();
    }

    static String ratio(long ours, long theirs) {
        return String.format(Locale.ROOT, "%.2f", (double) ours / theirs);
    }

    static String millis(long nanos) {
        return Long.toString(TimeUnit.NANOSECONDS.toMillis(nanos));
    }
}
