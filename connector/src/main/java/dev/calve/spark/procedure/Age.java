package dev.calve.spark.procedure;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spans of time as people write them: {@code 7 days}, {@code 1 day 12 hours}, {@code 90000}, which are milliseconds. */
final class Age {

    private static final Pattern MILLIS = Pattern.compile("\\d+");
    private static final Pattern PART = Pattern.compile("\\s*(\\d+)\\s*([A-Za-z]+)\\s*");

    private Age() {}

    /**
     * The span in milliseconds.
     *
     * @throws IllegalArgumentException if the text is none, or longer than can be stored
     */
    static long millis(String text) {
        String span = text.strip();
        try {
            if (MILLIS.matcher(span).matches()) {
                return Long.parseLong(span);
            }
            Matcher matcher = PART.matcher(span);
            long sum = 0;
            int end = 0;
            while (matcher.find() && matcher.start() == end) {
                sum = Math.addExact(
                        sum, Math.multiplyExact(Long.parseLong(matcher.group(1)), unit(text, matcher.group(2))));
                end = matcher.end();
            }
            if (end == 0 || end < span.length()) {
                throw invalid(text);
            }
            return sum;
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is longer than can be stored.", e);
        }
    }

    private static long unit(String text, String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "ms", "millisecond", "milliseconds" -> 1L;
            case "second", "seconds" -> 1_000L;
            case "minute", "minutes" -> 60_000L;
            case "hour", "hours" -> 3_600_000L;
            case "day", "days" -> 86_400_000L;
            case "week", "weeks" -> 604_800_000L;
            default -> throw invalid(text);
        };
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException("A span of time must be like '7 days', '12 hours 30 minutes' or a number of"
                + " milliseconds, not '" + text + "'.");
    }
}
