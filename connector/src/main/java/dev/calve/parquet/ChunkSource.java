package dev.calve.parquet;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.CorruptDeltaByteArrays;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;
import org.apache.parquet.conf.HadoopParquetConfiguration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * A Parquet file as column chunks: to be copied as they are, or decoded into triples of repetition level, definition level and
 * value. Used by one thread; whoever opened it closes it.
 */
public final class ChunkSource implements Closeable {

    /** Chunks are copied in small steps, each of which must not be a request. */
    private static final int COPY_WINDOW_BYTES = 4 << 20;

    /** Read from nowhere: the default ones are looked for in files. */
    private static final HadoopParquetConfiguration CONFIGURATION =
            new HadoopParquetConfiguration(new Configuration(false));

    private final InputFile file;
    private final ParquetFileReader reader;
    private final List<Map<ColumnPath, ColumnChunkMetaData>> chunks = new ArrayList<>();
    private @Nullable SeekableInputStream copying;
    private @Nullable PageReadStore pages;

    private ChunkSource(InputFile file, ParquetFileReader reader) {
        this.file = file;
        this.reader = reader;
        for (BlockMetaData block : reader.getRowGroups()) {
            var byPath = new HashMap<ColumnPath, ColumnChunkMetaData>();
            block.getColumns().forEach(chunk -> byPath.put(chunk.getPath(), chunk));
            chunks.add(byPath);
        }
    }

    /**
     * Opens a file and reads its footer.
     *
     * @throws InvalidTableException if the file has no footer that parquet-java understands
     * @throws UnsupportedOperationException if the file is encrypted
     */
    public static ChunkSource open(InputFile file) throws IOException {
        ParquetFileReader reader;
        try {
            // A page that is corrupt must not be encoded anew, with a checksum that fits it.
            reader = ParquetFileReader.open(
                    new StorageInput(file),
                    ParquetReadOptions.builder(CONFIGURATION)
                            .usePageChecksumVerification()
                            .build());
        } catch (ParquetCryptoRuntimeException e) {
            throw encrypted(file.location());
        } catch (RuntimeException e) {
            throw corrupt(file, String.valueOf(e.getMessage()), e);
        }
        if (reader.getFileMetaData().getEncryptionType() != EncryptionType.UNENCRYPTED) {
            reader.close();
            throw encrypted(file.location());
        }
        return new ChunkSource(file, reader);
    }

    /** What a rewrite of an encrypted file is refused with. */
    public static UnsupportedOperationException encrypted(String location) {
        return new UnsupportedOperationException("Cannot rewrite data file " + location
                + ": it is encrypted. Rewrite it with the engine that wrote it.");
    }

    public MessageType schema() {
        return reader.getFileMetaData().getSchema();
    }

    public int rowGroups() {
        return chunks.size();
    }

    public long rows(int rowGroup) {
        return reader.getRowGroups().get(rowGroup).getRowCount();
    }

    /** Bytes of the row group as they are stored. */
    public long storedBytes(int rowGroup) {
        return chunks.get(rowGroup).values().stream()
                .mapToLong(ColumnChunkMetaData::getTotalSize)
                .sum();
    }

