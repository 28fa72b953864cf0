package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of the specification: id, name and type, then what versions 1, 2 and 3 say: R, O or -. */
class ManifestSchemasTest {

    private static final String ENTRY = """
            0 status: int                                     R R R
            1 snapshot_id: long                               R O O
            3 sequence_number: long                           - O O
            4 file_sequence_number: long                      - O O
            2 data_file: r2                                   R R R""";

    private static final String DATA_FILE = """
            134 content: int                                  - R R
            100 file_path: string                             R R R
            101 file_format: string                           R R R
            102 partition: r102                               R R R
            103 record_count: long                            R R R
            104 file_size_in_bytes: long                      R R R
            105 block_size_in_bytes: long                     R - -
            108 column_sizes: map<117 int, 118 long>          O O O
            109 value_counts: map<119 int, 120 long>          O O O
            110 null_value_counts: map<121 int, 122 long>     O O O
            137 nan_value_counts: map<138 int, 139 long>      O O O
            125 lower_bounds: map<126 int, 127 bytes>         O O O
            128 upper_bounds: map<129 int, 130 bytes>         O O O
            131 key_metadata: bytes                           O O O
            132 split_offsets: list<133 long>                 O O O
            135 equality_ids: list<136 int>                   - O O
            140 sort_order_id: int                            O O O
            142 first_row_id: long                            - - O
            143 referenced_data_file: string                  - O O
            144 content_offset: long                          - - O
            145 content_size_in_bytes: long                   - - O""";

    private static final String LIST_V1 = """
            500 manifest_path: string                         R - -
            501 manifest_length: long                         R - -
            502 partition_spec_id: int                        R - -
            503 added_snapshot_id: long                       R - -
            504 added_files_count: int                        O - -
            505 existing_files_count: int                     O - -
            506 deleted_files_count: int                      O - -
            507 partitions: list<508 r508>                    O - -
            512 added_rows_count: long                        O - -
            513 existing_rows_count: long                     O - -
            514 deleted_rows_count: long                      O - -
            519 key_metadata: bytes                           O - -""";

    private static final String LIST = """
            500 manifest_path: string                         - R R
            501 manifest_length: long                         - R R
            502 partition_spec_id: int                        - R R
            517 content: int                                  - R R
            515 sequence_number: long                         - R R
            516 min_sequence_number: long                     - R R
            503 added_snapshot_id: long                       - R R
            504 added_files_count: int                        - R R
            505 existing_files_count: int                     - R R
            506 deleted_files_count: int                      - R R
            512 added_rows_count: long                        - R R
            513 existing_rows_count: long                     - R R
            514 deleted_rows_count: long                      - R R
            507 partitions: list<508 r508>                    - O O
            519 key_metadata: bytes                           - O O
            520 first_row_id: long                            - - O""";

    private static final String SUMMARY = """
            509 contains_null: boolean                        R R R
            518 contains_nan: boolean                         O O O
            510 lower_bound: bytes                            O O O
            511 upper_bound: bytes                            O O O""";

    private final ManifestFixture fixture = new ManifestFixture();

    private static List<String> rows(String table, int formatVersion) {
        return Arrays.stream(table.split("\n"))
                .filter(row -> presence(row, formatVersion) != '-')
                .map(row -> row.substring(0, 50).strip() + (presence(row, formatVersion) == 'O' ? "?" : ""))
                .toList();
    }

