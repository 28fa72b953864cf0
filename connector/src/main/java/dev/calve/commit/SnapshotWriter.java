package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.commit.ManifestEdits.Edited;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.scan.SnapshotManifests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Writes the manifests and the manifest list of one attempt. Nothing is visible to readers until the result is swapped in.
 *
 * <p>What it wrote is kept for the next attempt as long as the change and what it was derived from stay the same. Cost: one
 * read of the parent's manifest list, one or two reads and one write per manifest that mentions a file that leaves, one write
 * per partition spec with new files, now and then what {@link MergePlan} joins, one manifest list. Manifests are read and
 * written several at a time, entries streamed.
 */
final class SnapshotWriter {

    private final Storage storage;
    private final String table;
    private final AddedManifests added;
    private final ManifestEdits<DataFile> dataEdits;
    private final ManifestEdits<DeleteFile> deleteEdits;
    private final MergedManifests merged;
    private final SnapshotAssembly assembly;

    private Optional<Inputs> inputs = Optional.empty();
    private Set<String> deletesEditedFor = Set.of();

    /** @param stagedAs in place of a branch that moves: see {@link Branches} */
    SnapshotWriter(Storage storage, FileLedger ledger, UUID statementId, String table, Optional<String> stagedAs) {
        this.storage = storage;
        this.table = table;
        var targets = new ManifestTargets(storage, ledger, statementId);
        this.added = new AddedManifests(targets);
        this.dataEdits = new ManifestEdits<>(storage, targets, DataFile.class);
        this.deleteEdits = new ManifestEdits<>(storage, targets, DeleteFile.class);
        this.merged = new MergedManifests(storage, targets);
        this.assembly = new SnapshotAssembly(storage, ledger, statementId, stagedAs);
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
            Set<String> reached) {

        /** The same, with the changes of columns it was prepared on. */
        Prepared after(List<MetadataUpdate> columns, TableMetadata found) {
            if (columns.isEmpty()) {
                return this;
            }
            var allUpdates = new ArrayList<>(columns);
            allUpdates.addAll(updates);
            var allRequirements = new ArrayList<>(requirements);
            allRequirements.add(new Requirement.CurrentSchemaId(found.currentSchemaId()));
            allRequirements.add(new Requirement.LastAssignedFieldId(found.lastColumnId()));
            return new Prepared(snapshot, allUpdates, allRequirements, metadata, reached);
        }
    }

    /** What a written manifest depends on besides the manifest it was made from. */
    private record Inputs(SnapshotChange change, int formatVersion, int schemaId, long snapshotId) {}

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
     * @throws IllegalArgumentException if the change breaks a {@link SnapshotRule} or removes what was never there
     */
    Optional<Prepared> prepare(TableMetadata found, SnapshotChange change, long snapshotId, int attempt, long nowMillis)
            throws IOException, DoesNotFit {
        forgetUnless(new Inputs(change, found.formatVersion(), found.currentSchemaId(), snapshotId));
        var preparation = new Preparation(table, found, change, found.commitParent(change.ref()), snapshotId);
        SnapshotRules.check(preparation);
        List<ManifestFile> inherited = preparation.parent().isPresent()
                ? SnapshotManifests.of(storage, preparation.parent().get())
                : List.<ManifestFile>of();
        var summary = new SnapshotSummary(found, table);
        change.addedData().forEach(file -> summary.added(file.file()));
        change.addedDeletes().forEach(file -> summary.added(file.file()));
        Set<String> paths = inherited.stream().map(ManifestFile::path).collect(Collectors.toSet());
        var removed = new RemovedFiles(preparation, paths);

        List<Edited<DataFile>> data = editData(preparation, live(inherited, Content.DATA), removed, paths);
        List<Edited<DeleteFile>> deletes = editDeletes(preparation, live(inherited, Content.DELETES), removed);
        List<ContentFile> leftData = left(data, summary);
        List<ContentFile> leftDeletes = left(deletes, summary);
        if (change.addedData().isEmpty() && change.addedDeletes().isEmpty() && summary.removedNothing()) {
            return Optional.empty();
        }
        SnapshotRules.checkRows(
                preparation,
                leftData.stream().mapToLong(ContentFile::recordCount).sum());

        var listed = new ArrayList<ManifestFile>(inOrder(preparation, added.of(preparation, Content.DATA), data));
        listed.addAll(inOrder(preparation, added.of(preparation, Content.DELETES), deletes));
        List<ManifestFile> manifests = merged.in(preparation, listed);
        checkCounts(preparation, Content.DATA, inherited, manifests, leftData);
        checkCounts(preparation, Content.DELETES, inherited, manifests, leftDeletes);
        summary.manifests(inherited, manifests, snapshotId);
        summary.merged(merged.joined());
        return Optional.of(assembly.of(preparation, inherited, manifests, summary, attempt, nowMillis));
    }

