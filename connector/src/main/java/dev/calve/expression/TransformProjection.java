package dev.calve.expression;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Predicate;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Projects one predicate on a column through one partition field of that column.
 *
 * <p>Works in two steps. First {@code column op literal} becomes {@code transformed op t(literal)}, by what the transform
 * keeps: bucket keeps equality, truncate and time keep order. Then the transformed value becomes the stored one, which
 * differs in two cases:
 *
 * <ul>
 *   <li>Early writers of the format rounded times before 1970 towards zero, so a stored time of 0 or less stands for
 *       itself or for the unit before.
 *   <li>Truncating a number near the least one of its type overflows to a large value.
 * </ul>
 *
 * <p>A partition value is null exactly where the column is.
 */
final class TransformProjection {

    private final Transform transform;
    private final Type source;
    private final boolean inclusive;
    private final Column stored;

    TransformProjection(PartitionField field, Type source, boolean inclusive) {
        this.transform = field.transform();
        this.source = source;
        this.inclusive = inclusive;
        this.stored = new Column(field.fieldId(), Transforms.resultType(transform, source), false);
    }

    Expression project(Predicate predicate, boolean negated) {
        if (!Transforms.canApply(transform, source)
                || transform instanceof Transform.Void
                || transform instanceof Transform.Unknown) {
            return nothingKnown();
        }
        try {
            if (predicate.term() instanceof Transformed term && !(term.transform() instanceof Transform.Identity)) {
                return ofTransformed(predicate, term, negated);
            }
            return ofColumn(predicate, negated);
        } catch (ArithmeticException e) {
            // The literal's partition value does not fit its type: nothing follows for tuples.
            return nothingKnown();
        }
    }

    private Expression ofTransformed(Predicate predicate, Transformed term, boolean negated) {
        if (storesColumn()) {
            var column = new Column(stored.fieldId(), source, false);
            return signed(
                    Expressions.withTerm(predicate, new Transformed(column, term.transform(), term.type())), negated);
        }
        if (!term.transform().equals(transform)) {
            return nothingKnown();
        }
        if (predicate instanceof Comparison comparison) {
            return compare(comparison.operator(), comparison.literal());
        }
        if (predicate instanceof In in) {
            return isIn(in.literals(), negated);
        }
        return signed(Expressions.withTerm(predicate, stored), negated);
    }

    private Expression ofColumn(Predicate predicate, boolean negated) {
        if (storesColumn() || predicate instanceof IsNull) {
            return signed(Expressions.withTerm(predicate, stored), negated);
        }
        if (predicate instanceof IsNaN) {
            return nothingKnown();
        }
        if (predicate instanceof StartsWith startsWith) {
            return startsWith(startsWith.prefix(), negated);
        }
        if (predicate instanceof In in) {
            return negated ? notIn(in.literals()) : in(in.literals());
        }
        var comparison = (Comparison) predicate;
        return comparison(comparison.operator(), comparison.literal());
    }

    /** Whether the partition value is the column's own value. */
    private boolean storesColumn() {
        return transform instanceof Transform.Identity
                || (transform == Transform.Time.DAY && source == Type.Simple.DATE);
    }

    private Expression comparison(Operator operator, Object literal) {
        return switch (operator) {
            case EQUAL -> in(Set.of(literal));
            case NOT_EQUAL -> notIn(Set.of(literal));
            case LESS -> below(literal);
            case LESS_OR_EQUAL -> atMost(literal);
            case GREATER -> above(literal);
            case GREATER_OR_EQUAL -> atLeast(literal);
        };
    }

    private Expression in(Collection<Object> literals) {
        Set<Object> values = new LinkedHashSet<>();
        for (Object literal : literals) {
            if (inclusive || isAlone(literal)) {
                values.add(transformed(literal));
            }
        }
        return isIn(values, false);
    }

    private Expression notIn(Collection<Object> literals) {
        Set<Object> values = new LinkedHashSet<>();
        for (Object literal : literals) {
            if (!inclusive || isAlone(literal)) {
                values.add(transformed(literal));
            }
        }
        return isIn(values, true);
    }

    private Expression below(Object literal) {
        if (!keepsOrderAt(literal)) {
            return noneNull();
        }
        if (inclusive && Steps.isDiscrete(source)) {
            return Steps.before(source, literal).map(this::atMost).orElseGet(this::noneNull);
        }
        Object value = transformed(literal);
        return !inclusive || value.equals(literal)
                ? orOverflown(compare(Operator.LESS, value))
                : orOverflown(compare(Operator.LESS_OR_EQUAL, value));
    }

    private Expression atMost(Object literal) {
        if (!keepsOrderAt(literal)) {
            return noneNull();
        }
        if (inclusive) {
            return orOverflown(compare(Operator.LESS_OR_EQUAL, transformed(literal)));
        }
        if (Steps.isDiscrete(source)) {
            return Steps.after(source, literal).map(this::below).orElseGet(this::noneNull);
        }
        return compare(Operator.LESS, transformed(literal));
    }

    private Expression above(Object literal) {
        if (!keepsOrderAt(literal)) {
            return noneNull();
        }
        if (!inclusive) {
            return butNotOverflown(compare(Operator.GREATER, transformed(literal)));
        }
        if (Steps.isDiscrete(source)) {
            return Steps.after(source, literal).map(this::atLeast).orElseGet(this::noneNull);
        }
        return compare(Operator.GREATER_OR_EQUAL, transformed(literal));
    }

