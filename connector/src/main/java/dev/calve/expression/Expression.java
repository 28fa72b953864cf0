package dev.calve.expression;

import dev.calve.partition.Transform;
import dev.calve.schema.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A predicate over the rows of a table, or over partition tuples after projection. Columns are named by field id, literals
 * are values as {@code schema} represents them, in the type of the term. No literal is null or NaN: the factories of
 * {@link Expressions} rewrite those.
 */
public sealed interface Expression {

    /** The two constant predicates. */
    enum Constant implements Expression {
        TRUE,
        FALSE
    }

    /** Three-valued conjunction; at least two parts. */
    record And(List<Expression> parts) implements Expression {
        public And {
            parts = List.copyOf(parts);
        }
    }

    /** Three-valued disjunction; at least two parts. */
    record Or(List<Expression> parts) implements Expression {
        public Or {
            parts = List.copyOf(parts);
        }
    }

    /** Three-valued negation: UNKNOWN stays UNKNOWN. */
    record Not(Expression part) implements Expression {}

    /** A test of one term. */
    sealed interface Predicate extends Expression {
        Term term();
    }

    /** Compares with a literal; UNKNOWN on null. */
    record Comparison(Term term, Operator operator, Object literal) implements Predicate {}

    /** Whether the value is one of the literals; UNKNOWN on null. */
    record In(Term term, Set<Object> literals) implements Predicate {
        public In {
            literals = java.util.Collections.unmodifiableSet(new LinkedHashSet<>(literals));
        }
    }

    /** Whether a string starts with the prefix; UNKNOWN on null. */
    record StartsWith(Term term, String prefix) implements Predicate {}

    /** Whether the value is null; never UNKNOWN. */
    record IsNull(Term term) implements Predicate {}

    /** Whether the value is NaN; FALSE on null, as in Spark. */
    record IsNaN(Term term) implements Predicate {}

    enum Operator {
        EQUAL,
        NOT_EQUAL,
        LESS,
        LESS_OR_EQUAL,
        GREATER,
        GREATER_OR_EQUAL;

        /** The operator that is true exactly where this one is false. */
        public Operator negated() {
            return switch (this) {
                case EQUAL -> NOT_EQUAL;
                case NOT_EQUAL -> EQUAL;
                case LESS -> GREATER_OR_EQUAL;
                case LESS_OR_EQUAL -> GREATER;
                case GREATER -> LESS_OR_EQUAL;
                case GREATER_OR_EQUAL -> LESS;
            };
        }
    }

    /** What a predicate looks at: a column, or a transform of one. */
    sealed interface Term {
        /** The column itself. */
        Column column();

        /** Type of the term's values. */
        Type type();
    }

    /**
     * A column of a primitive type, at any depth of structs but not inside lists or maps.
     *
     * @param required whether neither the column nor a struct around it can be null
     */
    record Column(int fieldId, Type type, boolean required) implements Term {
        @Override
        public Column column() {
            return this;
        }
    }

    /** A partition transform of a column, as in {@code bucket(16, id) = 3}. */
    record Transformed(Column column, Transform transform, Type type) implements Term {}

    /** One function for every kind of expression, so that an algorithm that forgets one does not compile. */
    interface Cases<R> {
        R constant(Constant constant);

        R and(And and);

        R or(Or or);

        R not(Not not);

        R comparison(Comparison comparison);

        R in(In in);

        R startsWith(StartsWith startsWith);

        R isNull(IsNull isNull);

        R isNaN(IsNaN isNaN);
    }

    default <R> R match(Cases<R> cases) {
        if (this instanceof Constant constant) {
            return cases.constant(constant);
        }
        if (this instanceof And and) {
            return cases.and(and);
        }
        if (this instanceof Or or) {
            return cases.or(or);
        }
        if (this instanceof Not not) {
            return cases.not(not);
        }
        if (this instanceof Comparison comparison) {
            return cases.comparison(comparison);
        }
        if (this instanceof In in) {
            return cases.in(in);
        }
        if (this instanceof StartsWith startsWith) {
            return cases.startsWith(startsWith);
        }
        if (this instanceof IsNull isNull) {
            return cases.isNull(isNull);
        }
        return cases.isNaN((IsNaN) this);
    }

    /** Rewrites every predicate, keeping the logic around them. */
    default Expression mapPredicates(Function<Predicate, Expression> function) {
        if (this instanceof Predicate predicate) {
            return function.apply(predicate);
        }
        if (this instanceof And and) {
            return Expressions.and(and.parts().stream()
                    .map(part -> part.mapPredicates(function))
                    .toList());
        }
        if (this instanceof Or or) {
            return Expressions.or(or.parts().stream()
                    .map(part -> part.mapPredicates(function))
                    .toList());
        }
        if (this instanceof Not not) {
            return Expressions.not(not.part().mapPredicates(function));
        }
        return this;
    }
}
