package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields that a later version may add are passed over, whatever their type; what follows them is read right. */
class UnknownFieldsTest {

    private final ManifestFixture fixture = new ManifestFixture();

    private static final String PAIR =
            "{\"type\":\"record\",\"name\":\"pair\",\"fields\":[{\"name\":\"k\",\"type\":\"int\"},"
                    + "{\"name\":\"v\",\"type\":{\"type\":\"array\",\"items\":\"string\"}}]}";

    /** A list of lists as a record that holds itself, which has no end if it is followed in the schema. */
    private static final String TREE = "{\"type\":\"record\",\"name\":\"tree\",\"fields\":["
            + "{\"name\":\"children\",\"type\":{\"type\":\"array\",\"items\":\"tree\"}}]}";

    private static GenericRecord pair(int key, String... values) {
        var record = new GenericData.Record(new Schema.Parser().parse(PAIR));
        record.put("k", key);
        record.put("v", List.of(values));
        return record;
    }

    private static GenericRecord tree(GenericRecord... children) {
        var record = new GenericData.Record(new Schema.Parser().parse(TREE));
        record.put("children", List.of(children));
        return record;
    }

    static Stream<Arguments> types() {
        return Stream.of(
                Arguments.of("\"null\"", null),
                Arguments.of("\"boolean\"", true),
                Arguments.of("\"int\"", -70_000),
                Arguments.of("\"long\"", Long.MIN_VALUE),
                Arguments.of("\"float\"", 1.5f),
                Arguments.of("\"double\"", 1.5d),
                Arguments.of("\"string\"", "text"),
                Arguments.of("\"bytes\"", ByteBuffer.wrap(new byte[300])),
                Arguments.of(
                        "{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}",
                        new GenericData.Fixed(Schema.createFixed("f", null, null, 3), new byte[] {1, 2, 3})),
                Arguments.of("[\"null\",\"string\"]", null),
                Arguments.of("[\"null\",\"string\"]", "text"),
                Arguments.of("{\"type\":\"map\",\"values\":\"long\"}", Map.of("a", 1L, "b", 2L)),
                Arguments.of("{\"type\":\"array\",\"items\":\"string\"}", List.of("a", "bc")),
                Arguments.of("{\"type\":\"array\",\"items\":[\"null\",\"long\"]}", Arrays.asList(1L, null, 3L)),
                Arguments.of(
                        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":\"int\"}}",
                        List.of(List.of(1, 2), List.of(), List.of(3))),
                Arguments.of(
                        "{\"type\":\"array\",\"items\":{\"type\":\"map\",\"values\":\"int\"}}",
                        List.of(Map.of("a", 1), Map.of())),
                Arguments.of(PAIR, pair(7, "a", "b")),
                Arguments.of(
                        "{\"type\":\"array\",\"items\":" + PAIR + "}",
                        List.of(pair(7, "a", "b"), pair(8), pair(9, "c"))),
                Arguments.of(TREE, tree(tree(), tree(tree()))));
    }

    @ParameterizedTest
    @MethodSource("types")
    void passesOverAFieldItDoesNotKnow(String type, @Nullable Object value) throws IOException {
        ManifestFile model = fixture.dataManifest(2, writer -> {
            writer.added(fixture.data("a", 1));
            writer.added(fixture.data("b", 2));
        });

        ManifestFile manifest = fixture.foreign(with(type, value, model), ManifestFile.Content.DATA, 1);

        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .extracting(entry -> entry.file())
                .containsExactly(fixture.data("a", 1), fixture.data("b", 2));
    }

    /** The manifest with one more field at the start of each file's record. */
    private byte[] with(String type, @Nullable Object value, ManifestFile model) throws IOException {
        try (var in = fixture.stream(model.path());
                var out = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>())) {
            Schema schema = new Schema.Parser()
                    .parse(in.getSchema()
                            .toString()
                            .replace(
                                    "\"name\":\"r2\",\"fields\":[",
                                    "\"name\":\"r2\",\"fields\":[{\"name\":\"extra\",\"field-id\":999,\"type\":" + type
                                            + "},"));
            Schema fileSchema = schema.getField("data_file").schema();
            in.getMetaKeys().stream()
                    .filter(key -> !key.startsWith("avro."))
                    .forEach(key -> out.setMeta(key, in.getMetaString(key)));
            var bytes = new ByteArrayOutputStream();
            out.create(schema, bytes);
            for (GenericRecord entry : in) {
                var old = (GenericRecord) entry.get("data_file");
                var file = new GenericData.Record(fileSchema);
                old.getSchema().getFields().forEach(field -> file.put(field.name(), old.get(field.name())));
                file.put("extra", value);
                var copy = new GenericData.Record(schema);
                entry.getSchema().getFields().forEach(field -> copy.put(field.name(), entry.get(field.name())));
                copy.put("data_file", file);
                out.append(copy);
            }
            out.flush();
            return bytes.toByteArray();
        }
    }
}
