package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.partition.Transform;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PromotionTest {

    private record Change(Type from, Type to, List<Object> literals, List<Object> before, List<Object> now) {}

    private static final List<Change> CHANGES = List.of(
            new Change(Type.Simple.INT, Type.Simple.LONG, List.of(-1, 5), List.of(-1, 5, 7), List.of(-1L, 5L, 7L)),
            new Change(
                    Type.Simple.FLOAT,
                    Type.Simple.DOUBLE,
                    List.of(0.1f, 2f),
                    List.of(0.1f, -0f, 3f),
                    List.of((double) 0.1f, -0d, 3d)),
            new Change(
                    Type.Simple.DATE,
                    Type.Simple.TIMESTAMP,
                    List.of(-1, 3),
                    List.of(-1, 3, 4),
                    List.of(-86_400_000_000L, 3 * 86_400_000_000L, 4 * 86_400_000_000L)),
            new Change(
                    new Type.Decimal(4, 2),
                    new Type.Decimal(9, 2),
                    List.of(new BigDecimal("1.00"), new BigDecimal("2.50")),
                    List.of(new BigDecimal("1.00"), new BigDecimal("9.99")),
                    List.of(new BigDecimal("1.00"), new BigDecimal("9.99"))));

    private static Truth on(Expression expression, Object value) {
        return RowEvaluator.of(expression).evaluate(Map.of(1, value)::get);
    }

    /** Rows, tuples and bounds of files are of the newest type, whatever the schema a query was bound to. */
    @Test
    void keepsWhatIsTrueOfEachRow() {
        int compared = 0;
        for (Change change : CHANGES) {
            var column = new Column(1, change.from(), false);
            for (Operator operator : Operator.values()) {
                for (Expression expression : List.of(
                        Expressions.comparison(
                                column, operator, change.literals().get(0)),
                        Expressions.not(Expressions.in(column, Set.copyOf(change.literals()))),
                        Expressions.isNull(column))) {
                    Expression promoted = Promotion.of(expression, id -> Optional.of(change.to()));
                    for (int i = 0; i < change.before().size(); i++) {
                        assertThat(on(promoted, change.now().get(i)))
                                .isEqualTo(on(expression, change.before().get(i)));
                        compared++;
                    }
                    assertThat(ColumnIds.of(promoted)).isEqualTo(ColumnIds.of(expression));
                }
            }
        }
        assertThat(compared).isEqualTo(6 * 3 * 11);
    }

    @Test
    void promotesWhatAFunctionGives() {
        var column = new Column(1, Type.Simple.INT, false);
        Expression truncated = Expressions.equal(Expressions.transformed(column, new Transform.Truncate(10)), 20);
        assertThat(on(Promotion.of(truncated, id -> Optional.of(Type.Simple.LONG)), 27L))
                .isEqualTo(Truth.TRUE);
    }

    @Test
    void leavesTypesThatDoNotWiden() {
        Expression expression = Expressions.equal(new Column(1, Type.Simple.LONG, false), 5L);
        assertThat(Promotion.of(expression, id -> Optional.of(Type.Simple.INT))).isEqualTo(expression);
        assertThat(Promotion.of(expression, id -> Optional.empty())).isEqualTo(expression);
    }
}