    private void checkCounts(
            Preparation preparation,
            Content content,
            List<ManifestFile> before,
            List<ManifestFile> after,
            List<ContentFile> left)
            throws IOException {
        List<ManifestFile> counted = ManifestListRules.isMiscounted(preparation, content, before, after, left)
                ? recounted(content, before, after)
                : before;
        ManifestListRules.checkCounts(preparation, content, counted, after, left);
    }

    /** What was written again counts for what it holds: a wrong list of another writer must not stop all commits for good. */
    private List<ManifestFile> recounted(Content content, List<ManifestFile> before, List<ManifestFile> after)
            throws IOException {
        Set<String> kept = after.stream().map(ManifestFile::path).collect(Collectors.toSet());
        return InParallel.map(
                before,
                manifest ->
                        manifest.content() == content && manifest.mayHaveLiveFiles() && !kept.contains(manifest.path())
                                ? ManifestReader.recounted(storage, manifest)
                                : manifest);
    }

    private void forgetUnless(Inputs now) {
        if (!inputs.equals(Optional.of(now))) {
            added.forget();
            dataEdits.forget();
            deleteEdits.forget();
            merged.forget();
            inputs = Optional.of(now);
        }
    }

    /** Those without a live file have no reason to be listed any longer. */
    private static List<ManifestFile> live(List<ManifestFile> manifests, Content content) {
        return manifests.stream()
                .filter(manifest -> manifest.content() == content && manifest.mayHaveLiveFiles())
                .toList();
    }

    private static <F extends ContentFile> List<ContentFile> left(List<Edited<F>> edits, SnapshotSummary summary) {
        var left = new ArrayList<ContentFile>();
        for (Edited<F> edited : edits) {
            List<ContentFile> ofOne = edited.removed().stream()
                    .map(entry -> (ContentFile) entry.file())
                    .toList();
            summary.removed(ofOne);
            left.addAll(ofOne);
        }
        return left;
    }

    /**
     * New files first, so that their row ids follow on those of the table. Where manifests may be merged, those of newer
     * partition specs come before those of older ones, as elsewhere: the order decides which rows get which ids.
     */
    private static <F extends ContentFile> List<ManifestFile> inOrder(
            Preparation preparation, List<ManifestFile> added, List<Edited<F>> edits) {
        var manifests = new ArrayList<ManifestFile>(added);
        edits.forEach(edited -> manifests.addAll(edited.manifests()));
        if (preparation.properties().get(TableProperties.MANIFEST_MERGE)) {
            manifests.sort(Comparator.comparingInt(ManifestFile::specId).reversed());
        }
        return manifests;
    }

    /** First the manifests that are known to matter; others only if something was not found there. */
    private List<Edited<DataFile>> editData(
            Preparation preparation, List<ManifestFile> manifests, RemovedFiles removed, Set<String> paths)
            throws IOException, DoesNotFit {
        var newDeletes = new NewDeletes(preparation, paths);
        var question = new DataQuestion(preparation.change(), removed, newDeletes);
        List<ManifestFile> first =
                manifests.stream().filter(removed::mayMention).toList();
        List<ManifestFile> others = manifests.stream()
                .filter(manifest -> !removed.mayMention(manifest))
                .toList();
        var edits = new ArrayList<Edited<DataFile>>(edit(preparation, first, question));

        Set<Place> rest = new HashSet<>(removed.placesOfRest());
        rest.addAll(newDeletes.placesOfRest());
        List<ManifestFile> second = others.stream()
                .filter(manifest -> PartitionRange.mayContainAny(preparation.found(), manifest, rest))
                .toList();
        edits.addAll(edit(preparation, second, question));
        requireFound(preparation, removed, newDeletes);
        return inOrder(manifests, edits);
    }

    private List<Edited<DataFile>> edit(Preparation preparation, List<ManifestFile> manifests, DataQuestion question)
            throws IOException, DoesNotFit {
        List<Edited<DataFile>> edits = dataEdits.of(preparation, manifests, question);
        for (Edited<DataFile> edited : edits) {
            for (ManifestEntry<DataFile> entry : edited.removed()) {
                question.removed().removed(entry);
                if (entry.file().firstRowId().isPresent()
                        && mustNotHaveRowIds(preparation.change(), entry.file().path())) {
                    throw new DoesNotFit(
                            new Conflict.RowIdsAssigned(entry.file().path()));
                }
            }
            for (ManifestEntry<DataFile> entry : edited.noted()) {
                question.requireNotAddedAgain(preparation, entry);
                question.newDeletes().seen(entry);
            }
        }
        return edits;
    }

    /** What a change means to a live data file. */
    private record DataQuestion(RemovedFiles removed, NewDeletes newDeletes, Set<String> addedPaths)
            implements ManifestEdits.Question<DataFile> {

        DataQuestion(SnapshotChange change, RemovedFiles removed, NewDeletes newDeletes) {
            this(
                    removed,
                    newDeletes,
                    change.addedData().stream()
                            .map(added -> added.file().path())
                            .collect(Collectors.toSet()));
        }

        @Override
        public boolean leaves(DataFile file) {
            return removed.removes(file);
        }

        @Override
        public boolean matters(DataFile staying) {
            return newDeletes.speaksOf(staying) || addedPaths.contains(staying.path());
        }

        @Override
        public boolean isCertain(ManifestFile manifest) {
            return removed.isHinted(manifest);
        }

        @Override
        public boolean needsStatistics() {
            return removed.hasFilters();
        }

        void requireNotAddedAgain(Preparation preparation, ManifestEntry<DataFile> live) {
            if (addedPaths.contains(live.file().path())) {
                throw SnapshotRule.FILE_LIVE_ONCE.broken(
                        preparation.table(), "added data file " + live.file().path() + " is live already");
            }
        }
    }

