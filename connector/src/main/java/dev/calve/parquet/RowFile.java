package dev.calve.parquet;

import dev.calve.expression.Metrics;
import dev.calve.io.CleanUp;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.jspecify.annotations.Nullable;

/**
 * One Parquet file while rows go into it: rows are shredded into the columns of a row group in memory, and the row
 * group is written out when it has the size the settings ask for.
 *
 * <p>Memory: about one row group, compressed, and a page of each column. After a failure the file can only be
 * abandoned.
 */
final class RowFile<R> {

    /** Most rows between two looks at the size of a row group. */
    private static final int MOST_ROWS_BETWEEN_CHECKS = 10_000;

    private final Storage storage;
    private final String location;
    private final FileLayout layout;
    private final RowShredder<R> shredder;
    private final PositionOutput output;
    private final CodecFactory codecs;
    private final CompressionCodecFactory.BytesInputCompressor compressor;
    private final ParquetFileWriter file;
    private @Nullable ColumnChunkPageWriteStore pages;
    private @Nullable ColumnWriteStore columns;
    private int rowGroup;
    private long rowsInGroup;
    private long nextCheck = 1;
    private long rows;
    private boolean usable = true;

    /** What is known about a finished file. */
    record Finished(Metrics metrics, long sizeBytes, List<Long> splitOffsets) {}

    private RowFile(Storage storage, String location, FileLayout layout, RowReader<R> reader, PositionOutput output)
            throws IOException {
        this.storage = storage;
        this.location = location;
        this.layout = layout;
        this.output = output;
        this.shredder = new RowShredder<>(layout, reader);
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
    static <R> RowFile<R> create(Storage storage, String location, FileLayout layout, RowReader<R> reader)
            throws IOException {
        PositionOutput output = storage.create(location);
        try {
            return new RowFile<>(storage, location, layout, reader, output);
        } catch (IOException | RuntimeException e) {
            var cleanUp = new CleanUp();
            discard(storage, location, output, cleanUp);
            cleanUp.after(e);
            throw e;
        }
    }

    String location() {
        return location;
    }

    long rows() {
        return rows;
    }

    /** Bytes in the file and in memory; those in memory shrink when they are compressed. */
    long length() {
        return output.position() + (columns == null ? 0 : columns.getBufferedSize());
    }

    void write(R row) throws IOException {
        if (!usable) {
            throw new IllegalStateException("Cannot write to " + location + ": it is closed or an earlier row failed.");
        }
        // Set again at the end: a row that failed halfway leaves columns of different lengths.
        usable = false;
        ColumnWriteStore store = columns == null ? startRowGroup() : columns;
        shredder.write(row);
        store.endRecord();
        rows++;
        rowsInGroup++;
        if (rowsInGroup >= nextCheck) {
            checkSize(store.getBufferedSize());
        }
        usable = true;
    }

    Finished close() throws IOException {
        if (!usable) {
            throw new IllegalStateException("Cannot close " + location + ": it is closed or a row failed. Abandon it.");
        }
        usable = false;
        endRowGroup();
        file.end(Map.of());
        file.close();
        codecs.release();
        List<BlockMetaData> blocks = file.getFooter().getBlocks();
        return new Finished(
                ColumnMetrics.of(layout, blocks, rows, shredder.floating()),
                output.position(),
                blocks.stream().map(BlockMetaData::getStartingPos).toList());
    }

    /** Gives the file up and deletes it. */
    void abandon() throws IOException {
        usable = false;
        var cleanUp = new CleanUp();
        cleanUp.run(this::closeStores);
        cleanUp.run(codecs::release);
        discard(storage, location, output, cleanUp);
        cleanUp.end();
    }

    /** Gives a file up that is being written, and deletes it. */
    static void discard(Storage storage, String location, PositionOutput output, CleanUp cleanUp) {
        cleanUp.run(output::abandon);
        cleanUp.delete(storage, location);
    }

    private ColumnWriteStore startRowGroup() {
        ParquetProperties properties = layout.properties();
        pages = new ColumnChunkPageWriteStore(
                compressor,
                layout.messageType(),
                properties.getAllocator(),
                properties.getColumnIndexTruncateLength(),
                properties.getPageWriteChecksumEnabled(),
                null,
                rowGroup);
        columns = properties.newColumnWriteStore(layout.messageType(), pages, pages);
        shredder.bind(columns);
        return columns;
    }

    private void checkSize(long size) throws IOException {
        long target = layout.settings().pages().rowGroupSizeBytes();
        long bytesPerRow = Math.max(1, size / rowsInGroup);
        // Half the way that is left, so that rows that grow are noticed before much memory is used.
        long rowsLeft = (target - size) / bytesPerRow / 2;
        if (rowsLeft < 1) {
            endRowGroup();
            nextCheck = Math.min(MOST_ROWS_BETWEEN_CHECKS, Math.max(1, target / bytesPerRow / 2));
            return;
        }
        nextCheck = rowsInGroup + Math.min(rowsLeft, MOST_ROWS_BETWEEN_CHECKS);
    }

    private void endRowGroup() throws IOException {
        if (columns == null || pages == null) {
            return;
        }
        file.startBlock(rowsInGroup);
        columns.flush();
        pages.flushToFileWriter(file);
        file.endBlock();
        closeStores();
        rowGroup++;
        rowsInGroup = 0;
    }

    private void closeStores() {
        if (columns != null) {
            columns.close();
            columns = null;
        }
        if (pages != null) {
            pages.close();
            pages = null;
        }
    }
}
