package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.Ancestry;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.scan.SnapshotManifests;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether a snapshot that was sent is in the table, or was until somebody expired it. An expired one leaves traces: its child
 * names it as parent, and its manifests stay listed, with the number and the id of the snapshot that wrote them.
 */
enum Landing {
    LANDED,
    /** It is not there. A swap whose answer is missing may still arrive. */
    NOT_THERE,
    /** Others committed since, and expired what would have told. */
    NO_TRACE;

    /**
     * Looks for the snapshot. Reads a manifest list only if history since {@code base} has a gap.
     *
     * @param base what the snapshot was to replace
     * @param now a state loaded after it was sent
     */
    static Landing of(Storage storage, TableState base, TableState now, String ref, Snapshot sent) throws IOException {
        TableMetadata metadata = now.metadata();
        if (metadata.snapshot(sent.id()).isPresent() || isParent(metadata, sent)) {
            return LANDED;
        }
        if (now.metadataLocation().equals(base.metadataLocation())
                || !metadata.uuid().equals(base.metadata().uuid())
                || Ancestry.since(metadata, ref, sent.parentId()).isPresent()) {
            return NOT_THERE;
        }
        if (sent.sequenceNumber() > 0) {
            Optional<Snapshot> inItsPlace = metadata.snapshots().stream()
                    .filter(snapshot -> snapshot.sequenceNumber() == sent.sequenceNumber())
                    .findFirst();
            if (inItsPlace.isPresent() || metadata.lastSequenceNumber() < sent.sequenceNumber()) {
                return NOT_THERE;
            }
        }
        Optional<Snapshot> head = metadata.snapshot(ref);
        return head.isPresent() ? byManifests(storage, head.get(), sent) : NO_TRACE;
    }

    private static boolean isParent(TableMetadata metadata, Snapshot sent) {
        OptionalLong id = OptionalLong.of(sent.id());
        return metadata.snapshots().stream()
                .anyMatch(snapshot -> snapshot.parentId().equals(id));
    }

    private static Landing byManifests(Storage storage, Snapshot head, Snapshot sent) throws IOException {
        boolean numberTaken = false;
        for (ManifestFile manifest : SnapshotManifests.of(storage, head)) {
            if (manifest.addedSnapshotId() == sent.id()) {
                return LANDED;
            }
            numberTaken |= sent.sequenceNumber() > 0 && manifest.sequenceNumber() == sent.sequenceNumber();
        }
        return numberTaken ? NOT_THERE : NO_TRACE;
    }
}
