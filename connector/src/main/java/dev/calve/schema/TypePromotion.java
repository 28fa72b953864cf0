package dev.calve.schema;

import java.util.Optional;

/** Which types a column may be given instead of its own, so that files written before stay readable. Spec: Schema Evolution. */
final class TypePromotion {

    /** For messages. */
    static final String ALLOWED =
            "A column may be widened from int to long, from float to double, to a decimal of more digits with the same scale,"
                    + " and in a table of format version 3 from unknown to any type";

    private TypePromotion() {}

    /**
     * Whether values of the old type are values of the new. That version 3 also allows date to timestamp is left out: no
     * engine known can read such a column.
     */
    static boolean isAllowed(Type from, Type to, int formatVersion) {
        if (!to.isPrimitive()) {
            return false;
        }
        if (from instanceof Type.Decimal narrow) {
            return to instanceof Type.Decimal wide
                    && wide.scale() == narrow.scale()
                    && wide.precision() >= narrow.precision();
        }
        if (!(from instanceof Type.Simple simple)) {
            return false;
        }
        return switch (simple) {
            case INT -> to == Type.Simple.LONG;
            case FLOAT -> to == Type.Simple.DOUBLE;
            case UNKNOWN -> formatVersion >= 3;
            default -> false;
        };
    }

    /** The field with an allowed type, and its defaults as values of that type. */
    static Field promote(Field field, Type to) {
        return new Field(
                field.id(),
                field.name(),
                field.required(),
                to,
                field.doc(),
                widened(field.initialDefault(), to),
                widened(field.writeDefault(), to));
    }

    private static Optional<Object> widened(Optional<Object> value, Type to) {
        return value.map(number -> {
            if (to == Type.Simple.LONG) {
                return ((Integer) number).longValue();
            }
            return to == Type.Simple.DOUBLE ? ((Float) number).doubleValue() : number;
        });
    }
}
