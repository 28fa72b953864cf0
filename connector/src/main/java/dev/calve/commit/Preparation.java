package dev.calve.commit;

import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.util.Optional;

/**
 * What one attempt starts from.
 *
 * @param table its name, for messages
 * @param found the table as the attempt found it
 * @param parent head of the branch; empty for its first snapshot
 * @param snapshotId id of the snapshot to be
 */
record Preparation(
        String table, TableMetadata found, SnapshotChange change, Optional<Snapshot> parent, long snapshotId) {

    /** Sequence number of the snapshot to be. */
    long sequenceNumber() {
        return found.formatVersion() == 1 ? 0 : found.lastSequenceNumber() + 1;
    }

    /** Whether the snapshot found is the one the change was made for: then nobody else is to blame. */
    boolean readsParent() {
        return parent.isPresent()
                && change.readSnapshotId().isPresent()
                && change.readSnapshotId().getAsLong() == parent.get().id();
    }

    long parentId() {
        return parent.map(Snapshot::id).orElse(-1L);
    }

    /** Somebody before the head found did it; who, is not searched for. */
    Conflict.Other parentAsOther() {
        return new Conflict.Other(parentId(), parent.flatMap(Snapshot::operation), change.readSnapshotId(), true);
    }

    TableProperties properties() {
        return TableProperties.of(found.properties(), table);
    }

    String metadataFolder() {
        return found.property("write.metadata.path").orElse(found.location() + "/metadata");
    }

    /** Tuples are read as the table types them now, because those of manifests written before and after a promotion meet. */
    Selection typed(Selection selection, ManifestFile manifest) {
        return selection.typedAs(found.partitionType(manifest.specId()));
    }
}
