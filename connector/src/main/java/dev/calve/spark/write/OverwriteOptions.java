package dev.calve.spark.write;

import dev.calve.metadata.TableProperties.IsolationLevel;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The options of one write that say what an overwrite replaces and which changes of others it must not miss. {@code
 * overwrite-mode}, or Spark's name of it for files, {@code partitionOverwriteMode}: {@code dynamic} makes an overwrite of
 * everything one of the partitions that get rows. {@code isolation-level} {@code serializable}: nothing may have changed in what
 * is replaced since the table was loaded, or since {@code validate-from-snapshot-id}; {@code snapshot}: no row that goes may
 * have changed, and rows others add stay.
 *
 * @param dynamic empty: what the statement says
 * @param isolation empty: what is replaced is decided when the commit succeeds, unless the statement reads its target
 * @param validateFrom a snapshot's id; without an isolation level it stands for {@code serializable}
 */
public record OverwriteOptions(
        Optional<Boolean> dynamic, Optional<IsolationLevel> isolation, OptionalLong validateFrom) {

    static final String ISOLATION = "isolation-level";
    static final String VALIDATE_FROM = "validate-from-snapshot-id";

    /**
     * Reads the options.
     *
     * @throws IllegalArgumentException if an option has a value it cannot have, or two contradict each other
     */
    public static OverwriteOptions of(CaseInsensitiveStringMap options) {
        Optional<Boolean> dynamic = mode(options, "overwrite-mode");
        Optional<Boolean> sparks = mode(options, "partitionOverwriteMode");
        if (dynamic.isPresent() && sparks.isPresent() && !dynamic.equals(sparks)) {
            throw new IllegalArgumentException(
                    "Write options 'overwrite-mode' and 'partitionOverwriteMode' contradict each other: set one of them.");
        }
        OptionalLong from = OptionalLong.empty();
        String text = options.get(VALIDATE_FROM);
        if (text != null) {
            try {
                from = OptionalLong.of(Long.parseLong(text.strip()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "Write option '" + VALIDATE_FROM + "' must be a snapshot's id, not '" + text + "'.", e);
            }
        }
        Optional<IsolationLevel> isolation = isolation(options);
        if (isolation.isEmpty() && from.isPresent()) {
            isolation = Optional.of(IsolationLevel.SERIALIZABLE);
        }
        return new OverwriteOptions(dynamic.isPresent() ? dynamic : sparks, isolation, from);
    }

    private static Optional<Boolean> mode(CaseInsensitiveStringMap options, String name) {
        String text = options.get(name);
        if (text == null) {
            return Optional.empty();
        }
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "dynamic" -> Optional.of(true);
            case "static" -> Optional.of(false);
            default ->
                throw new IllegalArgumentException(
                        "Write option '" + name + "' must be 'static' or 'dynamic', not '" + text + "'.");
        };
    }

    private static Optional<IsolationLevel> isolation(CaseInsensitiveStringMap options) {
        String text = options.get(ISOLATION);
        if (text == null) {
            return Optional.empty();
        }
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "serializable" -> Optional.of(IsolationLevel.SERIALIZABLE);
            case "snapshot" -> Optional.of(IsolationLevel.SNAPSHOT);
            default ->
                throw new IllegalArgumentException(
                        "Write option '" + ISOLATION + "' must be 'serializable' or 'snapshot', not '" + text + "'.");
        };
    }

    /** @throws IllegalArgumentException if something is asked for that an append, which replaces nothing, cannot heed */
    void requireNone(String table) {
        if (isolation.isPresent()) {
            throw new IllegalArgumentException("Cannot append to " + table + " with option '"
                    + (validateFrom.isPresent() ? VALIDATE_FROM : ISOLATION)
                    + "': an append reads and replaces nothing, so that nothing is compared. Leave it out.");
        }
    }
}
