package dev.calve.commit;

import java.util.OptionalLong;

/** The commit was sent and nobody knows whether it happened, or will. No file was deleted. */
public final class CommitStateUnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String table;
    private final String command;
    private final transient OptionalLong snapshotId;

    private CommitStateUnknownException(
            String message, String table, String command, OptionalLong snapshotId, Throwable cause) {
        super(message, cause);
        this.table = table;
        this.command = command;
        this.snapshotId = snapshotId;
    }

    /**
     * A commit of a snapshot.
     *
     * @param command as the user knows it
     */
    static CommitStateUnknownException ofSnapshot(
            String table, String command, String ref, long snapshotId, Throwable cause) {
        return new CommitStateUnknownException(
                "Cannot tell whether snapshot " + snapshotId + " was committed to " + table + " by " + command + ": "
                        + cause
                        + ". All files written were kept. Before running the statement again, look for snapshot "
                        + snapshotId + " in the history of branch '" + ref
                        + "': if it is there, the statement succeeded."
                        + " If it is not, it may still arrive as long as nobody else commits to the branch.",
                table,
                command,
                OptionalLong.of(snapshotId),
                cause);
    }

    /** A commit without a snapshot. */
    static CommitStateUnknownException ofMetadata(String table, String command, Throwable cause) {
        return new CommitStateUnknownException(
                "Cannot tell whether " + command + " was committed to " + table + ": " + cause
                        + ". Look at the table before running it again.",
                table,
                command,
                OptionalLong.empty(),
                cause);
    }

    /** Name of the table. */
    public String table() {
        return table;
    }

    /** As the user knows it, such as {@code DELETE}. */
    public String command() {
        return command;
    }

    /** The snapshot to look for; empty for a change of metadata alone. */
    public OptionalLong snapshotId() {
        return snapshotId;
    }
}
