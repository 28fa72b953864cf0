package dev.calve.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import dev.calve.partition.PartitionJson;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Json;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaJson;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Metadata files: table metadata as JSON, plain or gzip. Spec: Appendix C, Table Metadata.
 *
 * <p>A file is gzip if its name says so ({@code .gz.metadata.json}, or {@code .metadata.json.gz} of old writers), whatever
 * the table's properties say. Top-level keys that are not known here are kept.
 */
public final class TableMetadataJson {

    private static final String FORMAT_VERSION = "format-version";
    private static final String UUID_KEY = "table-uuid";
    private static final String LOCATION = "location";
    private static final String LAST_SEQUENCE_NUMBER = "last-sequence-number";
    private static final String LAST_UPDATED = "last-updated-ms";
    private static final String LAST_COLUMN_ID = "last-column-id";
    private static final String SCHEMA = "schema";
    private static final String CURRENT_SCHEMA_ID = "current-schema-id";
    private static final String SCHEMAS = "schemas";
    private static final String SPEC = "partition-spec";
    private static final String DEFAULT_SPEC_ID = "default-spec-id";
    private static final String SPECS = "partition-specs";
    private static final String LAST_PARTITION_ID = "last-partition-id";
    private static final String DEFAULT_ORDER_ID = "default-sort-order-id";
    private static final String ORDERS = "sort-orders";
    private static final String PROPERTIES = "properties";
    private static final String CURRENT_SNAPSHOT_ID = "current-snapshot-id";
    private static final String NEXT_ROW_ID = "next-row-id";
    private static final String ENCRYPTION_KEYS = "encryption-keys";
    private static final String REFS = "refs";
    private static final String SNAPSHOTS = "snapshots";
    private static final String STATISTICS = "statistics";
    private static final String PARTITION_STATISTICS = "partition-statistics";
    private static final String SNAPSHOT_LOG = "snapshot-log";
    private static final String METADATA_LOG = "metadata-log";
    private static final String TIMESTAMP = "timestamp-ms";
    private static final String SNAPSHOT_ID = "snapshot-id";
    private static final String METADATA_FILE = "metadata-file";

    private static final Set<String> KNOWN = Set.of(
            FORMAT_VERSION,
            UUID_KEY,
            LOCATION,
            LAST_SEQUENCE_NUMBER,
            LAST_UPDATED,
            LAST_COLUMN_ID,
            SCHEMA,
            CURRENT_SCHEMA_ID,
            SCHEMAS,
            SPEC,
            DEFAULT_SPEC_ID,
            SPECS,
            LAST_PARTITION_ID,
            DEFAULT_ORDER_ID,
            ORDERS,
            PROPERTIES,
            CURRENT_SNAPSHOT_ID,
            NEXT_ROW_ID,
            ENCRYPTION_KEYS,
            REFS,
            SNAPSHOTS,
            STATISTICS,
            PARTITION_STATISTICS,
            SNAPSHOT_LOG,
            METADATA_LOG);

    /** What {@code current-snapshot-id} says in v1 and v2 when there is none. */
    private static final long NO_SNAPSHOT = -1;

    private TableMetadataJson() {}

    /** Whether a metadata file of that name is gzip. */
    public static boolean isGzip(String location) {
        return location.endsWith(".gz.metadata.json") || location.endsWith(".metadata.json.gz");
    }

    /**
     * Reads the content of a metadata file.
     *
     * @param location where it was read from: for messages, and its name tells gzip from plain
     * @throws InvalidTableException if the bytes are not complete, valid metadata of a supported version
     */
    public static TableMetadata parse(byte[] bytes, String location) {
        try {
            return fromJson(Json.parse(isGzip(location) ? unzip(bytes) : bytes));
        } catch (IOException e) {
            throw new InvalidTableException(
                    "Table metadata at " + location + " must be gzip, but its " + bytes.length + " bytes are torn or "
                            + "something else. Restore the file, or remove it if its writer is known to have failed.",
                    e);
        } catch (InvalidTableException e) {
            throw new InvalidTableException(
                    "Cannot read table metadata at " + location + " (" + bytes.length + " bytes): " + e.getMessage(),
                    e);
        }
    }

