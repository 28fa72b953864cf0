package dev.calve.parquet;

import dev.calve.expression.Metrics;
import dev.calve.io.CleanUp;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.factory.DefaultV1ValuesWriterFactory;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;

/**
 * One data file while it is put together from column chunks, copied from other files or encoded one after the other. Each row
 * group gets one chunk of every column, in the order of the layout's columns.
 *
 * <p>Memory: one chunk that is being encoded, compressed, and the indexes of the file. Used by one thread; whoever created it
 * either closes or abandons it; after a failure it can only be abandoned.
 */
public final class ChunkFile {

    private final Storage storage;
    private final String location;
    private final FileLayout layout;
    private final PositionOutput output;
    private final CodecFactory codecs;
    private final CompressionCodecFactory.BytesInputCompressor compressor;
    private final ParquetFileWriter file;
    private final Map<Integer, FloatingRange> floating = new HashMap<>();
    private final Set<Metrics> sources = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Map<ColumnPath, Statistics<?>>> byIndex = new ArrayList<>();
    private int rowGroup;
    private long rowsInGroup;
    private long rows;
    private int columnsInGroup;

    private ChunkFile(Storage storage, String location, FileLayout layout, PositionOutput output) throws IOException {
        this.storage = storage;
        this.location = location;
        this.layout = layout;
        this.output = output;
        this.codecs = new CodecFactory(
                layout.codecConfiguration(), layout.properties().getPageSizeThreshold());
        this.compressor = codecs.getCompressor(layout.codec());
        this.file = new ParquetFileWriter(
                new StorageOutput(output),
                layout.messageType(),
                ParquetFileWriter.Mode.CREATE,
                layout.settings().pages().rowGroupSizeBytes(),
                0,
                null,
                layout.properties());
        file.start();
    }

    /**
     * Creates the file.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one already
     */
    public static ChunkFile create(Storage storage, String location, FileLayout layout) throws IOException {
        PositionOutput output = storage.create(location);
        try {
            return new ChunkFile(storage, location, layout, output);
        } catch (IOException | RuntimeException e) {
            var cleanUp = new CleanUp();
            RowFile.discard(storage, location, output, cleanUp);
            cleanUp.after(e);
            throw e;
        }
    }

    public String location() {
        return location;
    }

    /**
     * Begins a row group.
     *
     * @param from metrics of the files its rows come from
     */
    public void startRowGroup(long rowCount, List<Metrics> from) throws IOException {
        rowsInGroup = rowCount;
        columnsInGroup = 0;
        sources.addAll(from);
        byIndex.add(new HashMap<>());
        file.startBlock(rowCount);
    }

    /**
     * Copies a chunk byte by byte, with its indexes and bloom filter. It has as many rows as the row group.
     *
     * @param metrics of the file it comes from
     * @return its size in bytes
     */
    public long copy(ColumnDescriptor column, ChunkSource source, int ofRowGroup, Metrics metrics) throws IOException {
        var chunk = source.chunkToCopy(ofRowGroup, column);
        columnsInGroup++;
        file.appendColumnChunk(
                column, chunk.file(), chunk.metadata(), chunk.bloomFilter(), chunk.columnIndex(), chunk.offsetIndex());
        if (isFloating(column)) {
            addUnseen(column, chunk.metadata(), metrics);
        } else if (isSilent(chunk.metadata().getStatistics()) && chunk.columnIndex() != null) {
            IndexStatistics.of(chunk.metadata().getPrimitiveType(), chunk.columnIndex())
                    .ifPresent(found ->
                            byIndex.get(byIndex.size() - 1).put(chunk.metadata().getPath(), found));
        }
        return chunk.metadata().getTotalSize();
    }

    private static boolean isSilent(@Nullable Statistics<?> statistics) {
        return statistics == null || statistics.isEmpty();
    }

    /** Writes the values of one column, all rows of the row group. */
    @FunctionalInterface
    public interface Producer {
        void produce(ColumnSink sink) throws IOException;
    }

    /**
     * Encodes a chunk as the layout says.
     *
     * @param values is asked a second time if there are NaNs with bits of their own, which parquet-java does not keep
     * @return its size in bytes
     */
    public long encode(ColumnDescriptor column, Producer values) throws IOException {
        columnsInGroup++;
        long before = output.position();
        MessageType only = ChunkSource.only(layout.messageType(), column);
        if (!encode(column, only, layout.properties(), false, values)) {
            encode(column, asBits(only), settingsForBits(column), true, values);
        }
        return output.position() - before;
    }

