package dev.calve.spark.read;

import dev.calve.deletes.PositionCursor;
import dev.calve.io.InvalidTableException;
import dev.calve.parquet.FooterCheck;
import dev.calve.pruning.IndexSource;
import dev.calve.pruning.RowGroupIndexes;
import dev.calve.pruning.RowRanges;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Reads one data file, or the part of it that a split covers, batch by batch.
 *
 * <p>A batch never spans row groups. Its rows stand at ascending positions of the file, consecutive ones unless pages were
 * left out. The objects returned are used again for the next batch. The file is opened once and its footer read once; each
 * row group costs one read for the wanted pages that stand close together. Row groups all of whose rows are deleted are not
 * read.
 *
 * <p>Used by one thread; closed by whoever opened it, batches included.
 */
public final class ColumnarFileReader implements Closeable {

    private final FileRead read;
    private final ParquetInput input;
    private final FileProjection projection;
    private final List<RowGroup> rowGroups;

    private final @Nullable Decoder decoder;
    private final BatchPositions positions;
    private final DeletedVector marks;
    private final ColumnarBatch allRows;
    private final @Nullable PositionCursor deleted;
    private final RowFilter.@Nullable Rows filter;
    private final int[] survivors;
    private @Nullable ColumnarBatch survivingRows;

    private int nextRowGroup;
    private boolean filtered;
    private long rowGroupsSkipped;
    private long rowsSkipped;

    private ColumnarFileReader(FileRead read, ParquetInput input) throws IOException {
        this.read = read;
        this.input = input;
        this.projection =
                FileProjection.of(read, input.footer().getFileMetaData().getSchema());
        input.project(projection.storedSchema);
        this.rowGroups = chooseRowGroups();
        this.deleted = read.deleted
                .filter(positionsDeleted -> !positionsDeleted.isEmpty())
                .map(positionsDeleted -> positionsDeleted.cursor())
                .orElse(null);
        this.positions = new BatchPositions(read.batchRows);
        this.survivors = new int[deleted == null && read.filter.isEmpty() ? 0 : read.batchRows];
        this.marks = new DeletedVector(read.batchRows);
        this.decoder = projection.storedSchema.getFieldCount() == 0 || rowGroups.isEmpty()
                ? null
                : Decoder.open(read.file, input, projection, rowGroups, read.batchRows);
        List<ColumnVector> vectors = vectors();
        this.allRows = new ColumnarBatch(part(vectors, read.columns).toArray(ColumnVector[]::new));
        this.filter = read.filter
                .filter(rows -> !rowGroups.isEmpty())
                .map(rows -> rows.over(part(vectors, rows.columns()), read.batchRows))
                .orElse(null);
    }

    private List<ColumnVector> part(List<ColumnVector> vectors, StructType wanted) {
        return rowGroups.isEmpty()
                ? vectors.subList(0, wanted.size())
                : MergedColumns.part(vectors, read.decoded, wanted);
    }

    /**
     * Checks that this Spark has what reading needs. Called once when a catalog starts, so that the first query need not
     * find out.
     *
     * @throws UnsupportedOperationException naming what is missing
     */
    public static void verifySpark() {
        SparkDecoder.verify();
    }

