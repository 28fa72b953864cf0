package dev.calve.parquet;

import dev.calve.metadata.MetricsMode;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;

/**
 * How files of one schema are written: the Parquet schema, parquet-java's settings and each column's metrics mode. Made
 * once a task and shared by its writers, also between threads.
 */
public final class FileLayout {

    /** Rows after which the size of a page is first looked at; few, because single values can be megabytes. */
    private static final int FIRST_PAGE_SIZE_CHECK = 10;

    private final Schema schema;
    private final WriteSettings settings;
    private final MessageType messageType;
    private final Map<ColumnPath, Column> columns = new HashMap<>();
    private final ParquetProperties properties;

    /** What is to be known about a leaf column, or about the variant it is a part of. */
    record Column(Field field, MetricsMode mode, boolean repeated) {}

    private FileLayout(Schema schema, WriteSettings settings, Map<Integer, MetricsMode> modes) {
        this.schema = schema;
        this.settings = settings;
        this.messageType = ParquetTypes.messageType(schema);
        ParquetTypes.columnsById(messageType).forEach((id, descriptor) -> {
            var mode = modes.getOrDefault(id, new MetricsMode.None());
            columns.put(
                    ColumnPath.get(descriptor.getPath()),
                    new Column(schema.field(id).orElseThrow(), mode, schema.isRepeated(id)));
        });
        ParquetTypes.variantsById(schema, messageType).forEach((id, path) -> {
            var mode = withoutBounds(modes.getOrDefault(id, new MetricsMode.None()));
            var column = new Column(schema.field(id).orElseThrow(), mode, schema.isRepeated(id));
            // Both parts are null in the same rows.
            for (String part : List.of(ParquetTypes.VARIANT_METADATA, ParquetTypes.VARIANT_VALUE)) {
                var leaf = new ArrayList<>(path);
                leaf.add(part);
                columns.put(ColumnPath.get(leaf.toArray(String[]::new)), column);
            }
        });
        this.properties = parquetProperties();
    }

    private static MetricsMode withoutBounds(MetricsMode mode) {
        return mode instanceof MetricsMode.None ? mode : new MetricsMode.Counts();
    }

    /**
     * The layout of data files of a table that is not sorted.
     *
     * @throws UnsupportedOperationException if a column's type or the compression cannot be written
     */
    public static FileLayout of(Schema schema, WriteSettings settings) {
        return of(schema, settings, SortOrder.UNSORTED);
    }

    /**
     * The layout of data files.
     *
     * @param schema of the rows that are written; lineage columns are ordinary fields of it
     * @param sortOrder the table's; its columns get bounds unless their own mode says otherwise
     * @throws UnsupportedOperationException if a column's type or the compression cannot be written
     */
    public static FileLayout of(Schema schema, WriteSettings settings, SortOrder sortOrder) {
        return new FileLayout(schema, settings, ColumnModes.of(schema, settings, sortOrder));
    }

    /** The layout of position-delete files. */
    static FileLayout ofPositionDeletes(WriteSettings settings) {
        var schema = new Schema(0, List.of(MetadataFields.DELETE_FILE_PATH, MetadataFields.DELETE_FILE_POS));
        var full = new MetricsMode.Full();
        return new FileLayout(
                schema,
                settings,
                Map.of(MetadataFields.DELETE_FILE_PATH.id(), full, MetadataFields.DELETE_FILE_POS.id(), full));
    }

    public Schema schema() {
        return schema;
    }

    public WriteSettings settings() {
        return settings;
    }

    /** The schema of the files, every field with its id. */
    public MessageType messageType() {
        return messageType;
    }

    ParquetProperties properties() {
        return properties;
    }

    Column column(ColumnPath path) {
        var column = columns.get(path);
        if (column == null) {
            throw new IllegalStateException("Parquet wrote column " + path + ", which is not in " + messageType);
        }
        return column;
    }

