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

    record AssignUuid(String uuid) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.assignUuid(uuid);
        }
    }

    record UpgradeFormatVersion(int formatVersion) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.upgradeFormatVersion(formatVersion);
        }
    }

    /** Adds a schema; an equal one already there is reused. */
    record AddSchema(Schema schema, int lastColumnId) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.addSchema(schema, lastColumnId);
        }
    }

    /** -1 means the schema added last. */
    record SetCurrentSchema(int schemaId) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.setCurrentSchema(schemaId);
        }
    }

    record AddSpec(PartitionSpec spec) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.addSpec(spec);
        }
    }

    /** -1 means the spec added last. */
    record SetDefaultSpec(int specId) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.setDefaultSpec(specId);
        }
    }

    record AddSortOrder(SortOrder order) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.addSortOrder(order);
        }
    }

    /** -1 means the order added last. */
    record SetDefaultSortOrder(int orderId) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.setDefaultSortOrder(orderId);
        }
    }

    record AddSnapshot(Snapshot snapshot) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.addSnapshot(snapshot);
        }
    }

    record SetSnapshotRef(String name, SnapshotRef ref) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.setSnapshotRef(name, ref);
        }
    }

    record RemoveSnapshotRef(String name) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.removeSnapshotRef(name);
        }
    }

    record SetLocation(String location) implements MetadataUpdate {
        @Override
        public void applyTo(MetadataDraft draft) {
            draft.setLocation(location);
        }
    }

    record SetProperties(Map<String, String> properties) implements MetadataUpdate {
        public SetProperties {
            properties = Map.copyOf(properties);
        }

        @Override
        public void applyTo(MetadataDraft draft) {
            draft.setProperties(properties);
        }
    }

    record RemoveProperties(Set<String> names) implements MetadataUpdate {
        public RemoveProperties {
            names = Set.copyOf(names);
        }

        @Override
        public void applyTo(MetadataDraft draft) {
            draft.removeProperties(names);
        }
    }

    /** For {@link MetadataUpdates#apply}. */
    void applyTo(MetadataDraft draft);
}
