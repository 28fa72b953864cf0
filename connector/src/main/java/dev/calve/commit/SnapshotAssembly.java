package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/** Writes the manifest list of an attempt and describes the snapshot around it. */
final class SnapshotAssembly {

    private final Storage storage;
    private final FileLedger ledger;
    private final UUID statementId;
    private final Optional<String> stagedAs;

    /** @param stagedAs in place of a branch that moves: see {@link Branches} */
    SnapshotAssembly(Storage storage, FileLedger ledger, UUID statementId, Optional<String> stagedAs) {
        this.storage = storage;
        this.ledger = ledger;
        this.statementId = statementId;
        this.stagedAs = stagedAs;
    }

    /**
     * The snapshot that lists the manifests.
     *
     * @param inherited the manifests of the parent
     */
    SnapshotWriter.Prepared of(
            Preparation preparation,
            List<ManifestFile> inherited,
            List<ManifestFile> manifests,
            SnapshotSummary summary,
            int attempt,
            long nowMillis)
            throws IOException {
        TableMetadata found = preparation.found();
        SnapshotChange change = preparation.change();
        Optional<Snapshot> parent = preparation.parent();
        long snapshotId = preparation.snapshotId();
        long sequenceNumber = preparation.sequenceNumber();
        OptionalLong parentId =
                parent.isPresent() ? OptionalLong.of(parent.get().id()) : OptionalLong.empty();
        String listLocation =
                preparation.metadataFolder() + "/snap-" + snapshotId + "-" + attempt + "-" + statementId + ".avro";
        ledger.wrote(listLocation);
        ManifestList.WrittenList list = ManifestList.write(
                storage,
                listLocation,
                found.formatVersion(),
                snapshotId,
                parentId,
                sequenceNumber,
                found.nextRowId(),
                manifests);
        ManifestListRules.checkRowIds(preparation, inherited, list);
        boolean hasRowIds = found.formatVersion() >= 3;
        var snapshot = new Snapshot(
                snapshotId,
                parentId,
                sequenceNumber,
                nowMillis,
                Optional.of(change.operation().toString()),
                entries(summary.entries(parent, change)),
                Optional.of(listLocation),
                List.of(),
                OptionalInt.of(found.currentSchemaId()),
                hasRowIds ? OptionalLong.of(found.nextRowId()) : OptionalLong.empty(),
                hasRowIds ? OptionalLong.of(list.nextRowId() - found.nextRowId()) : OptionalLong.empty(),
                Map.of());
        List<MetadataUpdate> updates = new ArrayList<>(List.of(new MetadataUpdate.AddSnapshot(snapshot)));
        List<Requirement> requirements = new ArrayList<>(List.of(new Requirement.TableUuid(found.uuid())));
        if (stagedAs.isEmpty()) {
            SnapshotRef ref = Optional.ofNullable(found.refs().get(change.ref()))
                    .map(old -> old.at(snapshotId))
                    .orElseGet(() -> SnapshotRef.branch(snapshotId));
            updates.add(new MetadataUpdate.SetSnapshotRef(change.ref(), ref));
            requirements.add(new Requirement.RefSnapshotId(change.ref(), headId(found, change.ref())));
        }
        return new SnapshotWriter.Prepared(
                snapshot,
                List.copyOf(updates),
                List.copyOf(requirements),
                MetadataUpdates.apply(found, updates, nowMillis),
                reached(change, manifests, listLocation));
    }

    private Map<String, String> entries(Map<String, String> counted) {
        Map<String, String> entries = new LinkedHashMap<>(counted);
        stagedAs.ifPresent(id -> entries.put(CherryPick.WAP_ID, id));
        return entries;
    }

    /** Empty for a branch that this commit begins, whose parent is the head of another. */
    private static OptionalLong headId(TableMetadata found, String ref) {
        Optional<Snapshot> head = found.snapshot(ref);
        return head.isPresent() ? OptionalLong.of(head.get().id()) : OptionalLong.empty();
    }

    private static Set<String> reached(SnapshotChange change, List<ManifestFile> manifests, String listLocation) {
        var reached = new HashSet<String>();
        reached.add(listLocation);
        manifests.forEach(manifest -> reached.add(manifest.path()));
        change.addedData().forEach(added -> reached.add(added.file().path()));
        change.addedDeletes().forEach(added -> reached.add(added.file().path()));
        return reached;
    }
}
