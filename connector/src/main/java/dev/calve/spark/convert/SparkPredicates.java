package dev.calve.spark.convert;

import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expressions;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/** Spark's data source predicates as expressions that prune. */
public final class SparkPredicates {

    private final Schema schema;
    private final boolean caseSensitive;

    public SparkPredicates(Schema schema, boolean caseSensitive) {
        this.schema = schema;
        this.caseSensitive = caseSensitive;
    }

    /**
     * What of a conjunction could be translated.
     *
     * @param expression TRUE for every row the predicates are TRUE for, perhaps for more
     * @param exact whether it has the predicates' own truth value for every row
     */
    public record Converted(Expression expression, boolean exact) {}

    /** Translates the conjunction of the predicates, leaving out conjuncts that have no translation. */
    public Converted convert(Predicate[] predicates) {
        var parts = new ArrayList<Expression>();
        boolean exact = true;
        for (Predicate predicate : predicates) {
            Converted part = conjunct(predicate);
            parts.add(part.expression());
            exact &= part.exact();
        }
        return new Converted(Expressions.and(parts), exact);
    }

    private Converted conjunct(Predicate predicate) {
        if (predicate.name().equals("AND")) {
            Predicate[] sides = {
                (Predicate) predicate.children()[0], (Predicate) predicate.children()[1]
            };
            return convert(sides);
        }
        return exact(predicate)
                .map(expression -> new Converted(expression, true))
                .orElse(new Converted(Expression.Constant.TRUE, false));
    }

    /** The expression with the predicate's own truth value for every row; empty if there is none. */
    public Optional<Expression> exact(Predicate predicate) {
        return switch (predicate.name()) {
            case "ALWAYS_TRUE" -> Optional.of(Expression.Constant.TRUE);
            case "ALWAYS_FALSE" -> Optional.of(Expression.Constant.FALSE);
            case "AND" -> all(predicate).map(Expressions::and);
            case "OR" -> all(predicate).map(Expressions::or);
            case "NOT" -> exact((Predicate) predicate.children()[0]).map(Expressions::not);
            case "IS_NULL" -> column(predicate.children()[0]).map(Expressions::isNull);
            case "IS_NOT_NULL" ->
                column(predicate.children()[0]).map(column -> Expressions.not(Expressions.isNull(column)));
            case "=" -> comparison(predicate, Operator.EQUAL);
            case "<>" -> comparison(predicate, Operator.NOT_EQUAL);
            case "<" -> comparison(predicate, Operator.LESS);
            case "<=" -> comparison(predicate, Operator.LESS_OR_EQUAL);
            case ">" -> comparison(predicate, Operator.GREATER);
            case ">=" -> comparison(predicate, Operator.GREATER_OR_EQUAL);
            case "<=>" -> nullSafeEqual(predicate);
            case "IN" -> in(predicate);
            case "STARTS_WITH" -> startsWith(predicate);
            default -> Optional.empty();
        };
    }

    private Optional<List<Expression>> all(Predicate predicate) {
        var parts = new ArrayList<Expression>();
        for (var child : predicate.children()) {
            Optional<Expression> part = child instanceof Predicate nested ? exact(nested) : Optional.empty();
            if (part.isEmpty()) {
                return Optional.empty();
            }
            parts.add(part.get());
        }
        return Optional.of(parts);
    }

    private Optional<Expression> comparison(Predicate predicate, Operator operator) {
        var left = predicate.children()[0];
        var right = predicate.children()[1];
        if (left instanceof Literal) {
            return compare(right, mirrored(operator), left);
        }
        return compare(left, operator, right);
    }

    private Optional<Expression> compare(
            org.apache.spark.sql.connector.expressions.Expression term,
            Operator operator,
            org.apache.spark.sql.connector.expressions.Expression literal) {
        Optional<Column> column = column(term);
        return column.flatMap(found -> literal(found.type(), literal))
                .map(value -> Expressions.comparison(column.get(), operator, value));
    }