    /** The content of a metadata file of that name. */
    public static byte[] print(TableMetadata metadata, String location) {
        byte[] json = Json.writeBytes(toJson(metadata));
        return isGzip(location) ? zip(json) : json;
    }

    private static byte[] unzip(byte[] bytes) throws IOException {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return in.readAllBytes();
        }
    }

    private static byte[] zip(byte[] bytes) {
        var result = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(result)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return result.toByteArray();
    }

    /** Metadata as JSON, keys in the order most writers use. */
    public static ObjectNode toJson(TableMetadata metadata) {
        int version = metadata.formatVersion();
        ObjectNode json = Json.object()
                .put(FORMAT_VERSION, version)
                .put(UUID_KEY, metadata.uuid())
                .put(LOCATION, metadata.location());
        if (version > 1) {
            json.put(LAST_SEQUENCE_NUMBER, metadata.lastSequenceNumber());
        }
        json.put(LAST_UPDATED, metadata.lastUpdatedMillis()).put(LAST_COLUMN_ID, metadata.lastColumnId());
        if (version == 1) {
            json.set(SCHEMA, SchemaJson.toJson(metadata.schema()));
        }
        json.put(CURRENT_SCHEMA_ID, metadata.currentSchemaId());
        putAll(json, SCHEMAS, metadata.schemas(), SchemaJson::toJson);
        if (version == 1) {
            json.set(SPEC, PartitionJson.fieldsToJson(metadata.spec()));
        }
        json.put(DEFAULT_SPEC_ID, metadata.defaultSpecId());
        putAll(json, SPECS, metadata.specs(), PartitionJson::specToJson);
        json.put(LAST_PARTITION_ID, metadata.lastPartitionId()).put(DEFAULT_ORDER_ID, metadata.defaultSortOrderId());
        putAll(json, ORDERS, metadata.sortOrders(), PartitionJson::orderToJson);
        json.set(PROPERTIES, Json.toObject(metadata.properties()));
        putCurrentSnapshot(json, metadata);
        if (version >= 3) {
            json.put(NEXT_ROW_ID, metadata.nextRowId());
        }
        ObjectNode refs = json.putObject(REFS);
        metadata.refs().forEach((name, ref) -> refs.set(name, SnapshotJson.refToJson(ref)));
        putAll(json, SNAPSHOTS, metadata.snapshots(), SnapshotJson::toJson);
        putAll(json, STATISTICS, metadata.statistics(), Function.identity());
        putAll(json, PARTITION_STATISTICS, metadata.partitionStatistics(), Function.identity());
        putAll(
                json,
                SNAPSHOT_LOG,
                metadata.snapshotLog(),
                entry -> Json.object().put(TIMESTAMP, entry.timestampMillis()).put(SNAPSHOT_ID, entry.snapshotId()));
        putAll(
                json,
                METADATA_LOG,
                metadata.metadataLog(),
                entry -> Json.object().put(TIMESTAMP, entry.timestampMillis()).put(METADATA_FILE, entry.file()));
        metadata.unknownFields().forEach(json::set);
        return json;
    }

    private static void putCurrentSnapshot(ObjectNode json, TableMetadata metadata) {
        if (metadata.currentSnapshotId().isPresent()) {
            json.put(CURRENT_SNAPSHOT_ID, metadata.currentSnapshotId().getAsLong());
        } else if (metadata.formatVersion() >= 3) {
            json.putNull(CURRENT_SNAPSHOT_ID);
        } else {
            json.put(CURRENT_SNAPSHOT_ID, NO_SNAPSHOT);
        }
    }

    private static <T> void putAll(
            ObjectNode json, String key, List<T> values, Function<T, ? extends JsonNode> toJson) {
        var array = json.putArray(key);
        values.forEach(value -> array.add(toJson.apply(value)));
    }

    /**
     * Reads metadata.
     *
     * @throws InvalidTableException if it is not valid, of an unknown version, or encrypted
     */
    public static TableMetadata fromJson(JsonNode json) {
        int version = Json.requiredInt(json, FORMAT_VERSION);
        if (version < 1 || version > TableMetadata.MAX_FORMAT_VERSION) {
            throw new InvalidTableException("format-version must be 1 to " + TableMetadata.MAX_FORMAT_VERSION + ", not "
                    + version + ". Use a newer release, if there is one that knows the version.");
        }
        try {
            refuseEncryption(json);
            TableMetadata metadata = read(json, version);
            MetadataRules.check(metadata);
            return metadata;
        } catch (IllegalArgumentException e) {
            throw new InvalidTableException(String.valueOf(e.getMessage()), e);
        }
    }

    private static void refuseEncryption(JsonNode json) {
        var keys = Json.optional(json, ENCRYPTION_KEYS);
        boolean encrypted = keys.isPresent() && !keys.get().isEmpty();
        if (encrypted || Json.stringMap(json, PROPERTIES).containsKey(TableProperties.ENCRYPTION_KEY_ID.name())) {
            throw new InvalidTableException("The table is encrypted. Encrypted tables are not supported.");
        }
    }

    private static TableMetadata read(JsonNode json, int version) {
        String location = Json.requiredText(json, LOCATION);
        List<Schema> schemas = schemas(json, version);
        List<PartitionSpec> specs = specs(json, version);
        List<SortOrder> orders = orders(json, version);
        OptionalLong currentSnapshotId = currentSnapshotId(json);
        return new TableMetadata(
                version,
                uuid(json, version, location),
                location,
                version == 1 ? 0 : Json.requiredLong(json, LAST_SEQUENCE_NUMBER),
                Json.requiredLong(json, LAST_UPDATED),
                Json.requiredInt(json, LAST_COLUMN_ID),
                currentSchemaId(json, version, schemas),
                schemas,
                defaultId(json, version, DEFAULT_SPEC_ID, specs.get(0).id()),
                specs,
                lastPartitionId(json, version, specs),
                defaultId(json, version, DEFAULT_ORDER_ID, SortOrder.UNSORTED.id()),
                orders,
                Json.stringMap(json, PROPERTIES),
                currentSnapshotId,
                version < 3 ? 0 : Json.requiredLong(json, NEXT_ROW_ID),
                refs(json, currentSnapshotId),
                list(json, SNAPSHOTS, snapshot -> SnapshotJson.fromJson(snapshot, version)),
                list(json, STATISTICS, Function.identity()),
                list(json, PARTITION_STATISTICS, Function.identity()),
                list(
                        json,
                        SNAPSHOT_LOG,
                        entry -> new TableMetadata.SnapshotLogEntry(
                                Json.requiredLong(entry, TIMESTAMP), Json.requiredLong(entry, SNAPSHOT_ID))),
                list(
                        json,
                        METADATA_LOG,
                        entry -> new TableMetadata.MetadataLogEntry(
                                Json.requiredLong(entry, TIMESTAMP), Json.requiredText(entry, METADATA_FILE))),
                unknownFields(json, KNOWN));
    }

    /** v1 tables may have no UUID; one derived from the location is the same each time until a commit stores it. */
    private static String uuid(JsonNode json, int version, String location) {
        return version > 1
                ? Json.requiredText(json, UUID_KEY)
                : Json.optionalText(json, UUID_KEY)
                        .orElseGet(() -> UUID.nameUUIDFromBytes(location.getBytes(StandardCharsets.UTF_8))
                                .toString());
    }

    private static List<Schema> schemas(JsonNode json, int version) {
        if (version > 1 || Json.optional(json, SCHEMAS).isPresent()) {
            demand(json, version, SCHEMAS);
            return nonEmpty(list(json, SCHEMAS, SchemaJson::fromJson), SCHEMAS);
        }
        return List.of(SchemaJson.fromJson(Json.required(json, SCHEMA)));
    }

    private static int currentSchemaId(JsonNode json, int version, List<Schema> schemas) {
        boolean legacy = version == 1 && Json.optional(json, SCHEMAS).isEmpty();
        int id = legacy ? schemas.get(0).id() : Json.requiredInt(json, CURRENT_SCHEMA_ID);
        if (schemas.stream().noneMatch(schema -> schema.id() == id)) {
            throw new InvalidTableException("current-schema-id must be one of the ids of 'schemas', "
                    + schemas.stream().map(Schema::id).toList() + ", not " + id + ".");
        }
        return id;
    }

    private static List<PartitionSpec> specs(JsonNode json, int version) {
        if (version > 1 || Json.optional(json, SPECS).isPresent()) {
            demand(json, version, SPECS);
            return nonEmpty(list(json, SPECS, PartitionJson::specFromJson), SPECS);
        }
        return List.of(PartitionJson.fieldsFromJson(0, Json.required(json, SPEC)));
    }

    private static int lastPartitionId(JsonNode json, int version, List<PartitionSpec> specs) {
        demand(json, version, LAST_PARTITION_ID);
        return Json.optionalInt(json, LAST_PARTITION_ID)
                .orElseGet(() -> specs.stream()
                        .mapToInt(PartitionSpec::highestFieldId)
                        .max()
                        .orElse(PartitionSpec.FIRST_FIELD_ID - 1));
    }

    private static List<SortOrder> orders(JsonNode json, int version) {
        demand(json, version, ORDERS);
        List<SortOrder> orders = list(json, ORDERS, PartitionJson::orderFromJson);
        return orders.isEmpty() && version == 1 ? List.of(SortOrder.UNSORTED) : nonEmpty(orders, ORDERS);
    }

    private static int defaultId(JsonNode json, int version, String key, int legacy) {
        demand(json, version, key);
        return Json.optionalInt(json, key).orElse(legacy);
    }

    private static OptionalLong currentSnapshotId(JsonNode json) {
        OptionalLong id = Json.optionalLong(json, CURRENT_SNAPSHOT_ID);
        return id.isPresent() && id.getAsLong() == NO_SNAPSHOT ? OptionalLong.empty() : id;
    }

    /** Writers that know no refs say only what is current; that is {@code main}. */
    private static Map<String, SnapshotRef> refs(JsonNode json, OptionalLong currentSnapshotId) {
        var refs = new LinkedHashMap<String, SnapshotRef>();
        Json.optionalObject(json, REFS)
                .ifPresent(values -> values.properties()
                        .forEach(entry -> refs.put(entry.getKey(), SnapshotJson.refFromJson(entry.getValue()))));
        currentSnapshotId.ifPresent(id -> refs.putIfAbsent(SnapshotRef.MAIN, SnapshotRef.branch(id)));
        return refs;
    }

    private static void demand(JsonNode json, int version, String key) {
        if (version > 1 && Json.optional(json, key).isEmpty()) {
            throw new InvalidTableException("'" + key + "' must exist in format version " + version + ".");
        }
    }

    private static <T> List<T> nonEmpty(List<T> values, String key) {
        if (values.isEmpty()) {
            throw new InvalidTableException("'" + key + "' must not be empty.");
        }
        return values;
    }

    private static <T> List<T> list(JsonNode json, String key, Function<JsonNode, T> fromJson) {
        var result = new ArrayList<T>();
        Json.optionalArray(json, key).ifPresent(values -> values.forEach(value -> result.add(fromJson.apply(value))));
        return result;
    }

    /** The keys of an object that are not among those, with their values. */
    static Map<String, JsonNode> unknownFields(JsonNode json, Set<String> known) {
        var result = new LinkedHashMap<String, JsonNode>();
        json.properties().forEach(entry -> {
            if (!known.contains(entry.getKey())) {
                result.put(entry.getKey(), entry.getValue());
            }
        });
        return result;
    }
}
