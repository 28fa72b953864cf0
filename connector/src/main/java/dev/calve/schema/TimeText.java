package dev.calve.schema;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;

/**
 * Dates, times and timestamps as ISO 8601 text, as the specification's JSON and partition paths have them: the fraction
 * of a second is as long as it needs to be, timestamps with zone are in UTC and end in {@code +00:00}.
 *
 * <p>The parsers throw {@link IllegalArgumentException} for text of another form, or finer than the unit.
 */
public final class TimeText {

    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SECONDS_PER_DAY = 86_400;

    private TimeText() {}

    static long perDay(boolean nanos) {
        return SECONDS_PER_DAY * (nanos ? NANOS_PER_SECOND : MICROS_PER_SECOND);
    }

    /** {@code 2017-11-16} from days since 1970-01-01. */
    public static String date(int days) {
        return LocalDate.ofEpochDay(days).toString();
    }

    /** {@code 22:31:08.123456} from microseconds since midnight. */
    public static String time(long micros) {
        return DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(micros * NANOS_PER_MICRO));
    }

    /** {@code 2017-11-16T22:31:08.123456} from microseconds or nanoseconds since 1970-01-01T00:00. */
    public static String timestamp(long value, boolean nanos, boolean zoned) {
        long perSecond = nanos ? NANOS_PER_SECOND : MICROS_PER_SECOND;
        long fraction = Math.floorMod(value, perSecond) * (nanos ? 1 : NANOS_PER_MICRO);
        var time =
                LocalDateTime.ofEpochSecond(Math.floorDiv(value, perSecond), Math.toIntExact(fraction), ZoneOffset.UTC);
        return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time) + (zoned ? "+00:00" : "");
    }

    static int parseDate(String text) {
        try {
            return Math.toIntExact(LocalDate.parse(text).toEpochDay());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("Date must look like '2017-11-16', not '" + text + "'.", e);
        }
    }

    static long parseTime(String text) {
        try {
            return micros(LocalTime.parse(text).toNanoOfDay());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("Time must look like '22:31:08.123456', not '" + text + "'.", e);
        }
    }

    static long parseTimestamp(String text, boolean nanos, boolean zoned) {
        try {
            LocalDateTime time = zoned ? utc(text) : LocalDateTime.parse(text);
            long perSecond = nanos ? NANOS_PER_SECOND : MICROS_PER_SECOND;
            long fraction = time.get(ChronoField.NANO_OF_SECOND);
            return Math.addExact(
                    Math.multiplyExact(time.toEpochSecond(ZoneOffset.UTC), perSecond),
                    nanos ? fraction : micros(fraction));
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "Timestamp must look like '2017-11-16T22:31:08." + (nanos ? "123456789" : "123456")
                            + (zoned ? "+00:00" : "") + "', not '" + text + "'.",
                    e);
        }
    }

    private static LocalDateTime utc(String text) {
        OffsetDateTime time = OffsetDateTime.parse(text);
        if (!time.getOffset().equals(ZoneOffset.UTC)) {
            throw new DateTimeException("Offset must be +00:00, not " + time.getOffset());
        }
        return time.toLocalDateTime();
    }

    private static long micros(long nanos) {
        if (nanos % NANOS_PER_MICRO != 0) {
            throw new ArithmeticException("Finer than a microsecond");
        }
        return nanos / NANOS_PER_MICRO;
    }
}
