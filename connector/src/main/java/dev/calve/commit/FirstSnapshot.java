package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.NewRef;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Lets a branch begin in a table that has no snapshot it could begin at: at a snapshot of its own without files, because the
 * format has no branch without a snapshot. For one statement.
 */
public final class FirstSnapshot {

    private final Storage storage;
    private final String table;
    private final FileLedger ledger;
    private final UUID statementId = UUID.randomUUID();
    private int attempts;

    /** @param table name for messages */
    public FirstSnapshot(Storage storage, String table) {
        this.storage = storage;
        this.table = table;
        this.ledger = new FileLedger(storage);
    }

    /**
     * Writes the snapshot for the state found.
     *
     * @param summary entries that are not counted
     * @param nowMillis epoch milliseconds
     * @return the updates that add it, and the branch at it
     */
    public List<MetadataUpdate> of(TableMetadata found, NewRef branch, Map<String, String> summary, long nowMillis)
            throws IOException {
        SnapshotChange nothing = SnapshotChange.append(branch.name(), found.formatVersion(), List.of(), summary);
        long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        var preparation = new Preparation(table, found, nothing, Optional.empty(), id);
        SnapshotWriter.Prepared prepared = new SnapshotAssembly(storage, ledger, statementId, Optional.empty())
                .of(
                        preparation,
                        List.of(),
                        List.of(),
                        new SnapshotSummary(found, table),
                        ++attempts,
                        Math.max(nowMillis, found.lastUpdatedMillis()));
        SnapshotRef ref = branch.retention().of(SnapshotRef.branch(id));
        return List.of(
                new MetadataUpdate.AddSnapshot(prepared.snapshot()),
                new MetadataUpdate.SetSnapshotRef(branch.name(), ref));
    }

    /** Deletes what was written for attempts that others were faster than. */
    public void committed(TableMetadata after) {
        ledger.committed();
        ledger.deleteAllBut(after.snapshots().stream()
                .flatMap(snapshot -> snapshot.manifestList().stream())
                .collect(Collectors.toSet()));
    }

    /** Deletes all that was written, which the table certainly does not use. */
    public void rejected() {
        ledger.abort();
    }

    /** Whether the branch has no snapshot to begin at, although none is asked for. */
    public static boolean isNeeded(TableMetadata found, NewRef wanted) {
        return wanted.kind() == SnapshotRef.Kind.BRANCH
                && wanted.snapshotId().equals(OptionalLong.empty())
                && !wanted.name().equals(SnapshotRef.MAIN)
                && !found.refs().containsKey(wanted.name())
                && found.currentSnapshot().isEmpty();
    }
}
