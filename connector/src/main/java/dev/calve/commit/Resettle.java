package dev.calve.commit;

import java.io.IOException;
import java.util.Optional;

/** What a statement does when its change cannot be committed on the snapshot found. */
public interface Resettle {

    /**
     * Derives the change again from the state found.
     *
     * @return empty if nothing is left to do
     * @throws CommitConflictException if the statement cannot or must not do it again
     */
    Optional<SnapshotChange> against(TableState found, Conflict conflict, SnapshotChange change) throws IOException;

    /** For statements that cannot run again: the conflict is the answer. */
    static Resettle never(String table) {
        return (found, conflict, change) -> {
            throw new CommitConflictException(table, conflict);
        };
    }
}
