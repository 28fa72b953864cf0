package dev.calve.parquet;

import dev.calve.expression.Metrics;
import dev.calve.metadata.MetricsMode;
import dev.calve.schema.BoundTruncation;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a file that was just written, from what parquet-java still has in memory about it.
 *
 * <p>Columns inside lists and maps get a size and nothing else, because their values are not the rows'. A column whose
 * statistics are switched off gets what is known without them.
 */
final class ColumnMetrics {

    private final Map<Integer, Long> sizes = new HashMap<>();
    private final Map<Integer, Long> values = new HashMap<>();
    private final Map<Integer, Long> nulls = new HashMap<>();
    private final Map<Integer, Long> nans = new HashMap<>();
    private final Map<Integer, Bytes> lower = new HashMap<>();
    private final Map<Integer, Bytes> upper = new HashMap<>();

    private final List<Metrics> sources;

    private ColumnMetrics(List<Metrics> sources) {
        this.sources = sources;
    }

    /**
     * @param blocks as the writer holds them, statistics neither truncated nor dropped
     * @param floating ranges of the float and double columns, by field id
     */
    static Metrics of(
            FileLayout layout, List<BlockMetaData> blocks, long recordCount, Map<Integer, FloatingRange> floating) {
        return of(layout, blocks, recordCount, floating, List.of(), List.of());
    }

    /**
     * The metrics of a file some chunks of which were copied.
     *
     * @param known what is known of chunks besides their statistics, by row group, or nothing
     * @param sources metrics of the files that all its rows came from; their bounds stand in where nothing is known of a chunk
     */
    static Metrics of(
            FileLayout layout,
            List<BlockMetaData> blocks,
            long recordCount,
            Map<Integer, FloatingRange> floating,
            List<Map<ColumnPath, Statistics<?>>> known,
            List<Metrics> sources) {
        var chunks = new HashMap<Integer, Chunks>();
        for (int i = 0; i < blocks.size(); i++) {
            Map<ColumnPath, Statistics<?>> instead = known.isEmpty() ? Map.of() : known.get(i);
            for (ColumnChunkMetaData chunk : blocks.get(i).getColumns()) {
                var column = layout.column(chunk.getPath());
                chunks.computeIfAbsent(column.field().id(), id -> new Chunks(column))
                        .add(chunk, instead.getOrDefault(chunk.getPath(), chunk.getStatistics()));
            }
        }
        var metrics = new ColumnMetrics(sources);
        chunks.values().forEach(column -> metrics.add(column, floating));
        return new Metrics(
                recordCount, metrics.sizes, metrics.values, metrics.nulls, metrics.nans, metrics.lower, metrics.upper);
    }

    private void add(Chunks column, Map<Integer, FloatingRange> floating) {
        Field field = column.column.field();
        MetricsMode mode = column.column.mode();
        if (mode instanceof MetricsMode.None) {
            return;
        }
        sizes.put(field.id(), column.sizeBytes);
        if (column.column.repeated()) {
            return;
        }
        values.put(field.id(), column.values);
        if (column.nullsKnown) {
            nulls.put(field.id(), column.nulls);
        }
        var range = floating.get(field.id());
        if (range != null && range.nansKnown()) {
            nans.put(field.id(), range.nans());
        }
        if (mode instanceof MetricsMode.Counts) {
            return;
        }
        if (range != null) {
            if (range.rangeKnown() && range.hasRange()) {
                lower.put(field.id(), floatingBound(field.type(), range.lowest()));
                upper.put(field.id(), floatingBound(field.type(), range.highest()));
            }
            return;
        }
        int length = mode instanceof MetricsMode.Truncate truncate ? truncate.length() : Integer.MAX_VALUE;
        if (!column.boundsKnown) {
            addBoundsOfSources(field, length);
        } else if (column.statistics.isPresent()) {
            var statistics = column.statistics.get();
            addBounds(field, statistics.getMinBytes(), statistics.getMaxBytes(), length);
        }
    }

    private void addBounds(Field field, byte[] least, byte[] greatest, int length) {
        Type type = field.type();
        if (type == Type.Simple.STRING) {
            var lowest = text(least);
            var highest = text(greatest);
            // Spark lets strings be any bytes; as text such bounds would be others.
            if (lowest.isPresent() && highest.isPresent()) {
                lower.put(field.id(), ValueCodec.encode(type, BoundTruncation.lower(lowest.get(), length)));
                BoundTruncation.upper(highest.get(), length)
                        .ifPresent(bound -> upper.put(field.id(), ValueCodec.encode(type, bound)));
            }
        } else if (type == Type.Simple.BINARY) {
            lower.put(field.id(), Bytes.copyOf(least).prefix(length));
            BoundTruncation.upper(Bytes.copyOf(greatest), length).ifPresent(bound -> upper.put(field.id(), bound));
        } else {
            // Of fixed too: readers expect the length of the type, and the other implementation does not cut it either.
            lower.put(field.id(), bound(type, least));
            upper.put(field.id(), bound(type, greatest));
        }
    }

