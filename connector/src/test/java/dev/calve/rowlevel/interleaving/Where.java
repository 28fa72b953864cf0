package dev.calve.rowlevel.interleaving;

import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.schema.Type;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** A condition on rows: as a filter for planning, and as a function. The two must mean the same. */
record Where(String text, Expression filter, Predicate<Row> holds) {

    static Where ids(Long... ids) {
        return ids(Set.of(ids));
    }

    static Where ids(Set<Long> ids) {
        return new Where(
                "id in " + new TreeSet<>(ids),
                Expressions.in(new Expression.Column(Table.ID, Type.Simple.LONG, true), ids),
                row -> ids.contains(row.id()));
    }

    static Where valueAtLeast(long least) {
        var value = new Expression.Column(Table.VALUE, Type.Simple.LONG, true);
        return new Where(
                "value >= " + least,
                Expressions.comparison(value, Expression.Operator.GREATER_OR_EQUAL, least),
                row -> row.value() >= least);
    }

    /** One partition of {@link Table}. */
    static Where part(int part) {
        var column = new Expression.Column(Table.PART, Type.Simple.INT, false);
        return new Where("part = " + part, Expressions.equal(column, part), row -> Table.part(row.id()) == part);
    }

    static Where everything() {
        return new Where("true", Expression.Constant.TRUE, row -> true);
    }

    Where or(Where other) {
        return new Where(text + " or " + other.text, Expressions.or(filter, other.filter), holds.or(other.holds));
    }

    @Override
    public String toString() {
        return text;
    }
}
