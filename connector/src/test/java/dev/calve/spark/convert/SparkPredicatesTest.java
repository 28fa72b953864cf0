package dev.calve.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Expression;
import dev.calve.expression.RowEvaluator;
import dev.calve.expression.Truth;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Extract;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.UserDefinedScalarFunc;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Or;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SparkPredicatesTest {

    private static final List<String> OPERATORS = List.of("=", "<>", "<", "<=", ">", ">=");

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.optional(1, "i", Type.Simple.INT),
                    Field.optional(2, "l", Type.Simple.LONG),
                    Field.optional(3, "dec", new Type.Decimal(6, 2)),
                    Field.optional(4, "dt", Type.Simple.DATE),
                    Field.optional(5, "ntz", Type.Simple.TIMESTAMP),
                    Field.optional(6, "ts", Type.Simple.TIMESTAMPTZ),
                    Field.optional(7, "s", Type.Simple.STRING),
                    Field.optional(8, "u", Type.Simple.UUID),
                    Field.optional(9, "d", Type.Simple.DOUBLE)));

    private static final SparkPredicates PREDICATES = new SparkPredicates(SCHEMA, false);

    private static org.apache.spark.sql.connector.expressions.Expression column(String name) {
        return FieldReference.column(name);
    }

    private static LiteralValue<?> literal(@Nullable Object value, DataType type) {
        return new LiteralValue<>(value, type);
    }

    private static Predicate predicate(String name, org.apache.spark.sql.connector.expressions.Expression... children) {
        return new Predicate(name, children);
    }

    private static Truth on(Expression expression, String column, @Nullable Object value) {
        Map<Integer, @Nullable Object> row = new HashMap<>();
        row.put(SCHEMA.field(column).orElseThrow().id(), value);
        return RowEvaluator.of(expression).evaluate(row::get);
    }

    private static boolean holds(String operator, int order) {
        return switch (operator) {
            case "=" -> order == 0;
            case "<>" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    /** What the function gives for a value is compared with each literal, by hand and by the translation. */
    private static <T extends Comparable<T>> int assertExact(
            String column,
            org.apache.spark.sql.connector.expressions.Expression function,
            List<?> values,
            Function<Object, T> result,
            List<T> literals,
            Function<T, LiteralValue<?>> inSpark) {
        int compared = 0;
        for (T literal : literals) {
            for (String operator : OPERATORS) {
                Predicate predicate = predicate(operator, function, inSpark.apply(literal));
                Expression exact = PREDICATES.exact(predicate).orElseThrow(() -> new AssertionError(predicate));
                for (Object value : values) {
                    int order = result.apply(value).compareTo(literal);
                    assertThat(on(exact, column, value))
                            .as("%s on %s", predicate, value)
                            .isEqualTo(Truth.of(holds(operator, order)));
                    compared++;
                }
                assertThat(on(exact, column, null)).isEqualTo(Truth.UNKNOWN);
            }
        }
        return compared;
    }

    @Test
    void comparesWholeNumbersWithFractionsExactly() {
        var values = List.of(-3, 0, 2, 3, Integer.MAX_VALUE, Integer.MIN_VALUE);
        var literals = List.of(
                new BigDecimal("2.5"),
                new BigDecimal("2.0"),
                new BigDecimal("-3.1"),
                new BigDecimal("2147483647.0"),
                new BigDecimal("2147483647.5"),
                new BigDecimal("-2147483648.5"),
                new BigDecimal("9999999999.0"));
        DataType decimal = DataTypes.createDecimalType(11, 1);
        Function<BigDecimal, LiteralValue<?>> inSpark = number -> literal(Decimal.apply(number, 11, 1), decimal);
        assertExact(
                "i",
                new Cast(column("i"), DataTypes.IntegerType, decimal),
                values,
                value -> new BigDecimal((Integer) value),
                literals,
                inSpark);
        assertExact(
                "i",
                new Cast(column("i"), DataTypes.IntegerType, DataTypes.DoubleType),
                values,
                value -> (double) (Integer) value,
                List.of(2.5, 2.0, -3.1, 2147483647.5, 1e300, -1e300),
                number -> literal(number, DataTypes.DoubleType));
        assertExact(
                "i",
                new Cast(column("i"), DataTypes.IntegerType, DataTypes.LongType),
                values,
                value -> (long) (Integer) value,
                List.of(2L, 2147483648L, -2147483649L, Long.MAX_VALUE),
                number -> literal(number, DataTypes.LongType));
        DataType wide = DataTypes.createDecimalType(20, 3);
        assertExact(
                "dec",
                new Cast(column("dec"), DataTypes.createDecimalType(6, 2), wide),
                List.of(new BigDecimal("1.25"), new BigDecimal("9999.99"), new BigDecimal("-9999.99")),
                value -> (BigDecimal) value,
                List.of(
                        new BigDecimal("1.245"),
                        new BigDecimal("1.250"),
                        new BigDecimal("10000.000"),
                        new BigDecimal("-9999.995")),
                number -> literal(Decimal.apply(number, 20, 3), wide));
    }

    @Test
    void leavesCastsThatLoseDigitsToSpark() {
        DataType narrow = DataTypes.createDecimalType(10, 1);
        for (var cast : List.of(
                new Cast(column("i"), DataTypes.IntegerType, narrow),
                new Cast(column("l"), DataTypes.LongType, DataTypes.DoubleType),
                new Cast(column("i"), DataTypes.IntegerType, DataTypes.FloatType),
                new Cast(column("s"), DataTypes.StringType, DataTypes.DateType),
                new Cast(column("dec"), DataTypes.createDecimalType(6, 2), DataTypes.createDecimalType(20, 1)))) {
            var converted = PREDICATES.convert(predicate("=", cast, literal(null, cast.dataType())));
            assertThat(converted.exact()).as("%s", cast).isFalse();
            assertThat(converted.expression()).isEqualTo(Expression.Constant.TRUE);
        }
    }

    private static final List<LocalDate> DATES = List.of(
            LocalDate.parse("1969-12-31"),
            LocalDate.parse("1970-01-01"),
            LocalDate.parse("2024-02-29"),
            LocalDate.parse("2023-12-31"),
            LocalDate.parse("2024-01-01"),
            LocalDate.parse("2024-12-30"),
            LocalDate.parse("0001-01-01"));

    private static int days(LocalDate date) {
        return Math.toIntExact(date.toEpochDay());
    }

    private static List<Integer> allDays() {
        var days = new ArrayList<Integer>();
        DATES.forEach(date -> days.addAll(List.of(days(date) - 1, days(date), days(date) + 1)));
        return days;
    }

    @Test
    void turnsYearsAndMonthsOfDatesIntoRanges() {
        assertExact(
                "dt",
                new Extract("YEAR", column("dt")),
                allDays(),
                value -> LocalDate.ofEpochDay((Integer) value).getYear(),
                List.of(2023, 2024, 1970, 1969, 1),
                year -> literal(year, DataTypes.IntegerType));
        Map<String, Function<LocalDate, LocalDate>> units = Map.of(
                "year", date -> date.withDayOfYear(1),
                "quarter", date -> LocalDate.of(date.getYear(), (date.getMonthValue() - 1) / 3 * 3 + 1, 1),
                "MM", date -> date.withDayOfMonth(1),
                "week", date -> date.minusDays(date.getDayOfWeek().getValue() - 1));
        units.forEach((unit, first) -> assertExact(
                "dt",
                new GeneralScalarExpression("TRUNC", new org.apache.spark.sql.connector.expressions.Expression[] {
                    column("dt"), literal(UTF8String.fromString(unit), DataTypes.StringType)
                }),
                allDays(),
                value -> days(first.apply(LocalDate.ofEpochDay((Integer) value))),
                allDays(),
                day -> literal(day, DataTypes.DateType)));
    }

    private static long micros(LocalDateTime time) {
        return ChronoUnit.MICROS.between(LocalDateTime.parse("1970-01-01T00:00:00"), time);
    }

    private static List<Long> allTimes() {
        var times = new ArrayList<Long>();
        DATES.forEach(date -> {
            long midnight = micros(date.atStartOfDay());
            times.addAll(List.of(midnight - 1, midnight, midnight + 1));
        });
        return times;
    }

    private static LocalDate dateOf(Object micros) {
        return LocalDate.ofEpochDay(Math.floorDiv((Long) micros, 86_400_000_000L));
    }

    @Test
    void turnsDatesAndYearsOfTimesWithoutZoneIntoRanges() {
        var date = new Cast(column("ntz"), DataTypes.TimestampNTZType, DataTypes.DateType);
        assertExact(
                "ntz",
                date,
                allTimes(),
                value -> days(dateOf(value)),
                allDays(),
                day -> literal(day, DataTypes.DateType));
        assertExact(
                "ntz",
                new Extract("YEAR", date),
                allTimes(),
                value -> dateOf(value).getYear(),
                List.of(2023, 2024, 1969, 1970),
                year -> literal(year, DataTypes.IntegerType));
        assertExact(
                "dt",
                new Cast(column("dt"), DataTypes.DateType, DataTypes.TimestampNTZType),
                allDays(),
                value -> (Integer) value * 86_400_000_000L,
                allTimes(),
                time -> literal(time, DataTypes.TimestampNTZType));
    }

    /** Which zone a cast is in is not said, as it may be that of a view: no zone's answer is contradicted. */
    @Test
    void prunesDatesOfTimesByEveryZone() {
        var random = new Random(42);
        var zones = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        var date = new Cast(column("ts"), DataTypes.TimestampType, DataTypes.DateType);
        int pruned = 0;
        for (int i = 0; i < 3_000; i++) {
            ZoneId zone = i % 10 == 0
                    ? ZoneOffset.ofHours(random.nextInt(-18, 19))
                    : ZoneId.of(zones.get(random.nextInt(zones.size())));
            Instant instant = Instant.ofEpochSecond(random.nextLong(-5_000_000_000L, 5_000_000_000L));
            LocalDate local = instant.atZone(zone).toLocalDate();
            long value = instant.getEpochSecond() * 1_000_000;
            String operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
            boolean byYear = random.nextBoolean();
            int literal = byYear ? local.getYear() + random.nextInt(-1, 2) : days(local) + random.nextInt(-3, 4);
            int order = Integer.compare(byYear ? local.getYear() : days(local), literal);
            Predicate predicate = byYear
                    ? predicate(operator, new Extract("YEAR", date), literal(literal, DataTypes.IntegerType))
                    : predicate(operator, date, literal(literal, DataTypes.DateType));
            boolean negated = random.nextBoolean();
            var converted = PREDICATES.convert(negated ? new Not(predicate) : predicate);
            assertThat(converted.exact()).isFalse();
            boolean isTrue = on(converted.expression(), "ts", value).isTrue();
            assertThat(isTrue || holds(operator, order) == negated)
                    .as("%s %s of %s in %s", negated, predicate, instant, zone)
                    .isTrue();
            pruned += isTrue ? 0 : 1;
        }
        assertThat(pruned).isGreaterThan(300);
    }

    @Test
    void knowsThePartitionFunctions() {
        var bucket = new UserDefinedScalarFunc(
                "bucket", "iceberg.bucket(bigint)", new org.apache.spark.sql.connector.expressions.Expression[] {
                    literal(16, DataTypes.IntegerType), column("l")
                });
        // Spec, Appendix B: the hash of 34 is 2017239379, which is 3 modulo 16.
        Expression third = PREDICATES
                .exact(predicate("=", bucket, literal(3, DataTypes.IntegerType)))
                .orElseThrow();
        assertThat(on(third, "l", 34L)).isEqualTo(Truth.TRUE);
        assertThat(on(third, "l", 35L)).isEqualTo(Truth.FALSE);
        assertThat(on(third, "l", null)).isEqualTo(Truth.UNKNOWN);
        var days = new UserDefinedScalarFunc(
                "days",
                "iceberg.days(timestamp)",
                new org.apache.spark.sql.connector.expressions.Expression[] {column("ts")});
        Expression first = PREDICATES
                .exact(predicate("<=>", days, literal(0, DataTypes.DateType)))
                .orElseThrow();
        assertThat(on(first, "ts", 86_399_999_999L)).isEqualTo(Truth.TRUE);
        assertThat(on(first, "ts", 86_400_000_000L)).isEqualTo(Truth.FALSE);
        assertThat(on(first, "ts", null)).isEqualTo(Truth.FALSE);
        var ofText = new UserDefinedScalarFunc(
                "bucket", "iceberg.bucket(string)", new org.apache.spark.sql.connector.expressions.Expression[] {
                    literal(16, DataTypes.IntegerType), column("u")
                });
        var other = new UserDefinedScalarFunc(
                "bucket", "mine.bucket(bigint)", new org.apache.spark.sql.connector.expressions.Expression[] {
                    literal(16, DataTypes.IntegerType), column("l")
                });
        assertThat(PREDICATES.exact(predicate("=", ofText, literal(3, DataTypes.IntegerType))))
                .isEmpty();
        assertThat(PREDICATES.exact(predicate("=", other, literal(3, DataTypes.IntegerType))))
                .isEmpty();
    }

    private static Predicate unknown() {
        return predicate(
                "=",
                new GeneralScalarExpression(
                        "SIN", new org.apache.spark.sql.connector.expressions.Expression[] {column("d")}),
                literal(0d, DataTypes.DoubleType));
    }

    /** Half of what stands under OR and NOT prunes still. */
    @Test
    void prunesByWhatItKnowsOfAPredicate() {
        Predicate one = predicate("=", column("i"), literal(1, DataTypes.IntegerType));
        Predicate two = predicate("=", column("i"), literal(2, DataTypes.IntegerType));
        var converted = PREDICATES.convert(new Or(new And(one, unknown()), new And(unknown(), two)));
        assertThat(converted.exact()).isFalse();
        assertThat(on(converted.expression(), "i", 1)).isEqualTo(Truth.TRUE);
        assertThat(on(converted.expression(), "i", 3)).isEqualTo(Truth.FALSE);
        var negated = PREDICATES.convert(new Not(new Or(one, unknown())));
        assertThat(on(negated.expression(), "i", 1)).isEqualTo(Truth.FALSE);
        assertThat(on(negated.expression(), "i", 2)).isEqualTo(Truth.TRUE);
        assertThat(PREDICATES.convert(new Or(one, unknown())).expression()).isEqualTo(Expression.Constant.TRUE);
        assertThat(PREDICATES.convert(new Not(new And(one, unknown()))).expression())
                .isEqualTo(Expression.Constant.TRUE);
    }

    /** {@code i IN (1, NULL)} is UNKNOWN where it is not TRUE; {@code NOT IN} is never TRUE. */
    @Test
    void treatsANullInAListAsSparkDoes() {
        Predicate in =
                predicate("IN", column("i"), literal(1, DataTypes.IntegerType), literal(null, DataTypes.IntegerType));
        assertThat(PREDICATES.exact(in)).isEqualTo(Optional.empty());
        Expression weaker = PREDICATES.convert(in).expression();
        assertThat(on(weaker, "i", 1)).isEqualTo(Truth.TRUE);
        assertThat(on(weaker, "i", 2)).isEqualTo(Truth.FALSE);
        assertThat(PREDICATES.convert(new Not(in)).expression()).isEqualTo(Expression.Constant.TRUE);
    }
}
