package dev.calve.pruning;

import dev.calve.expression.Expression.Column;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.hadoop.metadata.IndexReference;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the indexes and dictionaries of one open file. What is not there, and what is corrupt, is null: a filter then
 * concludes nothing from it. A storage that fails is noticed by the read of the data. Used by the thread that reads the file.
 */
public final class IndexSource {

    private static final long MOST_READ_AHEAD = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(IndexSource.class);

    private final String location;
    private final ParquetFileReader file;
    private final SeekableInputStream stream;
    private final ParquetReadOptions options;
    private final long length;
    private final ReadAhead readAhead;
    private final FileColumns columns;
    private final Function<Column, AbsentColumn> absent;

    /** Reads a range of the file that is read in parts soon after. */
    @FunctionalInterface
    public interface ReadAhead {
        void read(long from, int count) throws IOException;
    }

    /**
     * Wraps an open file.
     *
     * @param stream the one {@code file} reads from
     * @param length of the file in bytes
     * @param schema of the file, with the field ids that its columns have or got by the name mapping
     * @param absent what the file's rows have in columns that are not in the schema
     */
    public IndexSource(
            String location,
            ParquetFileReader file,
            SeekableInputStream stream,
            ParquetReadOptions options,
            long length,
            ReadAhead readAhead,
            MessageType schema,
            Function<Column, AbsentColumn> absent) {
        this.location = location;
        this.file = file;
        this.stream = stream;
        this.options = options;
        this.length = length;
        this.readAhead = readAhead;
        this.columns = new FileColumns(schema);
        this.absent = absent;
    }

    /** The indexes of a row group of the file. */
    public RowGroupIndexes rowGroup(BlockMetaData block) {
        return new RowGroupIndexes(block, columns, this);
    }

    /** What is known of a column that the file lacks. */
    AbsentColumn absent(Column column) {
        return absent.apply(column);
    }

    /** A read that may fail because of what it reads. */
    @FunctionalInterface
    private interface Read<T> {
        @Nullable T run() throws IOException;
    }

    /** Gets the offset indexes of several chunks with one read if they stand close enough together. */
    void readOffsetIndexes(List<ColumnChunkMetaData> chunks) {
        long from = Long.MAX_VALUE;
        long to = 0;
        for (ColumnChunkMetaData chunk : chunks) {
            IndexReference reference = chunk.getOffsetIndexReference();
            if (reference != null && isInFile(reference)) {
                from = Math.min(from, reference.getOffset());
                to = Math.max(to, reference.getOffset() + reference.getLength());
            }
        }
        if (chunks.size() > 1 && to > from && to - from <= MOST_READ_AHEAD) {
            long start = from;
            int count = (int) (to - from);
            orNull("offset index", chunks.get(0), () -> {
                readAhead.read(start, count);
                return null;
            });
        }
    }

    @Nullable ColumnIndex columnIndex(ColumnChunkMetaData chunk) {
        return isInFile(chunk.getColumnIndexReference())
                ? orNull("column index", chunk, () -> file.readColumnIndex(chunk))
                : null;
    }

    /** Null also if the index does not fit the chunk. */
    @Nullable OffsetIndex offsetIndex(ColumnChunkMetaData chunk, long rows) {
        if (!isInFile(chunk.getOffsetIndexReference())) {
            return null;
        }
        OffsetIndex index = orNull("offset index", chunk, () -> file.readOffsetIndex(chunk));
        return index != null && PageIndex.fits(index, chunk, rows) ? index : null;
    }

    @Nullable BloomFilter bloomFilter(ColumnChunkMetaData chunk) {
        long offset = chunk.getBloomFilterOffset();
        boolean isInFile = offset > 0 && offset < length && chunk.getBloomFilterLength() <= length - offset;
        return isInFile ? orNull("bloom filter", chunk, () -> file.readBloomFilter(chunk)) : null;
    }

    @Nullable DictionaryPage dictionary(ColumnChunkMetaData chunk) {
        long start = chunk.getStartingPos();
        return start > 0 && start < length ? orNull("dictionary", chunk, () -> readDictionary(chunk)) : null;
    }

    /** Not parquet-java's own way, which allocates what a corrupt header says. */
    private @Nullable DictionaryPage readDictionary(ColumnChunkMetaData chunk) throws IOException {
        stream.seek(chunk.getStartingPos());
        PageHeader header = Util.readPageHeader(stream);
        if (!header.isSetDictionary_page_header()) {
            return null;
        }
        int stored = header.getCompressed_page_size();
        int plain = header.getUncompressed_page_size();
        if (stored < 0
                || plain < 0
                || stored > length - stream.getPos()
                || stored > chunk.getTotalSize()
                || plain > chunk.getTotalUncompressedSize()) {
            return null;
        }
        var bytes = new byte[stored];
        stream.readFully(bytes);
        var values = header.getDictionary_page_header();
        return new DictionaryPage(
                options.getCodecFactory().getDecompressor(chunk.getCodec()).decompress(BytesInput.from(bytes), plain),
                values.getNum_values(),
                Encoding.valueOf(values.getEncoding().name()));
    }

    private boolean isInFile(@Nullable IndexReference reference) {
        return reference != null
                && reference.getOffset() > 0
                && reference.getLength() > 0
                && reference.getOffset() <= length - reference.getLength();
    }

    private <T> @Nullable T orNull(String what, ColumnChunkMetaData chunk, Read<T> read) {
        try {
            return read.run();
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "The {} of column {} in data file {} cannot be read and is not used: {}",
                    what,
                    chunk.getPath(),
                    location,
                    e.toString());
            return null;
        }
    }
}
