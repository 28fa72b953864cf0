package dev.calve.commit;

import dev.calve.deletes.PositionBitmap;
import dev.calve.deletes.PositionCursor;
import dev.calve.expression.Expression;
import dev.calve.manifest.DeleteFile;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Why a change cannot be committed on the snapshot found. {@link #message()} completes "Cannot commit to t: …". */
public sealed interface Conflict {

    /** What happened, to which file or partition, by which snapshot; a sentence without its full stop. */
    String message();

    /** Whether the same statement may succeed when it is run again. */
    default boolean runningAgainHelps() {
        return true;
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
                    + operation.map(name -> " (" + name + ")").orElse("") + " since snapshot "
                    + (readSnapshotId.isPresent() ? readSnapshotId.getAsLong() : "none") + " was read";
        }
    }

    /** A data file the statement needs is gone. */
    record DataFileRemoved(Other by, String dataFile) implements Conflict {
        @Override
        public String message() {
            return "data file " + dataFile + " was removed by " + by.described();
        }
    }

    /** A data file was added that may hold rows the statement selects. */
    record DataAdded(Other by, String dataFile, Expression filter) implements Conflict {
        @Override
        public String message() {
            return "data file " + dataFile + ", which may hold rows the statement selects, was added by "
                    + by.described();
        }
    }

    /** Positions were deleted in a data file this statement deletes from or writes again. */
    record RowsDeleted(Other by, String dataFile, DeleteFile deletes) implements Conflict {
        @Override
        public String message() {
            return "rows of data file " + dataFile + " were deleted by " + by.described();
        }
    }

    /** Rows this statement changes were changed. Said by the statement, which alone knows its rows. */
    record RowsOverlap(Other by, String dataFile, PositionBitmap positions) implements Conflict {
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

    /** Rows may have been deleted by key in a data file this statement changes. */
    record KeysDeleted(Other by, String dataFile, DeleteFile.EqualityDeletes deletes) implements Conflict {
        @Override
        public String message() {
            return "rows of data file " + dataFile + " may be deleted by the equality delete file " + deletes.path()
                    + ", added by " + by.described();
        }
    }

    /** A partition the statement replaces was changed. */
    record PartitionChanged(Other by, ConflictRule.Place partition, String file) implements Conflict {
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

    /** The snapshot that was read is not an ancestor of the one found. */
    record HistoryUnknown(OptionalLong readSnapshotId, String ref) implements Conflict {
        @Override
        public String message() {
            return "snapshot " + (readSnapshotId.isPresent() ? readSnapshotId.getAsLong() : "none")
                    + ", which was read, is no longer an ancestor of branch '" + ref
                    + "', so it is not known what changed since";
        }
    }

    /** The table was upgraded since delete files were written. */
    record FormatChanged(int settledFor, int found) implements Conflict {
        @Override
        public String message() {
            return "deletes were written for format version " + settledFor + ", but the table was upgraded to " + found;
        }
    }

    /** The table was dropped and another created under its name. */
    record TableReplaced(String readUuid, String foundUuid) implements Conflict {
        @Override
        public String message() {
            return "it was dropped and created again since it was read (uuid " + readUuid + ", now " + foundUuid + ")";
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
