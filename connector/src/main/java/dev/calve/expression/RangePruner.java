package dev.calve.expression;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.expression.Expression.Term;
import java.util.function.Function;

/**
 * Asks an expression of the ranges of its columns. With {@code must}: is it TRUE on every row; else: may it be TRUE on one.
 */
final class RangePruner implements NormalCases<Boolean> {

    private final Function<Expression.Column, ColumnRange> ranges;
    private final SortedLists lists;
    private final boolean must;

    /** @param lists of the expression that is asked */
    RangePruner(Function<Expression.Column, ColumnRange> ranges, SortedLists lists, boolean must) {
        this.ranges = ranges;
        this.lists = lists;
        this.must = must;
    }

    private ColumnRange range(Term term) {
        return ranges.apply(term.column()).of(term);
    }

    @Override
    public Boolean constant(Constant constant) {
        return constant == Constant.TRUE;
    }

    @Override
    public Boolean and(And and) {
        return and.parts().stream().allMatch(part -> part.match(this));
    }

    @Override
    public Boolean or(Or or) {
        return or.parts().stream().anyMatch(part -> part.match(this));
    }

    @Override
    public Boolean comparison(Comparison comparison) {
        ColumnRange range = range(comparison.term());
        return must ? range.must(comparison) : range.may(comparison);
    }

    @Override
    public Boolean in(In in, boolean negated) {
        ColumnRange range = range(in.term());
        return must ? range.must(in, lists.of(in), negated) : range.may(in, lists.of(in), negated);
    }

    @Override
    public Boolean startsWith(StartsWith startsWith, boolean negated) {
        ColumnRange range = range(startsWith.term());
        return must
                ? range.mustStartWith(startsWith.prefix(), negated)
                : range.mayStartWith(startsWith.prefix(), negated);
    }

    @Override
    public Boolean isNull(IsNull isNull, boolean negated) {
        ColumnRange range = range(isNull.term());
        return must ? range.mustBeNull(negated) : range.mayBeNull(negated);
    }

    @Override
    public Boolean isNaN(IsNaN isNaN, boolean negated) {
        ColumnRange range = range(isNaN.term());
        return must ? range.mustBeNaN(negated) : range.mayBeNaN(negated);
    }
}
