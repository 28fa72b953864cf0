package dev.calve.pruning;

import dev.calve.expression.ColumnIds;
import dev.calve.expression.Expression;
import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.Transformed;
import dev.calve.expression.Expressions;
import dev.calve.expression.RowEvaluator;
import dev.calve.partition.Transform;
import dev.calve.pruning.RowGroupIndexes.ValueSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks a filter of the values themselves: of all that a dictionary lists, evaluated as rows are, or of a bloom filter. All
 * predicates of a conjunction on one column are asked together, because {@code x > 1 AND x < 3} may be false on each value
 * where neither half is false on all.
 */
final class ValueFilter {

    private final Expression filter;

    /** @param filter in negation normal form */
    ValueFilter(Expression filter) {
        this.filter = filter;
    }

    boolean mightMatch(RowGroupIndexes group) {
        return mightMatch(filter, new Known(group));
    }

    /** The dictionaries of a row group, each read once. */
    private static final class Known {
        private final RowGroupIndexes group;
        private final Map<Expression.Column, Optional<ValueSet>> values = new HashMap<>();

        Known(RowGroupIndexes group) {
            this.group = group;
        }

        Optional<ValueSet> values(Expression.Column column) {
            return values.computeIfAbsent(column, group::values);
        }
    }

    private static boolean mightMatch(Expression expression, Known known) {
        if (expression instanceof Constant constant) {
            return constant == Constant.TRUE;
        }
        if (expression instanceof Or or) {
            return or.parts().stream().anyMatch(part -> mightMatch(part, known));
        }
        if (expression instanceof And and) {
            return byColumns(and).stream().allMatch(part -> mightMatchTogether(part, known));
        }
        return mightMatchTogether(expression, known);
    }

    private static List<Expression> byColumns(And and) {
        Map<Set<Integer>, List<Expression>> parts = new LinkedHashMap<>();
        for (Expression part : and.parts()) {
            parts.computeIfAbsent(ColumnIds.of(part), columns -> new ArrayList<>())
                    .add(part);
        }
        return parts.values().stream().map(Expressions::and).toList();
    }

    private static boolean mightMatchTogether(Expression expression, Known known) {
        Expression.@Nullable Column column = onlyColumn(expression);
        if (column != null) {
            Optional<ValueSet> values = known.values(column);
            if (values.isPresent()) {
                return isTrueOnOne(expression, values.get());
            }
        }
        if (expression instanceof And and) {
            return and.parts().stream()
                    .allMatch(part -> part instanceof Or ? mightMatch(part, known) : leaf(part, known));
        }
        return expression instanceof Or ? mightMatch(expression, known) : leaf(expression, known);
    }

    /** The column, if there is but one and every term of it can be computed. */
    private static Expression.@Nullable Column onlyColumn(Expression expression) {
        var columns = new ArrayList<Expression.Column>();
        var computable = new boolean[] {true};
        expression.mapPredicates(predicate -> {
            if (!columns.contains(predicate.term().column())) {
                columns.add(predicate.term().column());
            }
            computable[0] &= !(predicate.term() instanceof Transformed transformed
                    && transformed.transform() instanceof Transform.Unknown);
            return predicate;
        });
        return columns.size() == 1 && computable[0] ? columns.get(0) : null;
    }

    private static boolean isTrueOnOne(Expression expression, ValueSet values) {
        RowEvaluator evaluator = RowEvaluator.of(expression);
        if (values.hasNull() && evaluator.evaluate(id -> null).isTrue()) {
            return true;
        }
        for (Object value : values.values()) {
            if (evaluator.evaluate(id -> value).isTrue()) {
                return true;
            }
        }
        return false;
    }

    private static boolean leaf(Expression leaf, Known known) {
        if (leaf instanceof Constant constant) {
            return constant == Constant.TRUE;
        }
        if (leaf instanceof Comparison comparison
                && comparison.operator() == Operator.EQUAL
                && comparison.term() instanceof Expression.Column column) {
            return known.group.mightContain(column, List.of(comparison.literal()));
        }
        if (leaf instanceof In in && in.term() instanceof Expression.Column column) {
            return known.group.mightContain(column, in.literals());
        }
        return true;
    }
}
