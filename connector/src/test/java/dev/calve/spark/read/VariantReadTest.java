package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.InvalidTableException;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.io.api.Binary;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.types.variant.VariantBuilder;
import org.apache.spark.unsafe.types.VariantVal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as the specifications of the variant encoding and of its shredding describe them. */
class VariantReadTest {

    private static final StructType V = struct(field(1, "v", DataTypes.VariantType));

    /** Metadata of version 1 without names, and with the one name {@code a}. */
    private static final byte[] NO_NAMES = {1, 0, 0};

    private static final byte[] NAME_A = {1, 1, 0, 1, 'a'};

    private static byte[] int8(int value) {
        return new byte[] {3 << 2, (byte) value};
    }

    private static Binary binary(byte[] bytes) {
        return Binary.fromConstantByteArray(bytes);
    }

    /** Rows with variants as JSON. */
    private static List<List<Object>> texts(FileRead.Builder read) throws IOException {
        return rows(read).stream().map(VariantReadTest::texts).toList();
    }

    private static List<Object> texts(List<?> values) {
        var result = new ArrayList<Object>();
        values.forEach(value -> result.add(text(value)));
        return result;
    }

    private static Object text(Object value) {
        if (value instanceof List<?> list) {
            return texts(list);
        }
        if (value instanceof Map<?, ?> map) {
            return map.values().stream().map(VariantReadTest::text).toList();
        }
        return value instanceof VariantVal variant ? variant.toString() : value;
    }

    private static MemoryFile write(String schema, int rows, BiConsumer<Group, Integer> fill) throws IOException {
        return ParquetFixture.schema(schema).rowsPerGroup(7).pageRows(3).write(rows, fill);
    }

    private static void unshredded(Group row, String name, int value) {
        row.addGroup(name).append("metadata", binary(NO_NAMES)).append("value", binary(int8(value)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "(VARIANT(1))"})
    void unshreddedOnesAreReadWithAndWithoutAnnotation(String annotation) throws IOException {
        var file = write(
                "optional group v " + annotation + " = 1 { required binary metadata; required binary value; }",
                20,
                (row, i) -> {
                    if (i % 3 != 0) {
                        unshredded(row, "v", i);
                    }
                });
        var deleted = PositionBitmap.of(1, 9, 19);

        var read = texts(FileRead.of(file, V).deleted(deleted).batchRows(4));

        var expected = new ArrayList<List<Object>>();
        for (int i = 0; i < 20; i++) {
            if (!deleted.contains(i)) {
                expected.add(Arrays.asList(i % 3 == 0 ? null : "" + i));
            }
        }
        assertThat(read).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "(VARIANT(1))"})
    void shreddedOnesArePutTogether(String annotation) throws IOException {
        var file = write(
                "optional group v " + annotation + " = 1 { required binary metadata; optional binary value;"
                        + " optional group typed_value { required group a { optional binary value;"
                        + " optional int64 typed_value; } } }",
                20,
                (row, i) -> {
                    if (i % 5 == 0) {
                        return;
                    }
                    Group v = row.addGroup("v").append("metadata", binary(NAME_A));
                    if (i % 5 == 1) {
                        v.append("value", binary(int8(i)));
                        return;
                    }
                    Group a = v.addGroup("typed_value").addGroup("a");
                    if (i % 5 == 2) {
                        a.append("typed_value", 10_000_000_000L + i);
                    } else if (i % 5 == 3) {
                        a.append("value", binary(int8(i)));
                    }
                });

        var read = texts(FileRead.of(file, V).deleted(PositionBitmap.of(2, 6)).batchRows(4));

        var expected = new ArrayList<List<Object>>();
        for (int i = 0; i < 20; i++) {
            if (i != 2 && i != 6) {
                expected.add(Arrays.asList(
                        switch (i % 5) {
                            case 0 -> null;
                            case 1 -> "" + i;
                            case 2 -> "{\"a\":" + (10_000_000_000L + i) + "}";
                            case 3 -> "{\"a\":" + i + "}";
                            default -> "{}";
                        }));
            }
        }
        assertThat(read).isEqualTo(expected);
    }

