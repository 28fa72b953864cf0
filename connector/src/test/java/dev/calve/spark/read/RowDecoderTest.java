package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.api.Binary;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class RowDecoderTest {

    private static final String DEEP = "required int64 id = 1; required double split = 2;"
            + " optional group point = 3 { optional int32 x = 4; optional binary name (STRING) = 5;"
            + "   optional group inner = 6 { optional int64 deep = 7; } }"
            + " optional group list (LIST) = 8 { repeated group list { optional group element = 9 {"
            + "   optional int32 a = 10; optional group b (LIST) = 11 { repeated group list { optional binary element (STRING) = 12; } } } } }"
            + " optional group map (MAP) = 13 { repeated group key_value { required binary key (STRING) = 14;"
            + "   optional group value (LIST) = 15 { repeated group list { optional int64 element = 16; } } } }"
            + " optional group old (LIST) = 17 { repeated int32 array = 18; }"
            + " optional group oldStructs (LIST) = 19 { repeated group array = 20 { optional int32 p = 21; optional binary q (STRING) = 22; } }"
            + " optional int96 instant = 23;"
            + " optional int64 millis (TIMESTAMP(MILLIS,true)) = 24;"
            + " optional fixed_len_byte_array(9) large (DECIMAL(20,3)) = 25;"
            + " optional int32 small (DECIMAL(5,1)) = 26;";

    @Test
    void decodesTheSameRowsAsSparkDoes() {
        Randomly.check(20, random -> {
            var stored = new StoredRows(random, random.oneOf(WriterVersion.values()));

            assertThat(rows(stored.read(stored.byteStreamSplit))).isEqualTo(rows(stored.read()));
        });
    }

    @Test
    void decodesNestedColumnsAsSparkDoes() throws IOException {
        for (int batchRows : new int[] {1, 10, 4096}) {
            var bySpark = deep(ParquetFixture.schema(DEEP));
            var byRows = deep(ParquetFixture.schema(DEEP).byteStreamSplit());

            List<List<Object>> read = rows(FileRead.of(byRows, deepColumns()).batchRows(batchRows));

            assertThat(read).hasSize(300).isEqualTo(rows(FileRead.of(bySpark, deepColumns())));
            assertThat(read.get(7).toString()).contains("name 7");
        }
    }

    @Test
    void appliesDeletesAndPositionsAsEverywhere() throws IOException {
        var file = deep(ParquetFixture.schema(DEEP).byteStreamSplit().rowsPerGroup(70));
        var deleted = new PositionBitmap();
        deleted.addRange(3, 290);

        var read = rows(FileRead.of(
                        file,
                        struct(
                                field(2147483645, "_pos", DataTypes.LongType),
                                field(1, "id", DataTypes.LongType),
                                field(2, "split", DataTypes.DoubleType)))
                .deleted(deleted));

        assertThat(read).hasSize(13).first().isEqualTo(List.of(0L, 0L, 0.0));
        assertThat(read).last().isEqualTo(List.of(299L, 299L, 149.5));
        assertThat(read.get(3)).isEqualTo(List.of(290L, 290L, 145.0));
    }

    @Test
    void saysThatItDecodedByRows() throws IOException {
        var file = deep(ParquetFixture.schema(DEEP).byteStreamSplit());
        var split = struct(field(2, "split", DataTypes.DoubleType));
        var other = struct(field(1, "id", DataTypes.LongType));

        assertThat(filesDecodedByRows(FileRead.of(file, split))).isEqualTo(1);
        assertThat(filesDecodedByRows(FileRead.of(file, other))).isZero();
    }

    @Test
    void takesOverWhereSparkMeetsAnEncodingThatTheFooterDoesNotTell() throws IOException {
        var schema = "required int64 id = 1; required double split = 2; optional binary s (STRING) = 3;";
        var file = ParquetFixture.schema(schema)
                .byteStreamSplit()
                .dictionary(true)
                .dictionaryBytes(200)
                .rowsPerGroup(3000)
                .pageRows(500)
                .write(7000, (group, i) -> {
                    group.append("id", (long) i).append("split", i % 3000 < 1500 ? i % 4 : i * 0.5);
                    if (i % 3 > 0) {
                        group.append("s", "text " + i);
                    }
                });
        var silent = withoutTheirNames(file);
        var columns = struct(
                field(2147483645, "_pos", DataTypes.LongType),
                field(1, "id", DataTypes.LongType),
                field(2, "split", DataTypes.DoubleType),
                field(3, "s", DataTypes.StringType));
        var expected = new ArrayList<List<Object>>();
        for (int i = 0; i < 7000; i++) {
            expected.add(Arrays.asList(
                    (long) i, (long) i, i % 3000 < 1500 ? (double) (i % 4) : i * 0.5, i % 3 > 0 ? "text " + i : null));
        }

        for (int batchRows : new int[] {333, 4096}) {
            assertThat(rows(FileRead.of(silent, columns).batchRows(batchRows))).isEqualTo(expected);
        }
        assertThat(filesDecodedByRows(FileRead.of(silent, columns))).isEqualTo(1);
    }

    private static long filesDecodedByRows(FileRead.Builder read) throws IOException {
        try (var reader = ColumnarFileReader.open(read.build())) {
            while (reader.next()) {
                assertThat(reader.batch().numRows()).isPositive();
            }
            return reader.counters().filesDecodedByRows();
        }
    }

    /** The same file with a footer that claims plain and dictionary encoding everywhere. */
    private static MemoryFile withoutTheirNames(MemoryFile file) throws IOException {
        int length = file.bytes.length;
        int footerLength = ByteBuffer.wrap(file.bytes, length - 8, 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
        int footerStart = length - 8 - footerLength;
        var footer = Util.readFileMetaData(new ByteArrayInputStream(file.bytes, footerStart, footerLength));
        footer.getRow_groups()
                .forEach(group -> group.getColumns().forEach(column -> {
                    column.getMeta_data().setEncodings(List.of(Encoding.PLAIN, Encoding.RLE_DICTIONARY));
                    column.getMeta_data().unsetEncoding_stats();
                }));
        var bytes = new ByteArrayOutputStream();
        bytes.write(file.bytes, 0, footerStart);
        Util.writeFileMetaData(footer, bytes);
        int written = bytes.size() - footerStart;
        bytes.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(written)
                .array());
        bytes.writeBytes(new byte[] {'P', 'A', 'R', '1'});
        return new MemoryFile(file.location(), bytes.toByteArray());
    }

    private static StructType deepColumns() {
        var strings = DataTypes.createArrayType(DataTypes.StringType);
        return struct(
                field(1, "id", DataTypes.LongType),
                field(2, "split", DataTypes.DoubleType),
                field(
                        3,
                        "point",
                        struct(
                                field(4, "x", DataTypes.LongType),
                                field(5, "name", DataTypes.StringType),
                                field(6, "inner", struct(field(7, "deep", DataTypes.LongType))),
                                field(99, "absent", DataTypes.IntegerType))),
                field(
                        8,
                        "list",
                        DataTypes.createArrayType(
                                struct(field(10, "a", DataTypes.IntegerType), field(11, "b", strings)))),
                field(
                        13,
                        "map",
                        DataTypes.createMapType(DataTypes.StringType, DataTypes.createArrayType(DataTypes.LongType))),
                field(17, "old", DataTypes.createArrayType(DataTypes.IntegerType)),
                field(19, "oldStructs", DataTypes.createArrayType(new StructType(new StructField[] {
                    field(21, "p", DataTypes.IntegerType), field(22, "q", DataTypes.StringType)
                }))),
                field(23, "instant", DataTypes.TimestampType),
                field(24, "millis", DataTypes.TimestampType),
                field(25, "large", DataTypes.createDecimalType(22, 3)),
                field(26, "small", DataTypes.createDecimalType(12, 1)));
    }

    private static MemoryFile deep(ParquetFixture fixture) throws IOException {
        return fixture.write(300, RowDecoderTest::fillDeep);
    }

    private static void fillDeep(Group group, int i) {
        group.append("id", (long) i).append("split", i * 0.5);
        if (i % 4 > 0) {
            Group point = group.addGroup("point");
            if (i % 3 > 0) {
                point.append("x", i).append("name", "name " + i);
                point.addGroup("inner");
            } else if (i % 2 > 0) {
                point.addGroup("inner").append("deep", (long) i);
            }
        }
        if (i % 5 > 0) {
            Group list = group.addGroup("list");
            for (int j = 0; j < i % 5 - 1; j++) {
                Group wrapper = list.addGroup("list");
                if (j != 1) {
                    Group element = wrapper.addGroup("element");
                    element.append("a", i + j);
                    if (j > 1) {
                        Group inner = element.addGroup("b");
                        inner.addGroup("list");
                        inner.addGroup("list").append("element", "e" + i);
                    }
                }
            }
        }
        if (i % 6 > 0) {
            Group map = group.addGroup("map");
            for (int j = 0; j < i % 6 - 1; j++) {
                Group entry = map.addGroup("key_value").append("key", "k" + j);
                if (j > 0) {
                    entry.addGroup("value").addGroup("list").append("element", (long) i * j);
                }
            }
        }
        if (i % 7 > 0) {
            Group old = group.addGroup("old");
            Group structs = group.addGroup("oldStructs");
            for (int j = 0; j < i % 7 - 1; j++) {
                old.append("array", i - j);
                Group element = structs.addGroup("array").append("p", j);
                if (j % 2 == 0) {
                    element.append("q", "q" + i);
                }
            }
        }
        if (i % 8 > 0) {
            ByteBuffer int96 = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
            int96.putLong(i * 1_000_001_000L).putInt(2_440_588 + i - 150);
            group.append("instant", Binary.fromConstantByteArray(int96.array()));
            group.append("millis", i * 1_234_567L - 9);
            var large = new byte[9];
            Arrays.fill(large, (byte) (i % 2 == 0 ? 0 : -1));
            large[8] = (byte) i;
            group.append("large", Binary.fromConstantByteArray(large)).append("small", i - 150);
        }
    }
}
