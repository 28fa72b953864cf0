package dev.calve.commit;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A commit that adds no snapshot: properties, format version. The change is derived anew from what is found on each attempt,
 * so it never conflicts. Used once, by one thread. {@link TableCommit} commits snapshots.
 */
public final class MetadataCommit {

    private static final Logger LOG = LoggerFactory.getLogger(MetadataCommit.class);

    private static final String COMMAND = "a change of metadata";

    private final UUID statement;
    private final String table;
    private final String uuid;
    private final Committer committer;
    private final Clock clock;

    /**
     * @param statement id of the statement; in the name of every file it leaves behind
     * @param table name for messages
     * @param uuid of the table that was loaded; a table created anew under its name is refused
     */
    public MetadataCommit(UUID statement, String table, String uuid, Committer committer, Clock clock) {
        this.statement = statement;
        this.table = table;
        this.uuid = uuid;
        this.committer = committer;
        this.clock = clock;
    }

    /**
     * Commits what {@code change} makes of the table; nothing if that is nothing.
     *
     * @return the table's state afterwards
     * @throws CommitConflictException if all retries were lost; the table is as others left it
     * @throws CommitStateUnknownException if nobody knows whether the change was made
     * @throws IllegalArgumentException if the change contradicts the table
     */
    public TableState commit(Function<TableMetadata, List<MetadataUpdate>> change) throws IOException {
        var time = new CommitTime(clock);
        for (int attempts = 1; ; attempts++) {
            Attempt attempt = time.inTurn(uuid, () -> attempt(change));
            if (attempt.done().isPresent()) {
                return attempt.done().get();
            }
            RetryPolicy policy = RetryPolicy.of(TableProperties.of(attempt.found(), table));
            if (!policy.allowsAnother(attempts, time.spent())) {
                throw refused(new Conflict.LostRace(attempts, time.spent(), attempt.lostBecause()));
            }
            sleep(policy.wait(attempts));
        }
    }

    /** @param done empty if the swap was rejected */
    private record Attempt(TableMetadata found, Optional<TableState> done, String lostBecause) {}

    private Attempt attempt(Function<TableMetadata, List<MetadataUpdate>> change) throws IOException {
        TableState found = committer.load();
        TableMetadata metadata = found.metadata();
        if (!metadata.uuid().equals(uuid)) {
            throw refused(new Conflict.TableReplaced(uuid, metadata.uuid()));
        }
        List<MetadataUpdate> updates = change.apply(metadata);
        if (updates.isEmpty()) {
            return new Attempt(metadata, Optional.of(found), "");
        }
        TableMetadata result =
                MetadataUpdates.apply(metadata, updates, Math.max(clock.millis(), metadata.lastUpdatedMillis()));
        SwapOutcome outcome;
        try {
            outcome = committer.swap(
                    new SwapRequest(statement, found, updates, List.of(new Requirement.TableUuid(uuid)), result));
        } catch (Throwable e) {
            // Whatever it was, it came after the swap may have been sent.
            outcome = new SwapOutcome.Unknown(e);
        }
        if (outcome instanceof SwapOutcome.Swapped swapped) {
            LOG.info("Committed {} metadata update(s) to {}", updates.size(), table);
            return new Attempt(metadata, Optional.of(swapped.state()), "");
        }
        if (outcome instanceof SwapOutcome.Rejected rejected) {
            return new Attempt(metadata, Optional.empty(), rejected.reason());
        }
        if (outcome instanceof SwapOutcome.Failed failed) {
            throw failed.failure();
        }
        return new Attempt(metadata, Optional.of(resolve(updates, ((SwapOutcome.Unknown) outcome).cause())), "");
    }

    /** Whether the table is as it should be is all that matters; that it is not proves nothing. */
    private TableState resolve(List<MetadataUpdate> updates, Throwable cause) {
        // An interrupt is a frequent cause, and would make this look-up fail too.
        boolean interrupted = Thread.interrupted();
        try {
            TableState now = committer.load();
            if (now.metadata().uuid().equals(uuid) && holds(now.metadata(), updates)) {
                return now;
            }
        } catch (IOException | RuntimeException e) {
            if (e != cause) {
                cause.addSuppressed(e);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        throw CommitStateUnknownException.ofMetadata(table, COMMAND, cause);
    }

    /** The change itself cannot be asked: made once, it may be one that cannot be made again. */
    private static boolean holds(TableMetadata table, List<MetadataUpdate> updates) {
        return MetadataUpdates.apply(table, updates, table.lastUpdatedMillis()).equals(table);
    }

    private void sleep(Duration wait) {
        try {
            Thread.sleep(wait.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException("interrupted while waiting to try again");
            interrupted.initCause(e);
            throw new UncheckedIOException(
                    "Cannot change " + table + ": " + interrupted.getMessage() + ". Nothing was changed.", interrupted);
        }
    }

    private CommitConflictException refused(Conflict conflict) {
        return new CommitConflictException(table, COMMAND, Optional.empty(), List.of(conflict));
    }
}
