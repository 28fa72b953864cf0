package dev.calve.metadata;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** How much a data file's manifest entry says about a column: the values of {@code write.metadata.metrics.*}. */
public sealed interface MetricsMode {

    Pattern TRUNCATE = Pattern.compile("truncate\\(\\s*(\\d{1,9})\\s*\\)");

    /** Nothing about the column. */
    record None() implements MetricsMode {
        @Override
        public String toString() {
            return "none";
        }
    }

    /** Counts of values, nulls and NaNs, but no bounds. */
    record Counts() implements MetricsMode {
        @Override
        public String toString() {
            return "counts";
        }
    }

    /** Counts and bounds; bounds of strings are cut to {@code length} code points, of binary values to as many bytes. */
    record Truncate(int length) implements MetricsMode {
        public Truncate {
            if (length <= 0) {
                throw new IllegalArgumentException("truncate must have a length of 1 or more, not " + length + ".");
            }
        }

        @Override
        public String toString() {
            return "truncate(" + length + ")";
        }
    }

    /** Counts and bounds as they are. */
    record Full() implements MetricsMode {
        @Override
        public String toString() {
            return "full";
        }
    }

    /** Reads the property's text, letter case not counting; empty if it is none of the modes. */
    static Optional<MetricsMode> parse(String text) {
        String mode = text.strip().toLowerCase(Locale.ROOT);
        return switch (mode) {
            case "none" -> Optional.of(new None());
            case "counts" -> Optional.of(new Counts());
            case "full" -> Optional.of(new Full());
            default -> {
                var matcher = TRUNCATE.matcher(mode);
                yield matcher.matches() ? Optional.of(truncate(Integer.parseInt(matcher.group(1)))) : Optional.empty();
            }
        };
    }

    private static MetricsMode truncate(int length) {
        return length == 0 ? new Counts() : new Truncate(length);
    }
}
