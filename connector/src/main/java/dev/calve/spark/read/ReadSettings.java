package dev.calve.spark.read;

import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of one read: {@code split-size} in bytes and {@code batch-size} in rows; both override table properties.
 */
public record ReadSettings(OptionalLong splitSize, Optional<Integer> batchRows) {

    /**
     * Reads the options.
     *
     * @throws IllegalArgumentException if a value is not a positive whole number
     */
    public static ReadSettings of(CaseInsensitiveStringMap options) {
        return new ReadSettings(
                positive(options, "split-size").map(OptionalLong::of).orElse(OptionalLong.empty()),
                positive(options, "batch-size").map(Math::toIntExact));
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