    private Expression atLeast(Object literal) {
        if (!keepsOrderAt(literal)) {
            return noneNull();
        }
        Object value = transformed(literal);
        if (inclusive) {
            return compare(Operator.GREATER_OR_EQUAL, value);
        }
        if (Steps.isDiscrete(source)) {
            return Steps.before(source, literal).map(this::above).orElseGet(this::noneNull);
        }
        return compare(value.equals(literal) ? Operator.GREATER_OR_EQUAL : Operator.GREATER, value);
    }

    private Expression startsWith(String prefix, boolean negated) {
        if (!(transform instanceof Transform.Truncate truncate)) {
            return noneNull();
        }
        if (prefix.codePointCount(0, prefix.length()) <= truncate.width()) {
            return signed(new StartsWith(stored, prefix), negated);
        }
        if (inclusive == negated) {
            return noneNull();
        }
        return compare(negated ? Operator.NOT_EQUAL : Operator.EQUAL, transformed(prefix));
    }

    private Object transformed(Object literal) {
        Object value = Transforms.apply(transform, source, literal);
        if (value == null) {
            throw new IllegalStateException(transform + " of '" + literal + "' must not be null.");
        }
        return value;
    }

    /** Whether the literal is the only value that has its partition value. */
    private boolean isAlone(Object literal) {
        if (!(transform instanceof Transform.Truncate truncate)) {
            return false;
        }
        if (literal instanceof String text) {
            return text.codePointCount(0, text.length()) < truncate.width();
        }
        return literal instanceof Bytes bytes && bytes.length() < truncate.width();
    }

    /** Whether values above the literal have no lower partition values, nor values below it higher ones, overflow apart. */
    private boolean keepsOrderAt(Object literal) {
        if (!transform.preservesOrder()) {
            return false;
        }
        return !overflows(literal);
    }

    private boolean overflows(Object literal) {
        if (!(transform instanceof Transform.Truncate)) {
            return false;
        }
        if (literal instanceof Integer number) {
            return (Integer) transformed(number) > number;
        }
        return literal instanceof Long number && (Long) transformed(number) > number;
    }

    /** The partition value, out of order, of the least numbers of the type. */
    private Optional<Object> overflown() {
        Optional<Object> least = Steps.least(source);
        return least.filter(this::overflows).map(this::transformed);
    }

    private Expression orOverflown(Expression projected) {
        return inclusive
                ? overflown()
                        .map(value -> Expressions.or(projected, new Comparison(stored, Operator.EQUAL, value)))
                        .orElse(projected)
                : projected;
    }

    private Expression butNotOverflown(Expression projected) {
        return overflown()
                .map(value -> Expressions.and(projected, new Comparison(stored, Operator.NOT_EQUAL, value)))
                .orElse(projected);
    }

    /** From the transformed value to the stored one. */
    private Expression compare(Operator operator, Object value) {
        if (!(transform instanceof Transform.Time)) {
            return new Comparison(stored, operator, value);
        }
        int unit = (Integer) value;
        return switch (operator) {
            case EQUAL -> isIn(Set.of(value), false);
            case NOT_EQUAL -> isIn(Set.of(value), true);
            case LESS -> {
                if (inclusive) {
                    yield unit == Integer.MIN_VALUE ? noneNull() : compare(Operator.LESS_OR_EQUAL, unit - 1);
                }
                yield new Comparison(stored, operator, unit);
            }
            case LESS_OR_EQUAL -> new Comparison(stored, operator, inclusive ? roundedUp(unit) : unit);
            case GREATER -> new Comparison(stored, operator, inclusive ? unit : roundedUp(unit));
            case GREATER_OR_EQUAL -> {
                if (!inclusive) {
                    yield unit == Integer.MIN_VALUE ? noneNull() : compare(Operator.GREATER, unit - 1);
                }
                yield new Comparison(stored, operator, unit);
            }
        };
    }

    /** The highest value an early writer may have stored for the unit. */
    private static int roundedUp(int unit) {
        return unit < 0 ? unit + 1 : unit;
    }

    private Expression isIn(Collection<Object> values, boolean negated) {
        Set<Object> candidates = new LinkedHashSet<>(values);
        if (transform instanceof Transform.Time) {
            candidates.clear();
            boolean widen = inclusive != negated;
            for (Object value : values) {
                int unit = (Integer) value;
                if (widen) {
                    candidates.add(unit);
                    candidates.add(roundedUp(unit));
                } else if (unit > 0) {
                    candidates.add(unit);
                }
            }
        }
        if (candidates.isEmpty()) {
            return negated ? noneNull() : Constant.FALSE;
        }
        return signed(Expressions.in(stored, candidates), negated);
    }

    /** All that follows from a predicate that is not TRUE on null. */
    private Expression noneNull() {
        return inclusive ? new Expression.Not(new IsNull(stored)) : Constant.FALSE;
    }

    private Expression nothingKnown() {
        return inclusive ? Constant.TRUE : Constant.FALSE;
    }

    private static Expression signed(Expression expression, boolean negated) {
        return negated ? Expressions.not(expression) : expression;
    }
}
