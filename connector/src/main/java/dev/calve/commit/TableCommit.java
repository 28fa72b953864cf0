package dev.calve.commit;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.io.Storage;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
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

    private final String table;
    private final String uuid;
    private final Committer committer;
    private final Storage storage;
    private final FileLedger ledger;
    private final Clock clock;
    private final SnapshotWriter writer;

    private long snapshotId;
    private int attempts;

    /**
     * @param table name for messages
     * @param uuid of the table that was read; a table created anew under its name is refused
     * @param statementId part of every file name the commit writes
     */
    public TableCommit(
            String table,
            String uuid,
            Committer committer,
            Storage storage,
            FileLedger ledger,
            UUID statementId,
            Clock clock) {
        this.table = table;
        this.uuid = uuid;
        this.committer = committer;
        this.storage = storage;
        this.ledger = ledger;
        this.clock = clock;
        this.writer = new SnapshotWriter(storage, ledger, statementId, table);
    }

    /** How one attempt ended, if it did not end the commit. */
    private sealed interface Attempt {
        record Done(CommitOutcome outcome) implements Attempt {}

        record Conflicted(TableState found, Conflict conflict) implements Attempt {}

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
            throw giveUp(new UncheckedIOException("Cannot commit to " + table + ": " + e.getMessage(), e));
        } catch (CommitStateUnknownException e) {
            throw e;
        } catch (RuntimeException e) {
            throw giveUp(e);
        }
    }

    private CommitOutcome loop(SnapshotChange first, Resettle resettle) throws IOException {
        Instant start = clock.instant();
        SnapshotChange change = first;
        while (true) {
            if (change.isEmpty()) {
                ledger.abort();
                return new CommitOutcome.NothingToDo();
            }
            SnapshotChange current = change;
            Attempt attempt = TableQueue.inTurn(uuid, () -> attempt(current));
            if (attempt instanceof Attempt.Done done) {
                return done.outcome();
            }
            Duration elapsed = Duration.between(start, clock.instant());
            if (attempt instanceof Attempt.Conflicted conflicted) {
                LOG.info("Commit to {} must be derived again: {}", table, conflicted.conflict().message());
                RetryPolicy policy = policy(conflicted.found().metadata());
                if (!policy.allowsAnother(attempts, elapsed)) {
                    throw new CommitConflictException(table, conflicted.conflict());
                }
                Optional<SnapshotChange> again = resettle.against(conflicted.found(), conflicted.conflict(), change);
                if (again.isEmpty()) {
                    ledger.abort();
                    return new CommitOutcome.NothingToDo();
                }
                change = again.get();
                continue;
            }
            var lost = (Attempt.Lost) attempt;
            if (!lost.policy().allowsAnother(attempts, elapsed)) {
                throw new CommitConflictException("Cannot commit to " + table + ": lost the race against other writers "
                        + attempts + " times in " + elapsed.toMillis() + " ms, last because " + lost.reason()
                        + ". Nothing was changed; run the statement again, or raise commit.retry.total-timeout-ms.");
            }
            sleep(lost.policy().wait(attempts));
        }
    }

    private Attempt attempt(SnapshotChange change) throws IOException {
        TableState found = committer.load();
        TableMetadata metadata = found.metadata();
        if (!metadata.uuid().equals(uuid)) {
            throw new CommitConflictException("Cannot commit to " + table + ": it was dropped and created again since it was"
                    + " read (uuid " + uuid + ", now " + metadata.uuid() + "). Run the statement again.");
        }
        if (attempts > 0 && metadata.snapshot(snapshotId).isPresent()) {
            return new Attempt.Done(done(found, Optional.empty()));
        }
        attempts++;
        Optional<Conflict> conflict = ConflictCheck.find(storage, metadata, change);
        if (conflict.isPresent()) {
            return new Attempt.Conflicted(found, conflict.get());
        }
        chooseSnapshotId(metadata);
        SnapshotWriter.Prepared prepared;
        try {
            long now = Math.max(clock.millis(), metadata.lastUpdatedMillis());
            prepared = writer.prepare(metadata, change, snapshotId, attempts, now);
        } catch (SnapshotWriter.DoesNotFit e) {
            return new Attempt.Conflicted(found, e.conflict());
        }
        return swap(found, prepared);
    }

    private Attempt swap(TableState found, SnapshotWriter.Prepared prepared) {
        ledger.swapSent();
        SwapOutcome outcome;
        try {
            outcome = committer.swap(found, prepared.updates(), prepared.requirements(), prepared.metadata());
        } catch (RuntimeException e) {
            outcome = new SwapOutcome.Unknown(e);
        }
        if (outcome instanceof SwapOutcome.Swapped swapped) {
            return new Attempt.Done(done(swapped.state(), Optional.of(prepared)));
        }
        if (outcome instanceof SwapOutcome.Rejected rejected) {
            ledger.swapRejected();
            return new Attempt.Lost(policy(found.metadata()), rejected.reason());
        }
        return new Attempt.Done(resolveUnknown(prepared, ((SwapOutcome.Unknown) outcome).cause()));
    }

    /** Looks whether the snapshot is there after all. That it is not proves nothing: the swap may still be on its way. */
    private CommitOutcome resolveUnknown(SnapshotWriter.Prepared prepared, Throwable cause) {
        try {
            TableState now = committer.load();
            if (now.metadata().snapshot(snapshotId).isPresent()) {
                return done(now, Optional.of(prepared));
            }
        } catch (IOException | RuntimeException e) {
            cause.addSuppressed(e);
        }
        LOG.warn("Outcome of snapshot {} of {} is unknown; files kept: {}", snapshotId, table, ledger.written());
        throw new CommitStateUnknownException(table, snapshotId, cause);
    }

    private Committed done(TableState state, Optional<SnapshotWriter.Prepared> prepared) {
        LOG.info("Committed snapshot {} to {} in {} attempt(s)", snapshotId, table, attempts);
        // Without the prepared attempt it is not known which of several attempts won, so nothing is cleaned.
        ledger.committed(prepared.map(SnapshotWriter.Prepared::reached).orElseGet(() -> java.util.Set.copyOf(ledger.written())));
        return new Committed(state, snapshotId, attempts);
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
    private RuntimeException giveUp(RuntimeException failure) {
        try {
            ledger.abort();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    private void sleep(Duration wait) {
        try {
            Thread.sleep(wait.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommitConflictException(
                    "Cannot commit to " + table + ": interrupted while waiting to try again. Nothing was changed.");
        }
    }
}
