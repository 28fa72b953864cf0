package dev.calve.metadata;

import dev.calve.schema.Schema;
import java.util.Optional;

/**
 * A state of a table that a query reads.
 *
 * @param point what was asked for
 * @param snapshot empty for a table without rows ever committed to {@code main}
 * @param schema the one rows are read with; need not be the table's current one
 * @param past whether it stays as it is whatever is committed, as a snapshot, a time or a tag does and a branch does not
 */
public record ReadState(ReadPoint point, Optional<Snapshot> snapshot, Schema schema, boolean past) {

    /** The newest state of a table. */
    public static ReadState current(TableMetadata metadata) {
        return new ReadState(new ReadPoint.Current(), metadata.currentSnapshot(), metadata.schema(), false);
    }

    /** Whether it was asked for by no name at all. */
    public boolean isCurrent() {
        return point instanceof ReadPoint.Current;
    }

    /** The branch whose head it is; empty for a state that stays as it is. */
    public Optional<String> branch() {
        if (past) {
            return Optional.empty();
        }
        if (point instanceof ReadPoint.OfBranch branch) {
            return Optional.of(branch.name());
        }
        return Optional.of(point instanceof ReadPoint.Version version ? version.text() : SnapshotRef.MAIN);
    }

    ReadState askedForAs(ReadPoint other) {
        return new ReadState(other, snapshot, schema, past);
    }
}
