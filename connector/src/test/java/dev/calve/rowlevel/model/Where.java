package dev.calve.rowlevel.model;

import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expressions;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A condition on rows: as a filter for planning, and as a function that is null where it is unknown. The two must mean the same.
 */
record Where(String text, Function<Schema, Expression> filter, Function<Row, @Nullable Boolean> truth) {

    boolean selects(Row row) {
        return Boolean.TRUE.equals(truth.apply(row));
    }

    static Where everything() {
        return new Where("true", schema -> Expression.Constant.TRUE, row -> true);
    }

    private static Expression.Column column(Schema schema, int id) {
        Field field = schema.field(id).orElseThrow();
        return new Expression.Column(id, field.type(), field.required());
    }

    /** A value as the column's type has it. */
    static Object typed(Type type, long value) {
        return type == Type.Simple.INT ? (Object) Math.toIntExact(value) : (Object) value;
    }

    static Where compare(int id, Operator operator, long literal) {
        return new Where(
                "c" + id + " " + operator + " " + literal,
                schema -> {
                    Expression.Column column = column(schema, id);
                    return Expressions.comparison(column, operator, typed(column.type(), literal));
                },
                row -> {
                    Long value = row.value(id);
                    if (value == null) {
                        return null;
                    }
                    return switch (operator) {
                        case LESS -> value < literal;
                        case LESS_OR_EQUAL -> value <= literal;
                        case GREATER -> value > literal;
                        case GREATER_OR_EQUAL -> value >= literal;
                        case EQUAL -> value == literal;
                        case NOT_EQUAL -> value != literal;
                    };
                });
    }

    static Where in(int id, Set<Long> literals) {
        return new Where(
                "c" + id + " in " + literals,
                schema -> {
                    Expression.Column column = column(schema, id);
                    return Expressions.in(
                            column,
                            literals.stream()
                                    .map(literal -> typed(column.type(), literal))
                                    .toList());
                },
                row -> {
                    Long value = row.value(id);
                    return value == null ? null : literals.contains(value);
                });
    }

    static Where isNull(int id) {
        return new Where(
                "c" + id + " is null", schema -> Expressions.isNull(column(schema, id)), row -> row.value(id) == null);
    }

    Where not() {
        return new Where("not (" + text + ")", schema -> Expressions.not(filter.apply(schema)), row -> {
            Boolean value = truth.apply(row);
            return value == null ? null : !value;
        });
    }

    Where and(Where other) {
        return new Where(
                "(" + text + " and " + other.text + ")",
                schema -> Expressions.and(filter.apply(schema), other.filter.apply(schema)),
                row -> {
                    Boolean one = truth.apply(row);
                    Boolean two = other.truth.apply(row);
                    if (Boolean.FALSE.equals(one) || Boolean.FALSE.equals(two)) {
                        return false;
                    }
                    return (one == null || two == null) ? null : true;
                });
    }

    Where or(Where other) {
        Where neither = not().and(other.not()).not();
        return new Where(
                "(" + text + " or " + other.text + ")",
                schema -> Expressions.or(filter.apply(schema), other.filter.apply(schema)),
                neither.truth());
    }

    @Override
    public String toString() {
        return text;
    }
}
