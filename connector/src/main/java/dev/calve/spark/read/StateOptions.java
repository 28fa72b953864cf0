package dev.calve.spark.read;

import dev.calve.metadata.ReadPoint;
import dev.calve.scan.AppendRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Which state of a table the options of one read ask for.
 *
 * <table>
 * <caption>The options</caption>
 * <tr><td>{@code snapshot-id}</td><td>a snapshot</td></tr>
 * <tr><td>{@code as-of-timestamp}</td><td>a time in epoch milliseconds</td></tr>
 * <tr><td>{@code branch}, {@code tag}</td><td>a name</td></tr>
 * <tr><td>{@code versionAsOf}</td><td>as {@code VERSION AS OF}: a snapshot's id, a branch or a tag</td></tr>
 * <tr><td>{@code timestampAsOf}</td><td>as {@code TIMESTAMP AS OF}: a time as text, in the session's time zone</td></tr>
 * <tr><td>{@code start-snapshot-id}, {@code end-snapshot-id}</td><td>what was appended after the one, up to the other</td></tr>
 * <tr><td>{@code start-timestamp}, {@code end-timestamp}</td><td>the same by time, in epoch milliseconds</td></tr>
 * </table>
 *
 * @param point empty: the state the table was loaded at
 * @param appends what was appended there, instead of all rows
 */
public record StateOptions(Optional<ReadPoint> point, Optional<AppendRange> appends) {

    private static final String START = "start-snapshot-id";
    private static final String START_TIME = "start-timestamp";
    private static final String END = "end-snapshot-id";
    private static final String END_TIME = "end-timestamp";

    /**
     * Reads the options; others are left alone.
     *
     * @throws IllegalArgumentException if two of them contradict each other, or one cannot have its value
     */
    public static StateOptions of(CaseInsensitiveStringMap options) {
        var points = new Choice<ReadPoint>(options);
        points.add("snapshot-id", text -> new ReadPoint.AtSnapshot(number("snapshot-id", text)));
        points.add("as-of-timestamp", text -> new ReadPoint.AsOf(number("as-of-timestamp", text)));
        points.add("branch", ReadPoint.OfBranch::new);
        points.add("tag", ReadPoint.AtTag::new);
        points.add("versionAsOf", ReadPoint.Version::new);
        points.add("timestampAsOf", StateOptions::time);
        var starts = new Choice<AppendRange.Bound>(options);
        starts.add(START, text -> new AppendRange.SnapshotId(number(START, text)));
        starts.add(START_TIME, text -> new AppendRange.Time(number(START_TIME, text)));
        var ends = new Choice<AppendRange.Bound>(options);
        ends.add(END, text -> new AppendRange.SnapshotId(number(END, text)));
        ends.add(END_TIME, text -> new AppendRange.Time(number(END_TIME, text)));
        Optional<ReadPoint> point = points.chosen();
        Optional<AppendRange.Bound> start = starts.chosen();
        Optional<AppendRange.Bound> end = ends.chosen();
        if (end.isPresent() && start.isEmpty()) {
            throw new IllegalArgumentException("Read option '" + ends.name() + "' ends what was appended since a "
                    + "start: set '" + START + "' or '" + START_TIME + "', too; or '"
                    + (ends.name().equals(END) ? "snapshot-id" : "as-of-timestamp")
                    + "' instead, to read all rows of that state.");
        }
        if (start.isPresent() && point.isPresent() && !(point.get() instanceof ReadPoint.OfBranch)) {
            throw new IllegalArgumentException("Read options '" + starts.name() + "' and '" + points.name()
                    + "' contradict each other: the one asks for what was appended, the other for all rows of a state. "
                    + "Set one of them.");
        }
        return new StateOptions(point, start.map(bound -> new AppendRange(start, end)));
    }

    /** One of several options. */
    private static final class Choice<V> {
        private final CaseInsensitiveStringMap options;
        private final List<String> names = new ArrayList<>();
        private Optional<V> value = Optional.empty();

        Choice(CaseInsensitiveStringMap options) {
            this.options = options;
        }

        void add(String name, Function<String, V> meaning) {
            String text = options.get(name);
            if (text != null) {
                names.add(name);
                value = Optional.of(meaning.apply(text.strip()));
            }
        }

        String name() {
            return names.get(0);
        }

        Optional<V> chosen() {
            if (names.size() > 1) {
                throw new IllegalArgumentException(
                        "Read options '" + String.join("' and '", names) + "' contradict each other: set one of them.");
            }
            return value;
        }
    }

    private static long number(String option, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Read option '" + option + "' must be a whole number, not '" + text + "'.", e);
        }
    }

    private static ReadPoint time(String text) {
        var zone = DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone());
        scala.Option<Object> micros = DateTimeUtils.stringToTimestamp(UTF8String.fromString(text), zone);
        if (micros.isEmpty()) {
            throw new IllegalArgumentException("Read option 'timestampAsOf' must be a time such as "
                    + "'2024-01-31 12:00:00', not '" + text + "'. For milliseconds since 1970 there is "
                    + "'as-of-timestamp'.");
        }
        return atMicros((Long) micros.get());
    }

    /** A time as Spark counts them; a snapshot is known to the millisecond. */
    public static ReadPoint atMicros(long micros) {
        return new ReadPoint.AsOf(Math.floorDiv(micros, 1000L));
    }
}
