package dev.calve.commit;

/** The commit was sent and nobody knows whether it happened. No file was deleted. */
public final class CommitStateUnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CommitStateUnknownException(String table, long snapshotId, Throwable cause) {
        super(
                "Cannot tell whether snapshot " + snapshotId + " was committed to " + table + ": " + cause
                        + ". All files written were kept. Look for the snapshot id in the table's snapshots before running the"
                        + " statement again: if it is there, the statement succeeded.",
                cause);
    }

    /** A commit without a snapshot. */
    public CommitStateUnknownException(String table, Throwable cause) {
        super(
                "Cannot tell whether the change to " + table + " was committed: " + cause
                        + ". Look at the table before running the statement again.",
                cause);
    }
}
