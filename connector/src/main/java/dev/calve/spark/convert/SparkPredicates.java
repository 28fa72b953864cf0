package dev.calve.spark.convert;

import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expressions;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.PredicateTerms.Rising;
import dev.calve.spark.convert.Staircase.Edge;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/** Spark's data source predicates as expressions that prune. */
public final class SparkPredicates {

    /** Longer lists of values of a function prune nothing. */
    private static final int LONGEST_LIST = 50;

    private final PredicateTerms terms;

    public SparkPredicates(Schema schema, boolean caseSensitive) {
        this.terms = new PredicateTerms(schema, caseSensitive);
    }

    /**
     * What of a conjunction could be translated.
     *
     * @param expression TRUE for every row the predicates are TRUE for, perhaps for more
     * @param exact whether it has the predicates' own truth value for every row
     */
    public record Converted(Expression expression, boolean exact) {}

    /** Translates the conjunction of the predicates, as far as there is a translation. */
    public Converted convert(Predicate[] predicates) {
        var parts = new ArrayList<Expression>();
        boolean exact = true;
        for (Predicate predicate : predicates) {
            Converted part = convert(predicate);
            parts.add(part.expression());
            exact &= part.exact();
        }
        return new Converted(Expressions.and(parts), exact);
    }

    /** Translates one predicate, as far as there is a translation. */
    public Converted convert(Predicate predicate) {
        return exact(predicate)
                .map(expression -> new Converted(expression, true))
                .orElseGet(() -> new Converted(weaker(predicate, false), false));
    }

    /** A column of a primitive type Spark can see, not inside a list or map; empty for anything else. */
    public Optional<Column> column(org.apache.spark.sql.connector.expressions.Expression expression) {
        return terms.column(expression);
    }

    /** The expression with the predicate's own truth value for every row; empty if there is none. */
    public Optional<Expression> exact(Predicate predicate) {
        return switch (predicate.name()) {
            case "ALWAYS_TRUE" -> Optional.of(Constant.TRUE);
            case "ALWAYS_FALSE" -> Optional.of(Constant.FALSE);
            case "AND" -> all(predicate).map(Expressions::and);
            case "OR" -> all(predicate).map(Expressions::or);
            case "NOT" -> exact((Predicate) predicate.children()[0]).map(Expressions::not);
            case "IS_NULL" -> term(predicate).map(Expressions::isNull);
            case "IS_NOT_NULL" -> term(predicate).map(Expressions::notNull);
            case "<=>" -> nullSafeEqual(predicate);
            case "IN" -> in(predicate, true);
            case "STARTS_WITH" -> startsWith(predicate);
            default -> operator(predicate.name()).flatMap(operator -> comparison(predicate, operator, true));
        };
    }

    /**
     * An expression that is TRUE for every row the predicate is TRUE for, or, negated, FALSE for. What has no translation may be
     * anything.
     */
    private Expression weaker(Predicate predicate, boolean negated) {
        Optional<Expression> exact = exact(predicate);
        if (exact.isPresent()) {
            return negated ? Expressions.not(exact.get()) : exact.get();
        }
        return switch (predicate.name()) {
            case "AND" -> negated ? Expressions.or(sides(predicate, true)) : Expressions.and(sides(predicate, false));
            case "OR" -> negated ? Expressions.and(sides(predicate, true)) : Expressions.or(sides(predicate, false));
            case "NOT" -> weaker((Predicate) predicate.children()[0], !negated);
            case "IN" -> negated ? Constant.TRUE : in(predicate, false).orElse(Constant.TRUE);
            default ->
                operator(predicate.name())
                        .flatMap(operator -> comparison(predicate, negated ? operator.negated() : operator, false))
                        .orElse(Constant.TRUE);
        };
    }

    private List<Expression> sides(Predicate predicate, boolean negated) {
        var sides = new ArrayList<Expression>();
        for (var child : predicate.children()) {
            sides.add(child instanceof Predicate side ? weaker(side, negated) : Constant.TRUE);
        }
        return sides;
    }

    private Optional<List<Expression>> all(Predicate predicate) {
        return every(
                List.of(predicate.children()),
                child -> child instanceof Predicate nested ? exact(nested) : Optional.empty());
    }

    private Optional<Term> term(Predicate predicate) {
        return terms.term(predicate.children()[0]);
    }

