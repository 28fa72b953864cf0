package dev.calve.expression;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Cases;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import dev.calve.schema.Values;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an expression is on one row, by Spark's rules: UNKNOWN on null, NaN equals NaN and is the largest, -0.0 equals
 * +0.0, strings by code point. Immutable; the expression is prepared once.
 */
public final class RowEvaluator {

    @FunctionalInterface
    private interface Test {
        Truth on(RowValues row);
    }

    @FunctionalInterface
    private interface Source {
        @Nullable Object of(RowValues row);
    }

    @FunctionalInterface
    private interface Check {
        boolean of(Object value);
    }

    private final Test test;

    private RowEvaluator(Test test) {
        this.test = test;
    }

    /**
     * Prepares the expression.
     *
     * @throws UnsupportedOperationException if the expression looks at a transform this version does not know
     */
    public static RowEvaluator of(Expression expression) {
        return new RowEvaluator(expression.match(new Preparation()));
    }

    public Truth evaluate(RowValues row) {
        return test.on(row);
    }

    /** Whether an operator holds for the outcome of a comparison. */
    static boolean holds(Operator operator, int order) {
        return switch (operator) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order < 0;
            case LESS_OR_EQUAL -> order <= 0;
            case GREATER -> order > 0;
            case GREATER_OR_EQUAL -> order >= 0;
        };
    }

    private static final class Preparation implements Cases<Test> {

        @Override
        public Test constant(Constant constant) {
            Truth truth = Truth.of(constant == Constant.TRUE);
            return row -> truth;
        }

        @Override
        public Test and(And and) {
            return untilOneIs(Truth.FALSE, and.parts());
        }

        @Override
        public Test or(Or or) {
            return untilOneIs(Truth.TRUE, or.parts());
        }

        private Test untilOneIs(Truth decisive, List<Expression> parts) {
            List<Test> tests = parts.stream().map(part -> part.match(this)).toList();
            return row -> {
                Truth result = decisive.negated();
                for (Test test : tests) {
                    Truth truth = test.on(row);
                    if (truth == decisive) {
                        return decisive;
                    }
                    if (truth == Truth.UNKNOWN) {
                        result = Truth.UNKNOWN;
                    }
                }
                return result;
            };
        }

        @Override
        public Test not(Not not) {
            Test part = not.part().match(this);
            return row -> part.on(row).negated();
        }

        @Override
        public Test comparison(Comparison comparison) {
            Comparator<Object> comparator = Values.comparator(comparison.term().type());
            Operator operator = comparison.operator();
            Object literal = comparison.literal();
            return unlessNull(comparison.term(), value -> holds(operator, comparator.compare(value, literal)));
        }

        @Override
        public Test in(In in) {
            Set<Object> literals = in.literals();
            return unlessNull(in.term(), literals::contains);
        }

        @Override
        public Test startsWith(StartsWith startsWith) {
            return unlessNull(startsWith.term(), value -> ((String) value).startsWith(startsWith.prefix()));
        }

        @Override
        public Test isNull(IsNull isNull) {
            Source source = source(isNull.term());
            return row -> Truth.of(source.of(row) == null);
        }

        @Override
        public Test isNaN(IsNaN isNaN) {
            Source source = source(isNaN.term());
            return row -> {
                Object value = source.of(row);
                return Truth.of(value != null && Literals.isNaN(value));
            };
        }

        private static Test unlessNull(Term term, Check check) {
            Source source = source(term);
            Type type = term.type();
            return row -> {
                Object value = source.of(row);
                return value == null ? Truth.UNKNOWN : Truth.of(check.of(Literals.canonical(type, value)));
            };
        }

        private static Source source(Term term) {
            int fieldId = term.column().fieldId();
            if (!(term instanceof Transformed transformed)) {
                return row -> row.value(fieldId);
            }
            Transform transform = transformed.transform();
            if (transform instanceof Transform.Unknown) {
                throw new UnsupportedOperationException("Transform '" + transform + "' of field " + fieldId
                        + " cannot be computed: this version does not know it. Filter on the column instead.");
            }
            Type type = transformed.column().type();
            return row -> {
                Object value = row.value(fieldId);
                return value == null ? null : Transforms.apply(transform, type, Literals.canonical(type, value));
            };
        }
    }
}
