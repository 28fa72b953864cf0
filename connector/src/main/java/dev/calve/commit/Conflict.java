package dev.calve.commit;

/** Why a change cannot be committed on the snapshot found. {@link #message()} completes "Cannot commit to t: …". */
public sealed interface Conflict {

    String message();

    /** Another snapshot did what a rule forbids. */
    record Concurrent(String message, long snapshotId) implements Conflict {}

    /** The snapshot that was read is not an ancestor of the one found. */
    record HistoryUnknown(String message) implements Conflict {}

    /** The table was upgraded since delete files were written. */
    record FormatChanged(String message) implements Conflict {}
}
