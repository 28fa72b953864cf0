package dev.calve.expression;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Values;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * What of an expression is still to be checked on the rows of one partition. A residual is TRUE on exactly the rows of the
 * partition on which the expression is; it may be FALSE where that is UNKNOWN, so it must not be put under a negation.
 * Immutable; projections are made once.
 */
public final class Residuals {

    private final Function<PartitionTuple, Expression> residual;

    private Residuals(Function<PartitionTuple, Expression> residual) {
        this.residual = residual;
    }

    public static Residuals of(PartitionSpec spec, Expression expression) {
        return new Residuals(Expressions.negationNormal(expression).match(new Preparation(spec)));
    }

    /** The residual for a partition of the spec. */
    public Expression residual(PartitionTuple tuple) {
        return residual.apply(tuple);
    }

    /**
     * The residual with long lists replaced by the ranges they span, since it travels with each file. TRUE wherever the residual
     * is, perhaps on more rows.
     *
     * @param longest how many values a list may keep
     */
    public static Expression shortened(Expression residual, int longest) {
        if (residual instanceof And and) {
            return Expressions.and(
                    and.parts().stream().map(part -> shortened(part, longest)).toList());
        }
        if (residual instanceof Or or) {
            return Expressions.or(
                    or.parts().stream().map(part -> shortened(part, longest)).toList());
        }
        if (residual instanceof In in && in.literals().size() > longest) {
            Comparator<Object> order = Values.comparator(in.term().type());
            return Expressions.and(
                    new Comparison(in.term(), Operator.GREATER_OR_EQUAL, Collections.min(in.literals(), order)),
                    new Comparison(in.term(), Operator.LESS_OR_EQUAL, Collections.max(in.literals(), order)));
        }
        boolean isLongList = residual instanceof Not not
                && not.part() instanceof In in
                && in.literals().size() > longest;
        return isLongList ? Constant.TRUE : residual;
    }

    private record Preparation(PartitionSpec spec) implements NormalCases<Function<PartitionTuple, Expression>> {

        @Override
        public Function<PartitionTuple, Expression> constant(Constant constant) {
            return tuple -> constant;
        }

        @Override
        public Function<PartitionTuple, Expression> and(And and) {
            List<Function<PartitionTuple, Expression>> parts = all(and.parts());
            return tuple -> Expressions.and(
                    parts.stream().map(part -> part.apply(tuple)).toList());
        }

        @Override
        public Function<PartitionTuple, Expression> or(Or or) {
            List<Function<PartitionTuple, Expression>> parts = all(or.parts());
            return tuple ->
                    Expressions.or(parts.stream().map(part -> part.apply(tuple)).toList());
        }

        private List<Function<PartitionTuple, Expression>> all(List<Expression> parts) {
            return parts.stream().map(part -> part.match(this)).toList();
        }

        @Override
        public Function<PartitionTuple, Expression> comparison(Comparison comparison) {
            return predicate(comparison);
        }

        @Override
        public Function<PartitionTuple, Expression> in(In in, boolean negated) {
            return predicate(signed(in, negated));
        }

        @Override
        public Function<PartitionTuple, Expression> startsWith(StartsWith startsWith, boolean negated) {
            return predicate(signed(startsWith, negated));
        }

        @Override
        public Function<PartitionTuple, Expression> isNull(IsNull isNull, boolean negated) {
            return predicate(signed(isNull, negated));
        }

        @Override
        public Function<PartitionTuple, Expression> isNaN(IsNaN isNaN, boolean negated) {
            return predicate(signed(isNaN, negated));
        }

        private static Expression signed(Expression predicate, boolean negated) {
            return negated ? Expressions.not(predicate) : predicate;
        }

        private Function<PartitionTuple, Expression> predicate(Expression predicate) {
            var possible = new PartitionMatcher(spec, Projection.inclusive(spec, predicate));
            var certain = new PartitionMatcher(spec, Projection.strict(spec, predicate));
            return tuple -> {
                if (certain.matches(tuple)) {
                    return Constant.TRUE;
                }
                return possible.matches(tuple) ? predicate : Constant.FALSE;
            };
        }
    }
}
