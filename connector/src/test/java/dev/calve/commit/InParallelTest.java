package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InParallelTest {

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void givesResultsInTheOrderOfTheInputs() throws IOException {
        assertThat(InParallel.map(numbers(500), number -> number * 2))
                .isEqualTo(numbers(500).stream().map(number -> number * 2).toList());
        assertThat(InParallel.map(List.<Integer>of(), number -> number)).isEmpty();
    }

    @Test
    void runsSeveralStepsAtATime() throws IOException {
        var both = new CountDownLatch(2);
        assertThat(InParallel.map(numbers(2), number -> {
                    both.countDown();
                    return await(both);
                }))
                .containsExactly(true, true);
    }

    private static boolean await(CountDownLatch latch) throws IOException {
        try {
            return latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void throwsOnlyWhenNoStepRunsAnyMore() {
        var begun = new CountDownLatch(1);
        var finished = new AtomicBoolean();
        assertThatThrownBy(() -> InParallel.map(numbers(2), number -> {
                    if (number == 0) {
                        await(begun);
                        throw new IOException("no space left");
                    }
                    begun.countDown();
                    sleep();
                    finished.set(true);
                    return number;
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("no space left");
        assertThat(finished).isTrue();
    }

    private static void sleep() throws IOException {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void beginsNothingMoreOnceAStepFailed() {
        var begun = new AtomicInteger();
        assertThatThrownBy(() -> InParallel.map(numbers(10_000), number -> {
                    begun.incrementAndGet();
                    throw new IllegalStateException("always");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(begun.get()).isLessThan(10_000);
    }

    @Test
    void endsWithAnErrorAndTheInterruptWhenInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> InParallel.map(numbers(1_000), number -> {
                        sleep();
                        return number;
                    }))
                    .isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }
}
