package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.ManifestTarget;
import dev.calve.manifest.ManifestWriter;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.scan.SnapshotManifests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/**
 * Writes the manifests and the manifest list of one attempt. Nothing is visible to readers until the result is swapped in.
 *
 * <p>Manifests of new files and rewritten manifests are kept for the next attempt as long as the change stays the same. Cost:
 * one read of the parent's manifest list, one read and one write per manifest that mentions a file that leaves, one write per
 * partition spec with new files, one manifest list.
 */
final class SnapshotWriter {

    private final Storage storage;
    private final FileLedger ledger;
    private final UUID statementId;
    private final String table;
    private int manifestCount;

    private Optional<SnapshotChange> cachedFor = Optional.empty();
    private int cachedFormatVersion;
    private final Map<Content, List<ManifestFile>> addedManifests = new HashMap<>();
    private final Map<String, Edited> editedManifests = new HashMap<>();

    SnapshotWriter(Storage storage, FileLedger ledger, UUID statementId, String table) {
        this.storage = storage;
        this.ledger = ledger;
        this.statementId = statementId;
        this.table = table;
    }

    /**
     * A snapshot ready to be swapped in.
     *
     * @param reached locations of everything this statement wrote that the snapshot refers to
     */
    record Prepared(
            Snapshot snapshot,
            List<MetadataUpdate> updates,
            List<Requirement> requirements,
            TableMetadata metadata,
            Set<String> reached) {}

    /** What became of a parent's manifest: itself if nothing in it leaves, and what left. */
    private record Edited(ManifestFile manifest, List<ContentFile> removed) {}

    /** The change does not fit the snapshot found: a file it removes is gone, or a vector it did not see is there. */
    static final class DoesNotFit extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient Conflict conflict;

        DoesNotFit(Conflict conflict) {
            super(conflict.message());
            this.conflict = conflict;
        }

