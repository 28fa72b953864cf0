package dev.calve.expression;

import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Values in the one form in which SQL's equality is {@code equals} and SQL's order is {@code Values.comparator}: -0.0 is
 * +0.0, and a value stored before its column was promoted is widened.
 */
final class Literals {

    private static final long MICROS_PER_DAY = 86_400_000_000L;

    private Literals() {}

    /**
     * The canonical form of a literal of a term of this type.
     *
     * @throws IllegalArgumentException if the literal is not a value of the type, or the type has no order
     */
    static Object checked(Type type, Object literal) {
        Object canonical;
        try {
            canonical = canonical(type, literal);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "Literal must be a value of " + type + ", not " + literal + " of another scale.", e);
        }
        if (canonical instanceof String text) {
            checkUnicode(text);
        }
        if (!isOrdered(type) || !classOf(type).isInstance(canonical)) {
            throw new IllegalArgumentException("Literal must be a value of " + type + ", not '" + literal + "' of "
                    + literal.getClass().getSimpleName() + ".");
        }
        return canonical;
    }

    /** Refuses lone surrogates, which no string of a file can hold and which would upset the order. */
    static void checkUnicode(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException(
                    "Literal must be valid Unicode, but has a lone surrogate: '" + text + "'.");
        }
    }

    /** Whether values of the type can be compared with a literal. */
    static boolean isOrdered(Type type) {
        return type instanceof Type.Primitive
                && type != Type.Simple.VARIANT
                && type != Type.Simple.UNKNOWN
                && !(type instanceof Type.Geometry)
                && !(type instanceof Type.Geography);
    }

    static boolean isNaN(Object value) {
        return (value instanceof Double number && number.isNaN()) || (value instanceof Float single && single.isNaN());
    }

    /** Widens a value of a type that was promoted to this one, and turns -0.0 into +0.0. */
    static Object canonical(Type type, Object value) {
        if (type instanceof Type.Decimal decimal && value instanceof BigDecimal number) {
            return number.scale() == decimal.scale() ? number : number.setScale(decimal.scale());
        }
        if (!(type instanceof Type.Simple simple)) {
            return value;
        }
        return switch (simple) {
            case FLOAT -> value instanceof Float single && single == 0f ? (Object) 0f : value;
            case DOUBLE -> {
                Object wide = value instanceof Float single ? (Object) (double) single : value;
                yield wide instanceof Double number && number == 0d ? (Object) 0d : wide;
            }
            case LONG -> value instanceof Integer number ? (Object) (long) number : value;
            case TIMESTAMP, TIMESTAMPTZ ->
                value instanceof Integer days ? (Object) Math.multiplyExact(days, MICROS_PER_DAY) : value;
            case TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                value instanceof Integer days ? (Object) Math.multiplyExact(days, MICROS_PER_DAY * 1000) : value;
            case BOOLEAN, INT, DATE, TIME, STRING, UUID, BINARY, VARIANT, UNKNOWN -> value;
        };
    }

    private static Class<?> classOf(Type type) {
        if (type instanceof Type.Decimal) {
            return BigDecimal.class;
        }
        if (!(type instanceof Type.Simple simple)) {
            return Bytes.class;
        }
        return switch (simple) {
            case BOOLEAN -> Boolean.class;
            case INT, DATE -> Integer.class;
            case LONG, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS -> Long.class;
            case FLOAT -> Float.class;
            case DOUBLE -> Double.class;
            case STRING -> String.class;
            case UUID -> UUID.class;
            case BINARY, VARIANT, UNKNOWN -> Bytes.class;
        };
    }
}
