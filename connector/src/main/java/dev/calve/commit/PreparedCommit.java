package dev.calve.commit;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commit of a statement that was prepared as a whole on one state of the table and means nothing on any other: whatever
 * somebody else changed meanwhile, it fails. {@link TableCommit} and {@link MetadataCommit} derive their change again.
 *
 * <p>Used once, by one thread. What the statement wrote is the caller's to delete.
 */
public final class PreparedCommit {

    private static final Logger LOG = LoggerFactory.getLogger(PreparedCommit.class);

    private final CommitTarget target;
    private final UUID statement;
    private final String command;

    /** @param command as the user knows it */
    public PreparedCommit(CommitTarget target, UUID statement, String command) {
        this.target = target;
        this.statement = statement;
        this.command = command;
    }

    /**
     * Commits. Two loads of the metadata at most, and one swap.
     *
     * @param base the state the statement was prepared on
     * @param updates what leads from there to {@code result}
     * @return the table's state afterwards
     * @throws CommitConflictException if the table was changed since; it is as others left it
     * @throws CommitStateUnknownException if nobody knows whether the change was made
     */
    public TableState commit(TableState base, List<MetadataUpdate> updates, TableMetadata result) {
        TableState done = new CommitTime(Clock.systemUTC())
                .inTurn(
                        target.uuid(),
                        () -> attempt(
                                base,
                                new SwapRequest(statement, base, updates, requirements(base.metadata()), result)));
        LOG.info("Committed {} to {}", command, target.name());
        return done;
    }

    private TableState attempt(TableState base, SwapRequest request) {
        requireUnchanged(base);
        SwapOutcome outcome;
        try {
            outcome = target.committer().swap(request);
        } catch (Throwable e) {
            // Whatever it was, it came after the swap may have been sent.
            outcome = new SwapOutcome.Unknown(e);
        }
        if (outcome instanceof SwapOutcome.Swapped swapped) {
            return swapped.state();
        }
        if (outcome instanceof SwapOutcome.Failed failed) {
            throw failed.failure();
        }
        return look(request, outcome);
    }

    /** The swap would notice most of it, but not that the table was dropped and created again with as many versions. */
    private void requireUnchanged(TableState base) {
        TableState now;
        try {
            now = target.committer().load();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot commit " + command + " to " + target.name() + ": nothing was changed. " + e.getMessage(),
                    e);
        }
        if (!now.metadata().uuid().equals(target.uuid())) {
            throw refused(
                    new Conflict.TableReplaced(target.uuid(), now.metadata().uuid()));
        }
        if (!now.equals(base)) {
            throw refused(new Conflict.TableChanged(changes(base.metadata(), now.metadata())));
        }
    }

    private static String changes(TableMetadata base, TableMetadata now) {
        Optional<Long> before = base.currentSnapshot().map(Snapshot::id);
        Optional<Long> after = now.currentSnapshot().map(Snapshot::id);
        return before.equals(after)
                ? "its metadata is another"
                : "its snapshot was " + before.map(String::valueOf).orElse("none") + " and is "
                        + after.map(String::valueOf).orElse("none") + " now";
    }

    /** A rejection is believed only when the table shows nothing of the change, because files are deleted on its strength. */
    private TableState look(SwapRequest request, SwapOutcome outcome) {
        Throwable cause = outcome instanceof SwapOutcome.Unknown unknown
                ? unknown.cause()
                : new IOException("it was rejected because " + ((SwapOutcome.Rejected) outcome).reason()
                        + ", but whether it was there before could not be found out");
        // An interrupt is a frequent cause, and would make this look-up fail too.
        boolean interrupted = Thread.interrupted();
        Optional<TableState> now = Optional.empty();
        try {
            now = Optional.of(target.committer().load());
        } catch (IOException | RuntimeException e) {
            cause.addSuppressed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (now.isPresent() && shows(request, now.get().metadata())) {
            return now.get();
        }
        if (now.isPresent() && outcome instanceof SwapOutcome.Rejected rejected) {
            throw refused(new Conflict.TableChanged(rejected.reason()));
        }
        Optional<Snapshot> sent = sent(request);
        throw sent.isPresent()
                ? CommitStateUnknownException.ofSnapshot(
                        target.name(), command, SnapshotRef.MAIN, sent.get().id(), cause)
                : CommitStateUnknownException.ofMetadata(target.name(), command, cause);
    }

    private static Optional<Snapshot> sent(SwapRequest request) {
        TableMetadata before = request.base().metadata();
        return request.result().snapshots().stream()
                .filter(snapshot -> before.snapshot(snapshot.id()).isEmpty())
                .findFirst();
    }

    /** Without a snapshot of its own the change shows only as long as nobody commits on top of it. */
    private static boolean shows(SwapRequest request, TableMetadata now) {
        Optional<Snapshot> sent = sent(request);
        if (sent.isPresent()) {
            OptionalLong id = OptionalLong.of(sent.get().id());
            return now.snapshots().stream()
                    .anyMatch(snapshot -> snapshot.id() == id.getAsLong()
                            || snapshot.parentId().equals(id));
        }
        TableMetadata result = request.result();
        return now.uuid().equals(result.uuid())
                && now.lastUpdatedMillis() == result.lastUpdatedMillis()
                && now.currentSnapshotId().equals(result.currentSnapshotId())
                && now.schema().equals(result.schema())
                && now.spec().equals(result.spec())
                && now.properties().equals(result.properties());
    }

    private static List<Requirement> requirements(TableMetadata base) {
        OptionalLong head = base.currentSnapshotId();
        return List.of(
                new Requirement.TableUuid(base.uuid()),
                new Requirement.RefSnapshotId(SnapshotRef.MAIN, head),
                new Requirement.LastAssignedFieldId(base.lastColumnId()),
                new Requirement.CurrentSchemaId(base.currentSchemaId()),
                new Requirement.LastAssignedPartitionId(base.lastPartitionId()),
                new Requirement.DefaultSpecId(base.defaultSpecId()),
                new Requirement.DefaultSortOrderId(base.defaultSortOrderId()));
    }

    private CommitConflictException refused(Conflict conflict) {
        return new CommitConflictException(target.name(), command, Optional.empty(), List.of(conflict));
    }
}
