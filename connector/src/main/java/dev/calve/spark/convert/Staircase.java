package dev.calve.spark.convert;

import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A function of a column that never falls while the column rises, as the year of a date: what it says about a value is said by
 * comparing the column with the edge where the function reaches that value.
 *
 * <pre>
 * f(x) >= v   is   x >= reaches(v)          f(x) > v    is   x >= passes(v)
 * f(x) <  v   is   x <  reaches(v)          f(x) <= v   is   x <  passes(v)
 * </pre>
 */
interface Staircase {

    /** Empty if the function cannot be turned around there. */
    Optional<Edge> reaches(Object value);

    /** Empty if the function cannot be turned around there. */
    Optional<Edge> passes(Object value);

    /**
     * The least value of the column from which on something holds; null if it holds for none. Where only Spark knows which one it
     * is, the least and the greatest it can be.
     */
    record Edge(@Nullable Object least, @Nullable Object greatest) {

        static Edge at(@Nullable Object value) {
            return new Edge(value, value);
        }

        boolean isExact() {
            return least == null ? greatest == null : least.equals(greatest);
        }
    }

    /** The function that first goes the inner steps, from which it takes its column, then these, which must be exact. */
    default Staircase after(Staircase inner) {
        Staircase outer = this;
        return new Staircase() {
            @Override
            public Optional<Edge> reaches(Object value) {
                return outer.reaches(value).flatMap(this::inner);
            }

            @Override
            public Optional<Edge> passes(Object value) {
                return outer.passes(value).flatMap(this::inner);
            }

            private Optional<Edge> inner(Edge edge) {
                return edge.least() == null ? Optional.of(edge) : inner.reaches(edge.least());
            }
        };
    }

    /**
     * A whole number or decimal as another type that holds each of its values, compared with numbers as {@link BigDecimal}.
     *
     * @param type of the column: int, long or decimal
     */
    static Staircase ofNumber(Type type) {
        int scale = type instanceof Type.Decimal decimal ? decimal.scale() : 0;
        BigDecimal step = new BigDecimal(BigInteger.ONE, scale);
        return new Staircase() {
            @Override
            public Optional<Edge> reaches(Object value) {
                return Optional.of(edge(((BigDecimal) value).setScale(scale, RoundingMode.CEILING)));
            }

            @Override
            public Optional<Edge> passes(Object value) {
                return Optional.of(edge(
                        ((BigDecimal) value).setScale(scale, RoundingMode.FLOOR).add(step)));
            }

            private Edge edge(BigDecimal number) {
                BigDecimal greatest = greatest(type);
                if (number.compareTo(greatest) > 0) {
                    return Edge.at(null);
                }
                BigDecimal least = type instanceof Type.Decimal
                        ? greatest.negate()
                        : greatest.negate().subtract(BigDecimal.ONE);
                return Edge.at(value(type, number.max(least)));
            }
        };
    }

    private static BigDecimal greatest(Type type) {
        if (type instanceof Type.Decimal decimal) {
            return new BigDecimal(BigInteger.TEN.pow(decimal.precision()).subtract(BigInteger.ONE), decimal.scale());
        }
        return BigDecimal.valueOf(type == Type.Simple.INT ? Integer.MAX_VALUE : Long.MAX_VALUE);
    }

    private static Object value(Type type, BigDecimal number) {
        if (type instanceof Type.Decimal decimal) {
            return number.setScale(decimal.scale(), RoundingMode.UNNECESSARY);
        }
        return type == Type.Simple.INT ? (Object) number.intValueExact() : (Object) number.longValueExact();
    }

    /** The greatest value of the column's type; empty for types that have none, or none that matters here. */
    static Optional<Object> greatestOf(Type type) {
        if (type == Type.Simple.DATE) {
            return Optional.of(Integer.MAX_VALUE);
        }
        boolean isLong = type == Type.Simple.TIMESTAMP || type == Type.Simple.TIMESTAMPTZ;
        if (isLong) {
            return Optional.of(Long.MAX_VALUE);
        }
        boolean isNumber = type == Type.Simple.INT || type == Type.Simple.LONG || type instanceof Type.Decimal;
        return isNumber ? Optional.of(value(type, greatest(type))) : Optional.empty();
    }