    CompressionCodecName codec() {
        return switch (settings.pages().compression()) {
            case UNCOMPRESSED -> CompressionCodecName.UNCOMPRESSED;
            case SNAPPY -> CompressionCodecName.SNAPPY;
            case GZIP -> CompressionCodecName.GZIP;
            // Parquet deprecates LZ4, whose framing differs between writers; every reader of ours knows both.
            case LZ4 -> CompressionCodecName.LZ4_RAW;
            case ZSTD -> CompressionCodecName.ZSTD;
            case BROTLI ->
                throw new UnsupportedOperationException(
                        "write.parquet.compression-codec 'brotli' is not supported, because Spark ships no brotli"
                                + " library. Set it to 'zstd'.");
        };
    }

    /** What parquet-java's codecs read their level from. */
    Configuration codecConfiguration() {
        var configuration = new Configuration(false);
        settings.pages().compressionLevel().ifPresent(level -> {
            switch (settings.pages().compression()) {
                case ZSTD -> configuration.setInt("parquet.compression.codec.zstd.level", level);
                case GZIP -> configuration.set("zlib.compress.level", gzipLevel(level));
                default -> {
                    // The other codecs have no level.
                }
            }
        });
        return configuration;
    }

    private static String gzipLevel(int level) {
        String[] names = {
            "NO_COMPRESSION", "BEST_SPEED", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "BEST_COMPRESSION"
        };
        if (level < 0 || level >= names.length) {
            throw new IllegalArgumentException(
                    "write.parquet.compression-level must be 0 to 9 for gzip, not '" + level + "'.");
        }
        return names[level];
    }

    private ParquetProperties parquetProperties() {
        codec();
        codecConfiguration();
        var pages = settings.pages();
        var builder = ParquetProperties.builder()
                .withPageSize(pages.pageSizeBytes())
                .withPageRowCountLimit(pages.pageRowLimit())
                .withDictionaryPageSize(pages.dictionarySizeBytes())
                .withMinRowCountForPageSizeCheck(FIRST_PAGE_SIZE_CHECK)
                .withWriterVersion(
                        switch (pages.version()) {
                            case V1 -> WriterVersion.PARQUET_1_0;
                            case V2 -> WriterVersion.PARQUET_2_0;
                        })
                .withMaxBloomFilterBytes(settings.columns().bloomMaxBytes())
                .withAdaptiveBloomFilterEnabled(settings.columns().bloomAdaptive());
        var byId = ParquetTypes.columnsById(messageType);
        var wanted = settings.columns();
        pathsOf(wanted.withBloomFilter(), byId).values().forEach(path -> builder.withBloomFilterEnabled(path, true));
        pathsOf(wanted.bloomFalsePositives().keySet(), byId)
                .forEach((name, path) -> builder.withBloomFilterFPP(
                        path,
                        wanted.bloomFalsePositives().getOrDefault(name, ParquetProperties.DEFAULT_BLOOM_FILTER_FPP)));
        pathsOf(wanted.bloomDistinctValues().keySet(), byId).forEach((name, path) -> {
            Long distinct = wanted.bloomDistinctValues().get(name);
            if (distinct != null) {
                builder.withBloomFilterNDV(path, distinct);
            }
        });
        pathsOf(wanted.withoutStatistics(), byId).values().forEach(path -> builder.withStatisticsEnabled(path, false));
        pathsOf(wanted.withoutDictionary(), byId).values().forEach(path -> builder.withDictionaryEncoding(path, false));
        return builder.build();
    }

    /** Parquet's paths by the full name they are asked for; names of columns that are gone are ignored. */
    private Map<String, String> pathsOf(Set<String> names, Map<Integer, ColumnDescriptor> byId) {
        var paths = new HashMap<String, String>();
        for (String name : names) {
            schema.field(name)
                    .map(Field::id)
                    .map(byId::get)
                    .ifPresent(descriptor -> paths.put(name, String.join(".", descriptor.getPath())));
        }
        return paths;
    }
}
