package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProjectionTest {

    private static final Column INT = new Column(1, Type.Simple.INT, false);
    private static final Column STRING = new Column(1, Type.Simple.STRING, false);
    private static final Column DATE = new Column(1, Type.Simple.DATE, false);
    private static final Column TIMESTAMP = new Column(1, Type.Simple.TIMESTAMP, false);

    private static final Column INT_PARTITION = new Column(1000, Type.Simple.INT, false);
    private static final Column DATE_PARTITION = new Column(1000, Type.Simple.DATE, false);
    private static final Column STRING_PARTITION = new Column(1000, Type.Simple.STRING, false);

    private static PartitionSpec by(Transform... transforms) {
        var fields = new ArrayList<PartitionField>();
        for (Transform transform : transforms) {
            fields.add(PartitionField.of(1, 1000 + fields.size(), "p" + fields.size(), transform));
        }
        return new PartitionSpec(3, fields);
    }

    private static Expression inclusive(Transform transform, Expression expression) {
        return Projection.inclusive(by(transform), expression);
    }

    private static Expression strict(Transform transform, Expression expression) {
        return Projection.strict(by(transform), expression);
    }

    private static long micros(String text) {
        return LocalDateTime.parse(text).toEpochSecond(ZoneOffset.UTC) * 1_000_000;
    }

    private static int day(String text) {
        return Math.toIntExact(LocalDate.parse(text).toEpochDay());
    }

    private static Comparison compare(Column column, Operator operator, Object literal) {
        return new Comparison(column, operator, literal);
    }

    /** Spec, Appendix B: the hash of 34 is 2017239379, which is 3 modulo 16. */
    @Test
    void bucketKeepsEqualityOnly() {
        var bucket = new Transform.Bucket(16);
        var notNull = new Not(new IsNull(INT_PARTITION));

        assertThat(inclusive(bucket, compare(INT, Operator.EQUAL, 34)))
                .isEqualTo(compare(INT_PARTITION, Operator.EQUAL, 3));
        assertThat(strict(bucket, compare(INT, Operator.EQUAL, 34))).isEqualTo(Constant.FALSE);
        assertThat(inclusive(bucket, compare(INT, Operator.NOT_EQUAL, 34))).isEqualTo(notNull);
        assertThat(strict(bucket, compare(INT, Operator.NOT_EQUAL, 34)))
                .isEqualTo(compare(INT_PARTITION, Operator.NOT_EQUAL, 3));
        assertThat(inclusive(bucket, compare(INT, Operator.LESS, 34))).isEqualTo(notNull);
        assertThat(strict(bucket, compare(INT, Operator.LESS, 34))).isEqualTo(Constant.FALSE);
        assertThat(inclusive(bucket, new IsNull(INT))).isEqualTo(new IsNull(INT_PARTITION));
        assertThat(strict(bucket, new IsNull(INT))).isEqualTo(new IsNull(INT_PARTITION));
    }

    @Test
    void truncateKeepsOrderOfNumbers() {
        var truncate = new Transform.Truncate(10);

        assertThat(inclusive(truncate, compare(INT, Operator.LESS, 20)))
                .isEqualTo(
                        Expressions.or(compare(INT_PARTITION, Operator.LESS_OR_EQUAL, 10), overflown(Operator.EQUAL)));
        assertThat(inclusive(truncate, compare(INT, Operator.LESS, 21)))
                .isEqualTo(
                        Expressions.or(compare(INT_PARTITION, Operator.LESS_OR_EQUAL, 20), overflown(Operator.EQUAL)));
        assertThat(strict(truncate, compare(INT, Operator.LESS, 21)))
                .isEqualTo(compare(INT_PARTITION, Operator.LESS, 20));
        assertThat(strict(truncate, compare(INT, Operator.LESS_OR_EQUAL, 19)))
                .isEqualTo(compare(INT_PARTITION, Operator.LESS, 20));
        assertThat(inclusive(truncate, compare(INT, Operator.GREATER, 9)))
                .isEqualTo(compare(INT_PARTITION, Operator.GREATER_OR_EQUAL, 10));
        assertThat(strict(truncate, compare(INT, Operator.GREATER, 9)))
                .isEqualTo(Expressions.and(compare(INT_PARTITION, Operator.GREATER, 0), overflown(Operator.NOT_EQUAL)));
        assertThat(inclusive(truncate, compare(INT, Operator.EQUAL, -1)))
                .isEqualTo(compare(INT_PARTITION, Operator.EQUAL, -10));
        assertThat(strict(truncate, compare(INT, Operator.EQUAL, -1))).isEqualTo(Constant.FALSE);
    }

    /** -2147483648 minus 2, its rest modulo 10, is 2147483646 in 32 bits. */
    private static Comparison overflown(Operator operator) {
        return compare(INT_PARTITION, operator, 2147483646);
    }

    @Test
    void truncateKeepsOrderOfDecimalsAtTheirScale() {
        var column = new Column(1, new Type.Decimal(9, 2), false);
        var partition = new Column(1000, new Type.Decimal(9, 2), false);

        assertThat(inclusive(
                        new Transform.Truncate(50),
                        Expressions.comparison(column, Operator.LESS, new BigDecimal("10.65"))))
                .isEqualTo(compare(partition, Operator.LESS_OR_EQUAL, new BigDecimal("10.50")));
    }

    @Test
    void truncateKeepsPrefixesOfStrings() {
        var truncate = new Transform.Truncate(3);

        assertThat(inclusive(truncate, new StartsWith(STRING, "ab"))).isEqualTo(new StartsWith(STRING_PARTITION, "ab"));
        assertThat(strict(truncate, new StartsWith(STRING, "ab"))).isEqualTo(new StartsWith(STRING_PARTITION, "ab"));
        assertThat(inclusive(truncate, new StartsWith(STRING, "abcd")))
                .isEqualTo(compare(STRING_PARTITION, Operator.EQUAL, "abc"));
        assertThat(strict(truncate, new StartsWith(STRING, "abcd"))).isEqualTo(Constant.FALSE);
        assertThat(strict(truncate, new Not(new StartsWith(STRING, "abcd"))))
                .isEqualTo(compare(STRING_PARTITION, Operator.NOT_EQUAL, "abc"));
        // Four UTF-16 units, but two code points.
        assertThat(strict(truncate, new StartsWith(STRING, "\uD83D\uDE00\uD83D\uDE00")))
                .isEqualTo(new StartsWith(STRING_PARTITION, "\uD83D\uDE00\uD83D\uDE00"));
    }

    @Test
    void truncateIsExactForStringsShorterThanItsWidth() {
        var truncate = new Transform.Truncate(3);

        assertThat(strict(truncate, compare(STRING, Operator.EQUAL, "ab")))
                .isEqualTo(compare(STRING_PARTITION, Operator.EQUAL, "ab"));
        assertThat(strict(truncate, compare(STRING, Operator.EQUAL, "abc"))).isEqualTo(Constant.FALSE);
        assertThat(inclusive(truncate, compare(STRING, Operator.LESS, "abc")))
                .isEqualTo(compare(STRING_PARTITION, Operator.LESS, "abc"));
        assertThat(inclusive(truncate, compare(STRING, Operator.LESS, "abcd")))
                .isEqualTo(compare(STRING_PARTITION, Operator.LESS_OR_EQUAL, "abc"));
    }

    @Test
    void truncateProvesOrderOfStringsByWholePrefixes() {
        var truncate = new Transform.Truncate(3);

        assertThat(strict(truncate, compare(STRING, Operator.GREATER_OR_EQUAL, "abc")))
                .isEqualTo(compare(STRING_PARTITION, Operator.GREATER_OR_EQUAL, "abc"));
        assertThat(strict(truncate, compare(STRING, Operator.GREATER_OR_EQUAL, "abcd")))
                .isEqualTo(compare(STRING_PARTITION, Operator.GREATER, "abc"));
        assertThat(strict(truncate, compare(STRING, Operator.GREATER, "abc")))
                .isEqualTo(compare(STRING_PARTITION, Operator.GREATER, "abc"));
        assertThat(strict(truncate, compare(STRING, Operator.LESS_OR_EQUAL, "abcd")))
                .isEqualTo(compare(STRING_PARTITION, Operator.LESS, "abc"));
        assertThat(inclusive(truncate, compare(STRING, Operator.GREATER, "abcd")))
                .isEqualTo(compare(STRING_PARTITION, Operator.GREATER_OR_EQUAL, "abc"));
    }

    @Test
    void daysKeepOrderOfTimestamps() {
        long noon = micros("2017-12-01T12:00:00");
        long midnight = micros("2017-12-01T00:00:00");
        int day = day("2017-12-01");

        assertThat(inclusive(Transform.Time.DAY, compare(TIMESTAMP, Operator.LESS, noon)))
                .isEqualTo(compare(DATE_PARTITION, Operator.LESS_OR_EQUAL, day));
        assertThat(inclusive(Transform.Time.DAY, compare(TIMESTAMP, Operator.LESS, midnight)))
                .isEqualTo(compare(DATE_PARTITION, Operator.LESS_OR_EQUAL, day - 1));
        assertThat(strict(Transform.Time.DAY, compare(TIMESTAMP, Operator.LESS, midnight)))
                .isEqualTo(compare(DATE_PARTITION, Operator.LESS, day));
        assertThat(strict(Transform.Time.DAY, compare(TIMESTAMP, Operator.LESS, noon)))
                .isEqualTo(compare(DATE_PARTITION, Operator.LESS, day));
        assertThat(strict(Transform.Time.DAY, compare(TIMESTAMP, Operator.GREATER_OR_EQUAL, midnight)))
                .isEqualTo(compare(DATE_PARTITION, Operator.GREATER, day - 1));
        assertThat(inclusive(Transform.Time.DAY, compare(TIMESTAMP, Operator.EQUAL, noon)))
                .isEqualTo(compare(DATE_PARTITION, Operator.EQUAL, day));
    }

    /** Early writers stored 1969-12-31T12:00 under day 0, now it is under day -1: both may hold it. */
    @Test
    void unitsBefore1970MayBeStoredRoundedUp() {
        long noon = micros("1969-12-31T12:00:00");

        assertThat(inclusive(Transform.Time.DAY, compare(TIMESTAMP, Operator.EQUAL, noon)))
                .isEqualTo(new In(DATE_PARTITION, Set.of(-1, 0)));
        assertThat(inclusive(Transform.Time.DAY, compare(TIMESTAMP, Operator.LESS_OR_EQUAL, noon)))
                .isEqualTo(compare(DATE_PARTITION, Operator.LESS_OR_EQUAL, 0));
        assertThat(inclusive(Transform.Time.DAY, compare(TIMESTAMP, Operator.GREATER_OR_EQUAL, noon)))
                .isEqualTo(compare(DATE_PARTITION, Operator.GREATER_OR_EQUAL, -1));
        assertThat(strict(Transform.Time.DAY, compare(TIMESTAMP, Operator.GREATER, noon)))
                .isEqualTo(compare(DATE_PARTITION, Operator.GREATER, 0));
        assertThat(strict(Transform.Time.DAY, compare(TIMESTAMP, Operator.NOT_EQUAL, noon)))
                .isEqualTo(new Not(new In(DATE_PARTITION, Set.of(-1, 0))));
        assertThat(inclusive(Transform.Time.MONTH, compare(DATE, Operator.EQUAL, day("1969-12-31"))))
                .isEqualTo(new In(INT_PARTITION, Set.of(-1, 0)));
    }

    @Test
    void daysOfDatesAreTheDatesThemselves() {
        int day = day("1969-12-31");

        assertThat(strict(Transform.Time.DAY, compare(DATE, Operator.EQUAL, day)))
                .isEqualTo(compare(DATE_PARTITION, Operator.EQUAL, day));
    }

    @Test
    void theSpecsOwnTransformIsExact() {
        var bucket = new Transform.Bucket(16);
        Expression expression = Expressions.equal(Expressions.transformed(INT, bucket), 3);

        assertThat(inclusive(bucket, expression)).isEqualTo(compare(INT_PARTITION, Operator.EQUAL, 3));
        assertThat(strict(bucket, expression)).isEqualTo(compare(INT_PARTITION, Operator.EQUAL, 3));
        assertThat(inclusive(new Transform.Bucket(8), expression)).isEqualTo(Constant.TRUE);
        assertThat(strict(new Transform.Bucket(8), expression)).isEqualTo(Constant.FALSE);
    }

    @Test
    void identityIsExactForEveryTransformOfTheColumn() {
        Expression expression = Expressions.equal(Expressions.transformed(INT, new Transform.Bucket(16)), 3);
        var certain = new PartitionMatcher(by(Transform.IDENTITY), strict(Transform.IDENTITY, expression));

        assertThat(certain.matches(PartitionTuple.of(34))).isTrue();
        assertThat(certain.matches(PartitionTuple.of((Object) null))).isFalse();
    }

    @Test
    void fieldsThatSayNothingNeitherExcludeNorProve() {
        for (Transform transform : List.of(Transform.VOID, new Transform.Unknown("zorder"))) {
            assertThat(inclusive(transform, compare(INT, Operator.EQUAL, 1))).isEqualTo(Constant.TRUE);
            assertThat(strict(transform, compare(INT, Operator.EQUAL, 1))).isEqualTo(Constant.FALSE);
            assertThat(strict(transform, new IsNull(INT))).isEqualTo(Constant.FALSE);
        }
        var other = new Column(2, Type.Simple.INT, false);
        assertThat(inclusive(Transform.IDENTITY, compare(other, Operator.EQUAL, 1)))
                .isEqualTo(Constant.TRUE);
        assertThat(strict(Transform.IDENTITY, compare(other, Operator.EQUAL, 1)))
                .isEqualTo(Constant.FALSE);
    }

    @Test
    void fieldsOfOneColumnExcludeTogetherAndProveAlone() {
        PartitionSpec spec = by(new Transform.Bucket(16), Transform.IDENTITY);
        var identity = new Column(1001, Type.Simple.INT, false);
        Expression expression = compare(INT, Operator.EQUAL, 34);

        assertThat(Projection.inclusive(spec, expression))
                .isEqualTo(Expressions.and(
                        compare(INT_PARTITION, Operator.EQUAL, 3), compare(identity, Operator.EQUAL, 34)));
        assertThat(Projection.strict(spec, expression)).isEqualTo(compare(identity, Operator.EQUAL, 34));
    }

    /** B06: none of these is TRUE on null, so none may prove a partition of nulls. */
    @Test
    void partitionsOfNullsMatchOnlyNullTests() {
        PartitionSpec spec = by(Transform.IDENTITY);
        PartitionTuple nulls = PartitionTuple.of((Object) null);
        for (Expression expression : List.of(
                Expressions.equal(INT, 2),
                compare(INT, Operator.NOT_EQUAL, 1),
                new Not(compare(INT, Operator.GREATER, 1)),
                new Not(new In(INT, Set.of(1, 5))))) {
            assertThat(new PartitionMatcher(spec, Projection.strict(spec, expression)).matches(nulls))
                    .as("strict %s", expression)
                    .isFalse();
            assertThat(new PartitionMatcher(spec, Projection.inclusive(spec, expression)).matches(nulls))
                    .as("inclusive %s", expression)
                    .isFalse();
            assertThat(Residuals.of(spec, expression).residual(nulls)).isEqualTo(Constant.FALSE);
            assertThat(Residuals.of(spec, expression).residual(PartitionTuple.of(2)))
                    .isEqualTo(
                            expression.equals(new Not(compare(INT, Operator.GREATER, 1)))
                                    ? Constant.FALSE
                                    : Constant.TRUE);
        }
        assertThat(Residuals.of(spec, new IsNull(INT)).residual(nulls)).isEqualTo(Constant.TRUE);
    }

    @Test
    void residualsKeepWhatThePartitionDoesNotDecide() {
        PartitionSpec spec = by(Transform.Time.DAY);
        Expression from = compare(TIMESTAMP, Operator.GREATER_OR_EQUAL, micros("2017-12-01T12:00:00"));
        Expression until = compare(TIMESTAMP, Operator.LESS, micros("2017-12-03T00:00:00"));
        Residuals residuals = Residuals.of(spec, Expressions.and(from, until));

        assertThat(residuals.residual(PartitionTuple.of(day("2017-11-30")))).isEqualTo(Constant.FALSE);
        assertThat(residuals.residual(PartitionTuple.of(day("2017-12-01")))).isEqualTo(from);
        assertThat(residuals.residual(PartitionTuple.of(day("2017-12-02")))).isEqualTo(Constant.TRUE);
        assertThat(residuals.residual(PartitionTuple.of(day("2017-12-03")))).isEqualTo(Constant.FALSE);
    }

    @Test
    void zeroPartitionsOfBothSignsMatchZero() {
        var column = new Column(1, Type.Simple.DOUBLE, false);
        PartitionSpec spec = by(Transform.IDENTITY);
        var matcher = new PartitionMatcher(spec, Projection.strict(spec, Expressions.equal(column, 0d)));

        assertThat(matcher.matches(PartitionTuple.of(-0d))).isTrue();
        assertThat(matcher.matches(PartitionTuple.of(Double.NaN))).isFalse();
    }

    @Test
    void matcherRefusesColumnsThatAreNotPartitionFields() {
        assertThatThrownBy(() -> new PartitionMatcher(by(Transform.IDENTITY), compare(INT, Operator.EQUAL, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not at field 1");
    }

    /** What Spark need not check again: ranges of whole days, values of the column itself, buckets by their number. */
    @Test
    void isExactWhereATupleDecidesEveryRow() {
        Transform day = Transform.Time.DAY;
        long midnight = micros("2024-03-01T00:00:00");
        for (Operator operator : List.of(Operator.LESS, Operator.GREATER_OR_EQUAL)) {
            assertThat(Projection.isExact(by(day), compare(TIMESTAMP, operator, midnight)))
                    .isTrue();
            assertThat(Projection.isExact(by(day), compare(TIMESTAMP, operator, midnight + 1)))
                    .isFalse();
        }
        assertThat(Projection.isExact(by(day), compare(TIMESTAMP, Operator.LESS_OR_EQUAL, midnight - 1)))
                .isTrue();
        Expression march = Expressions.and(
                compare(TIMESTAMP, Operator.GREATER_OR_EQUAL, midnight),
                compare(TIMESTAMP, Operator.LESS, micros("2024-04-01T00:00:00")));
        assertThat(Projection.isExact(by(Transform.Time.MONTH), march)).isTrue();
        assertThat(Projection.isExact(by(Transform.Time.YEAR), march)).isFalse();
        assertThat(Projection.isExact(by(Transform.IDENTITY), Expressions.in(INT, Set.of(1, 2))))
                .isTrue();
        assertThat(Projection.isExact(by(Transform.IDENTITY), Expressions.not(Expressions.isNull(INT))))
                .isTrue();
        var bucket = new Transform.Bucket(16);
        assertThat(Projection.isExact(by(bucket), compare(INT, Operator.EQUAL, 34)))
                .isFalse();
        assertThat(Projection.isExact(by(bucket), Expressions.equal(Expressions.transformed(INT, bucket), 3)))
                .isTrue();
        assertThat(Projection.isExact(
                        by(bucket), Expressions.equal(Expressions.transformed(INT, new Transform.Bucket(8)), 3)))
                .isFalse();
        assertThat(Projection.isExact(by(new Transform.Truncate(3)), Expressions.startsWith(STRING, "abc")))
                .isTrue();
        assertThat(Projection.isExact(by(new Transform.Truncate(3)), Expressions.startsWith(STRING, "abcd")))
                .isFalse();
        assertThat(Projection.isExact(by(Transform.VOID), compare(INT, Operator.EQUAL, 34)))
                .isFalse();
    }

    /** Writers disagree about days before 1970: partition 0 may hold rows of the day before. */
    @Test
    void isNotExactForTimesBefore1970() {
        assertThat(Projection.isExact(by(Transform.Time.DAY), compare(TIMESTAMP, Operator.GREATER_OR_EQUAL, 0L)))
                .isFalse();
    }
}
