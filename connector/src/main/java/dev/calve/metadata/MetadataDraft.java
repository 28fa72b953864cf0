package dev.calve.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Table metadata while updates are applied to it: one method per {@link MetadataUpdate}, each checking what the format
 * demands. Used by one thread, once.
 */
final class MetadataDraft {

    private static final int LAST_ADDED = -1;

    private final long nowMillis;
    private int formatVersion;
    private String uuid;
    private String location;
    private long lastSequenceNumber;
    private long lastUpdatedMillis;
    private int lastColumnId;
    private int currentSchemaId;
    private final List<Schema> schemas;
    private int defaultSpecId;
    private final List<PartitionSpec> specs;
    private int lastPartitionId;
    private int defaultSortOrderId;
    private final List<SortOrder> sortOrders;
    private final Map<String, String> properties;
    private OptionalLong currentSnapshotId;
    private long nextRowId;
    private final Map<String, SnapshotRef> refs;
    private final List<Snapshot> snapshots;
    private final List<JsonNode> statistics;
    private final List<JsonNode> partitionStatistics;
    private final List<TableMetadata.SnapshotLogEntry> snapshotLog;
    private final List<TableMetadata.MetadataLogEntry> metadataLog;
    private final Map<String, JsonNode> unknownFields;

    private final Set<Long> addedSnapshots = new HashSet<>();
    private final int oldLogEntries;
    private final Optional<Schema> oldSchema;
    private boolean schemaSet;
    private OptionalInt lastAddedSchema = OptionalInt.empty();
    private OptionalInt lastAddedSpec = OptionalInt.empty();
    private OptionalInt lastAddedOrder = OptionalInt.empty();

    MetadataDraft(TableMetadata base, long nowMillis) {
        this.nowMillis = nowMillis;
        formatVersion = base.formatVersion();
        uuid = base.uuid();
        location = base.location();
        lastSequenceNumber = base.lastSequenceNumber();
        lastUpdatedMillis = base.lastUpdatedMillis();
        lastColumnId = base.lastColumnId();
        currentSchemaId = base.currentSchemaId();
        schemas = new ArrayList<>(base.schemas());
        defaultSpecId = base.defaultSpecId();
        specs = new ArrayList<>(base.specs());
        lastPartitionId = base.lastPartitionId();
        defaultSortOrderId = base.defaultSortOrderId();
        sortOrders = new ArrayList<>(base.sortOrders());
        properties = new LinkedHashMap<>(base.properties());
        currentSnapshotId = base.currentSnapshotId();
        nextRowId = base.nextRowId();
        refs = new LinkedHashMap<>(base.refs());
        snapshots = new ArrayList<>(base.snapshots());
        statistics = new ArrayList<>(base.statistics());
        partitionStatistics = new ArrayList<>(base.partitionStatistics());
        snapshotLog = new ArrayList<>(base.snapshotLog());
        metadataLog = new ArrayList<>(base.metadataLog());
        unknownFields = base.unknownFields();
        oldLogEntries = snapshotLog.size();
        oldSchema = base.schemas().stream()
                .filter(known -> known.id() == base.currentSchemaId())
                .findFirst();
    }

    void assignUuid(String newUuid) {
        uuid = newUuid;
    }

    void upgradeFormatVersion(int newVersion) {
        if (newVersion > TableMetadata.MAX_FORMAT_VERSION) {
            throw new IllegalArgumentException("Cannot upgrade " + location + " to format version " + newVersion
                    + ": it must be at most " + TableMetadata.MAX_FORMAT_VERSION + ".");
        }
        if (newVersion < formatVersion) {
            throw new IllegalArgumentException("Cannot change " + location + " to format version " + newVersion
                    + ": it is " + formatVersion + " and can only be raised.");
        }
        formatVersion = newVersion;
    }

    void addSchema(Schema schema, int newLastColumnId) {
        MetadataRules.checkTypes(schema, formatVersion);
        lastColumnId = Math.max(lastColumnId, Math.max(newLastColumnId, schema.highestFieldId()));
        int newId = 0;
        for (Schema known : schemas) {
            if (known.sameFields(schema)) {
                lastAddedSchema = OptionalInt.of(known.id());
                return;
            }
            newId = Math.max(newId, known.id() + 1);
        }
        schemas.add(schema.withId(newId));
        lastAddedSchema = OptionalInt.of(newId);
    }

    void setCurrentSchema(int schemaId) {
        int id = orLastAdded(schemaId, lastAddedSchema, "schema");
        Schema schema = schemas.stream()
                .filter(known -> known.id() == id)
                .findFirst()
                .orElseThrow(() -> missing("current schema", "schema", id));
        currentSchemaId = schema.id();
        schemaSet = true;
    }

