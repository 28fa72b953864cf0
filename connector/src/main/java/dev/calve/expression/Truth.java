package dev.calve.expression;

/** SQL's three truth values. A row is selected, or deleted, only where its predicate is {@link #TRUE}. */
public enum Truth {
    TRUE,
    FALSE,
    UNKNOWN;

    public static Truth of(boolean value) {
        return value ? TRUE : FALSE;
    }

    public boolean isTrue() {
        return this == TRUE;
    }

    public Truth negated() {
        return switch (this) {
            case TRUE -> FALSE;
            case FALSE -> TRUE;
            case UNKNOWN -> UNKNOWN;
        };
    }
}
