package dev.calve.commit;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.io.Storage;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commit of one statement: load, check, re-settle if need be, prepare, swap; again if somebody was faster. Used once, by
 * one thread.
 *
 * <p>Ends in a {@link CommitOutcome}, a {@link CommitConflictException} after which nothing the statement wrote is left, or a
 * {@link CommitStateUnknownException} after which everything is. Cost of an undisturbed commit: one load of the metadata,
 * {@link SnapshotWriter}'s reads and writes, one swap.
 */
public final class TableCommit {

    private static final Logger LOG = LoggerFactory.getLogger(TableCommit.class);

    private final CommitTarget target;
    private final Statement statement;
    private final String table;
    private final Committer committer;
    private final Storage storage;
    private final FileLedger ledger;
    private final Clock clock;
    private final SnapshotWriter writer;

    /** What each attempt's snapshot refers to, by the location of its manifest list. */
    private final Map<String, Set<String>> reachedByList = new HashMap<>();

    private long snapshotId;
    private int attempts;

    public TableCommit(CommitTarget target, Statement statement, Clock clock) {
        this.target = target;
        this.statement = statement;
        this.table = target.name();
        this.committer = target.committer();
        this.storage = target.storage();
        this.ledger = statement.ledger();
        this.clock = clock;
        this.writer = new SnapshotWriter(storage, ledger, statement.id(), table);
    }

    /** How one attempt ended. */
    private sealed interface Attempt {

        /**
         * The snapshot is in the table.
         *
         * @param reached what it refers to; empty if that is not known
         */
        record Won(TableState state, Optional<Set<String>> reached) implements Attempt {}

        record Nothing() implements Attempt {}

        record Conflicted(TableState found, List<Conflict> conflicts) implements Attempt {}

        record Lost(RetryPolicy policy, String reason) implements Attempt {}
    }