    private static boolean mustNotHaveRowIds(SnapshotChange change, String path) {
        return change.rules().stream()
                .anyMatch(rule -> rule instanceof ConflictRule.RowIdsStillUnassigned unassigned
                        && unassigned.paths().contains(path));
    }

    /** Edits in the order of the manifests, those that were not asked as they are. */
    private static <F extends ContentFile> List<Edited<F>> inOrder(
            List<ManifestFile> manifests, List<Edited<F>> edits) {
        var bySource = edits.stream().collect(Collectors.toMap(Edited::source, edited -> edited));
        return manifests.stream()
                .map(manifest -> Optional.ofNullable(bySource.get(manifest))
                        .orElseGet(() -> new Edited<>(manifest, List.of(manifest), List.of(), List.of())))
                .toList();
    }

    /** Every file that is to leave, and every one a new delete file speaks of, must have been there. */
    private static void requireFound(Preparation preparation, RemovedFiles removed, NewDeletes newDeletes)
            throws DoesNotFit {
        Set<FileKey> missing = removed.notFound();
        if (!missing.isEmpty()) {
            String file = missing.iterator().next().toString();
            if (preparation.readsParent()) {
                throw new IllegalArgumentException("Cannot commit to " + preparation.table()
                        + ": a data file to remove must be live, but " + file + " is not in snapshot "
                        + preparation.parentId() + ".");
            }
            throw gone(preparation, file);
        }
        Set<String> without = newDeletes.withoutDataFile(removed.paths());
        if (!without.isEmpty()) {
            String file = without.iterator().next();
            if (preparation.readsParent() || removed.paths().contains(file)) {
                throw SnapshotRule.DELETES_OF_LIVE_DATA_FILE.broken(
                        preparation.table(), "data file " + file + " would have deletes, but not be live");
            }
            throw gone(preparation, file);
        }
    }

    private static DoesNotFit gone(Preparation preparation, String file) {
        return new DoesNotFit(new Conflict.DataFileRemoved(preparation.parentAsOther(), file));
    }

    private List<Edited<DeleteFile>> editDeletes(
            Preparation preparation, List<ManifestFile> manifests, RemovedFiles removed)
            throws IOException, DoesNotFit {
        if (!removed.paths().equals(deletesEditedFor)) {
            // Which deletes leave depends on which data files did.
            deleteEdits.forget();
            deletesEditedFor = Set.copyOf(removed.paths());
        }
        List<ManifestFile> mentioned =
                manifests.stream().filter(removed::mayMentionDeletes).toList();
        Set<FileKey> addedKeys = preparation.change().addedDeletes().stream()
                .map(file -> file.file().key())
                .collect(Collectors.toSet());
        List<Edited<DeleteFile>> edits = deleteEdits.of(preparation, mentioned, new DeleteQuestion(removed, addedKeys));
        for (Edited<DeleteFile> edited : edits) {
            for (ManifestEntry<DeleteFile> entry : edited.noted()) {
                if (addedKeys.contains(entry.file().key())) {
                    throw SnapshotRule.FILE_LIVE_ONCE.broken(
                            table, "added delete file " + entry.file().key() + " is live already");
                }
                throw collision(preparation, entry);
            }
        }
        return inOrder(manifests, edits);
    }

    /** What a change means to a live delete file. */
    private record DeleteQuestion(RemovedFiles removed, Set<FileKey> addedKeys)
            implements ManifestEdits.Question<DeleteFile> {

        @Override
        public boolean leaves(DeleteFile file) {
            return removed.removes(file);
        }

        @Override
        public boolean matters(DeleteFile staying) {
            return removed.collides(staying) || addedKeys.contains(staying.key());
        }

        @Override
        public boolean isCertain(ManifestFile manifest) {
            return removed.removesEverything();
        }

        @Override
        public boolean needsStatistics() {
            return false;
        }
    }

    private static DoesNotFit collision(Preparation preparation, ManifestEntry<DeleteFile> staying) {
        String dataFile = staying.file().scopedTo().orElseThrow();
        if (preparation.readsParent()) {
            throw SnapshotRule.ONE_VECTOR_PER_DATA_FILE.broken(
                    preparation.table(),
                    "data file " + dataFile + " has the deletes "
                            + staying.file().key() + ", which the new vector does not absorb");
        }
        return new DoesNotFit(new Conflict.RowsDeleted(preparation.parentAsOther(), dataFile, staying.file()));
    }
}
