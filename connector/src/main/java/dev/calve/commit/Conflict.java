package dev.calve.commit;

import dev.calve.deletes.PositionBitmap;
import dev.calve.deletes.PositionCursor;
import dev.calve.expression.Expression;
import dev.calve.manifest.DeleteFile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Why a change cannot be committed on the snapshot found. {@link #message()} completes "Cannot commit to t: …". */
public sealed interface Conflict {

    /** What happened, to which file or partition, by which snapshot; a sentence without its full stop. */
    String message();

    /** Whether the same statement, run again on the table as it is now, may succeed and do what was meant. */
    default boolean runningAgainHelps() {
        return true;
    }

    /** Whether the statement would have gone on under the isolation level {@code snapshot}. */
    default boolean isOnlyUnderSerializable() {
        return false;
    }

    /** The snapshot that stands in the way; empty if it is none in particular. */
    default Optional<Other> madeBy() {
        return Optional.empty();
    }

    /** A conflict that one snapshot of another writer made. */
    sealed interface ByOther extends Conflict {
        Other by();

        @Override
        default Optional<Other> madeBy() {
            return Optional.of(by());
        }
    }

    /**
     * A snapshot another writer committed since the table was read.
     *
     * @param readSnapshotId the snapshot this statement read; empty for an empty table
     * @param addsData whether it added data files, so that a row it deleted may live on in another file
     */
    record Other(long snapshotId, Optional<String> operation, OptionalLong readSnapshotId, boolean addsData) {

        String described() {
            return "snapshot " + snapshotId
                    + operation.map(name -> " (" + name + ")").orElse("")
                    + (readSnapshotId.isPresent()
                            ? " since snapshot " + readSnapshotId.getAsLong() + " was read"
                            : " since the table was read, which was empty then");
        }
    }

    /** A data file the statement needs is gone. */
    record DataFileRemoved(Other by, String dataFile) implements ByOther {
        @Override
        public String message() {
            return "data file " + dataFile + " was removed by " + by.described();
        }
    }

    /** A data file was added that may hold rows the statement selects. */
    record DataAdded(Other by, String dataFile, Expression filter) implements ByOther {
        @Override
        public String message() {
            return "data file " + dataFile + ", which may hold rows the statement selects, was added by "
                    + by.described();
        }

        @Override
        public boolean isOnlyUnderSerializable() {
            return true;
        }
    }

    /**
     * Positions were deleted in a data file this statement deletes from, writes again, or read.
     *
     * @param deletes every delete file the snapshot added that may name positions of the data file; at least one
     */
    record RowsDeleted(Other by, String dataFile, List<DeleteFile> deletes) implements ByOther {
        public RowsDeleted {
            deletes = List.copyOf(deletes);
        }

        public RowsDeleted(Other by, String dataFile, DeleteFile deletes) {
            this(by, dataFile, List.of(deletes));
        }

        @Override
        public String message() {
            return "rows of data file " + dataFile + " were deleted by " + by.described();
        }
    }

    /** Rows this statement changes were changed. Said by the statement, which alone knows its rows. */
    record RowsOverlap(Other by, String dataFile, PositionBitmap positions) implements ByOther {
        private static final int SHOWN = 10;

        @Override
        public String message() {
            var shown = new StringBuilder();
            var cursor = positions.cursor();
            int count = 0;
            for (long next = cursor.seek(0);
                    next != PositionCursor.NONE && count < SHOWN;
                    next = cursor.seek(next + 1)) {
                shown.append(count++ == 0 ? "" : ", ").append(next);
            }
            long more = positions.cardinality() - count;
            return "row(s) at position(s) " + shown + (more > 0 ? " and " + more + " more" : "") + " of data file "
                    + dataFile + " were changed by " + by.described();
        }
    }

    /**
     * Rows may have been deleted by key in data files this statement changes or read.
     *
     * @param dataFiles all such files the delete file applies to; at least one
     */
    record KeysDeleted(Other by, List<String> dataFiles, DeleteFile.EqualityDeletes deletes) implements ByOther {
        public KeysDeleted {
            dataFiles = List.copyOf(dataFiles);
        }

        @Override
        public String message() {
            int more = dataFiles.size() - 1;
            return "rows of data file " + dataFiles.get(0) + (more > 0 ? " and of " + more + " more" : "")
                    + " may be deleted by the equality delete file " + deletes.path() + ", added by " + by.described();
        }
    }

    /**
     * A partition the statement replaces was changed.
     *
     * @param file that was added or removed; the first one found
     */
    record PartitionChanged(Other by, ConflictRule.Place partition, String file) implements ByOther {
        @Override
        public String message() {
            return "partition " + partition.partition() + " of spec " + partition.specId() + " was changed (file "
                    + file + ") by " + by.described();
        }
    }

    /** A data file whose rows had no row ids when they were written again has some now. */
    record RowIdsAssigned(String dataFile) implements Conflict {
        @Override
        public String message() {
            return "rows of data file " + dataFile + " got row ids after they were read to be written again";
        }
    }

    /**
     * What others committed since the table was read cannot be found out.
     *
     * @param why a clause about the snapshot that was read, or one since
     */
    record HistoryUnknown(OptionalLong readSnapshotId, String ref, String why) implements Conflict {

        static HistoryUnknown notAnAncestor(OptionalLong readSnapshotId, String ref) {
            return new HistoryUnknown(
                    readSnapshotId,
                    ref,
                    readSnapshotId.isPresent()
                            ? "snapshot " + readSnapshotId.getAsLong()
                                    + ", which was read, is no longer an ancestor of branch '" + ref + "'"
                            : "the table was empty when it was read, and the first snapshots of branch '" + ref
                                    + "' are expired");
        }

        /** @param file a manifest or manifest list of the snapshot, deleted when the snapshot was expired */
        static HistoryUnknown filesGone(OptionalLong readSnapshotId, String ref, long snapshotId, String file) {
            return new HistoryUnknown(
                    readSnapshotId,
                    ref,
                    "snapshot " + snapshotId + " of branch '" + ref + "' was expired since the table was read (" + file
                            + ")");
        }

        @Override
        public String message() {
            return why + ", so it is not known what changed meanwhile";
        }
    }

    /** The table was upgraded since delete files were written. */
    record FormatChanged(int settledFor, int found) implements Conflict {
        @Override
        public String message() {
            return "deletes were written for format version " + settledFor + ", but the table was upgraded to " + found;
        }
    }

    /**
     * Another writer altered the columns this statement alters.
     *
     * @param why it is no longer the change that was meant
     */
    record ColumnsChanged(String why) implements Conflict {
        @Override
        public String message() {
            String clause = why.endsWith(".") ? why.substring(0, why.length() - 1) : why;
            return "another writer altered its columns meanwhile (" + clause + ")";
        }
    }

    /**
     * What is to be done was done.
     *
     * @param by the snapshot that did it
     */
    record AlreadyPicked(ConflictRule.NotPicked rule, long by) implements Conflict {
        @Override
        public String message() {
            return "snapshot " + by + " has what snapshot " + rule.snapshotId() + " did"
                    + rule.wapId()
                            .map(id -> ", or something else of the id '" + id + "'")
                            .orElse("");
        }

        /** It would find the same. */
        @Override
        public boolean runningAgainHelps() {
            return false;
        }
    }

    /** The branch the statement writes to was dropped. */
    record BranchDropped(String branch) implements Conflict {
        @Override
        public String message() {
            return "branch '" + branch + "' was dropped since the statement began";
        }

        /** There is nothing it could run on. */
        @Override
        public boolean runningAgainHelps() {
            return false;
        }
    }

    /** The branch the statement writes to is where nothing tells that it went on from where it was: it was created again, or set back. */
    record BranchMoved(String branch, long known, long found) implements Conflict {
        @Override
        public String message() {
            return "branch '" + branch + "' was dropped and created again, or set back, since the statement began: its"
                    + " snapshot " + found + " does not descend from " + known + ", which it had then; look whether the"
                    + " statement is meant for what it is now";
        }

        /** It may succeed, but on a branch nobody had in mind. */
        @Override
        public boolean runningAgainHelps() {
            return false;
        }
    }

    /** The table was dropped and another created under its name. */
    record TableReplaced(String readUuid, String foundUuid) implements Conflict {
        @Override
        public String message() {
            return "it was dropped and created again since it was read (uuid " + readUuid + ", now " + foundUuid
                    + "); look whether the statement is meant for the new table";
        }

        /** It may succeed, but on a table nobody had in mind. */
        @Override
        public boolean runningAgainHelps() {
            return false;
        }
    }

    /**
     * The table was changed since a statement that means the whole table began.
     *
     * @param how what is different, a clause
     */
    record TableChanged(String how) implements Conflict {
        @Override
        public String message() {
            return "it was changed since the statement began: " + how;
        }
    }

    /** Others were faster each time; nothing else stands in the way. */
    record LostRace(int attempts, Duration elapsed, String lastReason) implements Conflict {
        @Override
        public String message() {
            return "lost the race against other writers " + attempts + " times in " + elapsed.toMillis()
                    + " ms, last because " + lastReason + "; commit.retry.total-timeout-ms bounds how long it is tried";
        }
    }
}