    /**
     * Commits the change.
     *
     * @throws CommitConflictException if it cannot be reconciled with what others committed, or all retries were lost
     * @throws CommitStateUnknownException if nobody knows
     */
    public CommitOutcome commit(SnapshotChange change, Resettle resettle) {
        try {
            return loop(change, resettle);
        } catch (IOException e) {
            throw giveUp(new UncheckedIOException(
                    "Cannot commit " + statement.command() + " to " + table + ": " + e.getMessage(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException("interrupted while waiting to try again");
            interrupted.initCause(e);
            throw giveUp(new UncheckedIOException(
                    "Cannot commit " + statement.command() + " to " + table + ": " + interrupted.getMessage()
                            + ". Nothing was changed.",
                    interrupted));
        } catch (RuntimeException e) {
            throw giveUp(e);
        } catch (Error e) {
            throw giveUp(e);
        }
    }

    private CommitOutcome loop(SnapshotChange first, Resettle resettle) throws IOException, InterruptedException {
        Instant start = clock.instant();
        SnapshotChange change = first;
        while (true) {
            if (change.isEmpty()) {
                return nothing();
            }
            SnapshotChange current = change;
            Attempt attempt = TableQueue.inTurn(target.uuid(), () -> attempt(current));
            if (attempt instanceof Attempt.Won won) {
                won.reached().ifPresent(ledger::deleteAllBut);
                return new Committed(won.state(), snapshotId, attempts);
            }
            if (attempt instanceof Attempt.Nothing) {
                return nothing();
            }
            Duration elapsed = Duration.between(start, clock.instant());
            if (attempt instanceof Attempt.Conflicted conflicted) {
                LOG.info(
                        "Commit to {} must be derived again: {}",
                        table,
                        conflicted.conflicts().get(0).message());
                RetryPolicy policy = policy(conflicted.found().metadata());
                if (!policy.allowsAnother(attempts, elapsed)) {
                    throw refused(conflicted.conflicts());
                }
                Optional<SnapshotChange> again;
                try {
                    again = resettle.against(conflicted.found(), conflicted.conflicts(), change);
                } catch (Resettle.Refused e) {
                    throw refused(e.conflicts());
                }
                if (again.isEmpty()) {
                    return nothing();
                }
                change = again.get();
                continue;
            }
            var lost = (Attempt.Lost) attempt;
            if (!lost.policy().allowsAnother(attempts, elapsed)) {
                throw refused(List.of(new Conflict.LostRace(attempts, elapsed, lost.reason())));
            }
            Thread.sleep(lost.policy().wait(attempts).toMillis());
        }
    }

    private CommitConflictException refused(List<Conflict> conflicts) {
        return new CommitConflictException(table, statement.command(), statement.isolation(), conflicts);
    }

    private CommitOutcome nothing() {
        ledger.abort();
        return new CommitOutcome.NothingToDo();
    }

    private Attempt attempt(SnapshotChange change) throws IOException {
        TableState found = committer.load();
        TableMetadata metadata = found.metadata();
        if (!metadata.uuid().equals(target.uuid())) {
            throw refused(List.of(new Conflict.TableReplaced(target.uuid(), metadata.uuid())));
        }
        Optional<Snapshot> own = attempts == 0 ? Optional.empty() : metadata.snapshot(snapshotId);
        if (own.isPresent()) {
            // An attempt that was said to have lost had won.
            return won(found, own.get());
        }
        requireBranch(metadata, change.ref());
        attempts++;
        List<Conflict> conflicts = ConflictCheck.find(storage, metadata, change);
        if (!conflicts.isEmpty()) {
            return new Attempt.Conflicted(found, conflicts);
        }
        chooseSnapshotId(metadata);
        Optional<SnapshotWriter.Prepared> prepared;
        try {
            long now = Math.max(clock.millis(), metadata.lastUpdatedMillis());
            prepared = writer.prepare(metadata, change, snapshotId, attempts, now);
        } catch (SnapshotWriter.DoesNotFit e) {
            return new Attempt.Conflicted(found, List.of(e.conflict()));
        }
        return prepared.isPresent() ? swap(found, change, prepared.get()) : new Attempt.Nothing();
    }

    private void requireBranch(TableMetadata metadata, String ref) {
        SnapshotRef target = metadata.refs().get(ref);
        if (target != null && target.kind() == SnapshotRef.Kind.TAG) {
            throw new IllegalArgumentException(
                    "Cannot commit to " + table + ": '" + ref + "' must be a branch, but is a tag, which never moves.");
        }
    }

    private Attempt swap(TableState found, SnapshotChange change, SnapshotWriter.Prepared prepared) {
        reachedByList.put(prepared.snapshot().manifestList().orElseThrow(), prepared.reached());
        ledger.swapSent();
        SwapOutcome outcome;
        try {
            outcome = committer.swap(found, prepared.updates(), prepared.requirements(), prepared.metadata());
        } catch (Throwable e) {
            // Whatever it was, it came after the swap may have been sent.
            outcome = new SwapOutcome.Unknown(e);
        }
        if (outcome instanceof SwapOutcome.Swapped swapped) {
            return won(swapped.state(), prepared.snapshot());
        }
        if (outcome instanceof SwapOutcome.Rejected rejected) {
            ledger.swapRejected();
            return new Attempt.Lost(policy(found.metadata()), rejected.reason());
        }
        if (outcome instanceof SwapOutcome.Failed failed) {
            ledger.swapRejected();
            throw failed.failure();
        }
        return resolveUnknown(change, ((SwapOutcome.Unknown) outcome).cause());
    }

    /** Looks whether the snapshot is there after all. That it is not proves nothing: the swap may still be on its way. */
    private Attempt resolveUnknown(SnapshotChange change, Throwable cause) {
        // An interrupt is a frequent cause, and would make this look-up fail too.
        boolean interrupted = Thread.interrupted();
        try {
            TableState now = committer.load();
            Optional<Snapshot> own = now.metadata().snapshot(snapshotId);
            if (own.isPresent()) {
                return won(now, own.get());
            }
        } catch (Throwable e) {
            suppress(cause, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        LOG.warn("Outcome of snapshot {} of {} is unknown; files kept: {}", snapshotId, table, ledger.written());
        throw CommitStateUnknownException.ofSnapshot(table, statement.command(), change.ref(), snapshotId, cause);
    }

    private Attempt won(TableState state, Snapshot snapshot) {
        ledger.committed();
        LOG.info("Committed snapshot {} to {} in {} attempt(s)", snapshotId, table, attempts);
        return new Attempt.Won(state, snapshot.manifestList().map(reachedByList::get));
    }

    private void chooseSnapshotId(TableMetadata metadata) {
        while (snapshotId == 0 || metadata.snapshot(snapshotId).isPresent()) {
            snapshotId = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        }
    }

    private RetryPolicy policy(TableMetadata metadata) {
        return RetryPolicy.of(TableProperties.of(metadata.properties(), table));
    }

    /** Deletes what was written, unless a swap is still unanswered, and hands the failure on. */
    private <E extends Throwable> E giveUp(E failure) {
        try {
            ledger.abort();
        } catch (Throwable e) {
            suppress(failure, e);
        }
        return failure;
    }

    private static void suppress(Throwable failure, Throwable later) {
        if (failure != later) {
            failure.addSuppressed(later);
        }
    }
}
