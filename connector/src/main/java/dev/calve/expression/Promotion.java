package dev.calve.expression;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.Predicate;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Lets an expression that was bound to an older schema be asked of partition tuples and bounds in newer types. Spec: Schema
 * Evolution. Promotion keeps equality and order, so no row changes its truth value.
 */
public final class Promotion {

    private Promotion() {}

    /**
     * The expression with wider columns.
     *
     * @param newest the type of a field now; empty if it is not known, which leaves the predicate as it is
     */
    public static Expression of(Expression expression, IntFunction<Optional<Type>> newest) {
        return expression.mapPredicates(predicate -> {
            Column column = predicate.term().column();
            return newest.apply(column.fieldId())
                    .filter(type -> widens(column.type(), type))
                    .map(type -> promoted(predicate, new Column(column.fieldId(), type, column.required())))
                    .orElse(predicate);
        });
    }

    private static boolean widens(Type from, Type to) {
        if (from instanceof Type.Decimal narrow && to instanceof Type.Decimal wide) {
            return wide.precision() > narrow.precision() && wide.scale() == narrow.scale();
        }
        return (from == Type.Simple.INT && to == Type.Simple.LONG)
                || (from == Type.Simple.FLOAT && to == Type.Simple.DOUBLE)
                || (from == Type.Simple.DATE && (to == Type.Simple.TIMESTAMP || to == Type.Simple.TIMESTAMP_NS));
    }

    private static Predicate promoted(Predicate predicate, Column column) {
        Term term = column;
        if (predicate.term() instanceof Transformed old) {
            term = new Transformed(column, old.transform(), Transforms.resultType(old.transform(), column.type()));
        }
        if (predicate instanceof Comparison comparison) {
            return new Comparison(term, comparison.operator(), Literals.canonical(term.type(), comparison.literal()));
        }
        if (predicate instanceof In in) {
            Set<Object> literals = new LinkedHashSet<>();
            for (Object literal : in.literals()) {
                literals.add(Literals.canonical(term.type(), literal));
            }
            return new In(term, literals);
        }
        return Expressions.withTerm(predicate, term);
    }
}