    /** Bounds of all rows of the sources hold for those that were taken. */
    private void addBoundsOfSources(Field field, int length) {
        Comparator<Object> order = Values.comparator(field.type());
        ofSources(field, Metrics::lowerBounds, order)
                .map(bound -> BoundTruncation.lower(field.type(), bound, length))
                .ifPresent(bound -> lower.put(field.id(), ValueCodec.encode(field.type(), bound)));
        ofSources(field, Metrics::upperBounds, order.reversed())
                .flatMap(bound -> BoundTruncation.upper(field.type(), bound, length))
                .ifPresent(bound -> upper.put(field.id(), ValueCodec.encode(field.type(), bound)));
    }

    /** The first by the order of what the sources say; empty if one that has values does not say it. */
    private Optional<Object> ofSources(
            Field field, Function<Metrics, Map<Integer, Bytes>> bounds, Comparator<Object> order) {
        Optional<Object> first = Optional.empty();
        for (Metrics source : sources) {
            Bytes bound = bounds.apply(source).get(field.id());
            if (bound != null) {
                Object value = ValueCodec.decode(field.type(), bound);
                first = first.filter(other -> order.compare(other, value) <= 0).or(() -> Optional.of(value));
            } else if (hasValues(source, field.id())) {
                return Optional.empty();
            }
        }
        return first;
    }

    private static boolean hasValues(Metrics source, int fieldId) {
        Long values = source.valueCounts().get(fieldId);
        return values == null || !values.equals(source.nullValueCounts().get(fieldId));
    }

    /** Empty if the bytes are not UTF-8. */
    private static Optional<String> text(byte[] utf8) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** Parquet's statistics are little-endian as single values are; decimals are big-endian and minimal there. */
    private static Bytes bound(Type type, byte[] statistic) {
        if (!(type instanceof Type.Decimal decimal)) {
            return Bytes.copyOf(statistic);
        }
        if (decimal.precision() > ParquetTypes.MAX_LONG_PRECISION) {
            return Bytes.wrap(new BigInteger(statistic).toByteArray());
        }
        var buffer = ByteBuffer.wrap(statistic).order(ByteOrder.LITTLE_ENDIAN);
        long unscaled = decimal.precision() <= ParquetTypes.MAX_INT_PRECISION ? buffer.getInt() : buffer.getLong();
        return Bytes.wrap(BigInteger.valueOf(unscaled).toByteArray());
    }

    private static Bytes floatingBound(Type type, double value) {
        var buffer = ByteBuffer.allocate(type == Type.Simple.FLOAT ? Float.BYTES : Double.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        // Exact: the value came from a float.
        return Bytes.wrap(
                (type == Type.Simple.FLOAT ? buffer.putFloat((float) value) : buffer.putDouble(value)).array());
    }

    /** All chunks of one column. */
    private static final class Chunks {

        private final FileLayout.Column column;
        private long sizeBytes;
        private long values;
        private long nulls;
        private boolean nullsKnown = true;
        private boolean boundsKnown = true;
        private Optional<Statistics<?>> statistics = Optional.empty();

        Chunks(FileLayout.Column column) {
            this.column = column;
        }

        void add(ColumnChunkMetaData chunk, @Nullable Statistics<?> found) {
            sizeBytes += chunk.getTotalSize();
            if (isSecondPartOfVariant(chunk)) {
                return;
            }
            values += chunk.getValueCount();
            if (found == null || !found.isNumNullsSet() || found.isEmpty()) {
                nullsKnown = false;
                boundsKnown = false;
                return;
            }
            nulls += found.getNumNulls();
            if (found.hasNonNullValue()) {
                merge(found);
            } else if (found.getNumNulls() < chunk.getValueCount()) {
                boundsKnown = false;
            }
        }

        /** Its values were counted with the first part. */
        private boolean isSecondPartOfVariant(ColumnChunkMetaData chunk) {
            String[] path = chunk.getPath().toArray();
            return column.field().type() == Type.Simple.VARIANT
                    && path[path.length - 1].equals(ParquetTypes.VARIANT_VALUE);
        }

        private void merge(Statistics<?> found) {
            if (statistics.isEmpty()) {
                statistics = Optional.of(found.copy());
            } else {
                statistics.get().mergeStatistics(found);
            }
        }
    }
}