    /**
     * A timestamp's date, as days.
     *
     * @param spreadMicros 0 for timestamps without a zone. Which zone a query casts in is not said: it may be that of a view, not
     *     the session's. So the midnights of all zones are taken into account
     */
    static Staircase dateOfTimestamp(long spreadMicros) {
        long day = ChronoUnit.DAYS.getDuration().toNanos() / 1000;
        return new Staircase() {
            @Override
            public Optional<Edge> reaches(Object value) {
                return midnight((Integer) value);
            }

            @Override
            public Optional<Edge> passes(Object value) {
                return midnight((Integer) value + 1L);
            }

            private Optional<Edge> midnight(long days) {
                try {
                    long utc = Math.multiplyExact(days, day);
                    return Optional.of(
                            new Edge(Math.subtractExact(utc, spreadMicros), Math.addExact(utc, spreadMicros)));
                } catch (ArithmeticException e) {
                    return Optional.empty();
                }
            }
        };
    }

    /** A date as a timestamp without a zone. */
    static Staircase timestampOfDate() {
        long day = ChronoUnit.DAYS.getDuration().toNanos() / 1000;
        return new Staircase() {
            @Override
            public Optional<Edge> reaches(Object value) {
                long days = Math.floorDiv((Long) value, day);
                return days(days * day == (Long) value ? days : days + 1);
            }

            @Override
            public Optional<Edge> passes(Object value) {
                return days(Math.floorDiv((Long) value, day) + 1);
            }

            private Optional<Edge> days(long days) {
                return Optional.of(Edge.at(Math.toIntExact(days)));
            }
        };
    }

    /** A date's year. */
    static Staircase yearOfDate() {
        return new Staircase() {
            @Override
            public Optional<Edge> reaches(Object value) {
                return firstDayOf((Integer) value);
            }

            @Override
            public Optional<Edge> passes(Object value) {
                return firstDayOf((Integer) value + 1L);
            }

            private Optional<Edge> firstDayOf(long year) {
                try {
                    return days(LocalDate.of(Math.toIntExact(year), 1, 1));
                } catch (DateTimeException | ArithmeticException e) {
                    return Optional.empty();
                }
            }
        };
    }

    /**
     * A date's first day of a year, quarter, month or week, by the names Spark's {@code trunc} knows.
     *
     * @return empty for other names
     */
    static Optional<Staircase> truncatedDate(String unit) {
        return switch (unit.toUpperCase(Locale.ROOT)) {
            case "YEAR", "YYYY", "YY" ->
                Optional.of(truncatedDate(date -> date.withDayOfYear(1), date -> date.plusYears(1)));
            case "QUARTER" ->
                Optional.of(truncatedDate(date -> date.with(IsoFields.DAY_OF_QUARTER, 1), date -> date.plusMonths(3)));
            case "MONTH", "MON", "MM" ->
                Optional.of(truncatedDate(date -> date.withDayOfMonth(1), date -> date.plusMonths(1)));
            case "WEEK" ->
                Optional.of(truncatedDate(
                        date -> date.minusDays(date.getDayOfWeek().getValue() - 1L), date -> date.plusWeeks(1)));
            default -> Optional.empty();
        };
    }

    private static Staircase truncatedDate(UnaryOperator<LocalDate> first, UnaryOperator<LocalDate> next) {
        return new Staircase() {
            @Override
            public Optional<Edge> reaches(Object value) {
                LocalDate date = LocalDate.ofEpochDay((Integer) value);
                LocalDate start = first.apply(date);
                return days(start.equals(date) ? start : next.apply(start));
            }

            @Override
            public Optional<Edge> passes(Object value) {
                return days(next.apply(first.apply(LocalDate.ofEpochDay((Integer) value))));
            }
        };
    }

    private static Optional<Edge> days(LocalDate date) {
        long days = date.toEpochDay();
        return (int) days == days ? Optional.of(Edge.at((int) days)) : Optional.empty();
    }
}
