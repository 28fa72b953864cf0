package dev.calve.metadata;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The table properties that are honoured, each with its default and meaning, and one table's values of them.
 *
 * <p>Names and defaults are those in common use for the format, except where the doc of a property says so. A property
 * that is not in {@link #all()} is kept in the metadata and has no effect. Values are parsed when they are asked for, so
 * that a bad value of one property does not hide the table from those who do not need it. Longer than is pleasant because
 * it is one list.
 */
public final class TableProperties {

    /** Names that stand for parts of the table's state: never stored among the properties. */
    public static final Set<String> RESERVED = Set.of(
            "format-version",
            "uuid",
            "snapshot-count",
            "current-snapshot-id",
            "current-snapshot-summary",
            "current-snapshot-timestamp-ms",
            "current-schema",
            "default-partition-spec",
            "default-sort-order");

    private static final List<Property<?>> ALL = new ArrayList<>();
    private static final long MB = 1024L * 1024L;
    /** What manifests say about a column when the table does not say what they should. */
    public static final MetricsMode DEFAULT_METRICS = new MetricsMode.Truncate(16);

    private static final Duration FOREVER = Duration.ofMillis(Long.MAX_VALUE);

    /**
     * A property.
     *
     * @param name full name, or for {@link #METRICS_COLUMN} the prefix of the name, ending in a dot
     * @param defaultValue what holds when the property is not set
     * @param expectation completes "must be …"
     * @param doc one sentence for the user
     * @param parser empty for a text that does not meet the expectation
     */
    public record Property<T>(
            String name, T defaultValue, String expectation, String doc, Function<String, Optional<T>> parser) {

        /** The default as a user would write it; empty if there is none. */
        public String defaultText() {
            Object value = defaultValue instanceof Optional<?> optional ? optional.orElse(null) : defaultValue;
            if (value == null) {
                return "";
            }
            return value instanceof Duration duration ? String.valueOf(duration.toMillis()) : text(value);
        }
    }

    /** How a row-level statement records which rows go. */
    public enum RowLevelMode {
        COPY_ON_WRITE,
        MERGE_ON_READ,
        /** One or the other for each data file, by the share of its rows that are deleted. */
        ADAPTIVE
    }

    /** Which concurrent changes a row-level statement must not miss. */
    public enum IsolationLevel {
        SERIALIZABLE,
        SNAPSHOT
    }

    /** What one position delete file of a v2 table covers. */
    public enum DeleteGranularity {
        FILE,
        PARTITION
    }

    /** How rows are spread over tasks before they are written. */
    public enum DistributionMode {
        NONE,
        HASH,
        RANGE
    }

    /** Compression of Parquet pages; names are those of the Parquet format. */
    public enum ParquetCompression {
        UNCOMPRESSED,
        SNAPPY,
        GZIP,
        LZ4,
        BROTLI,
        ZSTD
    }

    /** Version of Parquet data pages. */
    public enum ParquetPageVersion {
        V1,
        V2
    }

    /** Compression of manifests. */
    public enum ManifestCompression {
        UNCOMPRESSED,
        SNAPPY,
        GZIP,
        ZSTD
    }

    /** Compression of metadata files; the file's name tells it. */
    public enum MetadataCompression {
        NONE,
        GZIP
    }

    public static final Property<Integer> FORMAT_VERSION = register(
            "format-version",
            2,
            "1, 2 or 3",
            "Version of the table format; can only be raised. Never stored among the properties.",
            text -> integer(text, 1, TableMetadata.MAX_FORMAT_VERSION));

    public static final Property<String> FORMAT =
            choice("write.format.default", "parquet", List.of("parquet"), "File format of new data files.");
    public static final Property<String> DELETE_FORMAT = choice(
            "write.delete.format.default",
            "parquet",
            List.of("parquet"),
            "File format of new position delete files of a v2 table.");

    public static final Property<RowLevelMode> DELETE_MODE = choice(
            "write.delete.mode",
            RowLevelMode.COPY_ON_WRITE,
            "Whether DELETE rewrites data files or writes deletion vectors (v3) or position deletes (v2).");
    public static final Property<RowLevelMode> UPDATE_MODE =
            choice("write.update.mode", RowLevelMode.COPY_ON_WRITE, "The same for UPDATE.");
    public static final Property<RowLevelMode> MERGE_MODE =
            choice("write.merge.mode", RowLevelMode.COPY_ON_WRITE, "The same for MERGE.");
    public static final Property<Double> ADAPTIVE_THRESHOLD = register(
            "write.calve.adaptive-threshold",
            0.3,
            "a number above 0 and at most 1",
            "Share of a data file's rows, deleted ones included, from which on the mode 'adaptive' rewrites it."
                    + " Calve's own property.",
            TableProperties::share);
    public static final Property<IsolationLevel> DELETE_ISOLATION = choice(
            "write.delete.isolation-level",
            IsolationLevel.SERIALIZABLE,
            "Whether rows that others add while a DELETE runs are looked at before it commits.");
    public static final Property<IsolationLevel> UPDATE_ISOLATION =
            choice("write.update.isolation-level", IsolationLevel.SERIALIZABLE, "The same for UPDATE.");
    public static final Property<IsolationLevel> MERGE_ISOLATION =
            choice("write.merge.isolation-level", IsolationLevel.SERIALIZABLE, "The same for MERGE.");
    public static final Property<DeleteGranularity> DELETE_GRANULARITY = choice(
            "write.delete.granularity",
            DeleteGranularity.FILE,
            "Whether a position delete file (v2) covers one data file or a partition's.");

    public static final Property<Optional<DistributionMode>> DISTRIBUTION_MODE = optionalChoice(
            "write.distribution-mode",
            DistributionMode.class,
            "How new rows are spread over tasks; unset: range if the table is sorted, else hash if partitioned.");
    public static final Property<Optional<DistributionMode>> DELETE_DISTRIBUTION_MODE = optionalChoice(
            "write.delete.distribution-mode",
            DistributionMode.class,
            "How the work of a DELETE is spread; DELETE WHERE needs no shuffle and ignores it.");
    public static final Property<Optional<DistributionMode>> UPDATE_DISTRIBUTION_MODE = optionalChoice(
            "write.update.distribution-mode", DistributionMode.class, "How new rows of an UPDATE are spread.");
    public static final Property<Optional<DistributionMode>> MERGE_DISTRIBUTION_MODE = optionalChoice(
            "write.merge.distribution-mode", DistributionMode.class, "How new rows of a MERGE are spread.");

    public static final Property<Long> TARGET_FILE_SIZE =
            bytes("write.target-file-size-bytes", 512 * MB, "Size at which a data file is closed and a new one begun.");
    public static final Property<Long> DELETE_TARGET_FILE_SIZE = bytes(
            "write.delete.target-file-size-bytes",
            64 * MB,
            "Size at which a position delete file is closed and a new one begun.");
    public static final Property<Integer> MAX_OPEN_FILES = integer(
            "write.calve.max-open-files",
            64,
            1,
            "Files one task keeps open; beyond it rows of other partitions wait, sorted. Calve's own property.");

    public static final Property<Long> PARQUET_ROW_GROUP_SIZE = bytes(
            "write.parquet.row-group-size-bytes",
            32 * MB,
            "Size of a row group; smaller than elsewhere (128 MB), because a rewrite copies clean row groups as they are.");
    public static final Property<Integer> PARQUET_PAGE_SIZE =
            integer("write.parquet.page-size-bytes", Math.toIntExact(MB), 1, "Size of a page before compression.");
    public static final Property<Integer> PARQUET_PAGE_ROW_LIMIT =
            integer("write.parquet.page-row-limit", 20_000, 1, "Most rows of a page.");
    public static final Property<Integer> PARQUET_DICTIONARY_SIZE = integer(
            "write.parquet.dict-size-bytes",
            Math.toIntExact(2 * MB),
            1,
            "Size of a dictionary page beyond which a column chunk is written plainly.");
    public static final Property<ParquetPageVersion> PARQUET_PAGE_VERSION =
            choice("write.parquet.page-version", ParquetPageVersion.V1, "Version of data pages.");
    public static final Property<ParquetCompression> PARQUET_COMPRESSION =
            choice("write.parquet.compression-codec", ParquetCompression.ZSTD, "Compression of pages.");
    public static final Property<Optional<Integer>> PARQUET_COMPRESSION_LEVEL = optional(
            "write.parquet.compression-level",
            "a whole number",
            "Level of the codec; unset: the codec's own.",
            text -> integer(text, Integer.MIN_VALUE, Integer.MAX_VALUE));

    public static final Property<Optional<MetricsMode>> METRICS_DEFAULT = optional(
            "write.metadata.metrics.default",
            "'none', 'counts', 'truncate(n)' or 'full'",
            "What manifests say about each column; unset: truncate(16) for the first columns.",
            MetricsMode::parse);
    /** A prefix: the column's full name follows. See {@link #withPrefix}. */
    public static final Property<MetricsMode> METRICS_COLUMN = register(
            "write.metadata.metrics.column.",
            DEFAULT_METRICS,
            "'none', 'counts', 'truncate(n)' or 'full'",
            "The same for one column, whose full name follows.",
            MetricsMode::parse);

    public static final Property<Integer> METRICS_MAX_COLUMNS = integer(
            "write.metadata.metrics.max-inferred-column-defaults",
            100,
            0,
            "Columns that get metrics when no default is set.");

    public static final Property<Optional<String>> DATA_PATH =
            text("write.data.path", "Where new data files go; unset: data below the table's location.");
    public static final Property<Optional<String>> METADATA_PATH = text(
            "write.metadata.path",
            "Where manifests and metadata go; unset: metadata below the table's location. Refused by directory catalogs.");
    public static final Property<MetadataCompression> METADATA_COMPRESSION = choice(
            "write.metadata.compression-codec", MetadataCompression.NONE, "Compression of the table's metadata files.");
    public static final Property<Integer> METADATA_PREVIOUS_VERSIONS_MAX = integer(
            "write.metadata.previous-versions-max", 100, 1, "Earlier metadata files that the newest one remembers.");
    public static final Property<Boolean> METADATA_DELETE_AFTER_COMMIT = flag(
            "write.metadata.delete-after-commit.enabled",
            false,
            "Whether metadata files that are no longer remembered are deleted.");

    public static final Property<Optional<Integer>> COMMIT_NUM_RETRIES = optional(
            "commit.retry.num-retries",
            "a whole number of 0 or more",
            "Most attempts after the first; unset: only commit.retry.total-timeout-ms bounds them.",
            text -> integer(text, 0, Integer.MAX_VALUE));
    public static final Property<Duration> COMMIT_MIN_WAIT =
            millis("commit.retry.min-wait-ms", Duration.ofMillis(100), "First pause between attempts.");
    public static final Property<Duration> COMMIT_MAX_WAIT =
            millis("commit.retry.max-wait-ms", Duration.ofMinutes(1), "Longest pause between attempts.");
    public static final Property<Duration> COMMIT_TOTAL_TIMEOUT = millis(
            "commit.retry.total-timeout-ms", Duration.ofMinutes(30), "After this long no further attempt begins.");
    public static final Property<Long> MANIFEST_TARGET_SIZE = bytes(
            "commit.manifest.target-size-bytes",
            8 * MB,
            "Size at which another manifest is begun, and up to which small ones are merged.");
    public static final Property<Integer> MANIFEST_MIN_COUNT_TO_MERGE = integer(
            "commit.manifest.min-count-to-merge",
            100,
            1,
            "Small manifests, of all kinds together, there must be before a commit merges them.");
    public static final Property<Boolean> MANIFEST_MERGE =
            flag("commit.manifest-merge.enabled", true, "Whether small manifests are merged at all.");
    public static final Property<ManifestCompression> MANIFEST_COMPRESSION =
            choice("write.manifest.compression-codec", ManifestCompression.GZIP, "Compression of manifests.");
    public static final Property<Integer> SUMMARY_PARTITION_LIMIT = integer(
            "write.summary.partition-limit",
            0,
            0,
            "Snapshots that change at most this many partitions say what changed in each.");

    public static final Property<Long> SPLIT_SIZE =
            bytes("read.split.target-size", 128 * MB, "Bytes of data files one read task gets.");
    public static final Property<Long> METADATA_SPLIT_SIZE =
            bytes("read.split.metadata-target-size", 32 * MB, "The same for reads of metadata.");
    public static final Property<Integer> SPLIT_LOOKBACK =
            integer("read.split.planning-lookback", 10, 1, "Read tasks that are kept open while files are packed.");
    public static final Property<Long> SPLIT_OPEN_FILE_COST = register(
            "read.split.open-file-cost",
            4L * MB,
            "a whole number of bytes of 0 or more",
            "Least bytes a file counts for when files are packed.",
            text -> number(text).filter(value -> value >= 0));
    public static final Property<Boolean> SPLIT_ADAPTIVE = flag(
            "read.split.adaptive-size.enabled",
            true,
            "Whether the size of read tasks follows the size of the scan and the cluster.");
    public static final Property<Integer> READ_BATCH_SIZE =
            integer("read.parquet.vectorization.batch-size", 4096, 1, "Rows of one batch; 4096 as Spark's own reader.");

    public static final Property<Boolean> WAP = flag(
            "write.wap.enabled",
            false,
            "Whether a session's spark.wap.branch says which branch it reads and writes in place of main, and its"
                    + " spark.wap.id that what it writes is staged.");
    public static final Property<Boolean> ACCEPT_ANY_SCHEMA = flag(
            "write.spark.accept-any-schema",
            false,
            "Whether rows may lack columns or bring new ones, by the write option mergeSchema.");
    public static final Property<Boolean> AUTO_SCHEMA_EVOLUTION = flag(
            "write.spark.auto-schema-evolution.enabled",
            true,
            "Whether statements WITH SCHEMA EVOLUTION may add and widen columns.");
    public static final Property<Boolean> GC =
            flag("gc.enabled", true, "Whether files may be deleted that other tables might share; false forbids DROP.");
    public static final Property<Duration> MAX_SNAPSHOT_AGE = millis(
            "history.expire.max-snapshot-age-ms", Duration.ofDays(5), "Age beyond which snapshots can be expired.");
    public static final Property<Integer> MIN_SNAPSHOTS_TO_KEEP = integer(
            "history.expire.min-snapshots-to-keep", 1, 1, "Snapshots of a branch that stay whatever their age.");
    public static final Property<Duration> MAX_REF_AGE = millis(
            "history.expire.max-ref-age-ms", FOREVER, "Age beyond which branches other than main, and tags, expire.");
    public static final Property<Optional<String>> NAME_MAPPING =
            text("schema.name-mapping.default", "Field ids by column name, for data files that have no ids; JSON.");

    public static final Property<Optional<String>> ENCRYPTION_KEY_ID =
            text("encryption.key-id", "Refused: encrypted tables are not supported.");
    public static final Property<Optional<String>> LOCATION_PROVIDER =
            text("write.location-provider.impl", "Refused when writing: names a class of another project.");
    public static final Property<Boolean> OBJECT_STORAGE = flag(
            "write.object-storage.enabled", false, "Whether paths of new files begin with a hash of the file's name.");
    public static final Property<Boolean> OBJECT_STORAGE_PARTITIONS =
            flag("write.object-storage.partitioned-paths", true, "Whether such paths still name the partition.");

    private final Map<String, String> properties;
    private final String tableName;

    private TableProperties(Map<String, String> properties, String tableName) {
        this.properties = properties;
        this.tableName = tableName;
    }

    /**
     * The values of one table.
     *
     * @param tableName what error messages call the table
     */
    public static TableProperties of(Map<String, String> properties, String tableName) {
        return new TableProperties(Map.copyOf(properties), tableName);
    }

    public static TableProperties of(TableMetadata metadata, String tableName) {
        return of(metadata.properties(), tableName);
    }

    /** Every property, in an order fit for documentation. */
    public static List<Property<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    /**
     * The property's value, or its default.
     *
     * @throws IllegalArgumentException if the value is not one the property can have
     */
    public <T> T get(Property<T> property) {
        String text = properties.get(property.name());
        return text == null ? property.defaultValue() : parse(property, property.name(), text);
    }

    /**
     * The value for delete files: {@code write.delete.parquet.…} if set, else that of {@code write.parquet.…}.
     *
     * @throws IllegalArgumentException if the value is not one the property can have
     */
    public <T> T getForDeletes(Property<T> property) {
        if (!property.name().startsWith("write.parquet.")) {
            throw new IllegalArgumentException(
                    "Only write.parquet.… has a variant for deletes, not " + property.name());
        }
        String name = "write.delete." + property.name().substring("write.".length());
        String text = properties.get(name);
        return text == null ? get(property) : parse(property, name, text);
    }

    /** Values by what follows the prefix in their names. */
    public <T> Map<String, T> withPrefix(Property<T> property) {
        var result = new LinkedHashMap<String, T>();
        properties.forEach((name, text) -> {
            if (name.startsWith(property.name())
                    && name.length() > property.name().length()) {
                result.put(name.substring(property.name().length()), parse(property, name, text));
            }
        });
        return result;
    }

    public boolean isSet(Property<?> property) {
        return properties.containsKey(property.name());
    }

    /**
     * Looks at every property that is set, so that a statement fails before it wrote anything.
     *
     * @throws IllegalArgumentException if a value is not one its property can have
     */
    public void checkValues() {
        for (Property<?> property : ALL) {
            if (property.name().endsWith(".")) {
                withPrefix(property);
            } else {
                get(property);
            }
        }
    }

    /**
     * Refuses what would have to be obeyed by a writer and is not implemented.
     *
     * @throws UnsupportedOperationException naming the property
     */
    public void checkWritable() {
        for (String name :
                List.of(LOCATION_PROVIDER.name(), "write.object-storage.path", "write.folder-storage.path")) {
            String value = properties.get(name);
            if (value != null) {
                throw unsupported(name, value);
            }
        }
    }

    private UnsupportedOperationException unsupported(String name, String value) {
        return new UnsupportedOperationException("Cannot write to table " + tableName + ": " + name + " = '" + value
                + "' is not supported. Unset the property, or write with the engine that set it.");
    }

    private <T> T parse(Property<T> property, String name, String text) {
        return property.parser()
                .apply(text)
                .orElseThrow(() -> new IllegalArgumentException(name + " must be " + property.expectation() + ", not '"
                        + text + "' (table " + tableName + ")."));
    }

    private static <T> Property<T> register(
            String name, T defaultValue, String expectation, String doc, Function<String, Optional<T>> parser) {
        var property = new Property<>(name, defaultValue, expectation, doc, parser);
        ALL.add(property);
        return property;
    }

    /** A property without a default. */
    private static <T> Property<Optional<T>> optional(
            String name, String expectation, String doc, Function<String, Optional<T>> parser) {
        return register(name, Optional.empty(), expectation, doc, text -> {
            Optional<T> value = parser.apply(text);
            return value.isPresent() ? Optional.of(value) : Optional.empty();
        });
    }

    private static <E extends Enum<E>> Property<E> choice(String name, E defaultValue, String doc) {
        Class<E> type = defaultValue.getDeclaringClass();
        return register(name, defaultValue, oneOf(texts(type)), doc, text -> constant(type, text));
    }

    private static <E extends Enum<E>> Property<Optional<E>> optionalChoice(String name, Class<E> type, String doc) {
        return optional(name, oneOf(texts(type)), doc, text -> constant(type, text));
    }

    private static Property<String> choice(String name, String defaultValue, List<String> values, String doc) {
        return register(
                name,
                defaultValue,
                oneOf(values),
                doc,
                text -> Optional.of(text.toLowerCase(Locale.ROOT)).filter(values::contains));
    }

    private static Property<Long> bytes(String name, long defaultValue, String doc) {
        return register(
                name,
                defaultValue,
                "a positive whole number of bytes",
                doc,
                text -> number(text).filter(value -> value > 0));
    }

    private static Property<Duration> millis(String name, Duration defaultValue, String doc) {
        return register(
                name,
                defaultValue,
                "a whole number of milliseconds of 0 or more",
                doc,
                text -> number(text).filter(value -> value >= 0).map(Duration::ofMillis));
    }

    private static Property<Integer> integer(String name, int defaultValue, int least, String doc) {
        return register(
                name,
                defaultValue,
                "a whole number of " + least + " or more",
                doc,
                text -> integer(text, least, Integer.MAX_VALUE));
    }

    private static Property<Boolean> flag(String name, boolean defaultValue, String doc) {
        return register(name, defaultValue, "'true' or 'false'", doc, text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    private static Property<Optional<String>> text(String name, String doc) {
        return optional(name, "a text", doc, Optional::of);
    }

    private static Optional<Long> number(String text) {
        try {
            return Optional.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Double> share(String text) {
        try {
            return Optional.of(Double.parseDouble(text.strip())).filter(share -> share > 0 && share <= 1);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Integer> integer(String text, int least, int most) {
        return number(text).filter(value -> value >= least && value <= most).map(Math::toIntExact);
    }

    private static <E extends Enum<E>> Optional<E> constant(Class<E> type, String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(value -> text(value).equals(text.strip().toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    private static <E extends Enum<E>> List<String> texts(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(TableProperties::text).toList();
    }

    /** How a value is written in a property: constants in lower case with hyphens. */
    private static String text(Object value) {
        return value instanceof Enum<?> constant
                ? constant.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : String.valueOf(value);
    }

    private static String oneOf(List<String> values) {
        List<String> quoted = values.stream().map(value -> "'" + value + "'").toList();
        if (quoted.size() == 1) {
            return quoted.get(0);
        }
        return quoted.subList(0, quoted.size() - 1).stream().collect(Collectors.joining(", ")) + " or "
                + quoted.get(quoted.size() - 1);
    }
}
