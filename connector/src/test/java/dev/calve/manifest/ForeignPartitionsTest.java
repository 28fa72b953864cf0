package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.io.RequestLog.Request;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Partition values as others may declare them in Avro. Spec: Appendix A, Avro; Schema Evolution for the promotions.
 * Avro's own library writes the files.
 */
class ForeignPartitionsTest {

    private static final String UUID_TEXT = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
    private static final String BYTES = "\"bytes\"";
    private static final String FIXED_2 = "{\"type\":\"fixed\",\"name\":\"f\",\"size\":2}";
    private static final String FIXED_16 = "{\"type\":\"fixed\",\"name\":\"f\",\"size\":16}";
    private static final String UUID = "{\"type\":\"fixed\",\"name\":\"f\",\"size\":16,\"logicalType\":\"uuid\"}";
    private static final String DECIMAL = "{\"type\":\"fixed\",\"name\":\"f\",\"size\":2,\"logicalType\":\"decimal\","
            + "\"precision\":4,\"scale\":1}";
    private static final String DECIMAL_BYTES =
            "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":4,\"scale\":1}";
    private static final Type.Decimal DECIMAL_4_1 = new Type.Decimal(4, 1);

    private final ManifestFixture fixture = new ManifestFixture();

    /** Writes fixed values as the rules of Avro want them, or with a length before them. */
    private static final class Writer extends GenericDatumWriter<GenericRecord> {
        private final boolean prefixed;

        Writer(boolean prefixed) {
            this.prefixed = prefixed;
        }

        @Override
        protected void writeFixed(Schema schema, Object datum, Encoder out) throws IOException {
            if (prefixed && schema.getLogicalType() == null) {
                out.writeBytes(((GenericData.Fixed) datum).bytes());
                return;
            }
            super.writeFixed(schema, datum, out);
        }
    }