        Conflict conflict() {
            return conflict;
        }
    }

    Prepared prepare(TableMetadata found, SnapshotChange change, long snapshotId, int attempt, long nowMillis)
            throws IOException, DoesNotFit {
        forgetUnless(change, found.formatVersion());
        Optional<Snapshot> parent = found.snapshot(change.ref());
        List<ManifestFile> inherited =
                parent.isPresent() ? SnapshotManifests.of(storage, parent.get()) : List.<ManifestFile>of();
        var removed = new RemovedFiles(found, change, inherited);
        var summary = new SnapshotSummary();
        change.addedData().forEach(added -> summary.added(added.file()));
        change.addedDeletes().forEach(added -> summary.added(added.file()));

        var manifests = new ArrayList<ManifestFile>(addedManifests(found, change, Content.DATA, snapshotId));
        for (ManifestFile manifest : inherited) {
            if (manifest.content() == Content.DATA && manifest.mayHaveLiveFiles()) {
                Edited edited =
                        removed.mayMention(manifest) ? editData(found, manifest, removed, snapshotId) : kept(manifest);
                manifests.add(edited.manifest());
                edited.removed().forEach(summary::removed);
            }
        }
        if (!removed.notFound().isEmpty()) {
            FileKey missing = removed.notFound().iterator().next();
            throw new DoesNotFit(new Conflict.Concurrent(
                    "data file " + missing + " is no longer in the table; another writer removed it.",
                    parent.map(Snapshot::id).orElse(-1L)));
        }
        manifests.addAll(addedManifests(found, change, Content.DELETES, snapshotId));
        for (ManifestFile manifest : inherited) {
            if (manifest.content() == Content.DELETES && manifest.mayHaveLiveFiles()) {
                Edited edited = removed.mayMentionDeletes(manifest)
                        ? editDeletes(found, manifest, removed, snapshotId)
                        : kept(manifest);
                manifests.add(edited.manifest());
                edited.removed().forEach(summary::removed);
            }
        }
        return assemble(found, change, parent, manifests, summary, snapshotId, attempt, nowMillis);
    }

    private Prepared assemble(
            TableMetadata found,
            SnapshotChange change,
            Optional<Snapshot> parent,
            List<ManifestFile> manifests,
            SnapshotSummary summary,
            long snapshotId,
            int attempt,
            long nowMillis)
            throws IOException {
        long sequenceNumber = found.formatVersion() == 1 ? 0 : found.lastSequenceNumber() + 1;
        OptionalLong parentId = parent.isPresent() ? OptionalLong.of(parent.get().id()) : OptionalLong.empty();
        String listLocation =
                metadataFolder(found) + "/snap-" + snapshotId + "-" + attempt + "-" + statementId + ".avro";
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
        boolean hasRowIds = found.formatVersion() >= 3;
        var snapshot = new Snapshot(
                snapshotId,
                parentId,
                sequenceNumber,
                nowMillis,
                Optional.of(change.operation().toString()),
                summary.entries(parent, change.summary()),
                Optional.of(listLocation),
                List.of(),
                OptionalInt.of(found.currentSchemaId()),
                hasRowIds ? OptionalLong.of(found.nextRowId()) : OptionalLong.empty(),
                hasRowIds ? OptionalLong.of(list.nextRowId() - found.nextRowId()) : OptionalLong.empty(),
                Map.of());
        SnapshotRef ref = Optional.ofNullable(found.refs().get(change.ref()))
                .map(old -> old.at(snapshotId))
                .orElse(SnapshotRef.branch(snapshotId));
        List<MetadataUpdate> updates = List.of(
                new MetadataUpdate.AddSnapshot(snapshot), new MetadataUpdate.SetSnapshotRef(change.ref(), ref));
        List<Requirement> requirements =
                List.of(new Requirement.TableUuid(found.uuid()), new Requirement.RefSnapshotId(change.ref(), parentId));
        return new Prepared(
                snapshot,
                updates,
                requirements,
                MetadataUpdates.apply(found, updates, nowMillis),
                reached(change, manifests, listLocation));
    }

    private static Set<String> reached(SnapshotChange change, List<ManifestFile> manifests, String listLocation) {
        var reached = new HashSet<String>();
        reached.add(listLocation);
        manifests.forEach(manifest -> reached.add(manifest.path()));
        change.addedData().forEach(added -> reached.add(added.file().path()));
        change.addedDeletes().forEach(added -> reached.add(added.file().path()));
        return reached;
    }

    private void forgetUnless(SnapshotChange change, int formatVersion) {
        if (cachedFor.isEmpty() || !cachedFor.get().equals(change) || cachedFormatVersion != formatVersion) {
            addedManifests.clear();
            editedManifests.clear();
            cachedFor = Optional.of(change);
            cachedFormatVersion = formatVersion;
        }
    }

    private static Edited kept(ManifestFile manifest) {
        return new Edited(manifest, List.of());
    }

    private List<ManifestFile> addedManifests(
            TableMetadata found, SnapshotChange change, Content content, long snapshotId) throws IOException {
        List<ManifestFile> cached = addedManifests.get(content);
        if (cached != null) {
            return cached;
        }
        var bySpec = new LinkedHashMap<Integer, RollingManifests>();
        try {
            if (content == Content.DATA) {
                for (SnapshotChange.AddedData added : change.addedData()) {
                    ManifestWriter writer = rolling(bySpec, found, added.file(), content, snapshotId);
                    if (added.dataSequenceNumber().isPresent() && found.formatVersion() > 1) {
                        writer.added(added.file(), added.dataSequenceNumber().getAsLong());
                    } else {
                        writer.added(added.file());
                    }
                }
            } else {
                for (SnapshotChange.AddedDelete added : change.addedDeletes()) {
                    rolling(bySpec, found, added.file(), content, snapshotId).added(added.file());
                }
            }
            var result = new ArrayList<ManifestFile>();
            for (RollingManifests manifests : bySpec.values()) {
                result.addAll(manifests.finish());
            }
            addedManifests.put(content, result);
            return result;
        } finally {
            for (RollingManifests manifests : bySpec.values()) {
                manifests.close();
            }
        }
    }

    private ManifestWriter rolling(
            Map<Integer, RollingManifests> bySpec,
            TableMetadata found,
            ContentFile file,
            Content content,
            long snapshotId)
            throws IOException {
        return bySpec.computeIfAbsent(
                        file.specId(), specId -> new RollingManifests(() -> target(found, specId, content, snapshotId), targetSize(found)))
                .current();
    }

    private Edited editData(TableMetadata found, ManifestFile manifest, RemovedFiles removed, long snapshotId)
            throws IOException {
        List<ManifestEntry<DataFile>> entries = ManifestReader.readData(storage, manifest);
        var leaving = new ArrayList<ContentFile>();
        for (ManifestEntry<DataFile> entry : entries) {
            if (entry.isLive() && removed.removes(entry.file())) {
                leaving.add(entry.file());
            }
        }
        return edit(found, manifest, entries, leaving, snapshotId);
    }

    private Edited editDeletes(TableMetadata found, ManifestFile manifest, RemovedFiles removed, long snapshotId)
            throws IOException, DoesNotFit {
        List<ManifestEntry<DeleteFile>> entries = ManifestReader.readDeletes(storage, manifest);
        var leaving = new ArrayList<ContentFile>();
        for (ManifestEntry<DeleteFile> entry : entries) {
            if (!entry.isLive()) {
                continue;
            }
            if (removed.removes(entry.file())) {
                leaving.add(entry.file());
            } else if (removed.collides(entry.file())) {
                throw new DoesNotFit(new Conflict.Concurrent(
                        "rows of data file " + entry.file().scopedTo().orElse("?") + " were deleted by snapshot "
                                + entry.snapshotId() + " at the same time.",
                        entry.snapshotId()));
            }
        }
        return edit(found, manifest, entries, leaving, snapshotId);
    }

    private <F extends ContentFile> Edited edit(
            TableMetadata found,
            ManifestFile manifest,
            List<ManifestEntry<F>> entries,
            List<ContentFile> leaving,
            long snapshotId)
            throws IOException {
        if (leaving.isEmpty()) {
            return kept(manifest);
        }
        Edited cached = editedManifests.get(manifest.path());
        if (cached != null && cached.removed().equals(leaving)) {
            return cached;
        }
        Set<FileKey> keys = new HashSet<>();
        leaving.forEach(file -> keys.add(file.key()));
        try (var writer = new ManifestWriter(target(found, manifest.specId(), manifest.content(), snapshotId))) {
            for (ManifestEntry<F> entry : entries) {
                if (!entry.isLive()) {
                    continue;
                }
                if (keys.contains(entry.file().key())) {
                    writer.deleted(entry);
                } else {
                    writer.existing(entry);
                }
            }
            var edited = new Edited(writer.finish(), leaving);
            editedManifests.put(manifest.path(), edited);
            return edited;
        }
    }

    private ManifestTarget target(TableMetadata found, int specId, Content content, long snapshotId) {
        String location = metadataFolder(found) + "/" + statementId + "-m" + manifestCount++ + ".avro";
        ledger.wrote(location);
        return new ManifestTarget(
                storage,
                location,
                found.formatVersion(),
                found.schema(),
                found.spec(specId),
                found.partitionType(specId),
                snapshotId,
                content,
                properties(found)
                        .get(TableProperties.MANIFEST_COMPRESSION)
                        .name()
                        .toLowerCase(Locale.ROOT));
    }

    private long targetSize(TableMetadata found) {
        return properties(found).get(TableProperties.MANIFEST_TARGET_SIZE);
    }

    private TableProperties properties(TableMetadata found) {
        return TableProperties.of(found.properties(), table);
    }

    private static String metadataFolder(TableMetadata found) {
        return found.property("write.metadata.path").orElse(found.location() + "/metadata");
    }
}
