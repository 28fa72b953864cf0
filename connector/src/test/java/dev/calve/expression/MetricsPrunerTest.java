package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsPrunerTest {

    private static final Column INT = new Column(1, Type.Simple.INT, false);
    private static final Column DOUBLE = new Column(1, Type.Simple.DOUBLE, false);
    private static final Column STRING = new Column(1, Type.Simple.STRING, false);

    private static Metrics metrics(
            Type type, long rows, long nulls, Map<Integer, Long> nans, Object lower, Object upper) {
        return new Metrics(
                rows,
                Map.of(),
                Map.of(1, rows),
                Map.of(1, nulls),
                nans,
                Map.of(1, ValueCodec.encode(type, lower)),
                Map.of(1, ValueCodec.encode(type, upper)));
    }

    private static Metrics ints(long nulls, int lower, int upper) {
        return metrics(Type.Simple.INT, 10, nulls, Map.of(), lower, upper);
    }

    private static boolean may(Expression expression, Metrics metrics) {
        return new MetricsPruner(expression).mightMatch(metrics);
    }

    private static boolean must(Expression expression, Metrics metrics) {
        return new MetricsPruner(expression).mustMatch(metrics);
    }

    private static Expression ints(Operator operator, int literal) {
        return Expressions.comparison(INT, operator, literal);
    }

    private static Expression doubles(Operator operator, double literal) {
        return Expressions.comparison(DOUBLE, operator, literal);
    }

    /** B06: with one null among 1 and 2, no comparison holds for every row, whatever the bounds say. */
    @Test
    void nullsContradictEveryComparison() {
        for (Expression expression : List.of(
                ints(Operator.LESS, 9),
                ints(Operator.NOT_EQUAL, 7),
                new Not(ints(Operator.GREATER, 9)),
                new Not(Expressions.in(INT, List.of(7, 8))),
                Expressions.notNull(INT))) {
            assertThat(must(expression, ints(0, 1, 2)))
                    .as("without nulls: %s", expression)
                    .isTrue();
            assertThat(must(expression, ints(1, 1, 2)))
                    .as("with a null: %s", expression)
                    .isFalse();
            assertThat(may(expression, ints(1, 1, 2)))
                    .as("with a null: %s", expression)
                    .isTrue();
        }
    }

    @Test
    void boundsExcludeWhatLiesOutside() {
        Metrics metrics = ints(0, 5, 9);

        assertThat(may(ints(Operator.LESS, 5), metrics)).isFalse();
        assertThat(may(ints(Operator.LESS_OR_EQUAL, 5), metrics)).isTrue();
        assertThat(may(ints(Operator.GREATER, 9), metrics)).isFalse();
        assertThat(may(ints(Operator.GREATER_OR_EQUAL, 9), metrics)).isTrue();
        assertThat(may(ints(Operator.EQUAL, 4), metrics)).isFalse();
        assertThat(may(Expressions.in(INT, List.of(1, 10)), metrics)).isFalse();
        assertThat(may(Expressions.in(INT, List.of(1, 7)), metrics)).isTrue();
        assertThat(may(ints(Operator.NOT_EQUAL, 5), metrics)).isTrue();
        assertThat(may(ints(Operator.NOT_EQUAL, 5), ints(0, 5, 5))).isFalse();
        assertThat(may(Expressions.isNull(INT), metrics)).isFalse();
    }

    @Test
    void equalBoundsProveEqualityAndWiderOnesDoNot() {
        assertThat(must(ints(Operator.EQUAL, 5), ints(0, 5, 5))).isTrue();
        assertThat(must(ints(Operator.EQUAL, 5), ints(0, 5, 6))).isFalse();
        assertThat(must(Expressions.in(INT, List.of(5, 6)), ints(0, 5, 5))).isTrue();
        assertThat(must(Expressions.in(INT, List.of(5, 6)), ints(0, 5, 6))).isFalse();
    }

    @Test
    void missingMetricsMayBeAnything() {
        Metrics unknown = Metrics.ofCount(10);
        for (Expression expression : List.of(
                ints(Operator.EQUAL, 1),
                ints(Operator.NOT_EQUAL, 1),
                Expressions.isNull(INT),
                Expressions.notNull(INT),
                doubles(Operator.GREATER, 1),
                Expressions.isNaN(DOUBLE),
                new Not(Expressions.isNaN(DOUBLE)))) {
            assertThat(may(expression, unknown)).as("%s", expression).isTrue();
            assertThat(must(expression, unknown)).as("%s", expression).isFalse();
        }
    }

    /** Some formats leave out fields of a null struct: 10 rows, but only 8 values of which none is null. */
    @Test
    void rowsThatDoNotCountAsValuesMayBeNull() {
        Bytes one = ValueCodec.encode(Type.Simple.INT, 1);
        var metrics = new Metrics(10, Map.of(), Map.of(1, 8L), Map.of(1, 0L), Map.of(), Map.of(1, one), Map.of(1, one));

        assertThat(must(ints(Operator.EQUAL, 1), metrics)).isFalse();
        assertThat(must(Expressions.notNull(INT), metrics)).isFalse();
        assertThat(may(Expressions.isNull(INT), metrics)).isTrue();
    }

    @Test
    void nothingButNullsMatchesOnlyNullTests() {
        var metrics = new Metrics(10, Map.of(), Map.of(1, 10L), Map.of(1, 10L), Map.of(), Map.of(), Map.of());

        assertThat(may(ints(Operator.NOT_EQUAL, 1), metrics)).isFalse();
        assertThat(may(Expressions.notNull(INT), metrics)).isFalse();
        assertThat(must(Expressions.isNull(INT), metrics)).isTrue();
        assertThat(may(doubles(Operator.GREATER, 1), metrics)).isFalse();
    }

    /** Bounds leave NaN out, and NaN is larger than every number. */
    @Test
    void nanMayExceedTheUpperBound() {
        Metrics unknown = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(), 1d, 2d);
        Metrics none = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(1, 0L), 1d, 2d);
        Metrics some = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(1, 1L), 1d, 2d);

        assertThat(may(doubles(Operator.GREATER, 5), unknown)).isTrue();
        assertThat(may(doubles(Operator.GREATER, 5), some)).isTrue();
        assertThat(may(doubles(Operator.GREATER, 5), none)).isFalse();
        assertThat(must(doubles(Operator.LESS, 5), unknown)).isFalse();
        assertThat(must(doubles(Operator.LESS, 5), some)).isFalse();
        assertThat(must(doubles(Operator.LESS, 5), none)).isTrue();
        assertThat(must(doubles(Operator.GREATER, 0), some)).isTrue();
        assertThat(must(doubles(Operator.NOT_EQUAL, 7), some)).isTrue();
        assertThat(may(Expressions.equal(DOUBLE, Double.NaN), none)).isFalse();
        assertThat(may(Expressions.equal(DOUBLE, Double.NaN), some)).isTrue();
        assertThat(may(Expressions.isNaN(DOUBLE), none)).isFalse();
    }

    /** A file of one number and NaN: equal bounds do not mean that every value is the bound. */
    @Test
    void nanIsNotOneOfTheLiterals() {
        Metrics some = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(1, 1L), 1d, 1d);
        Metrics none = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(1, 0L), 1d, 1d);
        Expression in = Expressions.in(DOUBLE, List.of(1d, 2d));

        assertThat(may(new Not(in), some)).isTrue();
        assertThat(may(new Not(in), none)).isFalse();
        assertThat(must(in, some)).isFalse();
        assertThat(must(in, none)).isTrue();
    }

    /** Spark: isnan(NULL) is false, so its negation is true. */
    @Test
    void nullsAreNotNaN() {
        var metrics = new Metrics(10, Map.of(), Map.of(1, 10L), Map.of(1, 10L), Map.of(1, 0L), Map.of(), Map.of());

        assertThat(may(new Not(Expressions.isNaN(DOUBLE)), metrics)).isTrue();
        assertThat(must(new Not(Expressions.isNaN(DOUBLE)), metrics)).isTrue();
        assertThat(may(Expressions.isNaN(DOUBLE), metrics)).isFalse();
    }

    @Test
    void onlyNaNIsProvenNaN() {
        var metrics = new Metrics(10, Map.of(), Map.of(1, 10L), Map.of(1, 0L), Map.of(1, 10L), Map.of(), Map.of());

        assertThat(must(Expressions.isNaN(DOUBLE), metrics)).isTrue();
        assertThat(must(Expressions.equal(DOUBLE, Double.NaN), metrics)).isTrue();
        assertThat(may(doubles(Operator.LESS, 1), metrics)).isFalse();
    }

    @Test
    void nanInBoundsMakesThemWorthless() {
        Metrics metrics = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(1, 0L), Double.NaN, 2d);

        assertThat(may(doubles(Operator.GREATER, 5), metrics)).isTrue();
        assertThat(may(doubles(Operator.LESS, -5), metrics)).isTrue();
        assertThat(must(doubles(Operator.LESS, 5), metrics)).isFalse();
    }

    @Test
    void zerosOfBothSignsAreEqual() {
        Metrics metrics = metrics(Type.Simple.DOUBLE, 10, 0, Map.of(1, 0L), -0d, 0d);

        assertThat(must(doubles(Operator.EQUAL, 0), metrics)).isTrue();
        assertThat(may(doubles(Operator.LESS, 0), metrics)).isFalse();
    }

    @Test
    void prefixesAreLookedForWithinCutBounds() {
        Metrics metrics = metrics(Type.Simple.STRING, 10, 0, Map.of(), "abc", "abf");

        assertThat(may(Expressions.startsWith(STRING, "abd"), metrics)).isTrue();
        assertThat(may(Expressions.startsWith(STRING, "abcx"), metrics)).isTrue();
        assertThat(may(Expressions.startsWith(STRING, "aa"), metrics)).isFalse();
        assertThat(may(Expressions.startsWith(STRING, "ac"), metrics)).isFalse();
        assertThat(must(Expressions.startsWith(STRING, "ab"), metrics)).isTrue();
        assertThat(must(Expressions.startsWith(STRING, "abc"), metrics)).isFalse();
        assertThat(may(new Not(Expressions.startsWith(STRING, "ab")), metrics)).isFalse();
        assertThat(must(new Not(Expressions.startsWith(STRING, "ac")), metrics)).isTrue();
    }

    @Test
    void emptyFilesHaveNoRowThatMatchesAndNoneThatDoesNot() {
        assertThat(may(Constant.TRUE, Metrics.ofCount(0))).isFalse();
        assertThat(must(ints(Operator.EQUAL, 1), Metrics.ofCount(0))).isTrue();
    }

    @Test
    void constantsAreWhatTheyAre() {
        assertThat(may(Constant.TRUE, Metrics.ofCount(1))).isTrue();
        assertThat(must(Constant.TRUE, Metrics.ofCount(1))).isTrue();
        assertThat(may(Constant.FALSE, Metrics.ofCount(1))).isFalse();
        assertThat(must(Constant.FALSE, Metrics.ofCount(1))).isFalse();
    }
}
