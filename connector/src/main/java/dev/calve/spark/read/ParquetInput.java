package dev.calve.spark.read;

import dev.calve.expression.Expression.Column;
import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.parquet.BoundedCodecs;
import dev.calve.parquet.FooterCheck;
import dev.calve.parquet.PageSizes;
import dev.calve.pruning.AbsentColumn;
import dev.calve.pruning.IndexSource;
import dev.calve.pruning.RowRanges;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.HadoopParquetConfiguration;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.schema.MessageType;

/**
 * An open Parquet file: its footer, and the pages of chosen columns and rows of its row groups. What the footer says has
 * been compared with the file. Used by one thread.
 */
final class ParquetInput implements Closeable {

    private static final HadoopParquetConfiguration CONFIGURATION =
            new HadoopParquetConfiguration(new Configuration(false));

    private static final int UNUSED_PAGE_SIZE = 0;

    private final InputFile source;
    private final ParquetFileReader file;
    private final ParquetSourceStream stream;
    private final ParquetReadOptions options;
    private Set<ColumnPath> projected = Set.of();

    private ParquetInput(
            InputFile source, ParquetFileReader file, ParquetSourceStream stream, ParquetReadOptions options) {
        this.source = source;
        this.file = file;
        this.stream = stream;
        this.options = options;
    }

    /**
     * Opens a file and reads its footer: one ranged read if the footer is not unusually large.
     *
     * @throws InvalidTableException if the file is not Parquet or its footer does not fit it
     */
    static ParquetInput open(InputFile source) throws IOException {
        var codecs = new BoundedCodecs(new CodecFactory(CONFIGURATION, UNUSED_PAGE_SIZE));
        var options = ParquetReadOptions.builder(CONFIGURATION)
                .withUseHadoopVectoredIo(true)
                .withCodecFactory(codecs)
                .usePageChecksumVerification()
                .build();
        var stream = new ParquetSourceStream(source.open(), source.length());
        try {
            ParquetFileReader file;
            try {
                file = new ParquetFileReader(new ParquetSource(source), options, stream);
            } catch (IOException | RuntimeException e) {
                if (stream.hasFailed()) {
                    throw e;
                }
                stream.close();
                stream = new ParquetSourceStream(source.open(), source.length());
                file = openWithKnownAnnotations(source, options, stream, e);
            }
            FooterCheck.check(file.getFooter(), source);
            codecs.limitBy(file.getFooter());
            return new ParquetInput(source, file, stream, options);
        } catch (IOException | RuntimeException | Error e) {
            try {
                codecs.release();
                stream.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static ParquetFileReader openWithKnownAnnotations(
            InputFile source, ParquetReadOptions options, ParquetSourceStream stream, Exception unreadable)
            throws IOException {
        try {
            Optional<byte[]> end = KnownAnnotations.end(stream, source.length());
            if (end.isPresent()) {
                stream.replaceEnd(end.get());
                return new ParquetFileReader(new ParquetSource(source), options, stream);
            }
        } catch (IOException | RuntimeException e) {
            if (stream.hasFailed()) {
                throw e;
            }
            if (e != unreadable) {
                // The JVM throws one and the same object again and again where code that is hot fails.
                unreadable.addSuppressed(e);
            }
        }
        throw new InvalidTableException(
                "Data file '%s' must be a Parquet file with a readable footer, but: %s"
                        .formatted(source.location(), unreadable.getMessage()),
                unreadable);
    }

    ParquetMetadata footer() {
        return file.getFooter();
    }

    List<BlockMetaData> rowGroups() {
        return file.getRowGroups();
    }

    /** Number of rows of the whole file. */
    long rows() {
        return file.getRecordCount();
    }

    /**
     * What the file knows of its values without reading them.
     *
     * @param schema of the file, with the field ids that its columns have or got by the name mapping
     * @param absent what rows have in columns that are not in the schema
     */
    IndexSource indexes(MessageType schema, Function<Column, AbsentColumn> absent) throws IOException {
        return new IndexSource(
                source.location(), file, stream, options, source.length(), stream::readAhead, schema, absent);
    }

    /** Says which columns are read from now on. */
    void project(MessageType columns) {
        file.setRequestedSchema(columns);
        projected = columns.getPaths().stream().map(ColumnPath::get).collect(Collectors.toSet());
    }

    /**
     * Reads the pages that hold these rows, of every projected column; those close together with one ranged read. With less
     * than all rows pages hold others, too, and tell which of theirs are meant.
     *
     * @param rows at least one; less than all only if every column's offset index fits the file
     */
    PageReadStore read(int rowGroup, RowRanges rows) throws IOException {
        BlockMetaData block = file.getRowGroups().get(rowGroup);
        stream.check(PageSizes.of(block, projected));
        long all = block.getRowCount();
        if (rows.count() == all) {
            return file.readRowGroup(rowGroup);
        }
        var ranges = org.apache.parquet.internal.filter2.columnindex.RowRanges.create(
                all, IntStream.range(0, rows.size()).iterator(), new RangesAsPages(rows));
        return new CheckedPages(
                file.readFilteredRowGroup(rowGroup, ranges),
                path -> file.getColumnIndexStore(rowGroup).getOffsetIndex(path),
                all);
    }

    /** parquet-java makes ranges of rows only from pages. */
    private record RangesAsPages(RowRanges rows) implements OffsetIndex {
        @Override
        public int getPageCount() {
            return rows.size();
        }

        @Override
        public long getFirstRowIndex(int page) {
            return rows.first(page);
        }

        @Override
        public long getLastRowIndex(int page, long totalRows) {
            return rows.end(page) - 1;
        }

        @Override
        public long getOffset(int page) {
            throw new UnsupportedOperationException("Ranges of rows have no offsets");
        }

        @Override
        public int getCompressedPageSize(int page) {
            throw new UnsupportedOperationException("Ranges of rows have no sizes");
        }
    }

    /** Whether the storage failed to give bytes of the file; any other failure is the file's. */
    boolean hasFailed() {
        return stream.hasFailed();
    }

    long bytesRead() {
        return stream.bytesRead();
    }

    long requests() {
        return stream.requests();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
