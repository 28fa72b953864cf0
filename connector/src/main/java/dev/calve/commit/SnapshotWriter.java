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
import dev.calve.manifest.Selection;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

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

    /**
     * Writes the manifests and the list of one attempt.
     *
     * @return empty if nothing is added and nothing found that leaves
     * @throws IllegalArgumentException if the change breaks a rule of the format or removes what was never there
     */
    Optional<Prepared> prepare(TableMetadata found, SnapshotChange change, long snapshotId, int attempt, long nowMillis)
            throws IOException, DoesNotFit {
        forgetUnless(change, found.formatVersion());
        Optional<Snapshot> parent = found.commitParent(change.ref());
        List<ManifestFile> inherited =
                parent.isPresent() ? SnapshotManifests.of(storage, parent.get()) : List.<ManifestFile>of();
        Set<String> paths = inherited.stream().map(ManifestFile::path).collect(Collectors.toSet());
        var step = new Step(
                found,
                change,
                parent,
                snapshotId,
                new RemovedFiles(found, change, paths),
                new NewDeletes(table, found, change, paths));
        var summary = new SnapshotSummary(found, table);
        change.addedData().forEach(added -> summary.added(added.file()));
        change.addedDeletes().forEach(added -> summary.added(added.file()));

        // New data comes first, so that its row ids follow on those of the table.
        var manifests = new ArrayList<ManifestFile>(addedManifests(found, change, Content.DATA, snapshotId));
        for (ManifestFile manifest : inherited) {
            if (manifest.content() == Content.DATA && manifest.mayHaveLiveFiles()) {
                collect(editData(step, manifest), manifests, summary);
            }
        }
        requireFound(step);
        manifests.addAll(addedManifests(found, change, Content.DELETES, snapshotId));
        for (ManifestFile manifest : inherited) {
            if (manifest.content() == Content.DELETES && manifest.mayHaveLiveFiles()) {
                collect(editDeletes(step, manifest), manifests, summary);
            }
        }
        if (change.addedData().isEmpty() && change.addedDeletes().isEmpty() && summary.removedNothing()) {
            return Optional.empty();
        }
        summary.manifests(inherited, manifests, snapshotId);
        return Optional.of(assemble(found, change, parent, manifests, summary, snapshotId, attempt, nowMillis));
    }

    /** What one attempt works with. */
    private record Step(
            TableMetadata found,
            SnapshotChange change,
            Optional<Snapshot> parent,
            long snapshotId,
            RemovedFiles removed,
            NewDeletes newDeletes) {

        /** Whether the snapshot found is the one the change was made for: then nobody else is to blame. */
        boolean readsParent() {
            return parent.isPresent()
                    && change.readSnapshotId().isPresent()
                    && change.readSnapshotId().getAsLong() == parent.get().id();
        }

        long parentId() {
            return parent.map(Snapshot::id).orElse(-1L);
        }

        /** Somebody before the head found did it; who, this class does not search for. */
        Conflict.Other parentAsOther() {
            return new Conflict.Other(parentId(), parent.flatMap(Snapshot::operation), change.readSnapshotId(), true);
        }
    }

    private static void collect(Edited edited, List<ManifestFile> manifests, SnapshotSummary summary) {
        manifests.add(edited.manifest());
        summary.removed(edited.removed());
    }

    /** Every file that is to leave, and every one a new delete file speaks of, must have been there. */
    private void requireFound(Step step) throws DoesNotFit {
        Set<FileKey> missing = step.removed().notFound();
        if (!missing.isEmpty()) {
            String file = missing.iterator().next().toString();
            if (step.readsParent()) {
                throw new IllegalArgumentException(
                        "Cannot commit to " + table + ": a data file to remove must be live, but " + file
                                + " is not in snapshot " + step.parentId() + ".");
            }
            throw gone(step, file);
        }
        Set<String> without = step.newDeletes().withoutDataFile(step.removed().paths());
        if (!without.isEmpty()) {
            String file = without.iterator().next();
            if (step.readsParent() || step.removed().paths().contains(file)) {
                throw step.newDeletes()
                        .broken(
                                "deletes-of-live-data-file",
                                "data file " + file + " would have deletes, but not be live");
            }
            throw gone(step, file);
        }
    }

    private static DoesNotFit gone(Step step, String file) {
        return new DoesNotFit(new Conflict.DataFileRemoved(step.parentAsOther(), file));
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
        OptionalLong parentId =
                parent.isPresent() ? OptionalLong.of(parent.get().id()) : OptionalLong.empty();
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
                summary.entries(parent, change),
                Optional.of(listLocation),
                List.of(),
                OptionalInt.of(found.currentSchemaId()),
                hasRowIds ? OptionalLong.of(found.nextRowId()) : OptionalLong.empty(),
                hasRowIds ? OptionalLong.of(list.nextRowId() - found.nextRowId()) : OptionalLong.empty(),
                Map.of());
        SnapshotRef ref = Optional.ofNullable(found.refs().get(change.ref()))
                .map(old -> old.at(snapshotId))
                .orElseGet(() -> SnapshotRef.branch(snapshotId));
        List<MetadataUpdate> updates =
                List.of(new MetadataUpdate.AddSnapshot(snapshot), new MetadataUpdate.SetSnapshotRef(change.ref(), ref));
        List<Requirement> requirements = List.of(
                new Requirement.TableUuid(found.uuid()),
                new Requirement.RefSnapshotId(change.ref(), headId(found, change.ref())));
        return new Prepared(
                snapshot,
                updates,
                requirements,
                MetadataUpdates.apply(found, updates, nowMillis),
                reached(change, manifests, listLocation));
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
                        file.specId(),
                        specId -> new RollingManifests(
                                () -> target(found, specId, content, snapshotId), targetSize(found)))
                .current();
    }

    private Edited editData(Step step, ManifestFile manifest) throws IOException, DoesNotFit {
        if (!step.removed().mayMention(manifest) && !step.newDeletes().mayBeIn(manifest)) {
            return kept(manifest);
        }
        var leaving = new LinkedHashSet<ManifestEntry<DataFile>>();
        List<ManifestEntry<DataFile>> entries =
                ManifestReader.readData(storage, manifest, live(step.found(), manifest));
        for (ManifestEntry<DataFile> entry : entries) {
            DataFile file = entry.file();
            if (!step.removed().removes(file)) {
                step.newDeletes().seen(file);
                continue;
            }
            leaving.add(entry);
            if (file.firstRowId().isPresent() && mustNotHaveRowIds(step.change(), file.path())) {
                throw new DoesNotFit(new Conflict.RowIdsAssigned(file.path()));
            }
        }
        return edit(step, manifest, entries, leaving);
    }

    private static boolean mustNotHaveRowIds(SnapshotChange change, String path) {
        return change.rules().stream()
                .anyMatch(rule -> rule instanceof ConflictRule.RowIdsStillUnassigned unassigned
                        && unassigned.paths().contains(path));
    }

    private Edited editDeletes(Step step, ManifestFile manifest) throws IOException, DoesNotFit {
        if (!step.removed().mayMentionDeletes(manifest)) {
            return kept(manifest);
        }
        var leaving = new LinkedHashSet<ManifestEntry<DeleteFile>>();
        List<ManifestEntry<DeleteFile>> entries =
                ManifestReader.readDeletes(storage, manifest, live(step.found(), manifest));
        for (ManifestEntry<DeleteFile> entry : entries) {
            if (step.removed().removes(entry.file())) {
                leaving.add(entry);
            } else if (step.removed().collides(entry.file())) {
                throw collision(step, entry);
            }
        }
        return edit(step, manifest, entries, leaving);
    }

    private DoesNotFit collision(Step step, ManifestEntry<DeleteFile> staying) {
        String dataFile = staying.file().scopedTo().orElseThrow();
        if (step.readsParent()) {
            throw step.newDeletes()
                    .broken(
                            "one-vector-per-data-file",
                            "data file " + dataFile + " has the deletes "
                                    + staying.file().key() + ", which the new vector does not absorb");
        }
        return new DoesNotFit(new Conflict.RowsDeleted(step.parentAsOther(), dataFile, staying.file()));
    }

    /** The manifest without what leaves; itself if nothing does. */
    private <F extends ContentFile> Edited edit(
            Step step, ManifestFile manifest, List<ManifestEntry<F>> entries, Set<ManifestEntry<F>> leaving)
            throws IOException {
        if (leaving.isEmpty()) {
            return kept(manifest);
        }
        List<ContentFile> removed =
                leaving.stream().map(entry -> (ContentFile) entry.file()).toList();
        Edited cached = editedManifests.get(manifest.path());
        if (cached != null && cached.removed().equals(removed)) {
            return cached;
        }
        try (var writer =
                new ManifestWriter(target(step.found(), manifest.specId(), manifest.content(), step.snapshotId()))) {
            for (ManifestEntry<F> entry : entries) {
                if (leaving.contains(entry)) {
                    writer.deleted(entry);
                } else {
                    writer.existing(entry);
                }
            }
            var edited = new Edited(writer.finish(), removed);
            editedManifests.put(manifest.path(), edited);
            return edited;
        }
    }

    /** Tuples are read as the table types them now, because those of manifests written before and after a promotion meet. */
    private static Selection live(TableMetadata found, ManifestFile manifest) {
        return Selection.live().typedAs(found.partitionType(manifest.specId()));
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
