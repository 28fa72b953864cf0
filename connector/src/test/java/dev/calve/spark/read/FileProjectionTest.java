package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.column;
import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.InvalidTableException;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.IntFunction;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileProjectionTest {

    @Test
    void findsColumnsByIdWhateverTheirNamesAndOrder() throws IOException {
        var file = ParquetFixture.schema("required int32 a = 1; required int32 b = 2; required int32 C = 3;")
                .write(2, (group, i) -> group.append("a", i).append("b", 10 + i).append("C", 20 + i));

        var read = rows(FileRead.of(
                file,
                struct(
                        field(3, "a", DataTypes.IntegerType),
                        field(1, "c", DataTypes.IntegerType),
                        field(4, "b", DataTypes.IntegerType))));

        assertThat(read).containsExactly(Arrays.asList(20, 0, null), Arrays.asList(21, 1, null));
    }

    @Test
    void readsNamesThatDifferOnlyInCaseAsTwoColumns() throws IOException {
        var file = ParquetFixture.schema("required int32 a = 1; required binary A (STRING) = 2;")
                .write(1, (group, i) -> group.append("a", 5).append("A", "x"));

        assertThat(rows(FileRead.of(
                        file, struct(field(2, "n", DataTypes.StringType), field(1, "m", DataTypes.LongType)))))
                .containsExactly(List.of("x", 5L));
    }

    @Test
    void fillsAbsentColumnsWithTheirInitialDefault() throws IOException {
        var decimal = DataTypes.createDecimalType(20, 2);
        var columns = struct(
                field(1, "id", DataTypes.IntegerType),
                field(2, "text", DataTypes.StringType, false),
                field(3, "amount", decimal),
                field(4, "none", DataTypes.DateType));

        var read = rows(FileRead.of(ints(2), columns)
                .absentValue(1, 99)
                .absentValue(2, UTF8String.fromString("new"))
                .absentValue(3, org.apache.spark.sql.types.Decimal.apply(new BigDecimal("-12.50"), 20, 2))
                .deleted(PositionBitmap.of(0)));

        assertThat(read).containsExactly(Arrays.asList(1, "new", new BigDecimal("-12.50"), null));
    }

    @Test
    void refusesAnAbsentRequiredColumnWithoutDefault() {
        assertThatThrownBy(() -> rows(FileRead.of(ints(1), struct(field(7, "must", DataTypes.LongType, false)))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'must' (id 7)")
                .hasMessageContaining("a.parquet");
    }

    @Test
    void refusesAColumnThatRepeatsWithoutBeingAList() throws IOException {
        var file = ParquetFixture.schema("repeated int32 a = 1; optional group s = 2 { repeated int32 b = 3; }")
                .write(1, (group, i) -> group.append("a", 5));

        for (var column : List.of(
                field(1, "a", DataTypes.IntegerType), field(2, "s", struct(field(3, "b", DataTypes.IntegerType))))) {
            assertThatThrownBy(() -> rows(FileRead.of(file, struct(column))))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("a.parquet")
                    .hasMessageContaining("repeated INT32");
        }
    }

    @Test
    void readsStructsListsAndMapsInTheWantedShape() throws IOException {
        var file = ParquetFixture.schema("optional group s = 1 { optional int32 a = 2; optional group inner = 3 {"
                        + " optional binary t (STRING) = 4; required int64 gone = 5; } }"
                        + "optional group l (LIST) = 6 { repeated group list { optional group element = 7 {"
                        + " optional float x = 8; optional float y = 9; } } }"
                        + "optional group m (MAP) = 10 { repeated group key_value { required int32 key = 11;"
                        + " optional group value = 12 { optional int32 v = 13; } } }")
                .write(3, (group, i) -> {
                    if (i == 2) {
                        return;
                    }
                    var s = group.addGroup("s").append("a", i);
                    if (i == 0) {
                        s.addGroup("inner").append("t", "deep").append("gone", 1L);
                    }
                    var l = group.addGroup("l");
                    l.addGroup("list").addGroup("element").append("x", 1.5f).append("y", -0.0f);
                    l.addGroup("list");
                    var m = group.addGroup("m");
                    m.addGroup("key_value").append("key", i).addGroup("value").append("v", 100 + i);
                    m.addGroup("key_value").append("key", i + 1);
                });
        var columns = struct(
                field(
                        10,
                        "map",
                        DataTypes.createMapType(
                                DataTypes.LongType,
                                struct(field(14, "new", DataTypes.StringType), field(13, "w", DataTypes.LongType)))),
                field(
                        1,
                        "renamed",
                        struct(
                                field(
                                        3,
                                        "inner",
                                        struct(
                                                field(15, "added", DataTypes.IntegerType),
                                                field(4, "text", DataTypes.StringType))),
                                field(2, "b", DataTypes.LongType))),
                field(
                        6,
                        "list",
                        DataTypes.createArrayType(struct(
                                field(9, "second", DataTypes.DoubleType), field(16, "z", DataTypes.DoubleType)))));

        var read = rows(FileRead.of(file, columns).absentValue(15, 42));

        assertThat(read.get(0))
                .containsExactly(
                        mapOf(0L, Arrays.asList(null, 100L), 1L, null),
                        List.of(List.of(42, "deep"), 0L),
                        Arrays.asList(Arrays.asList(-0.0d, null), null));
        assertThat(read.get(1))
                .containsExactly(
                        mapOf(1L, Arrays.asList(null, 101L), 2L, null),
                        Arrays.asList(null, 1L),
                        Arrays.asList(Arrays.asList(-0.0d, null), null));
        assertThat(read.get(2)).containsExactly(null, null, null);
    }

    @Test
    void keepsStructsApartFromNullWhenNoneOfTheirWantedFieldsIsInTheFile() throws IOException {
        var file = ParquetFixture.schema(
                        "optional group s = 1 { optional group tags (LIST) = 2 { repeated group list {"
                                + " required binary element (STRING) = 3; } } optional binary u (UUID) = 4; }"
                                        .replace("binary u (UUID)", "fixed_len_byte_array(16) u (UUID)")
                                + "optional group only (LIST) = 5 { repeated group list { optional group element = 6 {"
                                + " optional group tags (LIST) = 7 { repeated group list { optional int32 element = 8; } } } } }")
                .write(4, (group, i) -> {
                    if (i == 1 || i == 3) {
                        var s = group.addGroup("s");
                        if (i == 3) {
                            s.append("u", Binary.fromConstantByteArray(new byte[16]));
                        }
                    }
                    if (i != 0) {
                        var only = group.addGroup("only");
                        for (int j = 1; j < i; j++) {
                            var element = only.addGroup("list");
                            if (j == 1) {
                                var tags = element.addGroup("element").addGroup("tags");
                                tags.addGroup("list").append("element", 1);
                                tags.addGroup("list");
                            }
                        }
                    }
                });
        var added = struct(field(20, "added", DataTypes.IntegerType));
        var columns = struct(field(1, "s", added), field(5, "only", DataTypes.createArrayType(added)));

        var read = rows(FileRead.of(file, columns));

        var empty = Arrays.asList((Object) null);
        assertThat(read)
                .containsExactly(
                        Arrays.asList(null, null),
                        Arrays.asList(empty, List.of()),
                        Arrays.asList(null, List.of(empty)),
                        Arrays.asList(empty, Arrays.asList(empty, null)));
    }

    @Test
    void readsListsAndMapsOfOldWriters() throws IOException {
        var file = ParquetFixture.schema("optional group ints (LIST) = 1 { repeated int32 array = 2; }"
                        + "optional group structs (LIST) = 3 { repeated group element = 4 {"
                        + " required int32 a = 5; required int32 b = 6; } }"
                        + "optional group map (MAP_KEY_VALUE) = 7 { repeated group map { required int32 k = 8;"
                        + " optional int32 v = 9; } }")
                .write(2, (group, i) -> {
                    group.addGroup("ints").append("array", i).append("array", i + 1);
                    group.addGroup("structs").addGroup("element").append("a", i).append("b", i + 5);
                    group.addGroup("map").addGroup("map").append("k", i);
                });
        var columns = struct(
                field(1, "ints", DataTypes.createArrayType(DataTypes.LongType)),
                field(3, "structs", DataTypes.createArrayType(struct(field(6, "b", DataTypes.LongType)))),
                field(7, "map", DataTypes.createMapType(DataTypes.IntegerType, DataTypes.IntegerType)));

        assertThat(rows(FileRead.of(file, columns)))
                .containsExactly(
                        List.of(List.of(0L, 1L), List.of(List.of(5L)), mapOf(0, null)),
                        List.of(List.of(1L, 2L), List.of(List.of(6L)), mapOf(1, null)));
    }

    @Test
    void readsFilesWithoutIdsByTheNameMapping() throws IOException {
        var file = ParquetFixture.schema("required int32 id; optional group p { optional int32 x; }"
                        + "optional group l (LIST) { repeated group bag { optional group item { optional int32 y; } } }"
                        + "optional int32 unmapped;")
                .write(1, (group, i) -> {
                    group.append("id", 7).append("unmapped", 1).addGroup("p").append("x", 8);
                    group.addGroup("l").addGroup("bag").addGroup("item").append("y", 9);
                });
        var ids = Map.of(
                List.of("id"), 1,
                List.of("p"), 2,
                List.of("p", "x"), 3,
                List.of("l"), 4,
                List.of("l", "element"), 5,
                List.of("l", "element", "y"), 6);
        FieldNames names = path -> ids.containsKey(path) ? OptionalInt.of(ids.get(path)) : OptionalInt.empty();
        var columns = struct(
                field(2, "point", struct(field(3, "abscissa", DataTypes.IntegerType))),
                field(1, "key", DataTypes.IntegerType),
                field(4, "list", DataTypes.createArrayType(struct(field(6, "y", DataTypes.IntegerType)))),
                field(8, "unmapped", DataTypes.IntegerType));

        var read = rows(FileRead.of(file, columns).fieldNames(names));

        assertThat(read).containsExactly(Arrays.asList(List.of(8), 7, List.of(List.of(9)), null));
    }

    @Test
    void ignoresTheNameMappingAsSoonAsOneFieldHasAnId() throws IOException {
        var file = ParquetFixture.schema("required int32 id; optional group p { optional int32 x = 3; }")
                .write(1, (group, i) -> group.append("id", 7));

        assertThat(column(FileRead.of(file, struct(field(1, "id", DataTypes.IntegerType)))
                        .fieldNames(path -> OptionalInt.of(1))))
                .containsExactly((Object) null);
    }

    @Test
    void refusesFilesWithoutIdsAndWithoutNameMapping() throws IOException {
        var file = ParquetFixture.schema("required int32 id;").write(3, (group, i) -> group.append("id", 7));
        var position = field(2147483645, "_pos", DataTypes.LongType, false);

        assertThatThrownBy(() -> rows(FileRead.of(file, struct(field(1, "id", DataTypes.IntegerType)))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("a.parquet")
                .hasMessageContaining("schema.name-mapping.default");
        assertThat(column(FileRead.of(file, struct(position)))).containsExactly(0L, 1L, 2L);
    }

    @Test
    void refusesTwoColumnsOfOneId() throws IOException {
        var file = ParquetFixture.schema("required int32 a = 1; required int32 b = 1;")
                .write(1, (group, i) -> group.append("a", 1).append("b", 2));

        assertThatThrownBy(() -> rows(FileRead.of(file, struct(field(1, "a", DataTypes.IntegerType)))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("both have id 1");
    }

    @Test
    void refusesAWantedColumnWithoutId() {
        var columns = new StructType().add("id", DataTypes.IntegerType);

        assertThatThrownBy(() -> rows(FileRead.of(ints(1), columns)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'id'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "required int64 c = 1|int|INT64",
                "required double c = 1|float|DOUBLE",
                "required binary c (STRING) = 1|bigint|BINARY (STRING)",
                "required int32 c (DECIMAL(9,2)) = 1|decimal(8,2)|DECIMAL(9,2)",
                "required int32 c (DECIMAL(9,2)) = 1|decimal(9,3)|DECIMAL(9,2)",
                "required int64 c (TIMESTAMP(NANOS,true)) = 1|timestamp|NANOS",
                "required int32 c (DATE) = 1|int|DATE",
                "required int32 c (DATE) = 1|timestamp|DATE",
                "required int32 c (DATE) = 1|bigint|DATE",
                "required int64 c (TIMESTAMP(MICROS,false)) = 1|bigint|MICROS",
                "required int64 c (TIME(NANOS,false)) = 1|bigint|NANOS",
                "required int32 c (TIME(MILLIS,false)) = 1|bigint|MILLIS",
                "required int64 c (TIME(MICROS,false)) = 1|timestamp_ntz|TIME",
                "required group c = 1 { required int32 x = 2; }|int|group",
                "required int32 c = 1|array<int>|INT32",
                "required fixed_len_byte_array(15) c = 1|string|FIXED_LEN_BYTE_ARRAY"
            })
    void refusesTypesThatWouldNarrowOrReinterpret(String stored, String wanted, String described) throws IOException {
        var file = ParquetFixture.schema("required boolean other = 9;" + stored + (stored.endsWith("}") ? "" : ";"))
                .write(0, (group, i) -> {});

        assertThatThrownBy(() -> rows(FileRead.of(file, struct(field(1, "c", DataType.fromDDL(wanted))))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'c'")
                .hasMessageContaining("a.parquet")
                .hasMessageContaining(described);
    }

    /** One column: as stored, as wanted, value i as parquet-java writes it and as it must be read. */
    private record Column(String stored, DataType wanted, IntFunction<Object> written, IntFunction<Object> expected) {}

    private static List<Column> columns() {
        var columns = new ArrayList<Column>();
        columns.add(new Column("boolean", DataTypes.BooleanType, i -> i % 3 == 0, i -> i % 3 == 0));
        columns.add(new Column("int32", DataTypes.IntegerType, i -> -i, i -> -i));
        columns.add(new Column("int32", DataTypes.LongType, i -> -i, i -> (long) -i));
        columns.add(new Column("int64", DataTypes.LongType, i -> i * 10_000_000_000L, i -> i * 10_000_000_000L));
        columns.add(
                new Column("float", DataTypes.FloatType, FileProjectionTest::anyFloat, FileProjectionTest::anyFloat));
        columns.add(new Column("float", DataTypes.DoubleType, FileProjectionTest::anyFloat, i -> (double) anyFloat(i)));
        columns.add(new Column("double", DataTypes.DoubleType, i -> i / 4.0, i -> i / 4.0));
        columns.add(new Column("int32 % (DATE)", DataTypes.DateType, i -> i - 800_000, i -> i - 800_000));
        columns.add(new Column(
                "int64 % (TIMESTAMP(MICROS,true))",
                DataTypes.TimestampType, i -> -70_000_000_000_000_000L + i, i -> -70_000_000_000_000_000L + i));
        columns.add(new Column(
                "int64 % (TIMESTAMP(MICROS,false))", DataTypes.TimestampNTZType, i -> (long) i, i -> (long) i));
        columns.add(
                new Column("int64 % (TIMESTAMP(MILLIS,true))", DataTypes.TimestampType, i -> (long) i, i -> i * 1000L));
        columns.add(new Column("int96", DataTypes.TimestampType, FileProjectionTest::int96, i -> int96Micros(i)));
        columns.add(new Column(
                "binary % (STRING)", DataTypes.StringType, i -> Binary.fromString("ü" + i % 40), i -> "ü" + i % 40));
        // What old writers and other engines annotate or leave without annotation.
        columns.add(new Column("int96", DataTypes.TimestampNTZType, FileProjectionTest::int96, i -> int96Micros(i)));
        columns.add(new Column(
                "int64 % (TIMESTAMP(MILLIS,false))", DataTypes.TimestampNTZType, i -> -(long) i, i -> i * -1000L));
        columns.add(new Column(
                "int32 % (DATE)", DataTypes.TimestampNTZType, i -> i - 800, i -> (i - 800) * 86_400_000_000L));
        columns.add(new Column("int32 % (INTEGER(32,true))", DataTypes.LongType, i -> -i, i -> (long) -i));
        columns.add(new Column("int32 % (INTEGER(16,true))", DataTypes.IntegerType, i -> -i, i -> -i));
        columns.add(new Column("int64 % (INTEGER(64,true))", DataTypes.LongType, i -> (long) -i, i -> (long) -i));
        for (String annotation : List.of("", "(ENUM)", "(JSON)")) {
            columns.add(new Column(
                    "binary % " + annotation,
                    DataTypes.StringType,
                    i -> Binary.fromString("\"é" + i + "\""),
                    i -> "\"é" + i + "\""));
            columns.add(
                    new Column("binary % " + annotation, DataTypes.BinaryType, i -> bytes(i, 9), i -> listed(i, 9)));
        }
        columns.add(new Column("binary % (BSON)", DataTypes.BinaryType, i -> bytes(i, 6), i -> listed(i, 6)));
        columns.add(new Column(
                "fixed_len_byte_array(16)",
                DataTypes.StringType,
                i -> Binary.fromConstantByteArray(uuidBytes(i)),
                i -> uuid(i).toString()));
        columns.add(
                new Column("fixed_len_byte_array(16)", DataTypes.BinaryType, i -> bytes(i, 16), i -> listed(i, 16)));
        for (String number : List.of("TIME(MICROS,false)", "TIMESTAMP(NANOS,false)", "TIMESTAMP(NANOS,true)")) {
            columns.add(new Column(
                    "int64 % (" + number + ")", DataTypes.LongType, i -> i * 1_234_567_891L, i -> i * 1_234_567_891L));
        }
        columns.add(new Column("binary", DataTypes.BinaryType, i -> bytes(i, 3), i -> listed(i, 3)));
        columns.add(new Column("fixed_len_byte_array(5)", DataTypes.BinaryType, i -> bytes(i, 5), i -> listed(i, 5)));
        columns.add(new Column(
                "fixed_len_byte_array(16) % (UUID)",
                DataTypes.StringType, i -> Binary.fromConstantByteArray(uuidBytes(i)), i -> uuid(i).toString()));
        for (String physical : List.of("int32", "int64", "binary", "fixed_len_byte_array(4)")) {
            for (int precision : new int[] {9, 18, 38}) {
                columns.add(new Column(
                        physical + " % (DECIMAL(9,2))",
                        DataTypes.createDecimalType(precision, 2),
                        i -> unscaled(physical, i),
                        i -> new BigDecimal(BigInteger.valueOf(-50 + i * 7L), 2)));
            }
        }
        for (int precision : new int[] {18, 30}) {
            columns.add(new Column(
                    "int64 % (DECIMAL(18,4))",
                    DataTypes.createDecimalType(precision, 4),
                    i -> i * 1_000_000_000_001L,
                    i -> new BigDecimal(BigInteger.valueOf(i * 1_000_000_000_001L), 4)));
        }
        columns.add(new Column(
                "fixed_len_byte_array(16) % (DECIMAL(38,10))",
                DataTypes.createDecimalType(38, 10),
                i -> Binary.fromConstantByteArray(padded(large(i), 16)),
                i -> new BigDecimal(large(i), 10)));
        return columns;
    }

    @ParameterizedTest
    @CsvSource({
        "true,PARQUET_1_0,UNCOMPRESSED",
        "false,PARQUET_1_0,ZSTD",
        "true,PARQUET_2_0,ZSTD",
        "false,PARQUET_2_0,SNAPPY",
        "false,PARQUET_2_0,GZIP"
    })
    void readsEveryTypeAndPromotionInEveryRowGroup(
            boolean dictionary, WriterVersion version, CompressionCodecName codec) throws IOException {
        var columns = columns();
        var schema = new StringBuilder();
        var wanted = new ArrayList<StructField>();
        for (int c = 0; c < columns.size(); c++) {
            var stored = columns.get(c).stored;
            schema.append("optional ")
                    .append(stored.contains("%") ? stored.replace("%", "c" + c) : stored + " c" + c)
                    .append(" = ")
                    .append(c + 1)
                    .append(";");
            wanted.add(field(c + 1, "column" + c, columns.get(c).wanted));
        }
        int rows = 500;
        var file = ParquetFixture.schema(schema.toString())
                .dictionary(dictionary)
                .version(version)
                .codec(codec)
                .rowsPerGroup(180)
                .pageRows(50)
                .write(rows, (group, i) -> {
                    for (int c = 0; c < columns.size(); c++) {
                        if ((i + c) % 9 != 0) {
                            add(group, "c" + c, columns.get(c).written.apply(i % 60));
                        }
                    }
                });
        var deleted = new PositionBitmap();
        deleted.addRange(177, 190);

        var read = rows(FileRead.of(file, new StructType(wanted.toArray(StructField[]::new)))
                .deleted(deleted)
                .batchRows(100));

        assertThat(columns).hasSize(49);
        int row = 0;
        for (int i = 0; i < rows; i++) {
            if (deleted.contains(i)) {
                continue;
            }
            for (int c = 0; c < columns.size(); c++) {
                Object expected =
                        (i + c) % 9 == 0 ? null : columns.get(c).expected.apply(i % 60);
                assertThat(read.get(row).get(c))
                        .as("row %s of %s as %s", i, columns.get(c).stored, columns.get(c).wanted)
                        .isEqualTo(expected);
            }
            row++;
        }
        assertThat(read).hasSize(row);
    }

    @Test
    void readsUuidsInsideListsAndMaps() throws IOException {
        var file = ParquetFixture.schema("optional group l (LIST) = 1 { repeated group list {"
                        + " optional fixed_len_byte_array(16) element (UUID) = 2; } }"
                        + "optional group m (MAP) = 3 { repeated group key_value {"
                        + " required fixed_len_byte_array(16) key (UUID) = 4; optional int32 value = 5; } }")
                .write(2, (group, i) -> {
                    var list = group.addGroup("l");
                    list.addGroup("list").append("element", Binary.fromConstantByteArray(uuidBytes(i)));
                    list.addGroup("list");
                    group.addGroup("m")
                            .addGroup("key_value")
                            .append("key", Binary.fromConstantByteArray(uuidBytes(i + 5)))
                            .append("value", i);
                });
        var columns = struct(
                field(1, "l", DataTypes.createArrayType(DataTypes.StringType)),
                field(3, "m", DataTypes.createMapType(DataTypes.StringType, DataTypes.IntegerType)));

        assertThat(rows(FileRead.of(file, columns).deleted(PositionBitmap.of(0))))
                .containsExactly(List.of(Arrays.asList(uuid(1).toString(), null), mapOf(uuid(6).toString(), 1)));
    }

    @Test
    void readsVariants() throws IOException {
        var file = ParquetFixture.schema("optional group v = 1 { required binary metadata; required binary value; }")
                .write(5, (group, i) -> {
                    if (i % 2 == 0) {
                        // Spec of the variant encoding: version 1, no names; a one-byte integer.
                        group.addGroup("v")
                                .append("metadata", Binary.fromConstantByteArray(new byte[] {1, 0, 0}))
                                .append("value", Binary.fromConstantByteArray(new byte[] {3 << 2, (byte) (40 + i)}));
                    }
                });
        var texts = new ArrayList<String>();

        try (var reader = ColumnarFileReader.open(FileRead.of(file, struct(field(1, "v", DataTypes.VariantType)))
                .deleted(PositionBitmap.of(0, 3))
                .build())) {
            while (reader.next()) {
                for (int i = 0; i < reader.batch().numRows(); i++) {
                    var column = reader.batch().column(0);
                    texts.add(column.isNullAt(i) ? "null" : column.getVariant(i).toString());
                }
            }
        }

        assertThat(texts).containsExactly("null", "42", "44");
    }

    @Test
    void givesColumnsOfUnknownTypeNothingButNulls() throws IOException {
        assertThat(column(FileRead.of(ints(2), struct(field(1, "was int", DataTypes.NullType)))))
                .containsExactly(null, null);
    }

    private static MemoryFile ints(int rows) throws IOException {
        return ParquetFixture.schema("required int32 id = 1;").write(rows, (group, i) -> group.append("id", i));
    }

    private static void add(Group group, String name, Object value) {
        if (value instanceof Boolean) {
            group.append(name, (boolean) value);
        } else if (value instanceof Integer) {
            group.append(name, (int) value);
        } else if (value instanceof Long) {
            group.append(name, (long) value);
        } else if (value instanceof Float) {
            group.append(name, (float) value);
        } else if (value instanceof Double) {
            group.append(name, (double) value);
        } else {
            group.append(name, (Binary) value);
        }
    }

    private static float anyFloat(int i) {
        return switch (i % 5) {
            case 0 -> Float.NaN;
            case 1 -> -0.0f;
            case 2 -> Float.NEGATIVE_INFINITY;
            default -> i * 0.3f;
        };
    }

    /** Nanoseconds of the day, then the Julian day; 1500-01-01 is before the Gregorian calendar. */
    private static Object int96(int i) {
        var buffer = ByteBuffer.allocate(12).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(i * 1_000_000L).putInt(2_268_933 + i);
        return Binary.fromConstantByteArray(buffer.array());
    }

    private static long int96Micros(int i) {
        return (2_268_933L + i - 2_440_588L) * 86_400_000_000L + i * 1_000L;
    }

    private static Binary bytes(int i, int length) {
        var bytes = new byte[length];
        Arrays.fill(bytes, (byte) (i - 30));
        return Binary.fromConstantByteArray(bytes);
    }

    private static Object listed(int i, int length) {
        return new ArrayList<>(java.util.Collections.nCopies(length, (byte) (i - 30)));
    }

    private static UUID uuid(int i) {
        return new UUID(0xf79c3e09_677c_4bbdL << 16 | i, 0xa479_3f349cb785e7L - i);
    }

    private static byte[] uuidBytes(int i) {
        return ByteBuffer.allocate(16)
                .putLong(uuid(i).getMostSignificantBits())
                .putLong(uuid(i).getLeastSignificantBits())
                .array();
    }

    private static Object unscaled(String physical, int i) {
        int value = -50 + i * 7;
        return switch (physical) {
            case "int32" -> value;
            case "int64" -> (long) value;
            case "binary" ->
                Binary.fromConstantByteArray(BigInteger.valueOf(value).toByteArray());
            default -> Binary.fromConstantByteArray(padded(BigInteger.valueOf(value), 4));
        };
    }

    private static BigInteger large(int i) {
        return BigInteger.TEN.pow(30).multiply(BigInteger.valueOf(i - 30)).add(BigInteger.valueOf(i));
    }

    private static byte[] padded(BigInteger value, int length) {
        byte[] bytes = value.toByteArray();
        var result = new byte[length];
        Arrays.fill(result, (byte) (value.signum() < 0 ? -1 : 0));
        System.arraycopy(bytes, 0, result, length - bytes.length, bytes.length);
        return result;
    }

    /** Unlike {@code Map.of}, with null values. */
    private static Map<Object, Object> mapOf(@Nullable Object... keysAndValues) {
        var result = new java.util.LinkedHashMap<Object, Object>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            result.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return result;
    }
}
