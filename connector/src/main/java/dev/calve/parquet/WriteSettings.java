package dev.calve.parquet;

import dev.calve.metadata.MetricsMode;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.ParquetCompression;
import dev.calve.metadata.TableProperties.ParquetPageVersion;
import dev.calve.metadata.TableProperties.Property;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What a table's properties say about the Parquet files written for it. Sizes are in bytes.
 *
 * @param pages how rows are cut and stored
 * @param columns what is said about single columns
 * @param metricsDefault mode of columns without one of their own; empty: truncate(16) for the first columns
 * @param metricsByColumn by full name
 */
public record WriteSettings(
        Pages pages,
        Columns columns,
        long targetFileSizeBytes,
        Optional<MetricsMode> metricsDefault,
        int metricsMaxColumns,
        Map<String, MetricsMode> metricsByColumn) {

    private static final Property<Boolean> BLOOM_ENABLED = flag("write.parquet.bloom-filter-enabled.column.", false);
    private static final Property<Double> BLOOM_FPP = new Property<>(
            "write.parquet.bloom-filter-fpp.column.",
            0.01,
            "a number between 0 and 1",
            "Share of false positives of the column's bloom filters.",
            text -> parsed(text, Double::parseDouble).filter(value -> value > 0 && value < 1));
    private static final Property<Long> BLOOM_NDV = new Property<>(
            "write.parquet.bloom-filter-ndv.column.",
            0L,
            "a positive whole number",
            "Distinct values of the column in one row group, as far as its bloom filter is concerned.",
            text -> parsed(text, Long::parseLong).filter(value -> value > 0));
    private static final Property<Integer> BLOOM_MAX_BYTES = new Property<>(
            "write.parquet.bloom-filter-max-bytes",
            1024 * 1024,
            "a positive whole number of bytes",
            "Largest bloom filter of a column chunk.",
            text -> parsed(text, Integer::parseInt).filter(value -> value > 0));
    private static final Property<Boolean> BLOOM_ADAPTIVE = flag("write.parquet.bloom-filter-adaptive-enabled", false);
    private static final Property<Boolean> STATISTICS = flag("write.parquet.stats-enabled.column.", true);
    private static final Property<Boolean> DICTIONARY = flag("write.parquet.dict-encoding-enabled.column.", true);

    /**
     * How rows are cut into row groups and pages.
     *
     * @param compressionLevel empty: the codec's own
     */
    public record Pages(
            long rowGroupSizeBytes,
            int pageSizeBytes,
            int pageRowLimit,
            int dictionarySizeBytes,
            ParquetPageVersion version,
            ParquetCompression compression,
            Optional<Integer> compressionLevel) {}

    /**
     * What single columns want, by full name.
     *
     * @param withoutStatistics columns whose chunks get no minimum and maximum
     * @param withoutDictionary columns that are never encoded with a dictionary
     */
    public record Columns(
            Set<String> withBloomFilter,
            Map<String, Double> bloomFalsePositives,
            Map<String, Long> bloomDistinctValues,
            int bloomMaxBytes,
            boolean bloomAdaptive,
            Set<String> withoutStatistics,
            Set<String> withoutDictionary) {

        static final Columns NOTHING_SPECIAL =
                new Columns(Set.of(), Map.of(), Map.of(), BLOOM_MAX_BYTES.defaultValue(), false, Set.of(), Set.of());

        public Columns {
            withBloomFilter = Set.copyOf(withBloomFilter);
            bloomFalsePositives = Map.copyOf(bloomFalsePositives);
            bloomDistinctValues = Map.copyOf(bloomDistinctValues);
            withoutStatistics = Set.copyOf(withoutStatistics);
            withoutDictionary = Set.copyOf(withoutDictionary);
        }
    }

    public WriteSettings {
        metricsByColumn = Map.copyOf(metricsByColumn);
    }

    /** Those of a table that sets nothing. */
    public static WriteSettings defaults() {
        return forData(TableProperties.of(Map.of(), "without properties"));
    }

    /**
     * Those for data files.
     *
     * @throws IllegalArgumentException if a property has a value it cannot have
     */
    public static WriteSettings forData(TableProperties properties) {
        return new WriteSettings(
                pages(properties::get),
                columns(properties),
                properties.get(TableProperties.TARGET_FILE_SIZE),
                properties.get(TableProperties.METRICS_DEFAULT),
                properties.get(TableProperties.METRICS_MAX_COLUMNS),
                properties.withPrefix(TableProperties.METRICS_COLUMN));
    }

    /**
     * Those for position-delete files, whose metrics are always full.
     *
     * @throws IllegalArgumentException if a property has a value it cannot have
     */
    public static WriteSettings forPositionDeletes(TableProperties properties) {
        return new WriteSettings(
                pages(properties::getForDeletes),
                Columns.NOTHING_SPECIAL,
                properties.get(TableProperties.DELETE_TARGET_FILE_SIZE),
                Optional.of(new MetricsMode.Full()),
                0,
                Map.of());
    }

    /** The same, with some more columns that are never encoded with a dictionary. */
    public WriteSettings withoutDictionary(Set<String> names) {
        var all = new HashSet<>(columns.withoutDictionary());
        all.addAll(names);
        var changed = new Columns(
                columns.withBloomFilter(),
                columns.bloomFalsePositives(),
                columns.bloomDistinctValues(),
                columns.bloomMaxBytes(),
                columns.bloomAdaptive(),
                columns.withoutStatistics(),
                all);
        return new WriteSettings(
                pages, changed, targetFileSizeBytes, metricsDefault, metricsMaxColumns, metricsByColumn);
    }

    /** Reads one property: as set for the kind of file that is written. */
    private interface Values {
        <T> T of(Property<T> property);
    }

    private static Pages pages(Values values) {
        return new Pages(
                values.of(TableProperties.PARQUET_ROW_GROUP_SIZE),
                values.of(TableProperties.PARQUET_PAGE_SIZE),
                values.of(TableProperties.PARQUET_PAGE_ROW_LIMIT),
                values.of(TableProperties.PARQUET_DICTIONARY_SIZE),
                values.of(TableProperties.PARQUET_PAGE_VERSION),
                values.of(TableProperties.PARQUET_COMPRESSION),
                values.of(TableProperties.PARQUET_COMPRESSION_LEVEL));
    }

    private static Columns columns(TableProperties properties) {
        return new Columns(
                namesWith(properties.withPrefix(BLOOM_ENABLED), true),
                properties.withPrefix(BLOOM_FPP),
                properties.withPrefix(BLOOM_NDV),
                properties.get(BLOOM_MAX_BYTES),
                properties.get(BLOOM_ADAPTIVE),
                namesWith(properties.withPrefix(STATISTICS), false),
                namesWith(properties.withPrefix(DICTIONARY), false));
    }

    private static Set<String> namesWith(Map<String, Boolean> flags, boolean wanted) {
        var names = new HashSet<String>();
        flags.forEach((name, flag) -> {
            if (flag == wanted) {
                names.add(name);
            }
        });
        return names;
    }

    private static Property<Boolean> flag(String name, boolean defaultValue) {
        return new Property<>(
                name,
                defaultValue,
                "'true' or 'false'",
                "",
                text -> Optional.of(text.strip().toLowerCase(Locale.ROOT))
                        .filter(List.of("true", "false")::contains)
                        .map(Boolean::valueOf));
    }

    private static <T> Optional<T> parsed(String text, Function<String, T> parser) {
        try {
            return Optional.of(parser.apply(text.strip()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
