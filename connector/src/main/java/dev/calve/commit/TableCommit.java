package dev.calve.commit;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.io.Storage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commit of one statement: load, check, re-settle if need be, prepare, swap; again if somebody was faster. Used once, by
 * one thread.
 *
 * <p>Ends in a {@link CommitOutcome}, a {@link CommitConflictException} after which nothing the statement wrote is left, or a
 * {@link CommitStateUnknownException} after which everything is. Cost of an undisturbed commit: one load of the metadata,
 * {@link SnapshotWriter}'s reads and writes, one swap.
 *
 * <p>Writers of one JVM take turns, so that they do not make each other fail. Re-settling, which may run jobs, happens outside
 * of the turn, unless it is quick or was in vain so often that only keeping the others waiting ends it.
 */
public final class TableCommit {

    private static final Logger LOG = LoggerFactory.getLogger(TableCommit.class);

    /** A change derived again this often was stale each time it was tried: the next time others wait. */
    private static final int DERIVATIONS_OUT_OF_TURN = 3;

    private final CommitTarget target;
    private final Statement statement;
    private final String table;
    private final Committer committer;
    private final Storage storage;
    private final FileLedger ledger;
    private final Clock clock;
    private final CommitTime time;
    private final SnapshotWriter writer;

    /** What each attempt's snapshot refers to, by the location of its manifest list. */
    private final Map<String, Set<String>> reachedByList = new HashMap<>();

    /** What makes a table's columns those that the files were written for. */
    private Function<TableMetadata, List<MetadataUpdate>> columns = found -> List.of();

    private int lastKnownColumn = Integer.MAX_VALUE;

    private long snapshotId;
    private String branch = SnapshotRef.MAIN;
    private int attempts;
    private int derivations;

    public TableCommit(CommitTarget target, Statement statement, Clock clock) {
        this.target = target;
        this.statement = statement;
        this.table = target.name();
        this.committer = target.committer();
        this.storage = target.storage();
        this.ledger = statement.ledger();
        this.clock = clock;
        this.time = new CommitTime(clock);
        this.writer = new SnapshotWriter(
                storage, ledger, statement.id(), table, target.branches().stagedAs());
    }

    /**
     * Lets the statement change the table's columns in the same commit.
     *
     * @param change what is left to do for the table found: asked on each attempt; nothing if another writer did it. Where the
     *     columns it leads to are not those the files were written for, as other field ids are, the commit is refused
     * @param lastColumnId of the table that was read; fields of the files with higher ids are new
     */
    public TableCommit changing(Function<TableMetadata, List<MetadataUpdate>> change, int lastColumnId) {
        columns = change;
        lastKnownColumn = lastColumnId;
        return this;
    }

    /** How one attempt ended. */
    private sealed interface Attempt {

        /**
         * The snapshot is in the table.
         *
         * @param snapshot as it is there
         * @param reached what it refers to; empty if that is not known
         */
        record Won(TableState state, Snapshot snapshot, Optional<Set<String>> reached) implements Attempt {}

        record Nothing() implements Attempt {}

        record Conflicted(TableState found, RetryPolicy policy, List<Conflict> conflicts) implements Attempt {}

        record Lost(RetryPolicy policy, String reason) implements Attempt {}
    }

    /**
     * Tells what stands in the way of a change by now, for one whose files are yet to be written, from what may be gone.
     *
     * @throws CommitConflictException if the table was created anew, or the branch is not the one it was
     */
    public List<Conflict> foresee(SnapshotChange change, TableMetadata found) throws IOException {
        requireSame(found);
        requireBranch(found, change.ref());
        return ConflictCheck.find(storage, found, change);
    }

