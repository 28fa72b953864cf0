package dev.calve.commit;

import java.util.Optional;

/** How a commit that did not throw ended. */
public sealed interface CommitOutcome {

    /**
     * The snapshot is in the table.
     *
     * @param attempts 1 for an undisturbed commit
     */
    record Committed(TableState state, long snapshotId, int attempts) implements CommitOutcome {}

    /** There was nothing to commit, at once or after another writer had done it. The table is untouched. */
    record NothingToDo() implements CommitOutcome {}

    default Optional<Committed> committed() {
        return this instanceof Committed committed ? Optional.of(committed) : Optional.empty();
    }
}
