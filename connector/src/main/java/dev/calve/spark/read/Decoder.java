package dev.calve.spark.read;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.pruning.RowRanges;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the stored columns of a file's row groups, batch by batch: with Spark's vectorized decoder as long as it can,
 * else value by value. Which of them it is is seen in nothing but the time it takes and {@link #isByRows}.
 */
final class Decoder implements Closeable {

    private final InputFile file;
    private final ParquetInput input;
    private final FileProjection projection;
    private final List<RowGroup> rowGroups;
    private final SparkDecoder spark;
    private final int batchRows;

    private int nextRowGroup;
    private int current = -1;
    private @Nullable PageReadStore pages;
    private @Nullable RowDecoder byRows;

    private Decoder(
            InputFile file, ParquetInput input, FileProjection projection, List<RowGroup> rowGroups, int batchRows)
            throws IOException {
        this.file = file;
        this.input = input;
        this.projection = projection;
        this.rowGroups = rowGroups;
        this.batchRows = batchRows;
        this.spark = SparkDecoder.open(
                projection.storedSchema,
                projection.storedTypes,
                rowGroups.stream().mapToLong(group -> group.rows().count()).sum(),
                this::readRowGroup,
                createdBy(),
                batchRows);
    }

    /**
     * Prepares to decode.
     *
     * @param rowGroups at least one, in the order in which they are decoded
     */
    static Decoder open(
            InputFile file, ParquetInput input, FileProjection projection, List<RowGroup> rowGroups, int batchRows)
            throws IOException {
        var decoder = new Decoder(file, input, projection, rowGroups, batchRows);
        try {
            if (decoder.isRefusedBySpark()) {
                decoder.goByRows();
            }
        } catch (RuntimeException | Error e) {
            decoder.spark.close();
            throw e;
        }
        return decoder;
    }

    private @Nullable String createdBy() {
        return input.footer().getFileMetaData().getCreatedBy();
    }

    private boolean isRefusedBySpark() {
        Set<ColumnPath> wanted = projection.storedPaths();
        return rowGroups.stream()
                .flatMap(group -> input.rowGroups().get(group.ordinal()).getColumns().stream())
                .anyMatch(chunk -> wanted.contains(chunk.getPath()) && Encodings.areRefused(chunk));
    }

    /** Whether of a row group some rows of these columns can be decoded without the others. */
    static boolean canSkipRows(BlockMetaData block, Set<ColumnPath> wanted) {
        return block.getColumns().stream()
                .allMatch(chunk -> !wanted.contains(chunk.getPath()) || Encodings.areSkippable(chunk));
    }

    private RowDecoder goByRows() {
        var decoder = new RowDecoder(projection.storedSchema, spark.resultBatch(), createdBy());
        byRows = decoder;
        return decoder;
    }

    /** Whether values are decoded one by one. */
    boolean isByRows() {
        return byRows != null;
    }

    /** The decoded columns, filled again by each call of {@link #decode}. */
    ColumnarBatch batch() {
        return spark.resultBatch();
    }

    /**
     * Decodes the next rows.
     *
     * @param at where they are taken from; not moved
     * @return how many, at least one; never more than are left of the row group
     * @throws InvalidTableException if the file's bytes cannot be decoded
     */
    int decode(BatchPositions at) throws IOException {
        if (at.taken() == 0) {
            current++;
        }
        try {
            return byRows == null ? decodeWithSpark(at) : decodeByRows(byRows, at);
        } catch (IOException | RuntimeException e) {
            throw explained(e, at);
        }
    }

    /** The failure with the file's name, of a type that tells a storage to be asked again from a file to be restored. */
    private RuntimeException explained(Exception failure, BatchPositions at) throws IOException {
        if (input.hasFailed()) {
            throw new IOException(undecodable(at, failure), failure);
        }
        if (failure instanceof UnsupportedOperationException) {
            return new UnsupportedOperationException(undecodable(at, failure), failure);
        }
        return new InvalidTableException(undecodable(at, failure), failure);
    }

    private int decodeWithSpark(BatchPositions at) throws IOException {
        try {
            if (!spark.nextBatch()) {
                throw new IllegalStateException("Rows from %d of data file '%s' must be decoded, but Spark has no more"
                        .formatted(at.next(), file.location()));
            }
            return spark.resultBatch().numRows();
        } catch (UnsupportedOperationException e) {
            // An encoding that the footer does not tell of: of levels, or of some page. Its row group is read once
            // more.
            RowDecoder rows = goByRows();
            if (at.taken() > 0) {
                startCurrent(rows);
            }
            return decodeByRows(rows, at);
        }
    }

    private int decodeByRows(RowDecoder decoder, BatchPositions at) throws IOException {
        if (at.taken() == 0) {
            startCurrent(decoder);
        }
        int rows = (int) Math.min(batchRows, at.consecutive());
        decoder.decode(at.nextInRowGroup(), rows);
        spark.resultBatch().setNumRows(rows);
        return rows;
    }

    /** Reads all rows: parquet-java assembles wrong records where the last row that is asked for follows a gap. */
    private void startCurrent(RowDecoder decoder) throws IOException {
        releasePages();
        int ordinal = rowGroups.get(current).ordinal();
        long rows = input.rowGroups().get(ordinal).getRowCount();
        decoder.startRowGroup(read(new RowGroup(ordinal, 0, RowRanges.all(rows))));
    }

    private String undecodable(BatchPositions at, Exception cause) {
        return "Columns %s of data file '%s' must be decodable from position %d on, but: %s"
                .formatted(
                        Arrays.toString(projection.storedTypes.fieldNames()),
                        file.location(),
                        at.next(),
                        cause.getMessage());
    }

    /** For Spark's decoder, which asks when it needs the next one. */
    private @Nullable PageReadStore readRowGroup() throws IOException {
        releasePages();
        if (nextRowGroup == rowGroups.size()) {
            return null;
        }
        return read(rowGroups.get(nextRowGroup++));
    }

    private PageReadStore read(RowGroup group) throws IOException {
        var read = input.read(group.ordinal(), group.rows());
        pages = read;
        return read;
    }

    private void releasePages() {
        if (pages != null) {
            pages.close();
            pages = null;
        }
    }

    @Override
    public void close() throws IOException {
        spark.close();
        releasePages();
    }
}