    private static Optional<Operator> operator(String name) {
        return switch (name) {
            case "=" -> Optional.of(Operator.EQUAL);
            case "<>" -> Optional.of(Operator.NOT_EQUAL);
            case "<" -> Optional.of(Operator.LESS);
            case "<=" -> Optional.of(Operator.LESS_OR_EQUAL);
            case ">" -> Optional.of(Operator.GREATER);
            case ">=" -> Optional.of(Operator.GREATER_OR_EQUAL);
            default -> Optional.empty();
        };
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

    private Optional<Expression> comparison(Predicate predicate, Operator operator, boolean exact) {
        var left = predicate.children()[0];
        var right = predicate.children()[1];
        if (left instanceof Literal) {
            return compare(right, mirrored(operator), left, exact);
        }
        return compare(left, operator, right, exact);
    }

    private Optional<Expression> compare(
            org.apache.spark.sql.connector.expressions.Expression left,
            Operator operator,
            org.apache.spark.sql.connector.expressions.Expression literal,
            boolean exact) {
        Optional<Term> term = terms.term(left);
        if (term.isPresent()) {
            return literal(term.get().type(), literal)
                    .map(value -> Expressions.comparison(term.get(), operator, value));
        }
        return terms.rising(left).flatMap(rising -> compare(rising, operator, literal, exact));
    }

    private static Optional<Expression> compare(
            Rising rising,
            Operator operator,
            org.apache.spark.sql.connector.expressions.Expression literal,
            boolean exact) {
        Optional<Object> value = PredicateTerms.literal(rising.result(), literal);
        Optional<Edge> reaches = value.flatMap(rising.stairs()::reaches);
        Optional<Edge> passes = value.flatMap(rising.stairs()::passes);
        if (reaches.isEmpty() || passes.isEmpty()) {
            return Optional.empty();
        }
        if (exact && !(reaches.get().isExact() && passes.get().isExact())) {
            return Optional.empty();
        }
        Column column = rising.column();
        return Optional.of(
                switch (operator) {
                    case LESS -> below(column, reaches.get());
                    case LESS_OR_EQUAL -> below(column, passes.get());
                    case GREATER_OR_EQUAL -> from(column, reaches.get());
                    case GREATER -> from(column, passes.get());
                    case EQUAL -> Expressions.and(from(column, reaches.get()), below(column, passes.get()));
                    case NOT_EQUAL -> Expressions.or(below(column, reaches.get()), from(column, passes.get()));
                });
    }

    /** TRUE where the column may be below the edge, UNKNOWN on null. */
    private static Expression below(Column column, Edge edge) {
        if (edge.greatest() != null) {
            return Expressions.comparison(column, Operator.LESS, edge.greatest());
        }
        return Expressions.comparison(column, Operator.LESS_OR_EQUAL, greatest(column));
    }

    /** TRUE where the column may have come to the edge, UNKNOWN on null. */
    private static Expression from(Column column, Edge edge) {
        if (edge.least() != null) {
            return Expressions.comparison(column, Operator.GREATER_OR_EQUAL, edge.least());
        }
        return Expressions.comparison(column, Operator.GREATER, greatest(column));
    }

    private static Object greatest(Column column) {
        return Staircase.greatestOf(column.type())
                .orElseThrow(() -> new IllegalStateException("No values of " + column + " can be counted."));
    }

    private Optional<Expression> nullSafeEqual(Predicate predicate) {
        boolean mirrored = predicate.children()[0] instanceof Literal;
        var left = predicate.children()[mirrored ? 1 : 0];
        var right = predicate.children()[mirrored ? 0 : 1];
        Optional<Term> term = terms.term(left);
        Optional<Term> nullable = term.isPresent() ? term : terms.rising(left).map(Rising::column);
        if (nullable.isEmpty()) {
            return Optional.empty();
        }
        if (right instanceof Literal<?> constant && constant.value() == null) {
            return Optional.of(Expressions.isNull(nullable.get()));
        }
        return compare(left, Operator.EQUAL, right, true)
                .map(equal -> Expressions.and(Expressions.notNull(nullable.get()), equal));
    }

    /**
     * A null in the list makes it UNKNOWN where it would be FALSE, never TRUE.
     *
     * @param exact whether the list may hold no null
     */
    private Optional<Expression> in(Predicate predicate, boolean exact) {
        var children = predicate.children();
        var literals = new ArrayList<org.apache.spark.sql.connector.expressions.Expression>();
        for (int i = 1; i < children.length; i++) {
            boolean isNull = children[i] instanceof Literal<?> literal && literal.value() == null;
            if (exact || !isNull) {
                literals.add(children[i]);
            }
        }
        Optional<Term> term = term(predicate);
        if (term.isEmpty()) {
            return literals.size() > LONGEST_LIST
                    ? Optional.empty()
                    : every(literals, literal -> compare(children[0], Operator.EQUAL, literal, exact))
                            .map(Expressions::or);
        }
        Type type = term.get().type();
        return every(literals, literal -> literal(type, literal)).map(values -> Expressions.in(term.get(), values));
    }

    /** What the function makes of each element; empty if it makes nothing of one. */
    private static <T, R> Optional<List<R>> every(List<T> elements, Function<T, Optional<R>> function) {
        var results = new ArrayList<R>();
        for (T element : elements) {
            Optional<R> result = function.apply(element);
            if (result.isEmpty()) {
                return Optional.empty();
            }
            results.add(result.get());
        }
        return Optional.of(results);
    }

    private Optional<Expression> startsWith(Predicate predicate) {
        Optional<Column> column = terms.column(predicate.children()[0]);
        if (column.isEmpty() || column.get().type() != Type.Simple.STRING) {
            return Optional.empty();
        }
        return literal(column.get().type(), predicate.children()[1])
                .map(prefix -> Expressions.startsWith(column.get(), (String) prefix));
    }

    /** A non-null literal of exactly the term's type. */
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
}