    @Test
    void theyAreReadInStructsListsAndMaps() throws IOException {
        String variant = "{ required binary metadata; optional binary value; optional int32 typed_value; }";
        var file = write(
                "optional group s = 2 { optional int32 x = 3; optional group v = 4 " + variant + " }"
                        + "optional group l (LIST) = 5 { repeated group list { optional group element = 6 " + variant
                        + " } }"
                        + "optional group m (MAP) = 7 { repeated group key_value { required int32 key = 8;"
                        + " optional group value = 9 " + variant + " } }",
                15,
                (row, i) -> {
                    if (i % 4 == 0) {
                        return;
                    }
                    Group s = row.addGroup("s").append("x", i);
                    Group list = row.addGroup("l");
                    Group map = row.addGroup("m");
                    if (i % 4 == 1) {
                        return;
                    }
                    shredded(s, "v", i);
                    shredded(list.addGroup("list"), "element", i);
                    list.addGroup("list");
                    shredded(list.addGroup("list"), "element", i + 1);
                    shredded(map.addGroup("key_value").append("key", i), "value", i + 2);
                    map.addGroup("key_value").append("key", -i);
                });
        var wanted = struct(
                field(2, "s", struct(field(4, "v", DataTypes.VariantType), field(99, "new", DataTypes.VariantType))),
                field(5, "l", DataTypes.createArrayType(DataTypes.VariantType)),
                field(7, "m", DataTypes.createMapType(DataTypes.LongType, DataTypes.VariantType)),
                field(98, "absent", DataTypes.VariantType));

        for (var deleted : List.of(new PositionBitmap(), PositionBitmap.of(0, 2, 5))) {
            var expected = new ArrayList<List<Object>>();
            for (int i = 0; i < 15; i++) {
                if (deleted.contains(i)) {
                    continue;
                }
                expected.add(
                        switch (i % 4) {
                            case 0 -> Arrays.asList(null, null, null, null);
                            case 1 -> Arrays.asList(Arrays.asList(null, null), List.of(), List.of(), null);
                            default ->
                                Arrays.asList(
                                        Arrays.asList("" + i, null),
                                        Arrays.asList("" + i, null, "" + (i + 1)),
                                        Arrays.asList("" + (i + 2), null),
                                        null);
                        });
            }

            assertThat(texts(FileRead.of(file, wanted).deleted(deleted).batchRows(4)))
                    .isEqualTo(expected);
        }
    }

    /** Even numbers as values, odd ones as typed values. */
    private static void shredded(Group row, String name, int value) {
        Group variant = row.addGroup(name).append("metadata", binary(NO_NAMES));
        if (value % 2 == 0) {
            variant.append("value", binary(int8(value)));
        } else {
            variant.append("typed_value", value);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "(VARIANT(1))"})
    void theyTellWhereAStructIsNullOfWhichNothingElseIsStored(String annotation) throws IOException {
        var file = write(
                "optional group s = 1 { required group v " + annotation
                        + " = 2 { required binary metadata; optional binary value; optional int32 typed_value; } }",
                10,
                (row, i) -> {
                    if (i % 3 != 0) {
                        shredded(row.addGroup("s"), "v", i);
                    }
                });

        var read = rows(FileRead.of(file, struct(field(1, "s", struct(field(7, "new", DataTypes.IntegerType))))));

        assertThat(read).hasSize(10);
        for (int i = 0; i < 10; i++) {
            assertThat(read.get(i))
                    .isEqualTo(Arrays.asList((Object) (i % 3 == 0 ? null : Arrays.asList((Object) null))));
        }
    }

    @Test
    void whatSparkBuildsComesBackByteForByte() throws IOException {
        var texts = List.of(
                "{\"a\":[1,2.5,\"x\",null,true],\"b\":{\"c\":\"" + "long ".repeat(40) + "\"}}", "null", "\"t\"", "[]");
        var variants = new ArrayList<VariantVal>();
        for (String text : texts) {
            var variant = VariantBuilder.parseJson(text, false);
            variants.add(new VariantVal(variant.getValue(), variant.getMetadata()));
        }
        var file = write(
                "required group v = 1 { required binary value; required binary metadata; }",
                texts.size(),
                (row, i) -> row.addGroup("v")
                        .append("value", binary(variants.get(i).getValue()))
                        .append("metadata", binary(variants.get(i).getMetadata())));

        assertThat(rows(FileRead.of(file, V)))
                .isEqualTo(variants.stream().map(List::<Object>of).toList());
    }

