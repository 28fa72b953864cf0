package dev.calve.spark.read;

import dev.calve.io.InputFile;
import dev.calve.io.RangeInput;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Writes small Parquet files into memory with parquet-java, and turns what is read into plain Java values. */
final class ParquetFixture {

    private final MessageType schema;
    private int rowsPerGroup = 1_000_000;
    private int pageRows = 20_000;
    private boolean dictionary = true;
    private boolean byteStreamSplit;
    private boolean bloomFilters;
    private int dictionaryBytes = 1 << 20;
    private int boundBytes = 64;
    private WriterVersion version = WriterVersion.PARQUET_1_0;
    private CompressionCodecName codec = CompressionCodecName.UNCOMPRESSED;

    private ParquetFixture(MessageType schema) {
        this.schema = schema;
    }

    /** A schema in Parquet's own notation; ids are written {@code int32 a = 1}. */
    static ParquetFixture schema(String fields) {
        return new ParquetFixture(MessageTypeParser.parseMessageType("message table { " + fields + " }"));
    }

    ParquetFixture rowsPerGroup(int rows) {
        rowsPerGroup = rows;
        return this;
    }

    ParquetFixture pageRows(int rows) {
        pageRows = rows;
        return this;
    }

    ParquetFixture dictionary(boolean enabled) {
        dictionary = enabled;
        return this;
    }

    ParquetFixture byteStreamSplit() {
        byteStreamSplit = true;
        dictionary = false;
        return this;
    }

    /** Encodes a chunk's later values without a dictionary, once that has so many bytes. */
    ParquetFixture dictionaryBytes(int bytes) {
        dictionaryBytes = bytes;
        return this;
    }

    /** Writes bloom filters of columns that are not encoded by a dictionary. */
    ParquetFixture bloomFilters() {
        bloomFilters = true;
        return this;
    }

    /** Cuts texts in the page index and the footer's statistics. */
    ParquetFixture cutBounds(int bytes) {
        boundBytes = bytes;
        return this;
    }

    ParquetFixture version(WriterVersion newVersion) {
        version = newVersion;
        return this;
    }

    ParquetFixture codec(CompressionCodecName newCodec) {
        codec = newCodec;
        return this;
    }

    MemoryFile write(int rows, BiConsumer<Group, Integer> fill) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var writer = ExampleParquetWriter.builder(new MemoryOutput(bytes))
                .withType(schema)
                .withConf(new Configuration(false))
                .withRowGroupRowCountLimit(rowsPerGroup)
                .withPageRowCountLimit(pageRows)
                .withDictionaryEncoding(dictionary)
                .withDictionaryPageSize(dictionaryBytes)
                .withByteStreamSplitEncoding(byteStreamSplit)
                .withBloomFilterEnabled(bloomFilters)
                .withMaxBloomFilterBytes(1024)
                .withColumnIndexTruncateLength(boundBytes)
                .withStatisticsTruncateLength(boundBytes)
                .withMinRowCountForPageSizeCheck(1)
                .withWriterVersion(version)
                .withCompressionCodec(codec)
                .build()) {
            for (int i = 0; i < rows; i++) {
                var group = new SimpleGroup(schema);
                fill.accept(group, i);
                writer.write(group);
            }
        }
        return new MemoryFile("memory:///data/a.parquet", bytes.toByteArray());
    }

    static StructField field(int id, String name, DataType type) {
        return field(id, name, type, true);
    }

    static StructField field(int id, String name, DataType type, boolean nullable) {
        return new StructField(
                name,
                type,
                nullable,
                new MetadataBuilder().putLong(FileProjection.FIELD_ID, id).build());
    }

    static StructType struct(StructField... fields) {
        return new StructType(fields);
    }

    /** All live rows as lists of values. */
    static List<List<Object>> rows(FileRead.Builder read) throws IOException {
        var result = new ArrayList<List<Object>>();
        try (var reader = ColumnarFileReader.open(read.build())) {
            while (reader.next()) {
                for (int i = 0; i < reader.batch().numRows(); i++) {
                    result.add(values(reader.batch().getRow(i), reader.columns()));
                }
            }
        }
        return result;
    }

    /** The values of the only column asked for. */
    static List<Object> column(FileRead.Builder read) throws IOException {
        var result = new ArrayList<Object>();
        rows(read).forEach(row -> result.add(row.get(0)));
        return result;
    }

    static List<Object> values(SpecializedGetters row, StructType type) {
        var result = new ArrayList<Object>();
        for (int i = 0; i < type.size(); i++) {
            result.add(value(row, i, type.apply(i).dataType()));
        }
        return result;
    }

    private static @Nullable Object value(SpecializedGetters row, int ordinal, DataType type) {
        if (row.isNullAt(ordinal)) {
            return null;
        }
        if (type instanceof StructType struct) {
            return values(row.getStruct(ordinal, struct.size()), struct);
        }
        if (type instanceof ArrayType list) {
            return elements(row, ordinal, list.elementType());
        }
        if (type instanceof MapType mapType) {
            var map = row.getMap(ordinal);
            Map<Object, Object> result = new LinkedHashMap<>();
            for (int i = 0; i < map.numElements(); i++) {
                result.put(
                        value(map.keyArray(), i, mapType.keyType()), value(map.valueArray(), i, mapType.valueType()));
            }
            return result;
        }
        return plain(row.get(ordinal, type));
    }

    private static Object elements(SpecializedGetters row, int ordinal, DataType elementType) {
        var array = row.getArray(ordinal);
        var result = new ArrayList<Object>();
        for (int i = 0; i < array.numElements(); i++) {
            result.add(value(array, i, elementType));
        }
        return result;
    }

    private static Object plain(Object value) {
        if (value instanceof UTF8String) {
            return value.toString();
        }
        if (value instanceof Decimal decimal) {
            return decimal.toJavaBigDecimal();
        }
        if (value instanceof byte[] array) {
            var bytes = new ArrayList<Byte>();
            for (byte b : array) {
                bytes.add(b);
            }
            return bytes;
        }
        return value;
    }

    /** A file in memory that remembers how it was read. */
    static final class MemoryFile implements InputFile {
        private final String location;
        final byte[] bytes;
        final List<String> reads = new ArrayList<>();
        int opened;
        int closed;

        MemoryFile(String location, byte[] bytes) {
            this.location = location;
            this.bytes = bytes;
        }

        @Override
        public String location() {
            return location;
        }

        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public RangeInput open() {
            opened++;
            return new RangeInput() {
                @Override
                public void readFully(long position, byte[] target, int offset, int count) throws IOException {
                    if (position + count > bytes.length) {
                        throw new EOFException(position + "+" + count + " of " + bytes.length);
                    }
                    reads.add(position + "+" + count);
                    System.arraycopy(bytes, (int) position, target, offset, count);
                }

                @Override
                public void close() {
                    closed++;
                }
            };
        }
    }

    private record MemoryOutput(ByteArrayOutputStream bytes) implements OutputFile {
        @Override
        public PositionOutputStream create(long blockSizeHint) {
            return new PositionOutputStream() {
                @Override
                public long getPos() {
                    return bytes.size();
                }

                @Override
                public void write(int b) {
                    bytes.write(b);
                }

                @Override
                public void write(byte[] source, int offset, int count) {
                    bytes.write(source, offset, count);
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSizeHint) {
            return create(blockSizeHint);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }
}
