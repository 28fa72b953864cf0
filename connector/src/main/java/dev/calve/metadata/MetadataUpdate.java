package dev.calve.metadata;

import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Schema;
import java.util.Map;
import java.util.Set;

/**
 * One change to table metadata; names and fields are those of the REST catalog's {@code updates}. {@link MetadataUpdates}
 * applies them.
 */
public sealed interface MetadataUpdate {

    record AssignUuid(String uuid) implements MetadataUpdate {}

    record UpgradeFormatVersion(int formatVersion) implements MetadataUpdate {}

    /** Adds a schema; an equal one already there is reused. */
    record AddSchema(Schema schema, int lastColumnId) implements MetadataUpdate {}

    /** -1 means the schema added last. */
    record SetCurrentSchema(int schemaId) implements MetadataUpdate {}

    record AddSpec(PartitionSpec spec) implements MetadataUpdate {}

    /** -1 means the spec added last. */
    record SetDefaultSpec(int specId) implements MetadataUpdate {}

    record AddSortOrder(SortOrder order) implements MetadataUpdate {}

    /** -1 means the order added last. */
    record SetDefaultSortOrder(int orderId) implements MetadataUpdate {}

    record AddSnapshot(Snapshot snapshot) implements MetadataUpdate {}

    record SetSnapshotRef(String name, SnapshotRef ref) implements MetadataUpdate {}

    record RemoveSnapshotRef(String name) implements MetadataUpdate {}

    record SetLocation(String location) implements MetadataUpdate {}

    record SetProperties(Map<String, String> properties) implements MetadataUpdate {
        public SetProperties {
            properties = Map.copyOf(properties);
        }
    }

    record RemoveProperties(Set<String> names) implements MetadataUpdate {
        public RemoveProperties {
            names = Set.copyOf(names);
        }
    }
}
