package dev.calve.commit;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets the writers of one JVM commit to one table in the order they came, so that they do not make each other fail. An
 * entry lives as long as somebody waits or commits.
 */
final class TableQueue {

    private static final ConcurrentHashMap<String, TableQueue> QUEUES = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock(true);
    private int users;

    private TableQueue() {}

    /** Work that may fail with a checked exception. */
    interface Turn<R, E extends Exception> {
        R run() throws E;
    }

    /**
     * Runs the work when it is this thread's turn.
     *
     * @throws UncheckedIOException if interrupted before that; the work was not begun
     */
    static <R, E extends Exception> R inTurn(String tableUuid, Turn<R, E> turn) throws E {
        TableQueue queue = QUEUES.compute(tableUuid, (key, old) -> {
            TableQueue found = old == null ? new TableQueue() : old;
            found.users++;
            return found;
        });
        try {
            queue.await(tableUuid);
            try {
                return turn.run();
            } finally {
                queue.lock.unlock();
            }
        } finally {
            QUEUES.computeIfPresent(tableUuid, (key, found) -> --found.users == 0 ? null : found);
        }
    }

    private void await(String tableUuid) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException(e.getMessage());
            interrupted.initCause(e);
            throw new UncheckedIOException(
                    "Interrupted while other writers of this JVM committed to table " + tableUuid
                            + "; nothing was changed. Run the statement again.",
                    interrupted);
        }
    }

    static boolean isHeldByThisThread(String tableUuid) {
        TableQueue queue = QUEUES.get(tableUuid);
        return queue != null && queue.lock.isHeldByCurrentThread();
    }

    /** Threads that wait for their turn or have it. */
    static int users(String tableUuid) {
        TableQueue queue = QUEUES.get(tableUuid);
        return queue == null ? 0 : queue.users;
    }
}
