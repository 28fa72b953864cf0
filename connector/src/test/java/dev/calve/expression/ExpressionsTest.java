package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.partition.Transform;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionsTest {

    private static final Column INT = new Column(1, Type.Simple.INT, false);
    private static final Column REQUIRED = new Column(2, Type.Simple.INT, true);
    private static final Column DOUBLE = new Column(3, Type.Simple.DOUBLE, false);
    private static final Column STRING = new Column(4, Type.Simple.STRING, false);

    private static final Expression A = Expressions.equal(INT, 1);
    private static final Expression B = Expressions.isNull(STRING);
    private static final Expression C = Expressions.startsWith(STRING, "c");

    private static Truth onDouble(Expression expression, @Nullable Double value) {
        return RowEvaluator.of(expression).evaluate(fieldId -> value);
    }

    /** Spark: NaN equals NaN and is larger than any other value; null compares to nothing. */
    @ParameterizedTest
    @CsvSource({
        "EQUAL, FALSE, TRUE",
        "NOT_EQUAL, TRUE, FALSE",
        "LESS, TRUE, FALSE",
        "LESS_OR_EQUAL, TRUE, TRUE",
        "GREATER, FALSE, FALSE",
        "GREATER_OR_EQUAL, FALSE, TRUE"
    })
    void nanIsEqualToItselfAndLargest(Operator operator, Truth onInfinity, Truth onNaN) {
        Expression expression = Expressions.comparison(DOUBLE, operator, Double.NaN);

        assertThat(onDouble(expression, Double.POSITIVE_INFINITY)).isEqualTo(onInfinity);
        assertThat(onDouble(expression, Double.NaN)).isEqualTo(onNaN);
        assertThat(onDouble(expression, null)).isEqualTo(Truth.UNKNOWN);
        assertThat(onDouble(Expressions.not(expression), null)).isEqualTo(Truth.UNKNOWN);
    }

    @Test
    void zerosAreOneLiteral() {
        assertThat(Expressions.in(DOUBLE, List.of(0d, -0d))).isEqualTo(new Comparison(DOUBLE, Operator.EQUAL, 0d));
        assertThat(onDouble(Expressions.equal(DOUBLE, -0d), 0d)).isEqualTo(Truth.TRUE);
        assertThat(onDouble(Expressions.comparison(DOUBLE, Operator.LESS, 0d), -0d))
                .isEqualTo(Truth.FALSE);
        assertThat(onDouble(Expressions.in(DOUBLE, List.of(0d, 1d)), -0d)).isEqualTo(Truth.TRUE);
    }

    @Test
    void inOfNothingIsFalse() {
        assertThat(Expressions.in(INT, List.of())).isEqualTo(Constant.FALSE);
        assertThat(Expressions.in(INT, List.of(1, 2, 1))).isEqualTo(new In(INT, Set.of(1, 2)));
    }

    @Test
    void constantsAreFoldedAndPartsFlattened() {
        assertThat(Expressions.and()).isEqualTo(Constant.TRUE);
        assertThat(Expressions.or()).isEqualTo(Constant.FALSE);
        assertThat(Expressions.and(A, Constant.TRUE)).isEqualTo(A);
        assertThat(Expressions.and(A, Constant.FALSE)).isEqualTo(Constant.FALSE);
        assertThat(Expressions.or(A, Constant.FALSE)).isEqualTo(A);
        assertThat(Expressions.or(A, Constant.TRUE)).isEqualTo(Constant.TRUE);
        assertThat(Expressions.and(A, Expressions.and(B, C), A)).isEqualTo(new And(List.of(A, B, C)));
        assertThat(Expressions.or(Expressions.or(A, B), C)).isEqualTo(new Or(List.of(A, B, C)));
    }

    @Test
    void negationNormalFormLeavesNotOnlyAroundPredicatesWithoutNegatedForm() {
        Expression expression = new Not(new And(List.of(A, new Or(List.of(B, new Not(C))))));

        assertThat(Expressions.negationNormal(expression))
                .isEqualTo(
                        new Or(List.of(new Comparison(INT, Operator.NOT_EQUAL, 1), new And(List.of(new Not(B), C)))));
    }

    @Test
    void requiredColumnsAreNeverNull() {
        assertThat(Expressions.isNull(REQUIRED)).isEqualTo(Constant.FALSE);
        assertThat(Expressions.notNull(REQUIRED)).isEqualTo(Constant.TRUE);
        assertThat(Expressions.isNull(INT)).isEqualTo(new IsNull(INT));
        assertThat(Expressions.isNull(Expressions.transformed(REQUIRED, new Transform.Bucket(4))))
                .isEqualTo(Constant.FALSE);
        assertThat(Expressions.isNull(Expressions.transformed(REQUIRED, Transform.VOID)))
                .isEqualTo(Constant.TRUE);
    }

    @Test
    void nullSafeEqualIsFalseOnNull() {
        assertThat(onDouble(Expressions.nullSafeEqual(DOUBLE, 1d), null)).isEqualTo(Truth.FALSE);
        assertThat(onDouble(Expressions.nullSafeEqual(DOUBLE, Double.NaN), null))
                .isEqualTo(Truth.FALSE);
        assertThat(onDouble(Expressions.nullSafeEqual(DOUBLE, Double.NaN), Double.NaN))
                .isEqualTo(Truth.TRUE);
    }

    @Test
    void isNaNIsFalseOnNullAndOnTypesWithoutNaN() {
        assertThat(onDouble(Expressions.isNaN(DOUBLE), null)).isEqualTo(Truth.FALSE);
        assertThat(Expressions.isNaN(INT)).isEqualTo(Constant.FALSE);
    }

    @Test
    void stringsAreOrderedByCodePoint() {
        Expression above = Expressions.comparison(STRING, Operator.GREATER, "\uFFFD");

        assertThat(RowEvaluator.of(above).evaluate(fieldId -> "\uD83D\uDE00")).isEqualTo(Truth.TRUE);
    }

    @Test
    void valuesWrittenBeforePromotionAreWidened() {
        var column = new Column(1, Type.Simple.LONG, false);

        assertThat(RowEvaluator.of(Expressions.in(column, List.of(7L, 8L))).evaluate(fieldId -> 7))
                .isEqualTo(Truth.TRUE);
    }

    @Test
    void literalsMustBeValuesOfTheTermsType() {
        assertThatThrownBy(() -> Expressions.equal(INT, "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Literal must be a value of int, not '1' of String.");
        assertThatThrownBy(() -> Expressions.equal(STRING, "\uD83D"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lone surrogate");
        assertThatThrownBy(
                        () -> Expressions.equal(new Column(1, new Type.Decimal(9, 2), false), new BigDecimal("1.001")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("decimal(9, 2)");
        assertThatThrownBy(() -> Expressions.startsWith(INT, "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("int");
    }

    @Test
    void columnIdsAreThoseOfAllPredicates() {
        var transformed = Expressions.transformed(DOUBLE, Transform.IDENTITY);

        assertThat(ColumnIds.of(Expressions.or(A, new Not(Expressions.and(B, Expressions.isNaN(transformed))))))
                .containsExactly(1, 3, 4);
    }
}
