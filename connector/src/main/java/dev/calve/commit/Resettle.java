package dev.calve.commit;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What a statement does when its change cannot be committed on the snapshot found. */
public interface Resettle {

    /**
     * Derives the change again from the state found. Must not wait for another commit to the same table: the other writers
     * may be waiting for this one.
     *
     * @param conflicts everything that stands in the way, at least one: only who can deal with all of them may go on
     * @return empty if nothing is left to do
     * @throws Refused if the statement cannot or must not do it again
     */
    Optional<SnapshotChange> against(TableState found, List<Conflict> conflicts, SnapshotChange change)
            throws IOException, Refused;

    /**
     * Whether deriving the change again takes no longer than committing it does. It then happens while other writers of this
     * JVM wait, so that the result is not stale before it is tried.
     */
    default boolean isQuick(List<Conflict> conflicts) {
        return false;
    }

    /** For statements that cannot run again: the conflict is the answer. */
    static Resettle never() {
        return (found, conflicts, change) -> {
            throw new Refused(conflicts);
        };
    }

    /** The statement cannot be reconciled with what others committed. */
    final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient List<Conflict> conflicts;

        /** @param conflicts what cannot be dealt with, the most telling first */
        public Refused(List<Conflict> conflicts) {
            super(conflicts.get(0).message());
            this.conflicts = List.copyOf(conflicts);
        }

        public List<Conflict> conflicts() {
            return conflicts;
        }
    }
}
