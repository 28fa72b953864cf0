package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Json;
import dev.calve.schema.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableMetadataJsonTest {

    private static final String WHERE = "file:/t/metadata/v7.metadata.json";

    private static final String V1 = """
            {"format-version": 1, "table-uuid": "d20125c8-7284-442c-9aea-15fee620737c", "location": "s3://bucket/t",
             "last-updated-ms": 1602638573874, "last-column-id": 3,
             "schema": {"type": "struct", "fields": [
               {"id": 1, "name": "x", "required": true, "type": "long"},
               {"id": 2, "name": "y", "required": true, "type": "long", "doc": "comment"},
               {"id": 3, "name": "z", "required": false, "type": "string"}]},
             "partition-spec": [
               {"name": "x", "transform": "identity", "source-id": 1, "field-id": 1000},
               {"name": "y_bucket", "transform": "bucket[8]", "source-id": 2, "field-id": 1001}],
             "properties": {}, "current-snapshot-id": -1, "snapshots": []}
            """;

    private static final String V2 = """
            {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://bucket/t",
             "last-sequence-number": 34, "last-updated-ms": 1602638573590, "last-column-id": 3, "current-schema-id": 1,
             "schemas": [
               {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "x", "required": true, "type": "long"}]},
               {"type": "struct", "schema-id": 1, "identifier-field-ids": [1, 2], "fields": [
                 {"id": 1, "name": "x", "required": true, "type": "long"},
                 {"id": 2, "name": "y", "required": true, "type": "long", "doc": "comment"},
                 {"id": 3, "name": "z", "required": true, "type": "long"}]}],
             "default-spec-id": 0,
             "partition-specs": [{"spec-id": 0, "fields": [
               {"name": "x", "transform": "identity", "source-id": 1, "field-id": 1000}]}],
             "last-partition-id": 1000, "default-sort-order-id": 3,
             "sort-orders": [{"order-id": 3, "fields": [
               {"transform": "identity", "source-id": 2, "direction": "asc", "null-order": "nulls-first"},
               {"transform": "bucket[4]", "source-id": 3, "direction": "desc", "null-order": "nulls-last"}]}],
             "properties": {"owner": "me"}, "current-snapshot-id": 3055729675574597004,
             "snapshots": [
               {"snapshot-id": 3051729675574597004, "timestamp-ms": 1515100955770, "sequence-number": 0,
                "summary": {"operation": "append"}, "manifest-list": "s3://a/b/1.avro"},
               {"snapshot-id": 3055729675574597004, "parent-snapshot-id": 3051729675574597004,
                "timestamp-ms": 1555100955770, "sequence-number": 1,
                "summary": {"operation": "delete", "deleted-records": "4"}, "manifest-list": "s3://a/b/2.avro",
                "schema-id": 1}],
             "statistics": [{"snapshot-id": 3055729675574597004, "statistics-path": "s3://a/b/stats.puffin",
               "file-size-in-bytes": 413, "file-footer-size-in-bytes": 42, "blob-metadata": []}],
             "partition-statistics": [{"snapshot-id": 3055729675574597004,
               "statistics-path": "s3://a/b/partition-stats.parquet", "file-size-in-bytes": 43}],
             "snapshot-log": [
               {"snapshot-id": 3051729675574597004, "timestamp-ms": 1515100955770},
               {"snapshot-id": 3055729675574597004, "timestamp-ms": 1555100955770}],
             "metadata-log": [{"metadata-file": "s3://bucket/t/metadata/v6.metadata.json", "timestamp-ms": 1515100}]}
            """;

    private static final String V3 = """
            {"format-version": 3, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://bucket/t",
             "last-sequence-number": 34, "last-updated-ms": 1602638573590, "last-column-id": 1, "next-row-id": 17,
             "current-schema-id": 0,
             "schemas": [{"type": "struct", "schema-id": 0, "fields": [
               {"id": 1, "name": "x", "required": true, "type": "long", "initial-default": 1, "write-default": 2}]}],
             "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999,
             "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}],
             "refs": {"main": {"snapshot-id": 5, "type": "branch"},
               "t": {"snapshot-id": 5, "type": "tag", "max-ref-age-ms": 9000},
               "b": {"snapshot-id": 5, "type": "branch", "min-snapshots-to-keep": 3, "max-snapshot-age-ms": 8000}},
             "current-snapshot-id": 5,
             "snapshots": [{"snapshot-id": 5, "sequence-number": 34, "timestamp-ms": 77, "manifest-list": "l",
               "summary": {"operation": "append"}, "schema-id": 0, "first-row-id": 10, "added-rows": 7}]}
            """;

    private static TableMetadata parse(String json) {
        return TableMetadataJson.parse(json.getBytes(StandardCharsets.UTF_8), WHERE);
    }

    private static String changed(String json, Consumer<ObjectNode> change) {
        var tree = (ObjectNode) Json.parse(json);
        change.accept(tree);
        return tree.toString();
    }

    @Test
    void readsTheSingularFormsOfVersion1() {
        TableMetadata table = parse(V1);

        assertThat(table.formatVersion()).isEqualTo(1);
        assertThat(table.schemas()).hasSize(1);
        assertThat(table.currentSchemaId()).isZero();
        assertThat(table.schema().field("y").orElseThrow().doc()).contains("comment");
        assertThat(table.specs()).hasSize(1);
        assertThat(table.spec().fields()).hasSize(2);
        assertThat(table.lastPartitionId()).isEqualTo(1001);
        assertThat(table.sortOrders()).containsExactly(SortOrder.UNSORTED);
        assertThat(table.currentSnapshotId()).isEmpty();
        assertThat(table.refs()).isEmpty();
        assertThat(table.lastSequenceNumber()).isZero();
    }

    @Test
    void readsEveryFieldOfVersion2() {
        TableMetadata table = parse(V2);

        assertThat(table.uuid()).isEqualTo("9c12d441-03fe-4693-9a96-a0705ddf69c1");
        assertThat(table.location()).isEqualTo("s3://bucket/t");
        assertThat(table.lastSequenceNumber()).isEqualTo(34);
        assertThat(table.lastUpdatedMillis()).isEqualTo(1602638573590L);
        assertThat(table.lastColumnId()).isEqualTo(3);
        assertThat(table.schemas()).extracting(schema -> schema.id()).containsExactly(0, 1);
        assertThat(table.schema().identifierFieldIds()).containsExactly(1, 2);
        assertThat(table.spec().fields().get(0).fieldId()).isEqualTo(1000);
        assertThat(table.defaultSortOrderId()).isEqualTo(3);
        assertThat(table.sortOrders().get(0).terms().get(1).direction()).isEqualTo(SortOrder.Direction.DESC);
        assertThat(table.properties()).isEqualTo(Map.of("owner", "me"));
        assertThat(table.currentSnapshotId()).hasValue(3055729675574597004L);
        assertThat(table.refs()).isEqualTo(Map.of("main", SnapshotRef.branch(3055729675574597004L)));
        Snapshot head = table.currentSnapshot().orElseThrow();
        assertThat(head.parentId()).hasValue(3051729675574597004L);
        assertThat(head.operation()).contains("delete");
        assertThat(head.summary()).isEqualTo(Map.of("deleted-records", "4"));
        assertThat(head.manifestList()).contains("s3://a/b/2.avro");
        assertThat(head.schemaId()).isEqualTo(OptionalInt.of(1));
        assertThat(table.statistics().get(0).get("file-footer-size-in-bytes").intValue())
                .isEqualTo(42);
        assertThat(table.partitionStatistics().get(0).get("file-size-in-bytes").intValue())
                .isEqualTo(43);
        assertThat(table.snapshotLog())
                .contains(new TableMetadata.SnapshotLogEntry(1555100955770L, 3055729675574597004L));
        assertThat(table.metadataLog())
                .containsExactly(
                        new TableMetadata.MetadataLogEntry(1515100, "s3://bucket/t/metadata/v6.metadata.json"));
    }

    @Test
    void readsRowLineageDefaultsAndRefsOfVersion3() {
        TableMetadata table = parse(V3);

        assertThat(table.nextRowId()).isEqualTo(17);
        Field x = table.schema().field("x").orElseThrow();
        assertThat(x.initialDefault()).contains(1L);
        assertThat(x.writeDefault()).contains(2L);
        assertThat(x.type()).isEqualTo(Type.Simple.LONG);
        Snapshot head = table.currentSnapshot().orElseThrow();
        assertThat(head.firstRowId()).hasValue(10);
        assertThat(head.addedRows()).hasValue(7);
        assertThat(table.refs().get("t"))
                .isEqualTo(new SnapshotRef(
                        5, SnapshotRef.Kind.TAG, OptionalInt.empty(), OptionalLong.empty(), OptionalLong.of(9000)));
        assertThat(table.refs().get("b"))
                .isEqualTo(new SnapshotRef(
                        5, SnapshotRef.Kind.BRANCH, OptionalInt.of(3), OptionalLong.of(8000), OptionalLong.empty()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void writesWhatItRead(int version) {
        TableMetadata table = parse(List.of(V1, V2, V3).get(version - 1));
        assertThat(TableMetadataJson.fromJson(TableMetadataJson.toJson(table))).isEqualTo(table);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | format-version table-uuid location last-updated-ms last-column-id schema current-schema-id schemas"
                        + " partition-spec default-spec-id partition-specs last-partition-id default-sort-order-id"
                        + " sort-orders properties current-snapshot-id refs snapshots statistics partition-statistics"
                        + " snapshot-log metadata-log",
                "2 | format-version table-uuid location last-sequence-number last-updated-ms last-column-id"
                        + " current-schema-id schemas default-spec-id partition-specs last-partition-id"
                        + " default-sort-order-id sort-orders properties current-snapshot-id refs snapshots statistics"
                        + " partition-statistics snapshot-log metadata-log",
                "3 | format-version table-uuid location last-sequence-number last-updated-ms last-column-id"
                        + " current-schema-id schemas default-spec-id partition-specs last-partition-id"
                        + " default-sort-order-id sort-orders properties current-snapshot-id next-row-id refs snapshots"
                        + " statistics partition-statistics snapshot-log metadata-log"
            })
    void writesKeysInTheUsualOrder(int version, String keys) {
        ObjectNode json = TableMetadataJson.toJson(parse(List.of(V1, V2, V3).get(version - 1)));
        var names = new ArrayList<String>();
        json.fieldNames().forEachRemaining(names::add);
        assertThat(names).containsExactlyElementsOf(Arrays.asList(keys.split(" ", -1)));
    }

    @ParameterizedTest
    @CsvSource({"1,-1", "2,-1", "3,null"})
    void writesNoCurrentSnapshotAsTheVersionDoes(int version, String expected) {
        var empty = changed(List.of(V1, V2, V3).get(version - 1), json -> {
            json.putNull("current-snapshot-id");
            json.remove("refs");
            json.putArray("snapshots");
        });
        JsonNode written = TableMetadataJson.toJson(parse(empty)).get("current-snapshot-id");
        assertThat(written.toString()).isEqualTo(expected);
    }

    @Test
    void version1RepeatsWhatIsCurrentInSingularForms() {
        ObjectNode json = TableMetadataJson.toJson(parse(V1));
        assertThat(json.get("schema").get("fields")).hasSize(3);
        assertThat(json.get("partition-spec"))
                .isEqualTo(json.get("partition-specs").get(0).get("fields"));
    }

    @Test
    void keepsKeysItDoesNotKnow() {
        String odd = changed(V2, json -> {
            json.putObject("x-lab").put("a", 1);
            ((ObjectNode) json.get("snapshots").get(1)).put("x-note", "kept");
        });
        ObjectNode written = TableMetadataJson.toJson(parse(odd));
        assertThat(written.get("x-lab").get("a").intValue()).isEqualTo(1);
        assertThat(written.get("snapshots").get(1).get("x-note").textValue()).isEqualTo("kept");
    }

    @Test
    void keepsTheManifestsOfAnOldSnapshot() {
        String old = changed(V1, json -> {
            json.put("current-snapshot-id", 9);
            ObjectNode snapshot = json.putArray("snapshots").addObject();
            snapshot.put("snapshot-id", 9).put("timestamp-ms", 1);
            snapshot.putArray("manifests").add("s3://m1").add("s3://m2");
        });
        Snapshot snapshot = parse(old).currentSnapshot().orElseThrow();
        assertThat(snapshot.manifestList()).isEmpty();
        assertThat(snapshot.manifests()).containsExactly("s3://m1", "s3://m2");
        assertThat(SnapshotJson.fromJson(SnapshotJson.toJson(snapshot), 1)).isEqualTo(snapshot);
    }

    @Test
    void aVersion1TableWithoutUuidHasTheSameOneEachTime() {
        String nameless = changed(V1, json -> json.remove("table-uuid"));
        assertThat(parse(nameless).uuid()).isEqualTo(parse(nameless).uuid()).hasSize(36);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.gz.metadata.json", "v1.metadata.json.gz"})
    void theNameTellsGzip(String name) {
        byte[] zipped = TableMetadataJson.print(parse(V3), name);
        assertThat(zipped[0]).isEqualTo((byte) 0x1f);
        assertThat(TableMetadataJson.parse(zipped, name)).isEqualTo(parse(V3));
        assertThatThrownBy(() -> TableMetadataJson.parse(zipped, "v1.metadata.json"))
                .isInstanceOf(InvalidTableException.class);
        assertThat(TableMetadataJson.print(parse(V3), "v1.metadata.json")[0]).isEqualTo((byte) '{');
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.gz.metadata.json", "v1.metadata.json"})
    void refusesATornFileAtEveryLength(String name) {
        byte[] whole = TableMetadataJson.print(parse(V2), name);
        for (int length = 0; length < whole.length; length += 7) {
            byte[] torn = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> TableMetadataJson.parse(torn, name))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining(length + " bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 42})
    void refusesVersionsItDoesNotKnow(int version) {
        assertThatThrownBy(() -> parse(changed(V2, json -> json.put("format-version", version))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("format-version must be 1 to 3, not " + version)
                .hasMessageContaining(WHERE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "schemas",
                "current-schema-id",
                "partition-specs",
                "default-spec-id",
                "last-partition-id",
                "sort-orders",
                "default-sort-order-id",
                "table-uuid",
                "last-sequence-number",
                "location"
            })
    void version2DemandsItsKeys(String key) {
        assertThatThrownBy(() -> parse(changed(V2, json -> json.remove(key))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'" + key + "'");
    }

    @Test
    void version3DemandsNextRowId() {
        assertThatThrownBy(() -> parse(changed(V3, json -> json.remove("next-row-id"))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("next-row-id");
    }

    @Test
    void refusesWhatPointsNowhere() {
        assertThatThrownBy(() -> parse(changed(V2, json -> json.put("current-schema-id", 2))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("current-schema-id must be one of the ids of 'schemas', [0, 1], not 2");
        assertThatThrownBy(() -> parse(changed(V2, json -> json.put("default-spec-id", 4))))
                .isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> parse(changed(V2, json -> json.put("default-sort-order-id", 4))))
                .isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> parse(changed(V2, json -> json.put("current-snapshot-id", 4))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("must have snapshot 4");
        assertThatThrownBy(() ->
                        parse(changed(V3, json -> ((ObjectNode) json.get("refs").get("t")).put("snapshot-id", 6))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("ref 't'");
        assertThatThrownBy(() -> parse(changed(V3, json -> json.putNull("current-snapshot-id"))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'main'");
    }

    @Test
    void refusesEncryptedTables() {
        List<Consumer<ObjectNode>> ways = List.of(
                json -> ((ObjectNode) json.get("properties")).put("encryption.key-id", "k"),
                json -> json.putArray("encryption-keys").addObject().put("key-id", "k"),
                json -> ((ObjectNode) json.get("snapshots").get(1)).put("key-id", "k"));
        for (var way : ways) {
            assertThatThrownBy(() -> parse(changed(V2, way)))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("encrypted");
        }
    }

    @Test
    void refusesASchemaThatIsNone() {
        assertThatThrownBy(() -> parse(changed(V1, json -> ((ObjectNode) json.get("schema")).remove("type"))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("type");
    }
}
