package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.io.InputFile;
import dev.calve.io.MemoryStorage;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Clock;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Wherever an interrupt comes, a commit ends in one of its three ways, and the thread stays interrupted. */
class CommitInterruptTest {

    @ParameterizedTest
    @EnumSource(names = {"HONEST", "REJECTED", "DONE_BUT_REJECTED", "DONE_BUT_UNKNOWN", "UNKNOWN"})
    void endsInOneOfItsWaysWhereverItIsInterrupted(Answer answer) {
        int steps = 0;
        while (run(answer, ++steps)) {
            assertThat(steps).as("interrupts").isLessThan(200);
        }
        assertThat(steps).as("interrupts").isGreaterThan(5);
    }

    /**
     * One commit that is interrupted at its nth step.
     *
     * @return whether it has so many steps
     */
    private boolean run(Answer answer, int nth) {
        var table = CommitFixture.unpartitioned(3);
        DataFile old = table.dataFile("old").build();
        table.append(old);
        DataFile mine = table.dataFile("mine").build();
        SnapshotChange change =
                table.change(Operation.OVERWRITE).remove(old).add(mine).build();
        Set<String> before = new TreeSet<>(table.storage.locations());
        before.remove(mine.path());
        long head = table.head().id();
        var steps = new Steps(nth);
        var storage = new Interruptible(table.storage, steps);
        var ledger = new FileLedger(storage);
        ledger.wrote(mine.path());
        table.committer.answer(answer);
        table.committer.beforeAll(steps::next);
        boolean interrupted;
        try {
            CommitOutcome outcome = new TableCommit(
                            new CommitTarget(
                                    CommitFixture.TABLE, table.metadata().uuid(), table.committer, storage),
                            Statement.of(java.util.UUID.randomUUID(), "TEST", ledger),
                            Clock.systemUTC())
                    .commit(change, Resettle.never());
            assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
            assertThat(table.live().data()).containsKey(mine.path()).doesNotContainKey(old.path());
        } catch (CommitStateUnknownException e) {
            assertThat(ledger.abort()).isFalse();
            assertThat(table.storage.locations()).containsAll(ledger.written());
        } catch (UncheckedIOException e) {
            assertThat(table.head().id()).as("nothing was changed: %s", e).isEqualTo(head);
            assertThat(table.storage.locations()).as("left after %s", e).isEqualTo(before);
        } finally {
            interrupted = Thread.interrupted();
            table.committer.beforeAll(() -> {});
        }
        assertThat(table.storage.locations()).containsAll(table.live().reachable());
        assertThat(interrupted).as("interrupted at step %s", nth).isEqualTo(steps.reached());
        return steps.reached();
    }

    /** Counts what a commit does and interrupts it once; afterwards everything that blocks fails, as channels do. */
    private static final class Steps {
        private final int nth;
        private int count;

        Steps(int nth) {
            this.nth = nth;
        }

        void next() throws IOException {
            if (++count == nth) {
                Thread.currentThread().interrupt();
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ClosedByInterruptException();
            }
        }

        boolean reached() {
            return count >= nth;
        }
    }

    private record Interruptible(MemoryStorage target, Steps steps) implements Storage {

        @Override
        public InputFile input(String location) {
            return target.input(location);
        }

        @Override
        public InputFile input(String location, long length) {
            return target.input(location, length);
        }

        @Override
        public PositionOutput create(String location) throws IOException {
            steps.next();
            return target.create(location);
        }

        @Override
        public boolean exists(String location) throws IOException {
            steps.next();
            return target.exists(location);
        }

        @Override
        public void delete(String location) throws IOException {
            steps.next();
            target.delete(location);
        }
    }
}
