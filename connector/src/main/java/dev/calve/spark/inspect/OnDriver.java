package dev.calve.spark.inspect;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Reads of the driver that wait for storage, several at a time, on threads that live as long as they take. */
final class OnDriver {

    private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

    /** Enough for the threads to be busy most of the time. */
    static final int AT_ONCE = 8 * THREADS;

    private OnDriver() {}

    /** One read. */
    interface Step<T, R> {
        R apply(T input) throws IOException;
    }

    /**
     * The results, in the order of the inputs.
     *
     * @throws IOException what a read failed with; an {@link InterruptedIOException} if the thread was interrupted
     */
    static <T, R> List<R> map(List<T> inputs, Step<T, R> step) throws IOException {
        if (inputs.isEmpty()) {
            return List.of();
        }
        if (inputs.size() == 1) {
            return List.of(step.apply(inputs.get(0)));
        }
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(THREADS, inputs.size()), runnable -> {
            var thread = new Thread(runnable, "calve-inspect");
            thread.setDaemon(true);
            return thread;
        });
        try {
            var futures = new ArrayList<Future<R>>();
            for (T input : inputs) {
                futures.add(pool.submit(() -> step.apply(input)));
            }
            var results = new ArrayList<R>();
            for (Future<R> future : futures) {
                results.add(future.get());
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while reading metadata").initCause(e);
        } catch (ExecutionException e) {
            throw thrown(Objects.requireNonNullElse(e.getCause(), e));
        } finally {
            pool.shutdownNow();
        }
    }

    /**
     * Hands the results over in the order of the inputs, as they come: few are in memory at a time.
     *
     * @throws IOException as {@link #map}
     */
    static <T, R> void each(List<T> inputs, Step<T, R> step, Consumer<R> use) throws IOException {
        for (int from = 0; from < inputs.size(); from += AT_ONCE) {
            map(inputs.subList(from, Math.min(from + AT_ONCE, inputs.size())), step)
                    .forEach(use);
        }
    }

    private static IOException thrown(Throwable cause) {
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof IOException io ? io : new IOException(cause);
    }
}