    private static Operator mirrored(Operator operator) {
        return switch (operator) {
            case EQUAL, NOT_EQUAL -> operator;
            case LESS -> Operator.GREATER;
            case LESS_OR_EQUAL -> Operator.GREATER_OR_EQUAL;
            case GREATER -> Operator.LESS;
            case GREATER_OR_EQUAL -> Operator.LESS_OR_EQUAL;
        };
    }

    private Optional<Expression> nullSafeEqual(Predicate predicate) {
        boolean mirrored = predicate.children()[0] instanceof Literal;
        Optional<Column> column = column(predicate.children()[mirrored ? 1 : 0]);
        var literal = predicate.children()[mirrored ? 0 : 1];
        if (column.isEmpty()) {
            return Optional.empty();
        }
        if (literal instanceof Literal<?> constant && constant.value() == null) {
            return Optional.of(Expressions.isNull(column.get()));
        }
        return literal(column.get().type(), literal).map(value -> Expressions.nullSafeEqual(column.get(), value));
    }

    private Optional<Expression> in(Predicate predicate) {
        Optional<Column> column = column(predicate.children()[0]);
        if (column.isEmpty()) {
            return Optional.empty();
        }
        Set<Object> values = new LinkedHashSet<>();
        for (int i = 1; i < predicate.children().length; i++) {
            Optional<Object> value = literal(column.get().type(), predicate.children()[i]);
            if (value.isEmpty()) {
                return Optional.empty();
            }
            values.add(value.get());
        }
        return Optional.of(Expressions.in(column.get(), values));
    }

    private Optional<Expression> startsWith(Predicate predicate) {
        Optional<Column> column = column(predicate.children()[0]);
        if (column.isEmpty() || column.get().type() != Type.Simple.STRING) {
            return Optional.empty();
        }
        return literal(column.get().type(), predicate.children()[1])
                .map(prefix -> Expressions.startsWith(column.get(), (String) prefix));
    }

    /** A non-null literal of exactly the column's type. */
    private static Optional<Object> literal(
            Type type, org.apache.spark.sql.connector.expressions.Expression expression) {
        if (!(expression instanceof Literal<?> literal) || literal.value() == null) {
            return Optional.empty();
        }
        boolean sameType = type instanceof Type.Decimal
                ? literal.value() instanceof org.apache.spark.sql.types.Decimal
                : literal.dataType().equals(SparkTypes.toSpark(type, "literal"));
        return sameType ? SparkValues.fromSpark(type, literal.value()) : Optional.empty();
    }

    /** A column of a primitive type Spark can see, not inside a list or map. */
    private Optional<Column> column(org.apache.spark.sql.connector.expressions.Expression expression) {
        if (!(expression instanceof NamedReference reference)) {
            return Optional.empty();
        }
        List<Field> fields = schema.fields();
        Optional<Field> found = Optional.empty();
        boolean required = true;
        for (String name : reference.fieldNames()) {
            if (found.isPresent()) {
                if (!(found.get().type() instanceof Type.Struct struct)) {
                    return Optional.empty();
                }
                fields = struct.fields();
            }
            found = child(fields, name);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            required &= found.get().required();
        }
        if (found.isEmpty() || !isComparable(found.get().type())) {
            return Optional.empty();
        }
        return Optional.of(new Column(found.get().id(), found.get().type(), required));
    }

    private Optional<Field> child(List<Field> fields, String name) {
        return fields.stream()
                .filter(field ->
                        caseSensitive ? field.name().equals(name) : field.name().equalsIgnoreCase(name))
                .findFirst();
    }

    private static boolean isComparable(Type type) {
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case TIME, TIMESTAMP_NS, TIMESTAMPTZ_NS, VARIANT, UNKNOWN -> false;
                default -> true;
            };
        }
        return type instanceof Type.Fixed || type instanceof Type.Decimal;
    }
}
