package dev.calve.commit;

import java.util.Optional;

/** How a commit that did not throw ended. */
public sealed interface CommitOutcome {

    /**
     * The snapshot is in the table.
     *
     * @param report what was done
     */
    record Committed(TableState state, CommitReport report) implements CommitOutcome {

        public long snapshotId() {
            return report.snapshotId();
        }

        public int attempts() {
            return report.attempts();
        }
    }

    /** There was nothing to commit, at once or after another writer had done it. The table is untouched. */
    record NothingToDo() implements CommitOutcome {}

    default Optional<CommitReport> reported() {
        return committed().map(Committed::report);
    }

    default Optional<Committed> committed() {
        return this instanceof Committed committed ? Optional.of(committed) : Optional.empty();
    }
}
