package dev.calve.commit;

import java.util.Locale;

/**
 * What must be true of every snapshot before it is committed, whoever built the change. A broken rule is a mistake of the
 * caller, or damage that was there before, never a conflict: running the statement again would not help. Checking opens no manifest:
 * rules are held against the change itself, the entries of manifests that are opened anyway, and the counts of the list.
 */
enum SnapshotRule {
    /** A reader refuses a table with two vectors for a file; of a vector and a position delete file it sees the vector only. */
    ONE_VECTOR_PER_DATA_FILE,

    /** A delete file that speaks of one data file needs it: a vector without is dangling, and would hit a file of that name. */
    DELETES_OF_LIVE_DATA_FILE,

    /** Spec: Scan Planning; a delete file applies within its partition only. */
    DELETES_IN_PARTITION_OF_DATA_FILE,

    /** Spec: Row-level Deletes; from version 3 on positions are deleted by vectors. */
    POSITIONS_BY_VECTOR,

    /** Spec: Row-level Deletes; vectors came with version 3, delete files with version 2. */
    DELETES_KNOWN_TO_VERSION,

    /** A vector older than its data file would not apply. */
    VECTOR_NOT_OLDER_THAN_DATA_FILE,

    /** A file can hold rows of this snapshot or older ones, not of snapshots to come: their deletes would miss it. */
    DATA_NOT_NEWER_THAN_SNAPSHOT,

    /** Every file is of a partition spec the table has. */
    KNOWN_SPEC,

    /** A partition tuple has one value per field of its spec, of the field's type. */
    PARTITION_FITS_SPEC,

    /** No file is live twice: its rows would be read twice. Found where the manifest is opened or the change names both. */
    FILE_LIVE_ONCE,

    /** Spec: Snapshots, {@code operation}; incremental readers of appends would miss what else an append did. */
    APPEND_ONLY_ADDS_DATA,

    /** Spec: Snapshots, {@code operation}; a snapshot that only deletes may be skipped by who looks for new rows. */
    DELETE_ADDS_NO_DATA,

    /** Spec: Snapshots, {@code operation}; a compaction that applies deletes writes fewer rows than it removes, never more. */
    REPLACE_ADDS_NO_ROWS,

    /**
     * Live, added and removed files by the counts of the list are those of the parent, changed as the change says. Manifests that
     * another writer counted wrong are counted anew.
     */
    COUNTS_AGREE,

    /** Row ids handed out begin at the table's next, follow on each other, and reach into no range handed out before. */
    ROW_IDS_GIVEN_ONCE;

    IllegalArgumentException broken(String table, String how) {
        return new IllegalArgumentException(
                "Cannot commit to " + table + ": rule " + this + " would be broken: " + how + ".");
    }

    /** The name in messages. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
