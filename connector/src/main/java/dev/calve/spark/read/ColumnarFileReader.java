package dev.calve.spark.read;

import dev.calve.deletes.PositionCursor;
import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.HadoopParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
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
 * <p>A batch never spans row groups, so its rows stand at consecutive positions of the file. The objects returned are used
 * again for the next batch. The file is opened once and its footer read once; each row group costs one read for the wanted
 * columns that stand close together. Row groups all of whose rows are deleted are not read.
 *
 * <p>Used by one thread; closed by whoever opened it, batches included.
 */
public final class ColumnarFileReader implements Closeable {

    private static final HadoopParquetConfiguration CONFIGURATION =
            new HadoopParquetConfiguration(new Configuration(false));

    private final FileRead read;
    private final ParquetFileReader file;
    private final FileProjection projection;
    private final List<RowGroup> rowGroups;
    private final long rowsInFile;

    private final @Nullable SparkDecoder decoder;
    private final PositionVector positions = new PositionVector();
    private final DeletedVector marks;
    private final ColumnarBatch allRows;
    private final @Nullable PositionCursor deleted;
    private final RowFilter.@Nullable Rows filter;
    private final int[] survivors;
    private @Nullable ColumnarBatch survivingRows;

    private int nextRowGroup;
    private int nextToDecode;
    private @Nullable PageReadStore pages;
    private long nextPosition;
    private long rowGroupEnd;
    private long firstPosition;
    private boolean filtered;

    /** A row group to read: its ordinal in the file and the positions of its rows, [first, end). */
    private record RowGroup(int ordinal, long first, long end) {}

