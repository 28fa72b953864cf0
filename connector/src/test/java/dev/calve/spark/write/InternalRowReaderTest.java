package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.MemoryStorage;
import dev.calve.parquet.DataFileWriter;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.Placement;
import dev.calve.parquet.StorageInput;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.CharType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VarcharType;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InternalRowReaderTest {

    private static final Schema ALL = new Schema(
            0,
            List.of(
                    Field.optional(1, "bool", Type.Simple.BOOLEAN),
                    Field.optional(2, "int", Type.Simple.INT),
                    Field.optional(3, "long", Type.Simple.LONG),
                    Field.optional(4, "float", Type.Simple.FLOAT),
                    Field.optional(5, "double", Type.Simple.DOUBLE),
                    Field.optional(6, "date", Type.Simple.DATE),
                    Field.optional(7, "ts", Type.Simple.TIMESTAMPTZ),
                    Field.optional(8, "ntz", Type.Simple.TIMESTAMP),
                    Field.optional(9, "string", Type.Simple.STRING),
                    Field.optional(10, "uuid", Type.Simple.UUID),
                    Field.optional(11, "binary", Type.Simple.BINARY),
                    Field.optional(12, "fixed", new Type.Fixed(2)),
                    Field.optional(13, "d9", new Type.Decimal(9, 2)),
                    Field.optional(14, "d18", new Type.Decimal(18, 4)),
                    Field.optional(15, "d38", new Type.Decimal(38, 10)),
                    Field.optional(16, "void", Type.Simple.UNKNOWN),
                    Field.optional(
                            17,
                            "s",
                            new Type.Struct(List.of(
                                    Field.optional(20, "x", Type.Simple.INT),
                                    Field.optional(21, "u", Type.Simple.UUID)))),
                    Field.optional(
                            18,
                            "l",
                            new Type.ListOf(
                                    22, false, new Type.Struct(List.of(Field.optional(23, "y", Type.Simple.LONG))))),
                    Field.optional(
                            19, "m", new Type.MapOf(24, Type.Simple.STRING, 25, false, new Type.Decimal(20, 1)))));

    private final MemoryStorage storage = new MemoryStorage();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsOfEveryTypeAreWritten(boolean unsafe) throws IOException {
        InternalRow row = allTypes();
        InternalRow nulls = new GenericInternalRow(new Object[ALL.fields().size()]);
        if (unsafe) {
            var projection = UnsafeProjection.create(SparkTypes.toSpark(ALL));
            row = projection.apply(row).copy();
            nulls = projection.apply(nulls).copy();
        }

        List<Group> read = write(ALL, InternalRowReader.of(ALL), row, nulls);

        Group first = read.get(0);
        assertThat(first.getBoolean("bool", 0)).isTrue();
        assertThat(first.getInteger("int", 0)).isEqualTo(-7);
        assertThat(first.getLong("long", 0)).isEqualTo(1L << 40);
        assertThat(first.getFloat("float", 0)).isEqualTo(1.5f);
        assertThat(first.getDouble("double", 0)).isEqualTo(-2.25);
        assertThat(first.getInteger("date", 0)).isEqualTo(19_000);
        assertThat(first.getLong("ts", 0)).isEqualTo(-1L);
        assertThat(first.getLong("ntz", 0)).isEqualTo(1L);
        assertThat(first.getString("string", 0)).isEqualTo("žlutý");
        assertThat(hex(first, "uuid")).isEqualTo("f79c3e09677c4bbda4793f349cb785e7");
        assertThat(hex(first, "binary")).isEqualTo("00ff");
        assertThat(hex(first, "fixed")).isEqualTo("0102");
        assertThat(first.getInteger("d9", 0)).isEqualTo(-12_345);
        assertThat(first.getLong("d18", 0)).isEqualTo(999_999_999_999_999_999L);
        // -1234567890123456789012345678.0000000001 as 16 bytes of two's complement.
        assertThat(new BigInteger(first.getBinary("d38", 0).getBytes()))
                .isEqualTo(new BigInteger("-12345678901234567890123456780000000001"));
        Group struct = first.getGroup("s", 0);
        assertThat(struct.getInteger("x", 0)).isEqualTo(3);
        assertThat(hex(struct, "u")).isEqualTo("079c3e09677c4bbda4793f349cb785e7");
        Group list = first.getGroup("l", 0);
        assertThat(list.getFieldRepetitionCount("list")).isEqualTo(2);
        assertThat(list.getGroup("list", 0).getGroup("element", 0).getLong("y", 0))
                .isEqualTo(5);
        assertThat(list.getGroup("list", 1).getFieldRepetitionCount("element")).isZero();
        Group map = first.getGroup("m", 0);
        assertThat(map.getGroup("key_value", 0).getString("key", 0)).isEqualTo("k");
        assertThat(hex(map.getGroup("key_value", 0), "value")).endsWith("0f");
        assertThat(map.getGroup("key_value", 1).getFieldRepetitionCount("value"))
                .isZero();
        Group second = read.get(1);
        for (int i = 0; i < second.getType().getFieldCount(); i++) {
            assertThat(second.getFieldRepetitionCount(i)).isZero();
        }
    }

    @Test
    void bytesAndShortsAreWrittenAsInts() throws IOException {
        var schema = new Schema(
                0,
                List.of(
                        Field.required(1, "b", Type.Simple.INT),
                        Field.required(2, "s", Type.Simple.INT),
                        Field.required(3, "l", new Type.ListOf(4, true, Type.Simple.INT))));
        var rowType = new StructType()
                .add("b", DataTypes.ByteType)
                .add("s", DataTypes.ShortType)
                .add("l", DataTypes.createArrayType(DataTypes.ShortType, false));
        var row = UnsafeProjection.create(rowType).apply(new GenericInternalRow(new Object[] {
            (byte) -3, (short) -300, new GenericArrayData(new Object[] {(short) 1, (short) -2})
        }));

        Group read = write(schema, InternalRowReader.of(schema, rowType), row).get(0);

        assertThat(read.getInteger("b", 0)).isEqualTo(-3);
        assertThat(read.getInteger("s", 0)).isEqualTo(-300);
        assertThat(read.getGroup("l", 0).getGroup("list", 1).getInteger("element", 0))
                .isEqualTo(-2);
    }

    @Test
    void columnsAreFoundAtTheirOrdinals() throws IOException {
        var schema = new Schema(
                0, List.of(Field.required(1, "a", Type.Simple.INT), Field.required(2, "b", Type.Simple.STRING)));
        var rowType = new StructType()
                .add("operation", DataTypes.IntegerType)
                .add("second", new VarcharType(5))
                .add("first", DataTypes.IntegerType);
        var row = new GenericInternalRow(new Object[] {9, UTF8String.fromString("x"), 1});

        Group read = write(schema, InternalRowReader.of(schema, rowType, new int[] {2, 1}), row)
                .get(0);

        assertThat(read.getInteger("a", 0)).isEqualTo(1);
        assertThat(read.getString("b", 0)).isEqualTo("x");
    }

    @Test
    void charIsAString() {
        var schema = new Schema(0, List.of(Field.required(1, "a", Type.Simple.STRING)));

        assertThat(InternalRowReader.of(schema, new StructType().add("a", new CharType(3))))
                .isNotNull();
    }

    @Test
    void refusesRowsOfAnotherType() {
        var schema = new Schema(0, List.of(Field.required(1, "a", Type.Simple.INT)));

        assertThatThrownBy(() -> InternalRowReader.of(schema, new StructType().add("a", DataTypes.LongType)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a'")
                .hasMessageContaining("bigint");
        assertThatThrownBy(() -> InternalRowReader.of(schema, new StructType()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1-1-1-1-1", "f79c3e09-677c-4bbd-a479-3f349cb785eg"})
    void refusesTextThatIsNoUuid(String text) {
        var schema = new Schema(0, List.of(Field.required(1, "id", Type.Simple.UUID)));
        var row = new GenericInternalRow(new Object[] {UTF8String.fromString(text)});

        assertThatThrownBy(() -> write(schema, InternalRowReader.of(schema), row))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'id'")
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void aDecimalOfAnotherScaleKeepsItsValue() throws IOException {
        var schema = new Schema(0, List.of(Field.required(1, "d", new Type.Decimal(9, 2))));
        var row = new GenericInternalRow(new Object[] {Decimal.apply(new BigDecimal("1.5"))});

        assertThat(write(schema, InternalRowReader.of(schema), row).get(0).getInteger("d", 0))
                .isEqualTo(150);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void variantsAreWrittenAsTheyAre(boolean unsafe) throws IOException {
        var variant = Type.Simple.VARIANT;
        var schema = new Schema(
                0,
                List.of(Field.required(1, "v", variant), Field.optional(2, "l", new Type.ListOf(3, false, variant))));
        var value = new VariantVal(new byte[] {12, 1}, new byte[] {1, 0, 0});
        InternalRow row =
                new GenericInternalRow(new Object[] {value, new GenericArrayData(new Object[] {null, value})});
        if (unsafe) {
            row = UnsafeProjection.create(SparkTypes.toSpark(schema)).apply(row);
        }

        Group read = write(schema, InternalRowReader.of(schema), row).get(0);

        assertThat(hex(read.getGroup("v", 0), "value")).isEqualTo("0c01");
        assertThat(hex(read.getGroup("v", 0), "metadata")).isEqualTo("010000");
        Group list = read.getGroup("l", 0);
        assertThat(list.getGroup("list", 0).getFieldRepetitionCount("element")).isZero();
        assertThat(hex(list.getGroup("list", 1).getGroup("element", 0), "value"))
                .isEqualTo("0c01");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 86_400_000_000L})
    void refusesNumbersThatAreNoTime(long number) throws IOException {
        var schema = new Schema(
                0, List.of(Field.required(1, "n", Type.Simple.LONG), Field.required(2, "t", Type.Simple.TIME)));

        assertThat(write(schema, InternalRowReader.of(schema), new GenericInternalRow(new Object[] {number, 0L})))
                .hasSize(1);
        assertThatThrownBy(() ->
                        write(schema, InternalRowReader.of(schema), new GenericInternalRow(new Object[] {0L, number})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'t' of type time")
                .hasMessageContaining("" + number);
    }

    private static InternalRow allTypes() {
        var list = new GenericArrayData(new Object[] {new GenericInternalRow(new Object[] {5L}), null});
        var map = new ArrayBasedMapData(
                new GenericArrayData(new Object[] {UTF8String.fromString("k"), UTF8String.fromString("n")}),
                new GenericArrayData(new Object[] {decimal("1.5", 20, 1), null}));
        return new GenericInternalRow(new Object[] {
            true,
            -7,
            1L << 40,
            1.5f,
            -2.25,
            19_000,
            -1L,
            1L,
            UTF8String.fromString("žlutý"),
            UTF8String.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
            new byte[] {0, -1},
            new byte[] {1, 2},
            decimal("-123.45", 9, 2),
            decimal("99999999999999.9999", 18, 4),
            decimal("-1234567890123456789012345678.0000000001", 38, 10),
            null,
            new GenericInternalRow(new Object[] {3, UTF8String.fromString("079c3e09-677c-4bbd-a479-3f349cb785e7")}),
            list,
            map
        });
    }

    private static Decimal decimal(String value, int precision, int scale) {
        return Decimal.apply(new BigDecimal(value), precision, scale);
    }

    private List<Group> write(Schema schema, InternalRowReader reader, InternalRow... rows) throws IOException {
        String location = "f" + storage.locations().size();
        var layout = FileLayout.of(schema, WriteSettings.defaults());
        var writer = DataFileWriter.create(storage, location, layout, reader, Placement.of(0, PartitionTuple.EMPTY));
        for (InternalRow row : rows) {
            writer.write(row);
        }
        assertThat(writer.close().recordCount()).isEqualTo(rows.length);
        try (var file = ParquetFileReader.open(
                new StorageInput(storage.input(location)),
                ParquetReadOptions.builder().build())) {
            var type = file.getFileMetaData().getSchema();
            var records = new ColumnIOFactory()
                    .getColumnIO(type)
                    .getRecordReader(file.readNextRowGroup(), new GroupRecordConverter(type));
            return Stream.generate(records::read).limit(rows.length).toList();
        }
    }

    private static String hex(Group row, String column) {
        return HexFormat.of().formatHex(row.getBinary(column, 0).getBytes());
    }
}