    /** Checked at the end, because a new schema may come with a new spec and order that fit it. */
    private void checkSources() {
        Schema schema = currentSchema();
        MetadataRules.checkPartitionNames(specs, oldSchema, schema, location);
        for (PartitionSpec spec : specs) {
            if (spec.id() == defaultSpecId) {
                MetadataRules.checkSources(spec, schema);
            }
        }
        for (SortOrder order : sortOrders) {
            if (order.id() == defaultSortOrderId) {
                MetadataRules.checkSources(order, schema);
            }
        }
    }

    void addSpec(PartitionSpec spec) {
        MetadataRules.checkSources(spec, currentSchema());
        lastPartitionId = Math.max(lastPartitionId, spec.highestFieldId());
        int newId = 0;
        for (PartitionSpec known : specs) {
            if (sameDivision(known, spec)) {
                lastAddedSpec = OptionalInt.of(known.id());
                return;
            }
            newId = Math.max(newId, known.id() + 1);
        }
        specs.add(new PartitionSpec(newId, spec.fields()));
        lastAddedSpec = OptionalInt.of(newId);
    }

    /** The field ids of partition fields do not count: a spec that divides rows alike is the same spec. */
    private static boolean sameDivision(PartitionSpec one, PartitionSpec other) {
        return withoutIds(one).equals(withoutIds(other));
    }

    private static List<PartitionField> withoutIds(PartitionSpec spec) {
        return spec.fields().stream()
                .map(field -> new PartitionField(field.sourceIds(), 0, field.name(), field.transform()))
                .toList();
    }

    void setDefaultSpec(int specId) {
        int id = orLastAdded(specId, lastAddedSpec, "partition spec");
        PartitionSpec spec = specs.stream()
                .filter(known -> known.id() == id)
                .findFirst()
                .orElseThrow(() -> missing("default partition spec", "partition spec", id));
        MetadataRules.checkSources(spec, currentSchema());
        for (PartitionField field : spec.fields()) {
            if (field.transform() instanceof Transform.Unknown) {
                throw new IllegalArgumentException("Cannot partition " + location + " by '" + field.transform()
                        + "': the transform is not known here.");
            }
        }
        defaultSpecId = id;
    }

    void addSortOrder(SortOrder order) {
        MetadataRules.checkSources(order, currentSchema());
        int newId = order.isUnsorted() ? SortOrder.UNSORTED.id() : 1;
        for (SortOrder known : sortOrders) {
            if (known.terms().equals(order.terms())) {
                lastAddedOrder = OptionalInt.of(known.id());
                return;
            }
            if (!order.isUnsorted()) {
                newId = Math.max(newId, known.id() + 1);
            }
        }
        sortOrders.add(new SortOrder(newId, order.terms()));
        lastAddedOrder = OptionalInt.of(newId);
    }

    void setDefaultSortOrder(int orderId) {
        int id = orLastAdded(orderId, lastAddedOrder, "sort order");
        SortOrder order = sortOrders.stream()
                .filter(known -> known.id() == id)
                .findFirst()
                .orElseThrow(() -> missing("default sort order", "sort order", id));
        MetadataRules.checkSources(order, currentSchema());
        defaultSortOrderId = id;
    }

    void addSnapshot(Snapshot snapshot) {
        long id = snapshot.id();
        if (snapshots.stream().anyMatch(known -> known.id() == id)) {
            throw cannotAdd(id, "its id must be new, but the table has a snapshot of that id");
        }
        if (formatVersion == 1 && snapshot.sequenceNumber() != 0) {
            throw cannotAdd(id, "its sequence number must be 0 in a v1 table, but is " + snapshot.sequenceNumber());
        }
        if (formatVersion > 1 && snapshot.sequenceNumber() <= lastSequenceNumber) {
            throw cannotAdd(
                    id,
                    "its sequence number must be above " + lastSequenceNumber + ", but is "
                            + snapshot.sequenceNumber());
        }
        if (snapshot.manifestList().isEmpty() && formatVersion > 1) {
            throw cannotAdd(id, "it must have a manifest list");
        }
        if (formatVersion >= 3) {
            addRowIds(snapshot);
        }
        snapshots.add(snapshot);
        addedSnapshots.add(id);
        lastSequenceNumber = formatVersion == 1 ? 0 : snapshot.sequenceNumber();
    }

    private void addRowIds(Snapshot snapshot) {
        if (snapshot.firstRowId().isEmpty() || snapshot.addedRows().isEmpty()) {
            throw cannotAdd(snapshot.id(), "it must have first-row-id and added-rows in a v3 table");
        }
        if (snapshot.firstRowId().getAsLong() != nextRowId) {
            throw cannotAdd(
                    snapshot.id(),
                    "its first-row-id must be the table's next-row-id " + nextRowId + ", but is "
                            + snapshot.firstRowId().getAsLong());
        }
        long addedRows = snapshot.addedRows().getAsLong();
        if (addedRows < 0) {
            throw cannotAdd(snapshot.id(), "its added-rows must be 0 or more, but is " + addedRows);
        }
        nextRowId = Math.addExact(nextRowId, addedRows);
    }