    private static char presence(String row, int formatVersion) {
        return row.charAt(50 + 2 * (formatVersion - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void writesManifestsWithTheFieldsOfTheVersion(int formatVersion) throws IOException {
        ManifestFile manifest = fixture.dataManifest(formatVersion, writer -> writer.added(fixture.data("a", 1)));

        Schema entry = fixture.avroSchema(manifest.path());

        assertThat(entry.getName()).isEqualTo("manifest_entry");
        assertThat(ManifestFixture.describe(entry)).containsExactlyElementsOf(rows(ENTRY, formatVersion));
        assertThat(ManifestFixture.describe(entry.getField("data_file").schema()))
                .containsExactlyElementsOf(rows(DATA_FILE, formatVersion));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void writesListsWithTheFieldsOfTheVersion(int formatVersion) throws IOException {
        ManifestList.write(fixture.storage, "memory:/list", formatVersion, 1, OptionalLong.empty(), 1, 0, List.of());

        Schema list = fixture.avroSchema("memory:/list");
        Schema summary = list.getField("partitions").schema().getTypes().get(1).getElementType();

        assertThat(list.getName()).isEqualTo("manifest_file");
        assertThat(ManifestFixture.describe(list))
                .containsExactlyElementsOf(rows(formatVersion == 1 ? LIST_V1 : LIST, formatVersion));
        assertThat(ManifestFixture.describe(summary)).containsExactlyElementsOf(rows(SUMMARY, formatVersion));
    }

    /** Spec: Appendix A, Avro: Data Type Mappings. */
    static Stream<Arguments> declarations() {
        return Stream.of(
                Arguments.of(Type.Simple.BOOLEAN, "boolean", Map.of()),
                Arguments.of(Type.Simple.INT, "int", Map.of()),
                Arguments.of(Type.Simple.LONG, "long", Map.of()),
                Arguments.of(Type.Simple.FLOAT, "float", Map.of()),
                Arguments.of(Type.Simple.DOUBLE, "double", Map.of()),
                Arguments.of(Type.Simple.DATE, "int", Map.of("logicalType", "date")),
                Arguments.of(Type.Simple.TIME, "long", Map.of("logicalType", "time-micros")),
                Arguments.of(
                        Type.Simple.TIMESTAMP,
                        "long",
                        Map.of("logicalType", "timestamp-micros", "adjust-to-utc", false)),
                Arguments.of(
                        Type.Simple.TIMESTAMPTZ,
                        "long",
                        Map.of("logicalType", "timestamp-micros", "adjust-to-utc", true)),
                Arguments.of(
                        Type.Simple.TIMESTAMP_NS,
                        "long",
                        Map.of("logicalType", "timestamp-nanos", "adjust-to-utc", false)),
                Arguments.of(
                        Type.Simple.TIMESTAMPTZ_NS,
                        "long",
                        Map.of("logicalType", "timestamp-nanos", "adjust-to-utc", true)),
                Arguments.of(Type.Simple.STRING, "string", Map.of()),
                Arguments.of(Type.Simple.UUID, "fixed 16", Map.of("logicalType", "uuid")),
                Arguments.of(new Type.Fixed(5), "fixed 5", Map.of()),
                Arguments.of(Type.Simple.BINARY, "bytes", Map.of()),
                // As few bytes as hold every value of the precision.
                Arguments.of(new Type.Decimal(2, 1), "fixed 1", decimal(2, 1)),
                Arguments.of(new Type.Decimal(3, 0), "fixed 2", decimal(3, 0)),
                Arguments.of(new Type.Decimal(4, 0), "fixed 2", decimal(4, 0)),
                Arguments.of(new Type.Decimal(9, 2), "fixed 4", decimal(9, 2)),
                Arguments.of(new Type.Decimal(10, 2), "fixed 5", decimal(10, 2)),
                Arguments.of(new Type.Decimal(18, 2), "fixed 8", decimal(18, 2)),
                Arguments.of(new Type.Decimal(19, 2), "fixed 9", decimal(19, 2)),
                Arguments.of(new Type.Decimal(38, 10), "fixed 16", decimal(38, 10)));
    }

    private static Map<String, Object> decimal(int precision, int scale) {
        return Map.of("logicalType", "decimal", "precision", precision, "scale", scale);
    }

    @ParameterizedTest
    @MethodSource("declarations")
    void declaresPartitionValuesAsTheAppendixSays(Type type, String declared, Map<String, Object> properties)
            throws IOException {
        ManifestFixture partitioned = ManifestFixture.partitionedBy(type);
        ManifestFile manifest = partitioned.dataManifest(2, writer -> {});

        Schema file =
                partitioned.avroSchema(manifest.path()).getField("data_file").schema();
        Schema.Field part = file.getField("partition").schema().getField("part");
        Schema value = part.schema().getTypes().get(1);

        assertThat(part.schema().getTypes().get(0).getType()).isEqualTo(Schema.Type.NULL);
        assertThat(part.getObjectProp("field-id")).isEqualTo(1000);
        assertThat(value.getType() == Schema.Type.FIXED ? "fixed " + value.getFixedSize() : value.getName())
                .isEqualTo(declared);
        assertThat(value.getObjectProps()).isEqualTo(properties);
    }

    /** Avro allows letters, digits and underscores; others find the column by its id, or by the name kept beside it. */
    @ParameterizedTest
    @CsvSource({
        "az_AZ09, az_AZ09",
        "9a, _9a",
        "0, _0",
        "a b, a_x20b",
        "a-b, a_x2Db",
        "@, _x40",
        "[, _x5B",
        "`, _x60",
        "{, _x7B",
        "a/, a_x2F",
        "a:, a_x3A",
        "/a, _x2Fa",
        "ü, _xFC",
    })
    void makesNamesOfPartitionFieldsLegalAndKeepsThem(String name, String expected) throws IOException {
        fixture.schema = new dev.calve.schema.Schema(3, List.of(Field.optional(1, name, Type.Simple.INT)));
        fixture.spec = new PartitionSpec(1, List.of(PartitionField.of(1, 1000, name, Transform.IDENTITY)));
        ManifestFile manifest = fixture.dataManifest(2, writer -> {});

        Schema file = fixture.avroSchema(manifest.path()).getField("data_file").schema();
        Schema.Field field = file.getField("partition").schema().getFields().get(0);

        assertThat(field.name()).isEqualTo(expected);
        assertThat(field.getProp("iceberg-field-name")).isEqualTo(name.equals(expected) ? null : name);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void saysInTheHeaderWhatTheManifestIs(int formatVersion) throws IOException {
        ManifestFile manifest = fixture.dataManifest(formatVersion, writer -> {});

        try (var in = fixture.stream(manifest.path())) {
            assertThat(in.getMetaString("schema"))
                    .contains("\"schema-id\":3", "\"name\":\"id\"")
                    .doesNotContain("\n");
            assertThat(in.getMetaString("schema-id")).isEqualTo("3");
            assertThat(in.getMetaString("partition-spec")).isEqualTo("[]");
            assertThat(in.getMetaString("partition-spec-id")).isEqualTo("0");
            assertThat(in.getMetaString("format-version")).isEqualTo(Integer.toString(formatVersion));
            assertThat(in.getMetaString("content")).isEqualTo(formatVersion == 1 ? null : "data");
            assertThat(in.getMetaString("avro.codec")).isEqualTo("deflate");
        }
    }

    @Test
    void saysInTheHeaderWhatTheListIs() throws IOException {
        ManifestList.write(fixture.storage, "memory:/1", 1, 11, OptionalLong.of(10), 0, 0, List.of());
        ManifestList.write(fixture.storage, "memory:/2", 2, 11, OptionalLong.of(10), 4, 99, List.of());
        ManifestList.write(fixture.storage, "memory:/3", 3, 11, OptionalLong.empty(), 4, 99, List.of());

        try (var v1 = fixture.stream("memory:/1");
                var v2 = fixture.stream("memory:/2");
                var v3 = fixture.stream("memory:/3")) {
            assertThat(v1.getMetaKeys()).doesNotContain("sequence-number", "first-row-id");
            assertThat(v1.getMetaString("parent-snapshot-id")).isEqualTo("10");
            assertThat(v1.getMetaString("format-version")).isEqualTo("1");
            assertThat(v2.getMetaKeys()).doesNotContain("first-row-id");
            assertThat(v2.getMetaString("sequence-number")).isEqualTo("4");
            assertThat(v3.getMetaString("snapshot-id")).isEqualTo("11");
            assertThat(v3.getMetaString("parent-snapshot-id")).isEqualTo("null");
            assertThat(v3.getMetaString("sequence-number")).isEqualTo("4");
            assertThat(v3.getMetaString("first-row-id")).isEqualTo("99");
        }
    }

    @Test
    void writesBlockSizeThatVersion1Demands() throws IOException {
        ManifestFile manifest = fixture.dataManifest(1, writer -> writer.added(fixture.data("a", 1)));

        assertThat(fixture.records(manifest.path())).singleElement().satisfies(entry -> {
            var file = (org.apache.avro.generic.GenericRecord) entry.get("data_file");
            assertThat(file.get("block_size_in_bytes")).isEqualTo(64L * 1024 * 1024);
            assertThat(entry.get("snapshot_id")).isEqualTo(ManifestFixture.SNAPSHOT);
        });
    }
}
