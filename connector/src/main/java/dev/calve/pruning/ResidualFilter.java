package dev.calve.pruning;

import dev.calve.expression.Expression;
import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.Predicate;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.expression.MetricsPruner;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Leaves out rows of which statistics, page index, dictionaries or bloom filters prove that none makes a filter TRUE. The
 * cheapest proof is tried first: dictionaries are only read for row groups of which rows are left by then.
 */
public final class ResidualFilter implements RowGroupFilter {

    private final Expression filter;
    private final Set<Column> columns;
    private final MetricsPruner pruner;
    private final ValueFilter values;

    private ResidualFilter(Expression filter) {
        this.filter = Expressions.negationNormal(filter);
        this.columns = columns(filter);
        this.pruner = new MetricsPruner(filter);
        this.values = new ValueFilter(this.filter);
    }

    /** A filter for rows that make the expression TRUE. */
    public static RowGroupFilter of(Expression filter) {
        if (filter == Constant.TRUE) {
            return RowGroupFilter.ALL;
        }
        return filter == Constant.FALSE ? group -> RowRanges.NONE : new ResidualFilter(filter);
    }

    private static Set<Column> columns(Expression expression) {
        var columns = new LinkedHashSet<Column>();
        expression.mapPredicates(predicate -> {
            columns.add(predicate.term().column());
            return predicate;
        });
        return columns;
    }

    @Override
    public RowRanges select(RowGroupIndexes group) {
        if (!pruner.mightMatch(group.statistics(columns))) {
            return RowRanges.NONE;
        }
        RowRanges rows = rows(filter, group);
        return rows.isEmpty() || values.mightMatch(group) ? rows : RowRanges.NONE;
    }

    /**
     * Rows in pages that might hold a match. Pages of different columns begin at different rows, so each predicate is asked of
     * its own column's pages and the answers are joined.
     */
    private static RowRanges rows(Expression expression, RowGroupIndexes group) {
        if (expression instanceof And and) {
            RowRanges rows = RowRanges.all(group.rows());
            for (Expression part : and.parts()) {
                rows = rows.and(rows(part, group));
            }
            return rows;
        }
        if (expression instanceof Or or) {
            RowRanges rows = RowRanges.NONE;
            for (Expression part : or.parts()) {
                rows = rows.or(rows(part, group));
            }
            return rows;
        }
        if (expression instanceof Constant constant) {
            return constant == Constant.TRUE ? RowRanges.all(group.rows()) : RowRanges.NONE;
        }
        var test = new MetricsPruner(expression);
        Column column = predicate(expression).term().column();
        return group.pages(column)
                .map(pages -> pages.select((Metrics page) -> test.mightMatch(page)))
                .orElseGet(() -> test.mightMatch(group.statistics(Set.of(column)))
                        ? RowRanges.all(group.rows())
                        : RowRanges.NONE);
    }

    /** The predicate of a leaf of the negation normal form. */
    static Predicate predicate(Expression leaf) {
        return leaf instanceof Expression.Not not ? (Predicate) not.part() : (Predicate) leaf;
    }
}
