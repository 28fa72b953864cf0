package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TableQueueTest {

    private static void awaitUsers(String table, int users) throws InterruptedException {
        while (TableQueue.users(table) < users) {
            Thread.sleep(1);
        }
    }

    @Test
    void letsWritersInInTheOrderTheyCame() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        var threads = new ArrayList<Thread>();
        TableQueue.inTurn("fair", () -> {
            for (int i = 0; i < 5; i++) {
                int number = i;
                var thread = new Thread(() -> TableQueue.inTurn("fair", () -> order.add(number)));
                thread.start();
                threads.add(thread);
                awaitUsers("fair", i + 2);
                while (thread.getState() != Thread.State.WAITING) {
                    Thread.sleep(1);
                }
            }
            return order;
        });
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        assertThat(TableQueue.users("fair")).isZero();
    }

    @Test
    void forgetsATableWhoseTurnFailed() {
        assertThatThrownBy(() -> TableQueue.inTurn("failing", () -> {
                    throw new IllegalStateException("injected");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(TableQueue.users("failing")).isZero();
    }

    @Test
    void doesNotMakeTablesWaitForEachOther() throws Exception {
        var done = new CountDownLatch(1);
        TableQueue.inTurn("one", () -> {
            new Thread(() -> TableQueue.inTurn("other", () -> {
                        done.countDown();
                        return done;
                    }))
                    .start();
            done.await();
            return done;
        });
    }

    @Test
    void letsAWaitingWriterBeInterrupted() throws Exception {
        var ran = new AtomicBoolean();
        var failure = new ArrayList<Throwable>();
        TableQueue.inTurn("interrupted", () -> {
            var waiting = new Thread(() -> {
                try {
                    TableQueue.inTurn("interrupted", () -> {
                        ran.set(true);
                        return ran;
                    });
                } catch (UncheckedIOException e) {
                    failure.add(e);
                }
            });
            waiting.start();
            awaitUsers("interrupted", 2);
            waiting.interrupt();
            waiting.join();
            return ran;
        });
        assertThat(ran).isFalse();
        assertThat(failure).hasSize(1);
        assertThat(TableQueue.users("interrupted")).isZero();
    }
}
