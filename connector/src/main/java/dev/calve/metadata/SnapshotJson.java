package dev.calve.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Snapshots and references to them as JSON. Spec: Appendix C, Table Metadata. The readers throw
 * {@link InvalidTableException}.
 */
final class SnapshotJson {

    private static final String ID = "snapshot-id";
    private static final String PARENT = "parent-snapshot-id";
    private static final String SEQUENCE_NUMBER = "sequence-number";
    private static final String TIMESTAMP = "timestamp-ms";
    private static final String SUMMARY = "summary";
    private static final String OPERATION = "operation";
    private static final String MANIFEST_LIST = "manifest-list";
    private static final String MANIFESTS = "manifests";
    private static final String SCHEMA_ID = "schema-id";
    private static final String FIRST_ROW_ID = "first-row-id";
    private static final String ADDED_ROWS = "added-rows";
    private static final String KEY_ID = "key-id";

    private static final Set<String> KNOWN = Set.of(
            ID,
            PARENT,
            SEQUENCE_NUMBER,
            TIMESTAMP,
            SUMMARY,
            MANIFEST_LIST,
            MANIFESTS,
            SCHEMA_ID,
            FIRST_ROW_ID,
            ADDED_ROWS,
            KEY_ID);

    private SnapshotJson() {}

    static ObjectNode toJson(Snapshot snapshot) {
        ObjectNode json = Json.object();
        if (snapshot.sequenceNumber() > 0) {
            json.put(SEQUENCE_NUMBER, snapshot.sequenceNumber());
        }
        json.put(ID, snapshot.id());
        snapshot.parentId().ifPresent(parent -> json.put(PARENT, parent));
        json.put(TIMESTAMP, snapshot.timestampMillis());
        if (snapshot.operation().isPresent() || !snapshot.summary().isEmpty()) {
            ObjectNode summary = json.putObject(SUMMARY);
            snapshot.operation().ifPresent(operation -> summary.put(OPERATION, operation));
            snapshot.summary().forEach(summary::put);
        }
        if (snapshot.manifestList().isPresent()) {
            json.put(MANIFEST_LIST, snapshot.manifestList().get());
        } else {
            snapshot.manifests().forEach(json.putArray(MANIFESTS)::add);
        }
        snapshot.schemaId().ifPresent(id -> json.put(SCHEMA_ID, id));
        snapshot.firstRowId().ifPresent(id -> json.put(FIRST_ROW_ID, id));
        snapshot.addedRows().ifPresent(rows -> json.put(ADDED_ROWS, rows));
        snapshot.unknownFields().forEach(json::set);
        return json;
    }

    static Snapshot fromJson(JsonNode json, int formatVersion) {
        long id = Json.requiredLong(json, ID);
        if (Json.optional(json, KEY_ID).isPresent()) {
            throw new InvalidTableException("Snapshot " + id + " is encrypted. Encrypted tables are not supported.");
        }
        Map<String, String> summary = new LinkedHashMap<>(Json.stringMap(json, SUMMARY));
        Optional<String> operation = Optional.ofNullable(summary.remove(OPERATION));
        Optional<String> manifestList = Json.optionalText(json, MANIFEST_LIST);
        if (manifestList.isEmpty()
                && (formatVersion > 1 || Json.optional(json, MANIFESTS).isEmpty())) {
            throw new InvalidTableException("Snapshot " + id + " must have '" + MANIFEST_LIST + "'.");
        }
        return new Snapshot(
                id,
                Json.optionalLong(json, PARENT),
                formatVersion == 1
                        ? 0
                        : Json.optionalLong(json, SEQUENCE_NUMBER).orElse(0),
                Json.requiredLong(json, TIMESTAMP),
                operation,
                summary,
                manifestList,
                manifestList.isPresent() ? List.of() : Json.textList(json, MANIFESTS),
                Json.optionalInt(json, SCHEMA_ID),
                Json.optionalLong(json, FIRST_ROW_ID),
                Json.optionalLong(json, ADDED_ROWS),
                TableMetadataJson.unknownFields(json, KNOWN));
    }

    static ObjectNode refToJson(SnapshotRef ref) {
        ObjectNode json = Json.object()
                .put(ID, ref.snapshotId())
                .put("type", ref.kind().name().toLowerCase(Locale.ROOT));
        ref.minSnapshotsToKeep().ifPresent(count -> json.put("min-snapshots-to-keep", count));
        ref.maxSnapshotAgeMillis().ifPresent(age -> json.put("max-snapshot-age-ms", age));
        ref.maxRefAgeMillis().ifPresent(age -> json.put("max-ref-age-ms", age));
        return json;
    }

    static SnapshotRef refFromJson(JsonNode json) {
        String kind = Json.requiredText(json, "type").toLowerCase(Locale.ROOT);
        if (!kind.equals("branch") && !kind.equals("tag")) {
            throw new InvalidTableException(
                    "JSON value 'type' of a ref must be 'branch' or 'tag', not '" + kind + "'.");
        }
        return new SnapshotRef(
                Json.requiredLong(json, ID),
                kind.equals("tag") ? SnapshotRef.Kind.TAG : SnapshotRef.Kind.BRANCH,
                Json.optionalInt(json, "min-snapshots-to-keep"),
                Json.optionalLong(json, "max-snapshot-age-ms"),
                Json.optionalLong(json, "max-ref-age-ms"));
    }
}