    private void requireSame(TableMetadata found) {
        if (!found.uuid().equals(target.uuid())) {
            throw refused(List.of(new Conflict.TableReplaced(target.uuid(), found.uuid())));
        }
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
        } catch (Throwable e) {
            // Not only unchecked ones: a re-settle runs jobs of an engine, whose methods need not declare what they
            // throw.
            giveUp(e);
            throw e;
        }
    }

    private CommitOutcome loop(SnapshotChange first, Resettle resettle) throws IOException, InterruptedException {
        Optional<ConflictCheck> next = Optional.of(new ConflictCheck(storage, first));
        while (next.isPresent() && !next.get().change().isEmpty()) {
            var turn = new Turn(next.get(), resettle);
            Attempt attempt = time.inTurn(target.uuid(), turn::take);
            if (attempt instanceof Attempt.Won won) {
                won.reached().ifPresent(ledger::deleteAllBut);
                return new Committed(won.state(), report(won.snapshot()));
            }
            if (attempt instanceof Attempt.Nothing) {
                break;
            }
            next = Optional.of(turn.check);
            if (attempt instanceof Attempt.Conflicted conflicted) {
                next = derived(turn.check.change(), conflicted, resettle);
            } else if (attempt instanceof Attempt.Lost lost) {
                if (!lost.policy().allowsAnother(attempts, time.spent())) {
                    throw refused(List.of(new Conflict.LostRace(attempts, time.spent(), lost.reason())));
                }
                Thread.sleep(lost.policy().wait(attempts).toMillis());
            }
        }
        ledger.abort();
        return new CommitOutcome.NothingToDo();
    }

    /** What is done while other writers of this JVM wait. */
    private final class Turn {
        private final Resettle resettle;
        private ConflictCheck check;

        Turn(ConflictCheck check, Resettle resettle) {
            this.check = check;
            this.resettle = resettle;
        }

        Attempt take() throws IOException {
            Attempt attempt = attempt(check);
            while (attempt instanceof Attempt.Conflicted conflicted && staysInTurn(conflicted)) {
                Optional<ConflictCheck> next = derived(check.change(), conflicted, resettle);
                if (next.isEmpty() || next.get().change().isEmpty()) {
                    return new Attempt.Nothing();
                }
                check = next.get();
                attempt = attempt(check);
            }
            return attempt;
        }

        private boolean staysInTurn(Attempt.Conflicted conflicted) {
            return derivations >= DERIVATIONS_OUT_OF_TURN || resettle.isQuick(conflicted.conflicts());
        }
    }

    /** The change derived again; empty if nothing is left to do. */
    private Optional<ConflictCheck> derived(SnapshotChange old, Attempt.Conflicted conflicted, Resettle resettle)
            throws IOException {
        LOG.debug(
                "Commit to {} must be derived again: {}",
                table,
                conflicted.conflicts().get(0).message());
        if (!conflicted.policy().allowsAnother(attempts, time.spent())) {
            throw refused(conflicted.conflicts());
        }
        derivations++;
        try {
            return resettle.against(conflicted.found(), conflicted.conflicts(), old)
                    .map(change -> new ConflictCheck(storage, change));
        } catch (Resettle.Refused e) {
            throw refused(e.conflicts());
        }
    }

    /** The refusal of the statement because of these conflicts. */
    public CommitConflictException refused(List<Conflict> conflicts) {
        return new CommitConflictException(
                table, statement.command(), statement.isolation(), conflicts, statement.instead());
    }

    private Attempt attempt(ConflictCheck check) throws IOException {
        SnapshotChange change = check.change();
        branch = change.ref();
        TableState found = committer.load();
        TableMetadata metadata = found.metadata();
        requireSame(metadata);
        Optional<Snapshot> own = attempts == 0 ? Optional.empty() : metadata.snapshot(snapshotId);
        if (own.isPresent()) {
            // An attempt that was said to have lost had won.
            return won(found, own.get());
        }
        requireBranch(metadata, change.ref());
        List<MetadataUpdate> altered = columns.apply(metadata);
        if (!altered.isEmpty()) {
            metadata = MetadataUpdates.apply(metadata, altered, Math.max(clock.millis(), metadata.lastUpdatedMillis()));
        }
        requireColumns(metadata, change);
        RetryPolicy policy = RetryPolicy.of(TableProperties.of(metadata.properties(), table));
        attempts++;
        List<Conflict> conflicts = check.against(metadata);
        if (!conflicts.isEmpty()) {
            return new Attempt.Conflicted(found, policy, conflicts);
        }
        chooseSnapshotId(metadata);
        Optional<SnapshotWriter.Prepared> prepared;
        try {
            long now = Math.max(clock.millis(), metadata.lastUpdatedMillis());
            prepared = writer.prepare(metadata, change, snapshotId, attempts, now);
        } catch (SnapshotWriter.DoesNotFit e) {
            return new Attempt.Conflicted(found, policy, List.of(e.conflict()));
        }
        return prepared.isPresent()
                ? swap(found, policy, change.ref(), prepared.get().after(altered, found.metadata()))
                : new Attempt.Nothing();
    }

    /** Files cannot be written again for other columns: the statement must be. */
    private void requireColumns(TableMetadata metadata, SnapshotChange change) {
        if (target.schema().isPresent() && !change.addedData().isEmpty()) {
            WrittenColumns.mismatch(target.schema().get(), metadata.schema(), lastKnownColumn)
                    .ifPresent(conflict -> {
                        throw refused(List.of(conflict));
                    });
        }
    }

    private void requireBranch(TableMetadata metadata, String ref) {
        SnapshotRef found = metadata.refs().get(ref);
        if (found != null && found.kind() == SnapshotRef.Kind.TAG) {
            throw new IllegalArgumentException(
                    "Cannot commit to " + table + ": '" + ref + "' must be a branch, but is a tag, which never moves.");
        }
        target.branches().lost(metadata, ref).ifPresent(conflict -> {
            throw refused(List.of(conflict));
        });
    }

    private Attempt swap(TableState found, RetryPolicy policy, String ref, SnapshotWriter.Prepared prepared) {
        reachedByList.put(prepared.snapshot().manifestList().orElseThrow(), prepared.reached());
        ledger.swapSent();
        SwapOutcome outcome;
        try {
            outcome = committer.swap(new SwapRequest(
                    statement.id(), found, prepared.updates(), prepared.requirements(), prepared.metadata()));
        } catch (Throwable e) {
            // Whatever it was, it came after the swap may have been sent.
            outcome = new SwapOutcome.Unknown(e);
        }
        if (outcome instanceof SwapOutcome.Swapped swapped) {
            return won(swapped.state(), prepared.snapshot());
        }
        if (outcome instanceof SwapOutcome.Failed failed) {
            ledger.swapRejected();
            throw failed.failure();
        }
        return look(found, policy, ref, prepared.snapshot(), outcome);
    }

    /**
     * Looks whether the snapshot is there after all. Without an answer, that it is not proves nothing: the swap may still be on
     * its way. A rejection is believed only now, because files are deleted on the strength of it: catalogs have been seen to
     * repeat a request whose answer was lost, and to reject the second.
     */
    private Attempt look(TableState base, RetryPolicy policy, String ref, Snapshot sent, SwapOutcome outcome) {
        Throwable cause = outcome instanceof SwapOutcome.Unknown unknown
                ? unknown.cause()
                : new IOException("it was rejected because " + ((SwapOutcome.Rejected) outcome).reason()
                        + ", but whether it was there before could not be found out");
        // An interrupt is a frequent cause, and would make this look-up fail too.
        boolean interrupted = Thread.interrupted();
        try {
            TableState now = committer.load();
            Landing landing = Landing.of(storage, base, now, ref, sent);
            if (landing == Landing.LANDED) {
                return won(now, sent);
            }
            if (landing == Landing.NOT_THERE && outcome instanceof SwapOutcome.Rejected rejected) {
                ledger.swapRejected();
                return new Attempt.Lost(policy, rejected.reason());
            }
        } catch (Throwable e) {
            suppress(cause, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        LOG.warn("Outcome of snapshot {} of {} is unknown; files kept: {}", snapshotId, table, ledger.written());
        throw CommitStateUnknownException.ofSnapshot(table, statement.command(), ref, snapshotId, cause);
    }

    private Attempt won(TableState state, Snapshot snapshot) {
        ledger.committed();
        LOG.info("{} on {}, branch {}, committed {}", statement.command(), table, branch, report(snapshot));
        return new Attempt.Won(state, snapshot, snapshot.manifestList().map(reachedByList::get));
    }

    private CommitReport report(Snapshot snapshot) {
        return CommitReport.of(snapshot, attempts, derivations, time.spent());
    }

    private void chooseSnapshotId(TableMetadata metadata) {
        while (snapshotId == 0 || metadata.snapshot(snapshotId).isPresent()) {
            snapshotId = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        }
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
