package dev.calve.expression;

import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What statistics say about the values of one term: which of null, NaN and ordinary values may occur, and bounds that no
 * ordinary value exceeds. {@code may…}: some value may make the predicate TRUE. {@code must…}: no value that may occur
 * makes it anything else; with no possible value at all that holds vacuously.
 */
final class ColumnRange {

    private final Type type;
    private final Comparator<Object> comparator;
    private final boolean mayBeNull;
    private final boolean mayBeNaN;
    private final boolean mayBeOrdinary;
    private final @Nullable Object lower;
    private final @Nullable Object upper;

    private ColumnRange(
            Type type,
            boolean mayBeNull,
            boolean mayBeNaN,
            boolean mayBeOrdinary,
            @Nullable Object lower,
            @Nullable Object upper) {
        this.type = type;
        this.comparator = Values.comparator(type);
        this.mayBeNull = mayBeNull;
        this.mayBeNaN = mayBeNaN;
        this.mayBeOrdinary = mayBeOrdinary;
        this.lower = lower;
        this.upper = upper;
    }

    static ColumnRange unknown(Type type) {
        return new ColumnRange(type, true, type.isFloating(), true, null, null);
    }

    /**
     * The range that statistics give.
     *
     * @param type type of the term
     * @param storedType type the bounds are serialized in, from which {@code type} may have been promoted
     */
    static ColumnRange of(
            Type type,
            Type storedType,
            boolean mayBeNull,
            boolean mayBeNaN,
            boolean mayBeOrdinary,
            Optional<Bytes> lowerBound,
            Optional<Bytes> upperBound) {
        // A partition field whose source is gone is typed unknown: its bounds cannot be read.
        boolean readable = Literals.isOrdered(type) && Literals.isOrdered(storedType);
        Object lower = readable ? decode(type, storedType, lowerBound) : null;
        Object upper = readable ? decode(type, storedType, upperBound) : null;
        boolean nanBound = (lower != null && Literals.isNaN(lower)) || (upper != null && Literals.isNaN(upper));
        if (nanBound) {
            // The format forbids it, but writers that compare plainly let one NaN spoil both bounds.
            return new ColumnRange(type, mayBeNull, true, mayBeOrdinary, null, null);
        }
        if (lower instanceof UUID || upper instanceof UUID) {
            return ofUuids(type, mayBeNull, mayBeOrdinary, lower, upper);
        }
        return new ColumnRange(type, mayBeNull, mayBeNaN && type.isFloating(), mayBeOrdinary, lower, upper);
    }

    /**
     * Writers disagree on the order of UUIDs: as unsigned bytes, or as two signed numbers. Bounds are widened until no value
     * between the given ones, by either order, is outside.
     */
    private static ColumnRange ofUuids(
            Type type, boolean mayBeNull, boolean mayBeOrdinary, @Nullable Object lower, @Nullable Object upper) {
        if (!(lower instanceof UUID low) || !(upper instanceof UUID high)) {
            return new ColumnRange(type, mayBeNull, false, mayBeOrdinary, null, null);
        }
        if (low.equals(high)) {
            return new ColumnRange(type, mayBeNull, false, mayBeOrdinary, low, high);
        }
        if ((low.getMostSignificantBits() < 0) != (high.getMostSignificantBits() < 0)) {
            return new ColumnRange(type, mayBeNull, false, mayBeOrdinary, null, null);
        }
        var widenedLow = new UUID(low.getMostSignificantBits(), 0);
        var widenedHigh = new UUID(high.getMostSignificantBits(), -1);
        return new ColumnRange(type, mayBeNull, false, mayBeOrdinary, widenedLow, widenedHigh);
    }

    private static @Nullable Object decode(Type type, Type storedType, Optional<Bytes> bound) {
        return bound.map(bytes -> Literals.canonical(type, ValueCodec.decode(storedType, bytes)))
                .orElse(null);
    }

    /** The range of a term of the column that this is the range of. */
    ColumnRange of(Term term) {
        if (!(term instanceof Transformed transformed) || transformed.transform() instanceof Transform.Identity) {
            return this;
        }
        Transform transform = transformed.transform();
        if (transform instanceof Transform.Void) {
            return new ColumnRange(transformed.type(), true, false, false, null, null);
        }
        if (transform instanceof Transform.Unknown) {
            return unknown(transformed.type());
        }
        var unbounded = new ColumnRange(transformed.type(), mayBeNull, false, mayBeOrdinary, null, null);
        if (!transform.preservesOrder() || lower == null || !keepsOrder(transform, lower)) {
            return unbounded;
        }
        try {
            return new ColumnRange(
                    transformed.type(),
                    mayBeNull,
                    false,
                    mayBeOrdinary,
                    Transforms.apply(transform, type, lower),
                    Transforms.apply(transform, type, upper));
        } catch (ArithmeticException e) {
            // The transform of a bound does not fit its type.
            return unbounded;
        }
    }