    private IllegalArgumentException cannotAdd(long id, String why) {
        return new IllegalArgumentException("Cannot add snapshot " + id + " to " + location + ": " + why + ".");
    }

    void setSnapshotRef(String name, SnapshotRef ref) {
        if (ref.equals(refs.get(name))) {
            return;
        }
        Snapshot snapshot = snapshots.stream()
                .filter(known -> known.id() == ref.snapshotId())
                .findFirst()
                .orElseThrow(() -> missing("ref '" + name + "'", "snapshot", ref.snapshotId()));
        if (name.equals(SnapshotRef.MAIN)) {
            if (ref.kind() != SnapshotRef.Kind.BRANCH) {
                throw new IllegalArgumentException("Ref 'main' of " + location + " must be a branch, not a tag.");
            }
            if (currentSnapshotId.isEmpty() || currentSnapshotId.getAsLong() != snapshot.id()) {
                logCurrent(snapshot);
            }
            currentSnapshotId = OptionalLong.of(snapshot.id());
        }
        refs.put(name, ref);
    }

    private void logCurrent(Snapshot snapshot) {
        long millis = addedSnapshots.contains(snapshot.id()) ? snapshot.timestampMillis() : nowMillis;
        if (!snapshotLog.isEmpty()) {
            // Readers refuse a log that runs backwards, which a writer whose clock is behind would make it do.
            millis = Math.max(millis, snapshotLog.get(snapshotLog.size() - 1).timestampMillis());
        }
        snapshotLog.add(new TableMetadata.SnapshotLogEntry(millis, snapshot.id()));
    }

    /** The log keeps what was current before, so that a time in the past can still be read. */
    void removeSnapshotRef(String name) {
        refs.remove(name);
        if (name.equals(SnapshotRef.MAIN)) {
            currentSnapshotId = OptionalLong.empty();
        }
    }

    void setLocation(String newLocation) {
        location = newLocation;
    }

    void setProperties(Map<String, String> updates) {
        var reserved = new TreeSet<>(updates.keySet());
        reserved.retainAll(TableProperties.RESERVED);
        if (!reserved.isEmpty()) {
            throw new IllegalArgumentException("Properties of " + location + " must not be named " + reserved
                    + ": they are part of the table's state.");
        }
        properties.putAll(updates);
    }

    void removeProperties(Set<String> names) {
        properties.keySet().removeAll(names);
    }

    void metadataLog(List<TableMetadata.MetadataLogEntry> entries) {
        metadataLog.clear();
        metadataLog.addAll(entries);
    }

    /** The metadata with every update in it, last updated now. */
    TableMetadata updated() {
        if (schemaSet) {
            checkSources();
        }
        dropPassingHeads();
        lastUpdatedMillis = Math.max(lastUpdatedMillis, nowMillis);
        for (Snapshot snapshot : snapshots) {
            if (addedSnapshots.contains(snapshot.id())) {
                lastUpdatedMillis = Math.max(lastUpdatedMillis, snapshot.timestampMillis());
            }
        }
        return metadata();
    }

    /** Takes out of the log what was current only between two of the updates: no reader ever saw it. */
    private void dropPassingHeads() {
        for (int i = snapshotLog.size() - 2; i >= oldLogEntries; i--) {
            if (addedSnapshots.contains(snapshotLog.get(i).snapshotId())) {
                snapshotLog.remove(i);
            }
        }
    }

    TableMetadata metadata() {
        return new TableMetadata(
                formatVersion,
                uuid,
                location,
                lastSequenceNumber,
                lastUpdatedMillis,
                lastColumnId,
                currentSchemaId,
                schemas,
                defaultSpecId,
                specs,
                lastPartitionId,
                defaultSortOrderId,
                sortOrders,
                properties,
                currentSnapshotId,
                nextRowId,
                refs,
                snapshots,
                statistics,
                partitionStatistics,
                snapshotLog,
                metadataLog,
                unknownFields);
    }

    private Schema currentSchema() {
        return schemas.stream()
                .filter(known -> known.id() == currentSchemaId)
                .findFirst()
                .orElseThrow(() -> missing("current schema", "schema", currentSchemaId));
    }

    private int orLastAdded(int id, OptionalInt lastAdded, String what) {
        if (id != LAST_ADDED) {
            return id;
        }
        return lastAdded.orElseThrow(() -> new IllegalArgumentException(
                "Cannot use the " + what + " added last to " + location + ": none was added."));
    }

    private IllegalArgumentException missing(String role, String what, long id) {
        return new IllegalArgumentException(
                "Cannot set the " + role + " of " + location + ": it has no " + what + " with id " + id + ".");
    }
}
