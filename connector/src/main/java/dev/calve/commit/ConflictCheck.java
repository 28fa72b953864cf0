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

    private ConflictCheck(Storage storage, TableMetadata found, SnapshotChange change) {
        this.storage = storage;
        this.found = found;
        this.change = change;
    }

    /** The first conflict found, newest snapshot first; empty if the change may be committed. */
    static Optional<Conflict> find(Storage storage, TableMetadata found, SnapshotChange change) throws IOException {
        if (!change.addedDeletes().isEmpty() && found.formatVersion() != change.settledForFormat()) {
            return Optional.of(new Conflict.FormatChanged("deletes were written for format version "
                    + change.settledForFormat() + ", but the table was upgraded to " + found.formatVersion() + "."));
        }
        if (!change.canConflict()) {
            return Optional.empty();
        }
        return new ConflictCheck(storage, found, change).overHistory();
    }

    private Optional<Conflict> overHistory() throws IOException {
        Optional<List<Snapshot>> others = Ancestry.since(found, change.ref(), change.readSnapshotId());
        if (others.isEmpty()) {
            return Optional.of(new Conflict.HistoryUnknown("snapshot "
                    + (change.readSnapshotId().isPresent()
                            ? change.readSnapshotId().getAsLong()
                            : "none")
                    + ", which was read, is no longer an ancestor of branch '" + change.ref()
                    + "', so it is not known what changed since."));
        }
        for (Snapshot other : others.get()) {
            for (ManifestFile manifest : SnapshotManifests.of(storage, other)) {
                if (manifest.addedSnapshotId() != other.id()) {
                    continue;
                }
                Optional<Conflict> conflict = manifest.content() == ManifestFile.Content.DATA
                        ? inDataManifest(other, manifest)
                        : inDeleteManifest(other, manifest);
                if (conflict.isPresent()) {
                    return conflict;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Conflict> inDataManifest(Snapshot other, ManifestFile manifest) throws IOException {
        var filters = new HashMap<Expression, FileFilter>();
        for (ManifestEntry<DataFile> entry : ManifestReader.readData(storage, manifest, typed(manifest))) {
            if (entry.snapshotId() != other.id() || entry.status() == ManifestEntry.Status.EXISTING) {
                continue;
            }
            for (ConflictRule rule : change.rules()) {
                if (rule instanceof ConflictRule.FilesStillThere needed
                        && entry.status() == ManifestEntry.Status.DELETED
                        && needed.paths().contains(entry.file().path())) {
                    return concurrent(other, "data file " + entry.file().path() + " was removed");
                }
                if (rule instanceof ConflictRule.NoNewDataMatching guarded
                        && entry.status() == ManifestEntry.Status.ADDED
                        && !isReplace(other)
                        && filters.computeIfAbsent(
                                        guarded.filter(), filter -> new FileFilter(found, manifest.specId(), filter))
                                .mightMatch(entry.file())) {
                    return concurrent(
                            other,
                            "data file " + entry.file().path()
                                    + ", which may hold rows the statement selects, was added");
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Conflict> inDeleteManifest(Snapshot other, ManifestFile manifest) throws IOException {
        for (ManifestEntry<DeleteFile> entry : ManifestReader.readDeletes(storage, manifest, typed(manifest))) {
            if (entry.snapshotId() != other.id() || entry.status() != ManifestEntry.Status.ADDED) {
                continue;
            }
            for (ConflictRule rule : change.rules()) {
                if (rule instanceof ConflictRule.DeletesUnchanged guarded) {
                    Optional<String> touched = touchedBy(entry.file(), guarded.files());
                    if (touched.isPresent()) {
                        return concurrent(other, "rows of data file " + touched.get() + " were deleted");
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** The guarded data file whose positions the delete file may name. Equality deletes apply by sequence number instead. */
    private Optional<String> touchedBy(DeleteFile deletes, Map<String, ConflictRule.Place> guarded) {
        if (deletes instanceof DeleteFile.EqualityDeletes) {
            return Optional.empty();
        }
        Optional<String> scope = deletes.scopedTo();
        if (scope.isPresent()) {
            return scope.filter(guarded::containsKey);
        }
        ConflictRule.Place place = PartitionRange.place(found, deletes.specId(), deletes.partition());
        return guarded.entrySet().stream()
                .filter(entry -> entry.getValue().specId() == place.specId())
                .filter(entry -> PartitionRange.place(
                                found, place.specId(), entry.getValue().partition())
                        .equals(place))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private Selection typed(ManifestFile manifest) {
        return Selection.all().typedAs(found.partitionType(manifest.specId()));
    }

    private static boolean isReplace(Snapshot snapshot) {
        return snapshot.operation()
                .map(SnapshotChange.Operation.REPLACE.toString()::equals)
                .orElse(false);
    }

    private Optional<Conflict> concurrent(Snapshot other, String what) {
        return Optional.of(new Conflict.Concurrent(
                what + " by snapshot " + other.id()
                        + other.operation()
                                .map(operation -> " (" + operation + ")")
                                .orElse("") + " since snapshot "
                        + (change.readSnapshotId().isPresent()
                                ? change.readSnapshotId().getAsLong()
                                : "none") + " was read.",
                other.id()));
    }
}