    /** Whether truncation from here upwards is free of overflow, which would turn the least numbers into large ones. */
    private boolean keepsOrder(Transform transform, Object from) {
        if (!(transform instanceof Transform.Truncate)) {
            return true;
        }
        Object truncated = Transforms.apply(transform, type, from);
        return truncated != null && comparator.compare(truncated, from) <= 0;
    }

    boolean may(Comparison comparison) {
        Operator operator = comparison.operator();
        Object literal = comparison.literal();
        return (mayBeNaN && holdsForNaN(operator)) || (mayBeOrdinary && rangeMay(operator, literal));
    }

    boolean must(Comparison comparison) {
        Operator operator = comparison.operator();
        return !mayBeNull
                && (!mayBeNaN || holdsForNaN(operator))
                && (!mayBeOrdinary || !rangeMay(operator.negated(), comparison.literal()));
    }

    /** @param ascending the literals of the list in the type's order */
    boolean may(In in, NavigableSet<Object> ascending, boolean negated) {
        if (negated) {
            return mayBeNaN || (mayBeOrdinary && !rangeMustBeIn(in));
        }
        return mayBeOrdinary && rangeHoldsAny(ascending);
    }

    /** @param ascending the literals of the list in the type's order */
    boolean must(In in, NavigableSet<Object> ascending, boolean negated) {
        if (mayBeNull) {
            return false;
        }
        if (negated) {
            return !mayBeOrdinary || !rangeHoldsAny(ascending);
        }
        return !mayBeNaN && (!mayBeOrdinary || rangeMustBeIn(in));
    }

    boolean mayStartWith(String prefix, boolean negated) {
        return mayBeOrdinary && (negated ? !rangeMustStartWith(prefix) : rangeMayStartWith(prefix));
    }

    boolean mustStartWith(String prefix, boolean negated) {
        return !mayBeNull && (!mayBeOrdinary || (negated ? !rangeMayStartWith(prefix) : rangeMustStartWith(prefix)));
    }

    boolean mayBeNull(boolean negated) {
        return negated ? mayBeNaN || mayBeOrdinary : mayBeNull;
    }

    boolean mustBeNull(boolean negated) {
        return negated ? !mayBeNull : !mayBeNaN && !mayBeOrdinary;
    }

    boolean mayBeNaN(boolean negated) {
        return negated ? mayBeNull || mayBeOrdinary : mayBeNaN;
    }

    boolean mustBeNaN(boolean negated) {
        return negated ? !mayBeNaN : !mayBeNull && !mayBeOrdinary;
    }

    /** NaN is larger than every literal, none of which is NaN. */
    private static boolean holdsForNaN(Operator operator) {
        return RowEvaluator.holds(operator, 1);
    }

    /** Whether a value within the bounds may stand in this relation to the literal. */
    private boolean rangeMay(Operator operator, Object literal) {
        return switch (operator) {
            case EQUAL -> rangeMay(Operator.LESS_OR_EQUAL, literal) && rangeMay(Operator.GREATER_OR_EQUAL, literal);
            case NOT_EQUAL -> rangeMay(Operator.LESS, literal) || rangeMay(Operator.GREATER, literal);
            case LESS, LESS_OR_EQUAL ->
                lower == null || RowEvaluator.holds(operator, comparator.compare(lower, literal));
            case GREATER, GREATER_OR_EQUAL ->
                upper == null || RowEvaluator.holds(operator, comparator.compare(upper, literal));
        };
    }

    private boolean rangeHoldsAny(NavigableSet<Object> ascending) {
        if (ascending.isEmpty()) {
            return false;
        }
        Object least = lower == null ? ascending.first() : ascending.ceiling(lower);
        return least != null && (upper == null || comparator.compare(least, upper) <= 0);
    }

    /** Bounds that are equal leave one value, even if they were cut: what lies between them is equal to both. */
    private boolean rangeMustBeIn(In in) {
        return lower != null
                && upper != null
                && comparator.compare(lower, upper) == 0
                && in.literals().contains(lower);
    }

    private boolean rangeMayStartWith(String prefix) {
        boolean allAbove =
                lower instanceof String low && comparator.compare(low, prefix) > 0 && !low.startsWith(prefix);
        boolean allBelow = upper != null && comparator.compare(upper, prefix) < 0;
        return !allAbove && !allBelow;
    }

    private boolean rangeMustStartWith(String prefix) {
        return prefix.isEmpty()
                || (lower instanceof String low
                        && upper instanceof String high
                        && low.startsWith(prefix)
                        && high.startsWith(prefix));
    }
}
