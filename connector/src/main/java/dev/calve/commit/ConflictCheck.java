package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.scan.FileFilter;
import dev.calve.scan.SnapshotManifests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares a change with what others committed since it read the table. Opens only manifests those snapshots wrote, and none
 * if there were no such snapshots.
 */
final class ConflictCheck {

    private final Storage storage;
    private final TableMetadata found;
    private final SnapshotChange change;
    private final List<Conflict> conflicts = new ArrayList<>();

    private ConflictCheck(Storage storage, TableMetadata found, SnapshotChange change) {
        this.storage = storage;
        this.found = found;
        this.change = change;
    }

    /** Everything that stands in the way, newest snapshot first; empty if the change may be committed. */
    static List<Conflict> find(Storage storage, TableMetadata found, SnapshotChange change) throws IOException {
        if (!change.addedDeletes().isEmpty() && found.formatVersion() != change.settledForFormat()) {
            return List.of(new Conflict.FormatChanged(change.settledForFormat(), found.formatVersion()));
        }
        if (!change.canConflict()) {
            return List.of();
        }
        return new ConflictCheck(storage, found, change).overHistory();
    }

    private List<Conflict> overHistory() throws IOException {
        Optional<List<Snapshot>> others = Ancestry.since(found, change.ref(), change.readSnapshotId());
        if (others.isEmpty()) {
            return List.of(new Conflict.HistoryUnknown(change.readSnapshotId(), change.ref()));
        }
        for (Snapshot other : others.get()) {
            List<ManifestFile> written = SnapshotManifests.of(storage, other).stream()
                    .filter(manifest -> manifest.addedSnapshotId() == other.id())
                    .toList();
            boolean addsData = written.stream()
                    .anyMatch(manifest -> manifest.content() == ManifestFile.Content.DATA
                            && manifest.counts().addedFiles().orElse(1) > 0);
            var by = new Conflict.Other(other.id(), other.operation(), change.readSnapshotId(), addsData);
            for (ManifestFile manifest : written) {
                if (manifest.content() == ManifestFile.Content.DATA) {
                    inDataManifest(by, manifest);
                } else {
                    inDeleteManifest(by, manifest);
                }
            }
        }
        return conflicts;
    }

    private void inDataManifest(Conflict.Other by, ManifestFile manifest) throws IOException {
        var filters = new HashMap<Expression, FileFilter>();
        for (ManifestEntry<DataFile> entry : ManifestReader.readData(storage, manifest, typed(manifest))) {
            if (entry.snapshotId() != by.snapshotId() || entry.status() == ManifestEntry.Status.EXISTING) {
                continue;
            }
            for (ConflictRule rule : change.rules()) {
                if (rule instanceof ConflictRule.FilesStillThere needed
                        && entry.status() == ManifestEntry.Status.DELETED
                        && needed.paths().contains(entry.file().path())) {
                    conflicts.add(new Conflict.DataFileRemoved(by, entry.file().path()));
                }
                if (rule instanceof ConflictRule.NoNewDataMatching guarded
                        && entry.status() == ManifestEntry.Status.ADDED
                        && !isReplace(by)
                        && filters.computeIfAbsent(
                                        guarded.filter(), filter -> new FileFilter(found, manifest.specId(), filter))
                                .mightMatch(entry.file())) {
                    conflicts.add(new Conflict.DataAdded(by, entry.file().path(), guarded.filter()));
                }
            }
        }
    }

    private void inDeleteManifest(Conflict.Other by, ManifestFile manifest) throws IOException {
        for (ManifestEntry<DeleteFile> entry : ManifestReader.readDeletes(storage, manifest, typed(manifest))) {
            if (entry.snapshotId() != by.snapshotId() || entry.status() != ManifestEntry.Status.ADDED) {
                continue;
            }
            for (ConflictRule rule : change.rules()) {
                if (rule instanceof ConflictRule.DeletesUnchanged guarded) {
                    for (String touched : touchedBy(entry.file(), guarded.files())) {
                        conflicts.add(new Conflict.RowsDeleted(by, touched, entry.file()));
                    }
                }
            }
        }
    }

    /** The guarded data files whose positions the delete file may name. Equality deletes apply by sequence number instead. */
    private List<String> touchedBy(DeleteFile deletes, Map<String, ConflictRule.Place> guarded) {
        if (deletes instanceof DeleteFile.EqualityDeletes) {
            return List.of();
        }
        Optional<String> scope = deletes.scopedTo();
        if (scope.isPresent()) {
            return scope.filter(guarded::containsKey).stream().toList();
        }
        ConflictRule.Place place = PartitionRange.place(found, deletes.specId(), deletes.partition());
        return guarded.entrySet().stream()
                .filter(entry -> entry.getValue().specId() == place.specId())
                .filter(entry -> PartitionRange.place(
                                found, place.specId(), entry.getValue().partition())
                        .equals(place))
                .map(Map.Entry::getKey)
                .toList();
    }

    private Selection typed(ManifestFile manifest) {
        return Selection.all().typedAs(found.partitionType(manifest.specId()));
    }

    private static boolean isReplace(Conflict.Other by) {
        return by.operation()
                .map(SnapshotChange.Operation.REPLACE.toString()::equals)
                .orElse(false);
    }
}
