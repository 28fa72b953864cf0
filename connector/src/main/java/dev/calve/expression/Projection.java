package dev.calve.expression;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.Predicate;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns a predicate on rows into one on the partition tuples of a spec, whose terms are partition field ids. Spec: Scan
 * Planning.
 *
 * <pre>
 * inclusive   a row of the partition is TRUE    implies   the projection is TRUE on the tuple
 * strict      the projection is TRUE on the tuple   implies   every row of the partition is TRUE
 * </pre>
 *
 * Both speak of TRUE only, so a projection must not be put under a negation. Partition fields without the predicate's
 * column, and void and unknown transforms, say nothing: TRUE for inclusive, FALSE for strict.
 */
public final class Projection {

    private Projection() {}

    public static Expression inclusive(PartitionSpec spec, Expression expression) {
        return Expressions.negationNormal(expression).match(new Rules(spec, true));
    }

    public static Expression strict(PartitionSpec spec, Expression expression) {
        return Expressions.negationNormal(expression).match(new Rules(spec, false));
    }

    /**
     * Whether the tuple alone decides the expression for every partition of the spec: where a row of a partition is TRUE, all
     * are. May say no too often, as for times before 1970, which writers did not agree on.
     */
    public static boolean isExact(PartitionSpec spec, Expression expression) {
        return countable(inclusive(spec, expression)).equals(countable(strict(spec, expression)));
    }

    /** The same expression with one spelling of bounds where values can be counted: {@code > 4} is {@code >= 5}. */
    private static Expression countable(Expression projected) {
        return projected.mapPredicates(predicate -> {
            if (!(predicate instanceof Comparison comparison)
                    || !Steps.isDiscrete(comparison.term().type())) {
                return predicate;
            }
            Operator rounded = switch (comparison.operator()) {
                case GREATER -> Operator.GREATER_OR_EQUAL;
                case LESS_OR_EQUAL -> Operator.LESS;
                case EQUAL, NOT_EQUAL, LESS, GREATER_OR_EQUAL -> comparison.operator();
            };
            if (rounded == comparison.operator()) {
                return predicate;
            }
            return Steps.after(comparison.term().type(), comparison.literal())
                    .<Expression>map(next -> new Comparison(comparison.term(), rounded, next))
                    .orElse(predicate);
        });
    }

    private record Rules(PartitionSpec spec, boolean inclusive) implements NormalCases<Expression> {

        @Override
        public Expression constant(Constant constant) {
            return constant;
        }

        @Override
        public Expression and(And and) {
            return Expressions.and(all(and.parts()));
        }

        @Override
        public Expression or(Or or) {
            return Expressions.or(all(or.parts()));
        }

        private List<Expression> all(List<Expression> parts) {
            return parts.stream().map(part -> part.match(this)).toList();
        }

        @Override
        public Expression comparison(Comparison comparison) {
            return predicate(comparison, false);
        }

        @Override
        public Expression in(In in, boolean negated) {
            return predicate(in, negated);
        }

        @Override
        public Expression startsWith(StartsWith startsWith, boolean negated) {
            return predicate(startsWith, negated);
        }

        @Override
        public Expression isNull(IsNull isNull, boolean negated) {
            return predicate(isNull, negated);
        }

        @Override
        public Expression isNaN(IsNaN isNaN, boolean negated) {
            return predicate(isNaN, negated);
        }

        private Expression predicate(Predicate predicate, boolean negated) {
            int columnId = predicate.term().column().fieldId();
            var projections = new ArrayList<Expression>();
            for (PartitionField field : spec.fields()) {
                if (field.sourceIds().size() == 1 && field.sourceId() == columnId) {
                    var projection = new TransformProjection(
                            field, predicate.term().column().type(), inclusive);
                    projections.add(projection.project(predicate, negated));
                }
            }
            return inclusive ? Expressions.and(projections) : Expressions.or(projections);
        }
    }
}
