package dev.calve.spark.read;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of one read.
 *
 * @param splitSize {@code split-size} in bytes; overrides the table property
 * @param batchRows {@code batch-size} in rows; overrides the table property
 * @param preserveDataGrouping {@code preserve-data-grouping}: whether partitions are kept apart, so that Spark can join them
 *     without a shuffle; overrides the session's setting {@value #PRESERVE_DATA_GROUPING}. Not the default, because a partition is
 *     read by one task then
 */
public record ReadSettings(OptionalLong splitSize, Optional<Integer> batchRows, boolean preserveDataGrouping) {

    /** Name of the session's setting. */
    static final String PRESERVE_DATA_GROUPING = "spark.calve.preserve-data-grouping";

    /**
     * Reads the options.
     *
     * @throws IllegalArgumentException if a value is not a positive whole number, or not true or false
     */
    public static ReadSettings of(CaseInsensitiveStringMap options) {
        return new ReadSettings(
                positive(options, "split-size").map(OptionalLong::of).orElse(OptionalLong.empty()),
                positive(options, "batch-size").map(Math::toIntExact),
                flag("option 'preserve-data-grouping'", options.get("preserve-data-grouping"))
                        .orElseGet(() -> flag(
                                        "setting '" + PRESERVE_DATA_GROUPING + "'",
                                        SQLConf.get().getConfString(PRESERVE_DATA_GROUPING, "false"))
                                .orElse(false)));
    }

    private static Optional<Boolean> flag(String name, @Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default ->
                throw new IllegalArgumentException("Read " + name + " must be true or false, not '" + text + "'.");
        };
    }

    private static Optional<Long> positive(CaseInsensitiveStringMap options, String name) {
        String text = options.get(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            long value = Long.parseLong(text.trim());
            if (value > 0) {
                return Optional.of(value);
            }
        } catch (NumberFormatException e) {
            throw notPositive(name, text, e);
        }
        throw notPositive(name, text, null);
    }

    private static IllegalArgumentException notPositive(String name, String text, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "Read option '" + name + "' must be a positive whole number, not '" + text + "'.", cause);
    }
}