    private ColumnarFileReader(FileRead read, ParquetFileReader file) throws IOException {
        this.read = read;
        this.file = file;
        this.projection = FileProjection.of(read, file.getFileMetaData().getSchema());
        this.rowsInFile = file.getRecordCount();
        this.rowGroups = chooseRowGroups();
        this.deleted = read.deleted
                .filter(positionsDeleted -> !positionsDeleted.isEmpty())
                .map(positionsDeleted -> positionsDeleted.cursor())
                .orElse(null);
        this.survivors = new int[deleted == null && read.filter.isEmpty() ? 0 : read.batchRows];
        this.marks = new DeletedVector(read.batchRows);
        this.decoder = projection.storedSchema.getFieldCount() == 0 || rowGroups.isEmpty() ? null : openDecoder();
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
     * Opens a file and reads its footer: one ranged read if the footer is not unusually large.
     *
     * @throws InvalidTableException if the file is not Parquet, if a column cannot be found or has a type that cannot be
     *     read as the wanted one
     * @throws UnsupportedOperationException if a wanted column is encoded in a way that Spark cannot decode
     */
    public static ColumnarFileReader open(FileRead read) throws IOException {
        var file = openFile(read.file);
        try {
            return new ColumnarFileReader(read, file);
        } catch (IOException | RuntimeException | Error e) {
            try {
                file.close();
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
        return file.getFooter();
    }

    /** The file's schema with the field ids that its columns have or got by the name mapping. */
    public MessageType fileSchema() {
        return projection.fileSchema;
    }

    /** Number of rows of the whole file, deleted ones and those of other splits included. */
    public long rowsInFile() {
        return rowsInFile;
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
        long nextDeleted = deleted == null ? PositionCursor.NONE : deleted.seek(firstPosition);
        boolean someDeleted = nextDeleted != PositionCursor.NONE && nextDeleted < firstPosition + count;
        int live = deleted != null && someDeleted ? deleted.survivors(firstPosition, count, survivors) : count;
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

    /** The live rows of the current batch, or all if deleted ones are to be shown. */
    public ColumnarBatch batch() {
        return filtered ? survivingRows() : allRows;
    }

    /** All rows of the current batch, deleted ones included; row i stands at {@link #firstPosition()} + i. */
    public ColumnarBatch allRows() {
        return allRows;
    }

    /** Position in the file of the current batch's first row, deleted or not. */
    public long firstPosition() {
        return firstPosition;
    }

    /** Position in the file of a row of {@link #batch()}. */
    public long positionOf(int row) {
        return firstPosition + (filtered ? survivors[row] : row);
    }

    @Override
    public void close() throws IOException {
        try {
            allRows.close();
            if (decoder != null) {
                decoder.close();
            }
            if (pages != null) {
                pages.close();
                pages = null;
            }
        } finally {
            file.close();
        }
    }

    private List<RowGroup> chooseRowGroups() {
        var chosen = new ArrayList<RowGroup>();
        var blocks = file.getRowGroups();
        long first = 0;
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            long end = first + block.getRowCount();
            if (end > first && isInRange(block) && !isDeleted(first, end) && mightMatch(block)) {
                chosen.add(new RowGroup(i, first, end));
            }
            first = end;
        }
        return List.copyOf(chosen);
    }

    private boolean mightMatch(BlockMetaData block) {
        return read.rowGroups.mightMatch(block, projection.fileSchema);
    }

    private boolean isInRange(BlockMetaData block) {
        long start = block.getColumns().isEmpty() ? 0 : block.getStartingPos();
        long middle = start + block.getCompressedSize() / 2;
        return middle >= read.start && middle < read.end;
    }

    private boolean isDeleted(long first, long end) {
        return !read.showDeleted
                && read.deleted.isPresent()
                && read.deleted.get().cardinalityInRange(first, end) == end - first;
    }

    private SparkDecoder openDecoder() throws IOException {
        refuseUndecodable();
        file.setRequestedSchema(projection.storedSchema);
        long rows =
                rowGroups.stream().mapToLong(group -> group.end - group.first).sum();
        return SparkDecoder.open(
                projection.storedSchema,
                projection.storedTypes,
                rows,
                this::readRowGroup,
                file.getFileMetaData().getCreatedBy(),
                read.batchRows);
    }

    /** Finds out before the first row what Spark would only say in the middle, without the file's name. */
    private void refuseUndecodable() {
        Set<ColumnPath> wanted = new HashSet<>();
        projection.storedSchema.getPaths().forEach(path -> wanted.add(ColumnPath.get(path)));
        for (var group : rowGroups) {
            for (var chunk : file.getRowGroups().get(group.ordinal).getColumns()) {
                if (chunk.getEncodings().contains(Encoding.BYTE_STREAM_SPLIT) && wanted.contains(chunk.getPath())) {
                    throw new UnsupportedOperationException(
                            ("Column '%s' of data file '%s' must have an encoding that Spark's vectorized reader decodes,"
                                            + " not BYTE_STREAM_SPLIT. Rewrite the file without it.")
                                    .formatted(chunk.getPath().toDotString(), read.file.location()));
                }
            }
        }
    }

    private @Nullable PageReadStore readRowGroup() throws IOException {
        if (pages != null) {
            pages.close();
            pages = null;
        }
        if (nextToDecode == rowGroups.size()) {
            return null;
        }
        pages = file.readRowGroup(rowGroups.get(nextToDecode++).ordinal);
        return pages;
    }

    private List<ColumnVector> vectors() {
        var stored = decoder == null ? new ColumnarBatch(new ColumnVector[0]) : decoder.resultBatch();
        var decoded = new ColumnSource.Decoded(stored, positions, marks, read.batchRows);
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
        if (nextPosition == rowGroupEnd) {
            if (nextRowGroup == rowGroups.size()) {
                return false;
            }
            var group = rowGroups.get(nextRowGroup++);
            nextPosition = group.first;
            rowGroupEnd = group.end;
        }
        int rows = decoder == null ? (int) Math.min(read.batchRows, rowGroupEnd - nextPosition) : decode(decoder);
        firstPosition = nextPosition;
        nextPosition += rows;
        positions.startAt(firstPosition);
        allRows.setNumRows(rows);
        return true;
    }

    private int decode(SparkDecoder spark) throws IOException {
        try {
            if (!spark.nextBatch()) {
                throw new IllegalStateException("Rows from %d of data file '%s' must be decoded, but Spark has no more"
                        .formatted(nextPosition, read.file.location()));
            }
            return spark.resultBatch().numRows();
        } catch (UncheckedIOException | IllegalStateException e) {
            throw e;
        } catch (IOException e) {
            throw String.valueOf(e.getMessage()).contains(read.file.location())
                    ? e
                    : new IOException(undecodable(e), e);
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(undecodable(e), e);
        } catch (RuntimeException e) {
            throw new InvalidTableException(undecodable(e), e);
        }
    }

    private String undecodable(Exception cause) {
        return "Columns %s of data file '%s' must be decodable from position %d on, but: %s"
                .formatted(
                        Arrays.toString(projection.storedTypes.fieldNames()),
                        read.file.location(),
                        nextPosition,
                        cause.getMessage());
    }

    private static ParquetFileReader openFile(InputFile file) throws IOException {
        try {
            var options = ParquetReadOptions.builder(CONFIGURATION)
                    .withUseHadoopVectoredIo(true)
                    .build();
            return ParquetFileReader.open(new ParquetSource(file), options);
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InvalidTableException(
                    "Data file '%s' must be a Parquet file with a readable footer, but: %s"
                            .formatted(file.location(), e.getMessage()),
                    e);
        }
    }
}
