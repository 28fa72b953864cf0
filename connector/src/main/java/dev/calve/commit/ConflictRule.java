package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.partition.PartitionTuple;
import java.util.Map;
import java.util.Set;

/** A concurrent change that matters to a statement. Checked over the snapshots committed since it read the table. */
public sealed interface ConflictRule {

    /** None of these data files may have been removed. */
    record FilesStillThere(Set<String> paths) implements ConflictRule {
        public FilesStillThere {
            paths = Set.copyOf(paths);
        }
    }

    /** No data file that may hold a row matching the filter may have been added; compaction adds no rows and is ignored. */
    record NoNewDataMatching(Expression filter) implements ConflictRule {}

    /**
     * No position may have been deleted in these data files: they were rewritten, or their vector was, from the deletes known
     * then.
     *
     * @param files partition of each path, because partition-scoped position deletes may speak of it too
     */
    record DeletesUnchanged(Map<String, Place> files) implements ConflictRule {
        public DeletesUnchanged {
            files = Map.copyOf(files);
        }
    }

    /**
     * These data files, whose rows had no row ids when they were written again, must still have none: the new file gives its
     * rows ids of its own, and the id of a row never changes. Checked where the file is removed.
     */
    record RowIdsStillUnassigned(Set<String> paths) implements ConflictRule {
        public RowIdsStillUnassigned {
            paths = Set.copyOf(paths);
        }
    }

    /** Spec and tuple a file belongs to. */
    record Place(int specId, PartitionTuple partition) {}
}