    /**
     * Whether the chunks of the row group mean the same in a file of another writer: there is one for each column, and none has
     * an encoding that some early writers got wrong, which readers know by the writer's name.
     */
    public boolean isCopyable(int rowGroup) {
        String createdBy = reader.getFileMetaData().getCreatedBy();
        for (ColumnDescriptor column : schema().getColumns()) {
            ColumnChunkMetaData chunk = chunks.get(rowGroup).get(ColumnPath.get(column.getPath()));
            if (chunk == null) {
                return false;
            }
            for (Encoding encoding : chunk.getEncodings()) {
                if (CorruptDeltaByteArrays.requiresSequentialReads(createdBy, encoding)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether the footer says that a column has no null in a row group. */
    public boolean hasNoNulls(int rowGroup, ColumnDescriptor column) {
        var statistics = chunk(rowGroup, column).getStatistics();
        return statistics != null && statistics.isNumNullsSet() && statistics.getNumNulls() == 0;
    }

    /** A column chunk to be copied, with what belongs to it and is stored elsewhere. */
    record Chunk(
            SeekableInputStream file,
            ColumnChunkMetaData metadata,
            @Nullable BloomFilter bloomFilter,
            @Nullable ColumnIndex columnIndex,
            @Nullable OffsetIndex offsetIndex) {}

    /** Reads the indexes of a chunk; its pages are not looked at. The stream belongs to this source. */
    Chunk chunkToCopy(int rowGroup, ColumnDescriptor column) throws IOException {
        ColumnChunkMetaData chunk = chunk(rowGroup, column);
        if (copying == null) {
            copying = new StorageInput(file).newStream(COPY_WINDOW_BYTES);
        }
        try {
            return new Chunk(
                    copying,
                    chunk,
                    reader.readBloomFilter(chunk),
                    reader.readColumnIndex(chunk),
                    reader.readOffsetIndex(chunk));
        } catch (RuntimeException e) {
            throw corrupt(file, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * A column of a row group that is being decoded.
     *
     * @param reader of triples
     * @param count of triples, nulls among them
     */
    public record Triples(ColumnReader reader, long count) {}

    /**
     * Decodes a column of a row group. The reader stands at the first value and is good until the next one is asked for.
     * Memory: the chunk as stored, and a page.
     *
     * @throws InvalidTableException if the chunk cannot be decoded or has not one value for each row
     */
    public Triples read(int rowGroup, ColumnDescriptor column) throws IOException {
        closePages();
        MessageType only = only(schema(), column);
        try {
            reader.setRequestedSchema(only);
            PageReadStore read = Objects.requireNonNull(reader.readRowGroup(rowGroup));
            pages = read;
            var store = new ColumnReadStoreImpl(
                    read, new Nowhere(only), only, reader.getFileMetaData().getCreatedBy());
            ColumnDescriptor descriptor = only.getColumns().get(0);
            long count = read.getPageReader(descriptor).getTotalValueCount();
            if (descriptor.getMaxRepetitionLevel() == 0 && count != rows(rowGroup)) {
                throw corrupt(
                        file,
                        "column " + String.join(".", column.getPath()) + " has " + count + " values in row group "
                                + rowGroup + " of " + rows(rowGroup) + " rows",
                        null);
            }
            return new Triples(store.getColumnReader(descriptor), count);
        } catch (InvalidTableException e) {
            throw e;
        } catch (RuntimeException e) {
            throw corrupt(file, String.valueOf(e.getMessage()), e);
        }
    }

    public String location() {
        return file.location();
    }

    private ColumnChunkMetaData chunk(int rowGroup, ColumnDescriptor column) {
        ColumnChunkMetaData chunk = chunks.get(rowGroup).get(ColumnPath.get(column.getPath()));
        if (chunk == null) {
            throw corrupt(file, "row group " + rowGroup + " has no column " + String.join(".", column.getPath()), null);
        }
        return chunk;
    }

    private static InvalidTableException corrupt(InputFile file, String why, @Nullable RuntimeException cause) {
        String message = "Data file " + file.location() + " cannot be read as Parquet: " + why + ".";
        return cause == null ? new InvalidTableException(message) : new InvalidTableException(message, cause);
    }

    /** A schema of one leaf column and the groups around it. */
    static MessageType only(MessageType schema, ColumnDescriptor column) {
        return new MessageType(schema.getName(), path(schema, column.getPath(), 0));
    }

    private static org.apache.parquet.schema.Type path(GroupType group, String[] path, int depth) {
        org.apache.parquet.schema.Type part = group.getType(path[depth]);
        return part.isPrimitive() ? part : part.asGroupType().withNewFields(path(part.asGroupType(), path, depth + 1));
    }

    private void closePages() {
        if (pages != null) {
            pages.close();
            pages = null;
        }
    }

    @Override
    public void close() throws IOException {
        closePages();
        try {
            reader.close();
        } finally {
            if (copying != null) {
                copying.close();
            }
        }
    }

    /** Values are asked for, not handed out; parquet-java wants to know where to all the same. */
    private static final class Nowhere extends GroupConverter {

        private final GroupType group;

        Nowhere(GroupType group) {
            this.group = group;
        }

        @Override
        public Converter getConverter(int field) {
            var part = group.getType(field);
            return part.isPrimitive() ? new PrimitiveConverter() {} : new Nowhere(part.asGroupType());
        }

        @Override
        public void start() {
            throw new IllegalStateException("No record is assembled.");
        }

        @Override
        public void end() {
            throw new IllegalStateException("No record is assembled.");
        }
    }
}
