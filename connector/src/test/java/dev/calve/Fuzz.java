package dev.calve;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.ThreadMXBean;
import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives decoders damaged bytes for some time. A decoder passes if, whatever it gets, it returns or throws an exception of a
 * type that says what to do and a message that names the file, within {@link #MOST_MILLIS} and without allocating much more
 * than the bytes call for. What fails is written below {@code target/fuzz} and named in the error.
 *
 * <pre>
 * -Dcalve.fuzz.seconds=N   time for each decoder, two of which run at once; 2 unless said, 10 in continuous integration
 * -Dcalve.seed=N           one input only
 * -Dcalve.fuzz.random=true other inputs than the last time; unless said, always the same ones, as many as there is time for
 * -Dcalve.fuzz.input=FILE  what a failed run wrote, given to the decoders whose name the file's name begins with
 * </pre>
 */
public final class Fuzz {

    private static final long SECONDS = Long.getLong("calve.fuzz.seconds", 2);
    private static final int THREADS = 2;

    /** A decoder that takes longer for one input hangs. Inputs have some 10 KB, and a machine of many tests may be slow. */
    private static final long MOST_MILLIS = 20_000;

    /** Among so many inputs there are good ones and bad ones, or the damage is not what it should be. */
    private static final int ENOUGH = 500;

    private static final ThreadMXBean ALLOCATION = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Fuzz() {}

    /** Decodes all of it. */
    @FunctionalInterface
    public interface Decoder {
        void decode(byte[] bytes) throws Exception;
    }

    /**
     * What is to be tested.
     *
     * @param name begins the names of files
     * @param where what each message names; may be empty
     * @param typed what may be thrown
     * @param mostBytes of heap that one input may have allocated
     * @param samples whole inputs, which the decoder accepts
     * @param damage makes an input
     */
    public record Target(
            String name,
            String where,
            List<Class<? extends Exception>> typed,
            long mostBytes,
            List<byte[]> samples,
            BiFunction<Randomly, List<byte[]>, byte[]> damage,
            Decoder decoder) {

        /** Inputs are damaged anywhere, and few bytes are allocated. */
        public static Target of(String name, String where, List<byte[]> samples, Decoder decoder) {
            return new Target(
                    name,
                    where,
                    List.of(InvalidTableException.class, UnsupportedOperationException.class),
                    64L << 20,
                    samples,
                    Damage::bytes,
                    decoder);
        }

        public Target damaged(BiFunction<Randomly, List<byte[]>, byte[]> by) {
            return new Target(name, where, typed, mostBytes, samples, by, decoder);
        }

        public Target typed(Class<? extends Exception> type) {
            return new Target(name, where, List.of(type), mostBytes, samples, damage, decoder);
        }

        public Target mostBytes(long bytes) {
            return new Target(name, where, typed, bytes, samples, damage, decoder);
        }
    }

    /** Runs the targets, each for the time that is set. */
    public static void run(Target... targets) throws InterruptedException {
        var waiting = new ConcurrentLinkedQueue<>(List.of(targets));
        var workers = new ArrayList<Worker>();
        for (int i = 0; i < THREADS; i++) {
            var worker = new Worker(waiting);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
        for (Worker worker : workers) {
            while (worker.isAlive()) {
                worker.join(100);
                workers.forEach(Worker::requireProgress);
            }
        }
        for (Worker worker : workers) {
            if (worker.failure != null) {
                throw new AssertionError(worker.failure.getMessage(), worker.failure);
            }
        }
    }

    private static final class Worker extends Thread {

        private final Queue<Target> waiting;
        private volatile @Nullable Throwable failure;
        private volatile @Nullable Input running;

        Worker(Queue<Target> waiting) {
            super("fuzz");
            this.waiting = waiting;
        }

        @Override
        public void run() {
            try {
                for (Target target = waiting.poll(); target != null; target = waiting.poll()) {
                    fuzz(target);
                }
            } catch (Throwable e) {
                failure = e;
            }
        }

        private void fuzz(Target target) throws Exception {
            for (byte[] sample : target.samples()) {
                target.decoder().decode(sample.clone());
            }
            String file = System.getProperty("calve.fuzz.input");
            if (file != null) {
                if (Path.of(file).getFileName().toString().startsWith(target.name() + "-")) {
                    give(new Input(target, 0, Files.readAllBytes(Path.of(file)), System.nanoTime()));
                }
                return;
            }
            Long only = Long.getLong("calve.seed");
            long seed = only != null ? only : Boolean.getBoolean("calve.fuzz.random") ? System.nanoTime() : 1;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            int inputs = 0;
            int refused = 0;
            do {
                var random = new Randomly(seed);
                byte[] bytes = target.damage().apply(random, target.samples());
                refused += give(new Input(target, seed, bytes, System.nanoTime())) ? 1 : 0;
                inputs++;
                seed++;
            } while (only == null && System.nanoTime() < end);
            System.out.println("fuzzed " + target.name() + ": " + inputs + " inputs, " + refused + " refused");
            if (inputs >= ENOUGH && (refused == 0 || refused == inputs)) {
                throw new AssertionError(target.name() + " must refuse some inputs and not all, but refused " + refused
                        + " of " + inputs);
            }
        }

        /** Whether the decoder refused the input, as it may. */
        private boolean give(Input input) throws IOException {
            running = input;
            long before = ALLOCATION.getCurrentThreadAllocatedBytes();
            boolean refused = false;
            try {
                input.target.decoder().decode(input.bytes.clone());
            } catch (Throwable e) {
                if (input.target.typed().stream().noneMatch(type -> type.isInstance(e))
                        || !String.valueOf(e.getMessage()).contains(input.target.where())) {
                    throw input.failed("is answered with " + e, e);
                }
                refused = true;
            }
            long allocated = ALLOCATION.getCurrentThreadAllocatedBytes() - before;
            if (allocated > input.target.mostBytes()) {
                throw input.failed("makes it allocate " + allocated + " bytes", null);
            }
            running = null;
            return refused;
        }

        void requireProgress() {
            Input input = running;
            if (input != null && System.nanoTime() - input.since > TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS)) {
                var place = new Throwable("where it is");
                place.setStackTrace(getStackTrace());
                try {
                    throw input.failed("is not answered within " + MOST_MILLIS + " ms", place);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    private static final class Input {
        private final Target target;
        private final long seed;
        private final byte[] bytes;
        private final long since;

        Input(Target target, long seed, byte[] bytes, long since) {
            this.target = target;
            this.seed = seed;
            this.bytes = bytes;
            this.since = since;
        }

        AssertionError failed(String how, @Nullable Throwable cause) throws IOException {
            Path file = Path.of("target", "fuzz", target.name() + "-" + seed);
            Files.createDirectories(file.getParent());
            Files.write(file, bytes);
            return new AssertionError(
                    "Input of decoder '%s' %s. It has %d bytes, in %s: %s%nRun again with -Dcalve.fuzz.input=%s"
                            .formatted(
                                    target.name(),
                                    how,
                                    bytes.length,
                                    file,
                                    new String(Arrays.copyOf(bytes, Math.min(bytes.length, 100)), UTF_8)
                                            .replaceAll("\\p{Cntrl}", "?"),
                                    file.toAbsolutePath()),
                    cause);
        }
    }
}
