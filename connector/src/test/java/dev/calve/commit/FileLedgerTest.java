package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InputFile;
import dev.calve.io.MemoryStorage;
import dev.calve.io.PositionOutput;
import dev.calve.io.RequestLog.Request;
import dev.calve.io.Storage;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FileLedgerTest {

    private final MemoryStorage storage = new MemoryStorage();
    private final FileLedger ledger = new FileLedger(storage);

    FileLedgerTest() {
        storage.put("a", new byte[1]).put("b", new byte[1]).put("another writer's", new byte[1]);
        ledger.wrote("a");
        ledger.wroteAll(List.of("b"));
    }

    @Test
    void deletesAllItWroteAndNothingElseWhenAborted() {
        assertThat(ledger.abort()).isTrue();
        assertThat(storage.locations()).containsExactly("another writer's");
    }

    @Test
    void knowsWhatItWroteUntilThatIsDeleted() {
        assertThat(ledger.written()).containsExactly("a", "b");
        ledger.abort();
        assertThat(ledger.written()).isEmpty();
    }

    @Test
    void deletesNothingWhileASwapIsUnanswered() {
        ledger.swapSent();
        assertThat(ledger.abort()).isFalse();
        assertThat(storage.locations()).contains("a", "b");
    }

    @Test
    void mayBeAbortedAgainOnceTheSwapIsRejected() {
        ledger.swapSent();
        ledger.swapRejected();
        assertThat(ledger.abort()).isTrue();
        assertThat(storage.locations()).doesNotContain("a", "b");
    }

    @Test
    void deletesOnlyWhatTheCommittedSnapshotDoesNotReach() {
        ledger.swapSent();
        ledger.committed();
        ledger.deleteAllBut(Set.of("a", "carried"));
        assertThat(storage.locations()).contains("a").doesNotContain("b");
        assertThat(ledger.abort()).isFalse();
        assertThat(storage.locations()).contains("a");
    }

    @Test
    void refusesToCleanForASnapshotThatIsNotCommitted() {
        assertThatThrownBy(() -> ledger.deleteAllBut(Set.of())).isInstanceOf(IllegalStateException.class);
        assertThat(storage.locations()).contains("a", "b");
    }

    @Test
    void goesOnWhenOneFileCannotBeDeleted() {
        storage.requests().failOn(Request.DELETE, 1);
        assertThat(ledger.abort()).isTrue();
        assertThat(storage.locations()).contains("a").doesNotContain("b");
    }

    @Test
    void survivesErrorsWhileCleaning() {
        var broken = new FileLedger(new OutOfMemory());
        broken.wrote("a");
        assertThat(broken.abort()).isTrue();
    }

    @Test
    void cleansInAnInterruptedThreadAndLeavesItInterrupted() {
        var sensitive = new FileLedger(new InterruptSensitive(storage));
        sensitive.wrote("a");
        Thread.currentThread().interrupt();
        try {
            sensitive.abort();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(storage.locations()).doesNotContain("a");
    }

    /** An interrupt in the middle of cleaning up would otherwise leave all files that come after. */
    @Test
    void cleansAlthoughItIsInterruptedMeanwhile() {
        var interrupting = new InterruptSensitive(storage) {
            private boolean first = true;

            @Override
            public void delete(String location) throws java.io.IOException {
                if (first) {
                    first = false;
                    Thread.currentThread().interrupt();
                }
                super.delete(location);
            }
        };
        var cleaning = new FileLedger(interrupting);
        cleaning.wroteAll(List.of("a", "b"));
        try {
            assertThat(cleaning.abort()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(storage.locations()).containsExactly("another writer's");
    }

    @Test
    void sendsNoSnapshotOfFilesItDeleted() {
        ledger.abort();
        assertThatThrownBy(ledger::swapSent).isInstanceOf(IllegalStateException.class);
        assertThat(ledger.abort()).as("again").isTrue();
    }

    private static class OutOfMemory implements Storage {
        @Override
        public InputFile input(String location) {
            throw new OutOfMemoryError("injected");
        }

        @Override
        public InputFile input(String location, long length) {
            throw new OutOfMemoryError("injected");
        }

        @Override
        public PositionOutput create(String location) {
            throw new OutOfMemoryError("injected");
        }

        @Override
        public boolean exists(String location) {
            throw new OutOfMemoryError("injected");
        }

        @Override
        public void delete(String location) throws java.io.IOException {
            throw new OutOfMemoryError("injected");
        }
    }

    private static class InterruptSensitive extends OutOfMemory {
        private final MemoryStorage target;

        InterruptSensitive(MemoryStorage target) {
            this.target = target;
        }

        @Override
        public void delete(String location) throws java.io.IOException {
            if (Thread.currentThread().isInterrupted()) {
                throw new java.nio.channels.ClosedByInterruptException();
            }
            target.delete(location);
        }
    }
}
