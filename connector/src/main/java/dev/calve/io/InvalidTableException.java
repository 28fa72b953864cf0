package dev.calve.io;

/** The table is corrupt or of a kind that is not supported: neither a retry nor another argument will help. */
public final class InvalidTableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public InvalidTableException(String message) {
        super(message);
    }

    public InvalidTableException(String message, Throwable cause) {
        super(message, cause);
    }
}