    /**
     * Opens a file and reads its footer, one ranged read if that is not unusually large, and what the filter asks of the
     * file's indexes.
     *
     * @throws InvalidTableException if the file is not Parquet or is corrupt, if a column cannot be found or has a type that
     *     cannot be read as the wanted one
     */
    public static ColumnarFileReader open(FileRead read) throws IOException {
        var input = ParquetInput.open(read.file);
        try {
            return new ColumnarFileReader(read, input);
        } catch (IOException | RuntimeException | Error e) {
            try {
                input.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** The columns of the batches, in order. */
    public StructType columns() {
        return read.columns;
    }

    /** The file's footer. */
    public ParquetMetadata footer() {
        return input.footer();
    }

    /** The file's schema with the field ids that its columns have or got by the name mapping. */
    public MessageType fileSchema() {
        return projection.fileSchema;
    }

    /** Number of rows of the whole file, deleted ones and those of other splits included. */
    public long rowsInFile() {
        return input.rows();
    }

    /** What reading took so far. */
    public ReadCounters counters() {
        return new ReadCounters(
                rowGroups.size(),
                rowGroupsSkipped,
                rowsSkipped,
                decoder != null && decoder.isByRows() ? 1 : 0,
                input.bytesRead(),
                input.requests());
    }

    /**
     * Goes on to the next batch that has a live row.
     *
     * @return false if there is none left
     * @throws InvalidTableException if the file's bytes cannot be decoded
     */
    public boolean next() throws IOException {
        while (decodeNext()) {
            int count = allRows.numRows();
            int live = liveRows(count);
            filtered = live < count && !read.showDeleted;
            if (read.showDeleted) {
                marks.markAllBut(survivors, live, count);
                return true;
            }
            if (!filtered) {
                return true;
            }
            if (live > 0) {
                survivingRows().setNumRows(live);
                return true;
            }
        }
        return false;
    }

    /** Counts the live rows of the batch and, unless that is all of them, names them in {@link #survivors}. */
    private int liveRows(int count) {
        long nextDeleted = deleted == null ? PositionCursor.NONE : deleted.seek(positions.first());
        boolean someDeleted = nextDeleted != PositionCursor.NONE && nextDeleted <= positions.last();
        int live = deleted != null && someDeleted ? survivors(deleted, count) : count;
        if (filter == null || live == 0) {
            return live;
        }
        if (!someDeleted) {
            for (int i = 0; i < count; i++) {
                survivors[i] = i;
            }
        }
        return filter.retain(survivors, live);
    }

    private int survivors(PositionCursor gone, int count) {
        if (positions.areConsecutive()) {
            return gone.survivors(positions.first(), count, survivors);
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            long position = positions.of(i);
            if (gone.seek(position) != position) {
                survivors[kept++] = i;
            }
        }
        return kept;
    }

    /** The live rows of the current batch, or all if deleted ones are to be shown. */
    public ColumnarBatch batch() {
        return filtered ? survivingRows() : allRows;
    }

    /** All rows of the current batch, deleted ones included. */
    public ColumnarBatch allRows() {
        return allRows;
    }

    /** Position in the file of a row of {@link #allRows()}. */
    public long positionInAll(int row) {
        return positions.of(row);
    }

    /** Position in the file of a row of {@link #batch()}. */
    public long positionOf(int row) {
        return positions.of(filtered ? survivors[row] : row);
    }

    @Override
    public void close() throws IOException {
        try {
            allRows.close();
            if (decoder != null) {
                decoder.close();
            }
        } finally {
            input.close();
        }
    }

    private List<RowGroup> chooseRowGroups() throws IOException {
        var chosen = new ArrayList<RowGroup>();
        var stored = projection.storedPaths();
        IndexSource indexes = input.indexes(projection.fileSchema, read::absent);
        long first = 0;
        for (int i = 0; i < input.rowGroups().size(); i++) {
            var block = input.rowGroups().get(i);
            long end = first + block.getRowCount();
            if (end > first && isInRange(block)) {
                RowRanges rows = isDeleted(first, end) ? RowRanges.NONE : select(indexes.rowGroup(block), stored);
                if (rows.isEmpty()) {
                    rowGroupsSkipped++;
                } else {
                    FooterCheck.check(block, projection.storedSchema, stored, read.file);
                    rowsSkipped += block.getRowCount() - rows.count();
                    chosen.add(new RowGroup(i, first, rows));
                }
            }
            first = end;
        }
        return List.copyOf(chosen);
    }

    /** The rows the filter wants, or all if pages cannot be read alone. */
    private RowRanges select(RowGroupIndexes group, Set<ColumnPath> stored) throws IOException {
        RowRanges rows = read.rowGroups.select(group);
        if (rows.isEmpty() || rows.count() == group.rows()) {
            return rows;
        }
        return Decoder.canSkipRows(group.block(), stored) && group.canReadRanges(stored)
                ? rows
                : RowRanges.all(group.rows());
    }

    private boolean isInRange(BlockMetaData block) {
        long start = block.getColumns().isEmpty() ? 0 : block.getStartingPos();
        long middle = start + block.getCompressedSize() / 2;
        return read.ranges.stream().anyMatch(range -> middle >= range.start() && middle < range.end());
    }

    private boolean isDeleted(long first, long end) {
        return !read.showDeleted
                && read.deleted.isPresent()
                && read.deleted.get().cardinalityInRange(first, end) == end - first;
    }

    private List<ColumnVector> vectors() {
        var stored = decoder == null ? new ColumnarBatch(new ColumnVector[0]) : decoder.batch();
        var decoded = new ColumnSource.Decoded(stored, positions.vector(), marks, read.batchRows);
        return projection.sources.stream()
                .map(source -> rowGroups.isEmpty()
                        ? new ColumnSource.Constant(DataTypes.NullType, Optional.empty()).vector(decoded)
                        : source.vector(decoded))
                .toList();
    }

    private ColumnarBatch survivingRows() {
        if (survivingRows == null) {
            var columns = new ColumnVector[allRows.numCols()];
            Arrays.setAll(columns, i -> SurvivorVector.of(allRows.column(i), survivors));
            survivingRows = new ColumnarBatch(columns);
        }
        return survivingRows;
    }

    /** Decodes the next batch into {@link #allRows}, live or not. */
    private boolean decodeNext() throws IOException {
        if (positions.left() == 0) {
            if (nextRowGroup == rowGroups.size()) {
                return false;
            }
            var group = rowGroups.get(nextRowGroup++);
            positions.startRowGroup(group.first(), group.rows());
        }
        int rows = decoder == null ? (int) Math.min(read.batchRows, positions.left()) : decoder.decode(positions);
        positions.take(rows);
        allRows.setNumRows(rows);
        return true;
    }
}
