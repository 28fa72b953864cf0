package dev.calve.commit;

/** Another writer committed something this statement cannot be reconciled with. The table is as that writer left it. */
public final class CommitConflictException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CommitConflictException(String table, Conflict conflict) {
        this("Cannot commit to " + table + ": " + conflict.message()
                + " Nothing was changed; run the statement again.");
    }

    public CommitConflictException(String message) {
        super(message);
    }
}
