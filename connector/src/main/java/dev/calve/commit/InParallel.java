package dev.calve.commit;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Steps of a commit that wait for storage, several at a time. Returns and throws only when no step runs any more, because
 * whoever then deletes what the steps wrote must find all of it.
 */
final class InParallel {

    private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

    private static final ThreadPoolExecutor POOL = pool();

    private InParallel() {}

    private static ThreadPoolExecutor pool() {
        var pool = new ThreadPoolExecutor(
                THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), runnable -> {
                    var thread = new Thread(runnable, "calve-commit");
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** In how many parts work is best divided of which a part should have at least {@code least} pieces; at least 1. */
    static int partsOf(int pieces, int least) {
        return Math.max(1, Math.min(THREADS, pieces / least));
    }

    /** One step; must not start steps itself. */
    interface Step<T, R> {
        R apply(T input) throws IOException;
    }

    /**
     * The results, in the order of the inputs.
     *
     * @throws IOException what the first failing input, by their order, failed with; an {@link InterruptedIOException} if the
     *     thread was interrupted. Steps that had not begun are left out then
     */
    static <T, R> List<R> map(List<T> inputs, Step<T, R> step) throws IOException {
        if (inputs.size() == 1) {
            return List.of(step.apply(inputs.get(0)));
        }
        var stopped = new AtomicBoolean();
        var futures = new ArrayList<Future<Optional<R>>>(inputs.size());
        for (T input : inputs) {
            futures.add(POOL.submit(() -> {
                if (stopped.get()) {
                    return Optional.empty();
                }
                try {
                    return Optional.of(step.apply(input));
                } catch (Throwable e) {
                    stopped.set(true);
                    throw e;
                }
            }));
        }
        return collect(futures, stopped);
    }

    private static <R> List<R> collect(List<Future<Optional<R>>> futures, AtomicBoolean stopped) throws IOException {
        var results = new ArrayList<R>(futures.size());
        Throwable failure = null;
        boolean interrupted = false;
        for (Future<Optional<R>> future : futures) {
            boolean done = false;
            while (!done) {
                try {
                    future.get().ifPresent(results::add);
                    done = true;
                } catch (InterruptedException e) {
                    interrupted = true;
                    stopped.set(true);
                } catch (ExecutionException e) {
                    failure = failure == null ? e.getCause() : failure;
                    done = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw thrown(failure);
        }
        if (interrupted) {
            throw new InterruptedIOException("interrupted while reading and writing manifests");
        }
        return results;
    }

    private static IOException thrown(@Nullable Throwable failure) {
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof IOException io ? io : new IOException(failure);
    }
}