    private ManifestFile manifest(String avroType, boolean prefixed, Map<String, String> header, Object... values)
            throws IOException {
        Schema schema = new Schema.Parser().parse("""
                {"type":"record","name":"manifest_entry","fields":[
                  {"name":"status","type":"int","field-id":0},
                  {"name":"data_file","field-id":2,"type":["null",{"type":"record","name":"r2","fields":[
                    {"name":"file_path","type":"string","field-id":100},
                    {"name":"file_format","type":"string","field-id":101},
                    {"name":"partition","field-id":102,"type":["null",{"type":"record","name":"r102","fields":[
                      {"name":"part","type":["null",%s],"field-id":1000}]}]},
                    {"name":"record_count","type":"long","field-id":103},
                    {"name":"file_size_in_bytes","type":"long","field-id":104}]}]}]}""".formatted(avroType));
        Schema file = schema.getField("data_file").schema().getTypes().get(1);
        Schema tuple = file.getField("partition").schema().getTypes().get(1);
        Schema branch = tuple.getField("part").schema().getTypes().get(1);
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataFileWriter<GenericRecord>(new Writer(prefixed))) {
            out.setMeta("schema", "{\"type\":\"struct\",\"fields\":[]}");
            out.setMeta(
                    "partition-spec",
                    "[{\"name\":\"part\",\"transform\":\"identity\",\"source-id\":1,\"field-id\":1000}]");
            header.forEach(out::setMeta);
            out.create(schema, bytes);
            for (Object value : values) {
                var part = new GenericData.Record(tuple);
                part.put("part", datum(branch, value));
                var data = new GenericData.Record(file);
                data.put("file_path", "a");
                data.put("file_format", "parquet");
                data.put("partition", part);
                data.put("record_count", 0L);
                data.put("file_size_in_bytes", 0L);
                var entry = new GenericData.Record(schema);
                entry.put("status", 1);
                entry.put("data_file", data);
                out.append(entry);
            }
        }
        return fixture.foreign(bytes.toByteArray(), ManifestFile.Content.DATA, 1);
    }

    private static Object datum(Schema branch, Object value) {
        if (!(value instanceof byte[] content)) {
            return value;
        }
        return branch.getType() == Schema.Type.FIXED
                ? new GenericData.Fixed(branch, content)
                : ByteBuffer.wrap(content);
    }

    private List<@Nullable Object> read(ManifestFile manifest, Type wanted) throws IOException {
        var type = new Type.Struct(List.of(Field.optional(1000, "part", wanted)));
        var values = new ArrayList<@Nullable Object>();
        for (var entry : ManifestReader.readData(
                fixture.storage, manifest, Selection.all().typedAs(type))) {
            values.add(entry.file().partition().values().get(0));
        }
        return values;
    }

    private static byte[] uuid() {
        var uuid = java.util.UUID.fromString(UUID_TEXT);
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    /** Declared type, what Avro writes, the type that is wanted, the value that it is then. */
    static Stream<Arguments> readable() {
        var unknown = Type.Simple.UNKNOWN;
        byte[] two = {(byte) 0xfb, 0x2e}; // -1234 in two's complement
        var wrapped = Bytes.wrap(two);
        var decimal = new BigDecimal("-123.4");
        var uuid = java.util.UUID.fromString(UUID_TEXT);
        return Stream.of(
                Arguments.of("\"boolean\"", true, Type.Simple.BOOLEAN, true),
                Arguments.of("\"int\"", 7, Type.Simple.INT, 7),
                Arguments.of("\"int\"", 7, Type.Simple.DATE, 7),
                Arguments.of("\"int\"", 7, Type.Simple.LONG, 7L),
                Arguments.of("\"int\"", 7, Type.Simple.TIMESTAMP, 7L),
                Arguments.of("\"long\"", 7L, Type.Simple.LONG, 7L),
                Arguments.of("\"long\"", 7L, Type.Simple.TIME, 7L),
                Arguments.of("\"long\"", 7L, Type.Simple.TIMESTAMPTZ_NS, 7L),
                Arguments.of("\"long\"", 7L, Type.Simple.INT, 7),
                Arguments.of("\"long\"", 7L, Type.Simple.DATE, 7),
                Arguments.of("\"float\"", 1.5f, Type.Simple.FLOAT, 1.5f),
                Arguments.of("\"float\"", 1.5f, Type.Simple.DOUBLE, 1.5d),
                Arguments.of("\"double\"", 1.5d, Type.Simple.DOUBLE, 1.5d),
                Arguments.of("\"string\"", "x", Type.Simple.STRING, "x"),
                Arguments.of(BYTES, two, Type.Simple.BINARY, wrapped),
                Arguments.of(BYTES, two, DECIMAL_4_1, decimal),
                Arguments.of(FIXED_2, two, Type.Simple.BINARY, wrapped),
                Arguments.of(FIXED_2, two, new Type.Fixed(2), wrapped),
                Arguments.of(FIXED_2, two, DECIMAL_4_1, decimal),
                Arguments.of(DECIMAL, two, DECIMAL_4_1, decimal),
                Arguments.of(DECIMAL, two, new Type.Decimal(9, 1), decimal),
                Arguments.of(DECIMAL_BYTES, two, DECIMAL_4_1, decimal),
                Arguments.of(UUID, uuid(), Type.Simple.UUID, uuid),
                Arguments.of(FIXED_16, uuid(), Type.Simple.UUID, uuid),
                // The source field is gone, so only the file says what the values are.
                Arguments.of("\"boolean\"", true, unknown, true),
                Arguments.of("\"int\"", 7, unknown, 7),
                Arguments.of("\"long\"", 7L, unknown, 7L),
                Arguments.of("\"float\"", 1.5f, unknown, 1.5f),
                Arguments.of("\"double\"", 1.5d, unknown, 1.5d),
                Arguments.of("\"string\"", "x", unknown, "x"),
                Arguments.of(BYTES, two, unknown, wrapped),
                Arguments.of(FIXED_2, two, unknown, wrapped),
                Arguments.of(FIXED_16, uuid(), unknown, Bytes.wrap(uuid())),
                Arguments.of(DECIMAL, two, unknown, decimal),
                Arguments.of(DECIMAL_BYTES, two, unknown, decimal),
                Arguments.of(UUID, uuid(), unknown, uuid));
    }

    @ParameterizedTest
    @MethodSource("readable")
    void readsEveryLegalDeclaration(String declared, Object written, Type wanted, Object expected) throws IOException {
        assertThat(read(manifest(declared, false, Map.of(), written), wanted)).containsExactly(expected);
    }

    static Stream<Arguments> unreadable() {
        return Stream.of(
                Arguments.of("\"boolean\"", true, Type.Simple.INT),
                Arguments.of("\"int\"", 7, Type.Simple.STRING),
                Arguments.of("\"int\"", 7, Type.Simple.BOOLEAN),
                Arguments.of("\"long\"", 7L, Type.Simple.STRING),
                Arguments.of("\"float\"", 1.5f, Type.Simple.LONG),
                Arguments.of("\"double\"", 1.5d, Type.Simple.FLOAT),
                Arguments.of("\"string\"", "x", Type.Simple.BINARY),
                Arguments.of(BYTES, new byte[16], Type.Simple.STRING),
                Arguments.of(BYTES, new byte[16], Type.Simple.UUID),
                Arguments.of(FIXED_2, new byte[2], Type.Simple.UUID),
                Arguments.of(FIXED_16, new byte[16], Type.Simple.LONG),
                Arguments.of("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"x\"]}", "x", Type.Simple.STRING));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void refusesADeclarationThatCannotHoldTheType(String declared, Object written, Type wanted) throws IOException {
        Object value = declared.contains("enum")
                ? new GenericData.EnumSymbol(new Schema.Parser().parse(declared), written)
                : written;
        ManifestFile manifest = manifest(declared, false, Map.of(), value);

        assertThatThrownBy(() -> read(manifest, wanted))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageStartingWith(
                        "Manifest '" + manifest.path() + "' is corrupt: An Avro field must be readable as " + wanted);
    }

    @Test
    void takesTheScaleOfTheTypeWhereTheFileDeclaresNone() throws IOException {
        var undeclared = "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":4}";
        byte[] two = {4, (byte) 0xd2};

        assertThat(read(manifest(undeclared, false, Map.of(), two), new Type.Decimal(4, 3)))
                .containsExactly(new BigDecimal("1.234"));
        // By Avro's rules a scale that is not declared is 0.
        assertThat(read(manifest(undeclared, false, Map.of(), two), Type.Simple.UNKNOWN))
                .containsExactly(new BigDecimal("1234"));
    }

    @Test
    void refusesALongThatIsNoInt() throws IOException {
        ManifestFile manifest = manifest("\"long\"", false, Map.of(), 1L << 32);

        assertThatThrownBy(() -> read(manifest, Type.Simple.INT)).isInstanceOf(InvalidTableException.class);
    }

    /** Apache Iceberg up to 1.12 puts a length before a partition value of type fixed, which is not Avro. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsFixedValuesWithAndWithoutALengthBeforeThem(boolean prefixed) throws IOException {
        byte[][] values = {{1, 2}, {3, 4}, {2, 2}};
        ManifestFile manifest = manifest(FIXED_2, prefixed, Map.of(), (Object[]) values);

        assertThat(read(manifest, new Type.Fixed(2)))
                .containsExactly(Bytes.wrap(values[0]), Bytes.wrap(values[1]), Bytes.wrap(values[2]));
        assertThat(read(manifest, Type.Simple.UNKNOWN))
                .containsExactly(Bytes.wrap(values[0]), Bytes.wrap(values[1]), Bytes.wrap(values[2]));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void expectsNoLengthBeforeDecimalsAndUuids(boolean prefixed) throws IOException {
        assertThat(read(manifest(DECIMAL, prefixed, Map.of(), new byte[] {4, (byte) 0xd2}), DECIMAL_4_1))
                .containsExactly(new BigDecimal("123.4"));
        assertThat(read(manifest(UUID, prefixed, Map.of(), uuid()), Type.Simple.UUID))
                .containsExactly(java.util.UUID.fromString(UUID_TEXT));
    }

    @Test
    void readsAManifestTwiceOnlyIfItMayHaveSuchLengths() throws IOException {
        ManifestFile unclear = manifest(FIXED_2, false, Map.of(), new byte[] {1, 2});
        ManifestFile declared =
                manifest(FIXED_2, false, Map.of("iceberg.avro.fixed-encoding", "avro"), new byte[] {1, 2});
        ManifestFile decimal = manifest(DECIMAL, false, Map.of(), new byte[] {1, 2});
        ManifestFile number = manifest("\"int\"", false, Map.of(), 1);

        assertThat(reads(unclear, new Type.Fixed(2))).isGreaterThan(1);
        assertThat(reads(declared, new Type.Fixed(2))).isEqualTo(1);
        assertThat(reads(decimal, DECIMAL_4_1)).isEqualTo(1);
        assertThat(reads(number, Type.Simple.INT)).isEqualTo(1);
    }

    private int reads(ManifestFile manifest, Type wanted) throws IOException {
        fixture.storage.requests().reset();
        read(manifest, wanted);
        return fixture.storage.requests().count(Request.READ);
    }

    @Test
    void refusesAFixedValueWhoseLengthIsAnother() throws IOException {
        // Declared as two bytes; the length before the value says three.
        var three = new Schema.Parser().parse("{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}");
        ManifestFile manifest = manifest(FIXED_2, true, Map.of(), new GenericData.Fixed(three, new byte[] {1, 2, 3}));

        assertThatThrownBy(() -> read(manifest, new Type.Fixed(2)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(manifest.path());
    }

    @Test
    void keepsTheOrderOfTheTypeThatIsAskedFor() throws IOException {
        ManifestFile manifest = manifest("\"int\"", false, Map.of(), 7);
        var type = new Type.Struct(List.of(
                Field.optional(1001, "other", Type.Simple.STRING), Field.optional(1000, "part", Type.Simple.INT)));

        assertThat(ManifestReader.readData(
                        fixture.storage, manifest, Selection.all().typedAs(type)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.file().partition()).isEqualTo(PartitionTuple.of(null, 7)));
    }
}
