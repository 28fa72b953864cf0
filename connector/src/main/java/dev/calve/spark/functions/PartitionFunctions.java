package dev.calve.spark.functions;

import dev.calve.partition.Transform;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;

/** The functions by name. */
public final class PartitionFunctions {

    private static final List<UnboundFunction> ALL = List.of(
            new BucketFunction(),
            new TruncateFunction(),
            new TimeFunction("years", Transform.Time.YEAR),
            new TimeFunction("months", Transform.Time.MONTH),
            new TimeFunction("days", Transform.Time.DAY),
            new TimeFunction("hours", Transform.Time.HOUR));

    private PartitionFunctions() {}

    /** Whether a namespace of a catalog holds them: {@code system}, and the empty one, where Spark looks for transforms. */
    public static boolean areIn(String[] namespace) {
        return namespace.length == 0 || Arrays.equals(namespace, new String[] {"system"});
    }

    public static List<String> names() {
        return ALL.stream().map(UnboundFunction::name).toList();
    }

    /** Letter case does not count. */
    public static Optional<UnboundFunction> named(String name) {
        return ALL.stream()
                .filter(function -> function.name().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst();
    }
}