    /** @return false if nothing was written because bits would have been lost */
    private boolean encode(
            ColumnDescriptor column, MessageType only, ParquetProperties properties, boolean inBits, Producer values)
            throws IOException {
        var range = new FloatingRange();
        // Pages go into the column as it is, of which those of integers are written the same way.
        try (var pages = new ColumnChunkPageWriteStore(
                        compressor,
                        ChunkSource.only(layout.messageType(), column),
                        properties.getAllocator(),
                        properties.getColumnIndexTruncateLength(),
                        properties.getPageWriteChecksumEnabled(),
                        null,
                        rowGroup);
                ColumnWriteStore store = properties.newColumnWriteStore(only, pages, pages)) {
            var sink = ColumnSink.of(store, column, range, inBits);
            values.produce(sink);
            if (sink.hasLostBits()) {
                return false;
            }
            store.flush();
            pages.flushToFileWriter(file);
        }
        if (isFloating(column)) {
            range(column).add(range);
        }
        return true;
    }

    /** The same column with integers for floating-point numbers, in whose bytes and pages the two do not differ. */
    private static MessageType asBits(MessageType only) {
        return new MessageType(only.getName(), asBits(only.getType(0)));
    }

    private static org.apache.parquet.schema.Type asBits(org.apache.parquet.schema.Type part) {
        if (!part.isPrimitive()) {
            GroupType group = part.asGroupType();
            return group.withNewFields(asBits(group.getType(0)));
        }
        PrimitiveType primitive = part.asPrimitiveType();
        PrimitiveTypeName integers = primitive.getPrimitiveTypeName() == PrimitiveTypeName.FLOAT
                ? PrimitiveTypeName.INT32
                : PrimitiveTypeName.INT64;
        return Types.primitive(integers, part.getRepetition()).named(part.getName());
    }

    /** Plain values without statistics: the order of the bits is not that of the numbers. */
    private ParquetProperties settingsForBits(ColumnDescriptor column) {
        String path = String.join(".", column.getPath());
        return ParquetProperties.copy(layout.properties())
                .withValuesWriterFactory(new DefaultV1ValuesWriterFactory())
                .withDictionaryEncoding(path, false)
                .withStatisticsEnabled(path, false)
                .withSizeStatisticsEnabled(path, false)
                .withBloomFilterEnabled(path, false)
                .build();
    }

    /** Completes the row group. */
    public void endRowGroup() throws IOException {
        int columns = layout.messageType().getColumns().size();
        if (columnsInGroup != columns) {
            throw new IllegalStateException("A row group of " + location + " must have a chunk of each of the "
                    + columns + " columns, not " + columnsInGroup + " chunks.");
        }
        file.endBlock();
        rowGroup++;
        rows += rowsInGroup;
    }

    /** Completes the file and describes it as a manifest will. */
    public DataFile close(Placement placement) throws IOException {
        file.end(Map.of());
        file.close();
        codecs.release();
        List<BlockMetaData> blocks = file.getFooter().getBlocks();
        var finished = new RowFile.Finished(
                ColumnMetrics.of(layout, blocks, rows, floating, byIndex, new ArrayList<>(sources)),
                output.position(),
                blocks.stream().map(BlockMetaData::getStartingPos).toList());
        return new DataFile(placement.describe(location, finished), OptionalLong.empty());
    }

    /** Gives the file up and deletes it. */
    public void abandon() throws IOException {
        var cleanUp = new CleanUp();
        cleanUp.run(codecs::release);
        RowFile.discard(storage, location, output, cleanUp);
        cleanUp.end();
    }

    private static boolean isFloating(ColumnDescriptor column) {
        var type = column.getPrimitiveType().getPrimitiveTypeName();
        return type == PrimitiveTypeName.FLOAT || type == PrimitiveTypeName.DOUBLE;
    }

    private FloatingRange range(ColumnDescriptor column) {
        return floating.computeIfAbsent(field(column).id(), id -> new FloatingRange());
    }

    private Field field(ColumnDescriptor column) {
        return layout.column(ColumnPath.get(column.getPath())).field();
    }

    /** What is known about values that were copied: what the file they come from says, else the chunk. */
    private void addUnseen(ColumnDescriptor column, ColumnChunkMetaData chunk, Metrics metrics) {
        FloatingRange range = range(column);
        Statistics<?> statistics = chunk.getStatistics();
        if (statistics != null && statistics.isNumNullsSet() && statistics.getNumNulls() == chunk.getValueCount()) {
            return;
        }
        Field field = field(column);
        if (!Long.valueOf(0).equals(metrics.nanValueCounts().get(field.id()))) {
            range.addUncounted();
        }
        Bytes lower = metrics.lowerBounds().get(field.id());
        Bytes upper = metrics.upperBounds().get(field.id());
        if (lower != null && upper != null) {
            range.addRange(number(field.type(), lower), number(field.type(), upper));
        } else if (statistics != null && statistics.hasNonNullValue()) {
            range.addRange(number(statistics.genericGetMin()), number(statistics.genericGetMax()));
        } else {
            range.addUnknownRange();
        }
    }

    private static double number(Type type, Bytes bound) {
        return number(ValueCodec.decode(type, bound));
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }
}
