package dev.calve.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.RequestLog.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CleanUpTest {

    private final MemoryStorage storage = new MemoryStorage();
    private final CleanUp cleanUp = new CleanUp();

    CleanUpTest() {
        storage.put("a", new byte[1]).put("b", new byte[1]).put("c", new byte[1]);
    }

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void takesEveryStepAndTellsTheFirstFailureWithTheOthers() {
        storage.requests().failOn(Request.DELETE, 1);
        cleanUp.run(() -> {
            throw new OutOfMemoryError("first");
        });
        cleanUp.deleteAll(storage, List.of("a", "b"));
        assertThat(cleanUp.delete(storage, "c")).isTrue();
        cleanUp.run(() -> {
            throw new IllegalStateException("third");
        });

        assertThat(storage.locations()).containsExactly("a");
        assertThatThrownBy(cleanUp::end)
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("first")
                .satisfies(first -> assertThat(first.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("Injected: DELETE 1 of a", "third"));
    }

    @Test
    void endsQuietlyIfNothingFailed() {
        assertThat(cleanUp.delete(storage, "a")).isTrue();
        var cause = new IOException("cause");
        cleanUp.after(cause);
        assertThat(cause.getSuppressed()).isEmpty();
        assertThat(cleanUp.failure()).isEmpty();
        assertThatCode(cleanUp::end).doesNotThrowAnyException();
    }

    @Test
    void neverTakesThePlaceOfTheFailureBeforeIt() {
        storage.requests().failOn(Request.DELETE, 1);
        assertThat(cleanUp.delete(storage, "a")).isFalse();
        var cause = new IOException("cause");
        cleanUp.after(cause);
        assertThat(cause.getSuppressed()).extracting(Throwable::getMessage).containsExactly("Injected: DELETE 1 of a");
    }

    @Test
    void stepsMayFailWithTheFailureItself() {
        var cause = new IllegalStateException("cause");
        cleanUp.run(() -> {
            throw cause;
        });
        cleanUp.run(() -> {
            throw cause;
        });
        cleanUp.after(cause);
        assertThat(cause.getSuppressed()).isEmpty();
    }

    @Test
    void worksInAnInterruptedThreadAndLeavesItInterrupted() {
        storage.requests().failWhenInterrupted();
        Thread.currentThread().interrupt();
        var seen = new ArrayList<Boolean>();
        cleanUp.run(() -> seen.add(Thread.currentThread().isInterrupted()));
        cleanUp.deleteAll(storage, List.of("a", "b", "c"));

        assertThat(seen).containsExactly(false);
        assertThat(storage.locations()).isEmpty();
        assertThat(cleanUp.failure()).isEmpty();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void deletesAgainWhatAnInterruptCameBetween() {
        storage.requests().failWhenInterrupted();
        storage.requests().interruptOn(Request.DELETE, 1);
        cleanUp.deleteAll(storage, List.of("a", "b"));

        assertThat(storage.locations()).containsExactly("c");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
