package dev.calve.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import dev.calve.io.InvalidTableException;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transforms;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Everything a metadata file says about a table. Spec: Table Metadata. Immutable; a new one is made by
 * {@link MetadataUpdate}s.
 *
 * @param lastUpdatedMillis epoch milliseconds
 * @param currentSnapshotId empty for a table without rows ever committed to {@code main}
 * @param nextRowId v3 only, 0 otherwise
 * @param statistics, partitionStatistics kept as they are; nothing here reads into them
 * @param unknownFields top-level keys this version does not know, kept for the next writer
 */
public record TableMetadata(
        int formatVersion,
        String uuid,
        String location,
        long lastSequenceNumber,
        long lastUpdatedMillis,
        int lastColumnId,
        int currentSchemaId,
        List<Schema> schemas,
        int defaultSpecId,
        List<PartitionSpec> specs,
        int lastPartitionId,
        int defaultSortOrderId,
        List<SortOrder> sortOrders,
        Map<String, String> properties,
        OptionalLong currentSnapshotId,
        long nextRowId,
        Map<String, SnapshotRef> refs,
        List<Snapshot> snapshots,
        List<JsonNode> statistics,
        List<JsonNode> partitionStatistics,
        List<SnapshotLogEntry> snapshotLog,
        List<MetadataLogEntry> metadataLog,
        Map<String, JsonNode> unknownFields) {

    /** The highest format version that is read and written. */
    public static final int MAX_FORMAT_VERSION = 3;

    /** {@code snapshotId} became current at {@code timestampMillis}. */
    public record SnapshotLogEntry(long timestampMillis, long snapshotId) {}

    /** {@code file} was the table's metadata until {@code timestampMillis}'s successor replaced it. */
    public record MetadataLogEntry(long timestampMillis, String file) {}

    public TableMetadata {
        schemas = List.copyOf(schemas);
        specs = List.copyOf(specs);
        sortOrders = List.copyOf(sortOrders);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
        refs = Collections.unmodifiableMap(new LinkedHashMap<>(refs));
        snapshots = List.copyOf(snapshots);
        statistics = List.copyOf(statistics);
        partitionStatistics = List.copyOf(partitionStatistics);
        snapshotLog = List.copyOf(snapshotLog);
        metadataLog = List.copyOf(metadataLog);
        unknownFields = Collections.unmodifiableMap(new LinkedHashMap<>(unknownFields));
    }

    /** The current schema. */
    public Schema schema() {
        return schema(currentSchemaId);
    }

    public Schema schema(int schemaId) {
        return schemas.stream()
                .filter(schema -> schema.id() == schemaId)
                .findFirst()
                .orElseThrow(() -> new InvalidTableException(
                        "Table " + location + " must have a schema with id " + schemaId + ", but has " + schemas));
    }

    /** The order new data is to be sorted by. */
    public SortOrder sortOrder() {
        return sortOrders.stream()
                .filter(order -> order.id() == defaultSortOrderId)
                .findFirst()
                .orElseThrow(() -> new InvalidTableException("Table " + location + " must have a sort order with id "
                        + defaultSortOrderId + ", but has " + sortOrders));
    }

    /** The spec new data is written with. */
    public PartitionSpec spec() {
        return spec(defaultSpecId);
    }

    public PartitionSpec spec(int specId) {
        return specs.stream()
                .filter(spec -> spec.id() == specId)
                .findFirst()
                .orElseThrow(() -> new InvalidTableException(
                        "Table " + location + " must have a partition spec with id " + specId + ", but has " + specs));
    }

    /** Partition tuple type of a spec; a source column dropped from the current schema is looked up in older ones. */
    public Type.Struct partitionType(int specId) {
        var result = new ArrayList<Field>();
        for (PartitionField field : spec(specId).fields()) {
            Type source = newestType(field.sourceId()).orElse(Type.Simple.UNKNOWN);
            result.add(Field.optional(field.fieldId(), field.name(), Transforms.resultType(field.transform(), source)));
        }
        return new Type.Struct(result);
    }

    /** The type of a field in the current schema, or in the newest one that has it; empty if none has. */
    public Optional<Type> newestType(int fieldId) {
        Optional<Field> current = schema().field(fieldId);
        if (current.isPresent()) {
            return current.map(Field::type);
        }
        for (int i = schemas.size() - 1; i >= 0; i--) {
            Optional<Field> older = schemas.get(i).field(fieldId);
            if (older.isPresent()) {
                return older.map(Field::type);
            }
        }
        return Optional.empty();
    }

    public Optional<Snapshot> snapshot(long snapshotId) {
        return snapshots.stream()
                .filter(snapshot -> snapshot.id() == snapshotId)
                .findFirst();
    }

    /** Head of {@code main}. */
    public Optional<Snapshot> currentSnapshot() {
        return currentSnapshotId.isPresent() ? snapshot(currentSnapshotId.getAsLong()) : Optional.empty();
    }

    /** Head of a branch, or the snapshot of a tag. */
    public Optional<Snapshot> snapshot(String ref) {
        if (ref.equals(SnapshotRef.MAIN)) {
            return currentSnapshot();
        }
        return Optional.ofNullable(refs.get(ref)).flatMap(found -> snapshot(found.snapshotId()));
    }

    /**
     * What the next snapshot of a branch is derived from: the head of the branch, or the head of {@code main} for a branch
     * that does not exist yet and so begins there.
     */
    public Optional<Snapshot> commitParent(String branch) {
        return refs.containsKey(branch) ? snapshot(branch) : currentSnapshot();
    }

    public Optional<String> property(String name) {
        return Optional.ofNullable(properties.get(name));
    }
}
