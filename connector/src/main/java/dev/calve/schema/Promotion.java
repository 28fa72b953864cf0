package dev.calve.schema;

/** Which type a column may be changed to without rewriting its files. Spec: Schema Evolution. */
public final class Promotion {

    private Promotion() {}

    /**
     * The promotions of every format version: int to long, float to double, decimal to one of more digits and the same
     * scale. A type may also stay what it is.
     */
    public static boolean isAllowed(Type from, Type to) {
        if (from.equals(to)) {
            return true;
        }
        if (from instanceof Type.Decimal narrow && to instanceof Type.Decimal wide) {
            return narrow.scale() == wide.scale() && narrow.precision() <= wide.precision();
        }
        return (from == Type.Simple.INT && to == Type.Simple.LONG)
                || (from == Type.Simple.FLOAT && to == Type.Simple.DOUBLE);
    }

    /** Adds what version 3 allows: date to timestamps without zone, and unknown to every primitive type. */
    public static boolean isAllowed(Type from, Type to, int formatVersion) {
        if (isAllowed(from, to)) {
            return true;
        }
        if (formatVersion < 3) {
            return false;
        }
        return (from == Type.Simple.UNKNOWN && to.isPrimitive())
                || (from == Type.Simple.DATE && (to == Type.Simple.TIMESTAMP || to == Type.Simple.TIMESTAMP_NS));
    }
}