    @Test
    void otherColumnsAreNotTakenForVariants() throws IOException {
        var file = write("required binary v = 1;", 1, (row, i) -> row.append("v", binary(NO_NAMES)));

        assertThatThrownBy(() -> rows(FileRead.of(file, V)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'v'")
                .hasMessageContaining("variant");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "required binary metadata;",
                "required binary value;",
                "required binary metadata; required int32 value;",
                "required binary metadata (STRING); required binary value;",
                "required binary metadata; required binary value; optional binary other;",
                "required binary metadata; optional group typed_value { required binary a; }",
                "required binary metadata; optional group typed_value { required group a { optional binary metadata; } }",
                "required binary metadata; optional group typed_value (LIST) { repeated binary array; }",
            })
    void groupsThatAreNoVariantAreRefused(String parts) throws IOException {
        var file = write("optional group v = 1 { " + parts + " }", 0, (row, i) -> {});

        assertThatThrownBy(() -> rows(FileRead.of(file, V)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'v'")
                .hasMessageContaining("a.parquet");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int64 typed_value (TIMESTAMP(NANOS,true))",
                "int64 typed_value (TIMESTAMP(NANOS,false))",
                "int64 typed_value (TIME(MICROS,false))",
                "int64 typed_value (TIMESTAMP(MILLIS,true))",
                "int64 typed_value (INTEGER(64,false))",
                "int96 typed_value",
                "fixed_len_byte_array(16) typed_value (UUID)",
                "fixed_len_byte_array(16) typed_value"
            })
    void shreddedTypesThatSparkLacksAreRefusedByTheNameOfTheColumn(String typed) throws IOException {
        for (String where : List.of(
                "optional " + typed + ";",
                "optional group typed_value { required group a { optional " + typed + "; } }",
                "optional group typed_value (LIST) { repeated group list { required group element { optional " + typed
                        + "; } } }")) {
            var file = write(
                    "required group v = 1 { required binary metadata; optional binary value; " + where + " }",
                    1,
                    (row, i) -> row.addGroup("v").append("metadata", binary(NO_NAMES)));

            assertThatThrownBy(() -> rows(FileRead.of(file, V)))
                    .as(where)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("'v'")
                    .hasMessageContaining("a.parquet");
        }
    }

    /** As Spark 4.0's parquet-java sees variants: as an annotation of a number it does not know. */
    @Test
    void annotationsThatParquetDoesNotKnowAreNoHindrance() throws IOException {
        var file = write(
                "required int64 id = 2; optional group v (VARIANT(1)) = 1 { required binary metadata; required binary value; }",
                30,
                (row, i) -> unshredded(row.append("id", (long) i), "v", i));
        // In the footer: field 16 of the union of annotations, which holds a struct whose field 1 is the byte 1.
        var variant = HexFormat.of().parseHex("0c2013010000");
        int found = 0;
        for (int i = 0; i + variant.length < file.bytes.length; i++) {
            if (Arrays.equals(file.bytes, i, i + variant.length, variant, 0, variant.length)) {
                file.bytes[i + 1] = 60;
                found++;
            }
        }
        assertThat(found).isEqualTo(1);

        var read = texts(FileRead.of(file, struct(V.apply(0), field(2, "id", DataTypes.LongType))));

        assertThat(read).hasSize(30);
        for (int i = 0; i < 30; i++) {
            assertThat(read.get(i)).isEqualTo(List.of("" + i, (long) i));
        }
        assertThat(file.closed).isEqualTo(file.opened);
    }

    /** Each as Spark shows it as JSON. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "boolean typed_value | true",
                "int32 typed_value (INTEGER(8,true)) | 7",
                "int32 typed_value (INTEGER(16,true)) | 7",
                "int32 typed_value | 7",
                "int64 typed_value | 8",
                "float typed_value | 1.5",
                "double typed_value | 2.5",
                "int32 typed_value (DECIMAL(9,2)) | 0.07",
                "int64 typed_value (DECIMAL(18,2)) | 0.08",
                "binary typed_value (DECIMAL(38,2)) | 2.56",
                "fixed_len_byte_array(2) typed_value (DECIMAL(4,2)) | 2.56",
                "int32 typed_value (DATE) | \"1970-01-08\"",
                "int64 typed_value (TIMESTAMP(MICROS,true)) | \"1970-01-01 00:00:00.000008+00:00\"",
                "int64 typed_value (TIMESTAMP(MICROS,false)) | \"1970-01-01 00:00:00.000008\"",
                "binary typed_value (STRING) | \"text\"",
                "binary typed_value | \"AQA=\""
            })
    void everyTypeSparkShredsIsReadAsItIs(String typed, String json) throws IOException {
        var file = write(
                "required group v = 1 { required binary metadata; optional binary value; optional " + typed + "; }",
                1,
                (row, i) -> {
                    var v = row.addGroup("v").append("metadata", binary(NO_NAMES));
                    switch (v.getType().getType("typed_value").asPrimitiveType().getPrimitiveTypeName()) {
                        case BOOLEAN -> v.append("typed_value", true);
                        case INT32 -> v.append("typed_value", 7);
                        case INT64 -> v.append("typed_value", 8L);
                        case FLOAT -> v.append("typed_value", 1.5f);
                        case DOUBLE -> v.append("typed_value", 2.5);
                        default ->
                            v.append(
                                    "typed_value",
                                    typed.contains("STRING") ? Binary.fromString("text") : binary(new byte[] {1, 0}));
                    }
                });

        assertThat(texts(FileRead.of(file, V))).containsExactly(List.of(json));
    }
}
