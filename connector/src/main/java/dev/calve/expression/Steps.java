package dev.calve.expression;

import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/** Neighbours of values of types whose values can be counted: {@code < 5} is {@code <= 4}. */
final class Steps {

    private Steps() {}

    static boolean isDiscrete(Type type) {
        return type instanceof Type.Decimal || least(type).isPresent();
    }

    /** The least number of an integral type, times included; empty for other types. */
    static Optional<Object> least(Type type) {
        if (!(type instanceof Type.Simple simple)) {
            return Optional.empty();
        }
        return switch (simple) {
            case INT, DATE -> Optional.of(Integer.MIN_VALUE);
            case LONG, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS -> Optional.of(Long.MIN_VALUE);
            case BOOLEAN, FLOAT, DOUBLE, STRING, UUID, BINARY, VARIANT, UNKNOWN -> Optional.empty();
        };
    }

    /** The value just below; empty if there is none. */
    static Optional<Object> before(Type type, Object value) {
        return step(type, value, -1);
    }

    /** The value just above; empty if there is none. */
    static Optional<Object> after(Type type, Object value) {
        return step(type, value, 1);
    }

    private static Optional<Object> step(Type type, Object value, int direction) {
        if (type instanceof Type.Decimal decimal) {
            BigInteger unscaled = ((BigDecimal) value).unscaledValue().add(BigInteger.valueOf(direction));
            return Optional.of(new BigDecimal(unscaled, decimal.scale()));
        }
        if (value instanceof Integer number) {
            return number == (direction > 0 ? Integer.MAX_VALUE : Integer.MIN_VALUE)
                    ? Optional.empty()
                    : Optional.of(number + direction);
        }
        long number = (Long) value;
        return number == (direction > 0 ? Long.MAX_VALUE : Long.MIN_VALUE)
                ? Optional.empty()
                : Optional.of(number + direction);
    }
}
