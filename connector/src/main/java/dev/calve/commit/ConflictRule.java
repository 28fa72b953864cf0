package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.partition.PartitionTuple;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A concurrent change that matters to a statement. Checked over the snapshots committed since it read the table.
 *
 * <p>Files are given with their places, so that manifests of other partitions need not be opened. A snapshot whose operation
 * is {@code replace} has the same rows before and after (spec: Snapshots, {@code operation}); which rules it can break is said
 * with each.
 */
public sealed interface ConflictRule {

    /** None of these data files may have been removed, by whatever operation. */
    record FilesStillThere(Map<String, Place> files) implements ConflictRule {
        public FilesStillThere {
            files = Map.copyOf(files);
        }

        public Set<String> paths() {
            return files.keySet();
        }
    }

    /** No data file that may hold a row matching the filter may have been added; a {@code replace} adds no rows. */
    record NoNewDataMatching(Expression filter) implements ConflictRule {}

    /**
     * No data file may have been added that may hold rows of these partitions; a {@code replace} adds no rows. Of the spec the
     * partitions are of only files of just these count, of other specs those that may hold a row matching the filter.
     *
     * @param filter TRUE for every row of the partitions
     */
    record NoNewDataIn(int specId, Set<PartitionTuple> partitions, Expression filter) implements ConflictRule {
        public NoNewDataIn {
            partitions = Set.copyOf(partitions);
        }
    }

    /**
     * No position may have been deleted in these data files, by whatever operation: they were rewritten, or their vector was,
     * from the deletes known then.
     */
    record DeletesUnchanged(Map<String, Place> files) implements ConflictRule {
        public DeletesUnchanged {
            files = Map.copyOf(files);
        }
    }

    /**
     * No key may have been deleted that a row of these data files may have which satisfies the filter. For statements whose
     * new rows replace such rows: the new ones are younger than the delete, so that it would spare them.
     *
     * @param filter TRUE for every row the statement replaces
     */
    record NoNewEqualityDeletes(Map<String, Place> files, Expression filter) implements ConflictRule {
        public NoNewEqualityDeletes {
            files = Map.copyOf(files);
        }
    }

    /**
     * No row may have been deleted in these data files, however: by position, by a key that a row satisfying the filter may
     * have, or with the whole file. For statements whose result depends on rows they read and do not write. Files that a
     * {@code replace} made of them are guarded like them from then on, which is why a conflict may name a file the statement
     * does not know. Deletes a {@code replace} adds repeat older ones and do not count.
     *
     * @param filter TRUE for every row read that the result depends on
     */
    record NoRowsDeletedIn(Map<String, Place> files, Expression filter) implements ConflictRule {
        public NoRowsDeletedIn {
            files = Map.copyOf(files);
        }
    }

    /**
     * The rows of these partitions may not have changed: no data file added or removed, no delete file added that applies
     * there, equality deletes of an unpartitioned spec included. A {@code replace} does not count, as long as all its files are
     * of one spec: rows then stay in their partition. Who removes listed files needs {@link FilesStillThere} besides, because
     * the rows of a file that was replaced live on in another.
     */
    record NoChangeIn(Set<Place> partitions) implements ConflictRule {
        public NoChangeIn {
            partitions = Set.copyOf(partitions);
        }
    }

    /**
     * These data files, whose rows had no row ids when they were written again, must still have none: the new file gives its
     * rows ids of its own, and the id of a row never changes. Checked on the snapshot found.
     */
    record RowIdsStillUnassigned(Map<String, Place> files) implements ConflictRule {
        public RowIdsStillUnassigned {
            files = Map.copyOf(files);
        }

        public Set<String> paths() {
            return files.keySet();
        }
    }

    /**
     * No snapshot may have done already what is to be done again here: the snapshot itself, one that was made of it, or one
     * that was staged or published under its id.
     */
    record NotPicked(long snapshotId, Optional<String> wapId) implements ConflictRule {}

    /** Spec and tuple a file belongs to. */
    record Place(int specId, PartitionTuple partition) {}

    /** One function for every rule, so that a check that forgets one does not compile. */
    interface Cases<R> {
        R filesStillThere(FilesStillThere rule);

        R noNewDataMatching(NoNewDataMatching rule);

        R noNewDataIn(NoNewDataIn rule);

        R deletesUnchanged(DeletesUnchanged rule);

        R noNewEqualityDeletes(NoNewEqualityDeletes rule);

        R noRowsDeletedIn(NoRowsDeletedIn rule);

        R noChangeIn(NoChangeIn rule);

        R rowIdsStillUnassigned(RowIdsStillUnassigned rule);

        R notPicked(NotPicked rule);
    }

    default <R> R match(Cases<R> cases) {
        if (this instanceof FilesStillThere rule) {
            return cases.filesStillThere(rule);
        }
        if (this instanceof NoNewDataMatching rule) {
            return cases.noNewDataMatching(rule);
        }
        if (this instanceof NoNewDataIn rule) {
            return cases.noNewDataIn(rule);
        }
        if (this instanceof DeletesUnchanged rule) {
            return cases.deletesUnchanged(rule);
        }
        if (this instanceof NoNewEqualityDeletes rule) {
            return cases.noNewEqualityDeletes(rule);
        }
        if (this instanceof NoRowsDeletedIn rule) {
            return cases.noRowsDeletedIn(rule);
        }
        if (this instanceof NoChangeIn rule) {
            return cases.noChangeIn(rule);
        }
        if (this instanceof RowIdsStillUnassigned rule) {
            return cases.rowIdsStillUnassigned(rule);
        }
        return cases.notPicked((NotPicked) this);
    }
}
