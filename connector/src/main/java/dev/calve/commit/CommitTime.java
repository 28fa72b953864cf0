package dev.calve.commit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The time one statement has spent on its commit. Waiting for its turn behind other writers of this JVM does not count: that
 * they came first is no reason to give up, and each wait ends.
 */
final class CommitTime {

    private final Clock clock;
    private final Instant start;
    private Duration waited = Duration.ZERO;

    CommitTime(Clock clock) {
        this.clock = clock;
        this.start = clock.instant();
    }

    /** Runs the work when it is this thread's turn, as {@link TableQueue} does. */
    <R, E extends Exception> R inTurn(String tableUuid, TableQueue.Turn<R, E> turn) throws E {
        Instant asked = clock.instant();
        return TableQueue.inTurn(tableUuid, () -> {
            waited = waited.plus(Duration.between(asked, clock.instant()));
            return turn.run();
        });
    }

    Duration spent() {
        return Duration.between(start, clock.instant()).minus(waited);
    }
}
