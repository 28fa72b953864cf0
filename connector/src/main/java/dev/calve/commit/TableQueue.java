package dev.calve.commit;

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

    static <R, E extends Exception> R inTurn(String tableUuid, Turn<R, E> turn) throws E {
        TableQueue queue = QUEUES.compute(tableUuid, (key, old) -> {
            TableQueue found = old == null ? new TableQueue() : old;
            found.users++;
            return found;
        });
        queue.lock.lock();
        try {
            return turn.run();
        } finally {
            queue.lock.unlock();
            QUEUES.computeIfPresent(tableUuid, (key, found) -> --found.users == 0 ? null : found);
        }
    }
}
