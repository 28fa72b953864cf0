package dev.calve.commit;

import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The delete files a change adds, held against the rules of the format before anything is committed: one vector per data file,
 * in the partition of a data file that is live. A broken rule is named in the message, whoever built the change; a data file
 * that is gone is for the caller to judge.
 */
final class NewDeletes {

    private final String table;
    private final TableMetadata metadata;
    private final Map<String, DeleteFile> byDataFile = new HashMap<>();
    private final Map<String, DeleteFile> sought = new HashMap<>();

    /**
     * Checks what needs no reading.
     *
     * @param manifestPaths locations of the manifests of the snapshot found
     * @throws IllegalArgumentException if the change breaks a rule by itself
     */
    NewDeletes(String table, TableMetadata metadata, SnapshotChange change, Set<String> manifestPaths) {
        this.table = table;
        this.metadata = metadata;
        for (SnapshotChange.AddedDelete added : change.addedDeletes()) {
            add(added, manifestPaths);
        }
        change.addedData().forEach(added -> seen(added.file()));
    }

    private void add(SnapshotChange.AddedDelete added, Set<String> manifestPaths) {
        DeleteFile file = added.file();
        if (file instanceof DeleteFile.PositionDeletes && metadata.formatVersion() >= 3) {
            throw broken(
                    "positions-by-vector",
                    "position delete file " + file.path() + " must not be added to a table of format version "
                            + metadata.formatVersion());
        }
        Optional<String> scope = file.scopedTo();
        if (scope.isEmpty()) {
            return;
        }
        DeleteFile other = byDataFile.put(scope.get(), file);
        if (other != null && file instanceof DeleteFile.DeletionVector) {
            throw broken(
                    "one-vector-per-data-file",
                    "data file " + scope.get() + " would have two deletion vectors, " + other.key() + " and "
                            + file.key());
        }
        Optional<Removal.Known> dataFile = added.dataFile();
        if (dataFile.isPresent()) {
            requireSamePlace(file, dataFile.get());
        }
        // A manifest never changes: one that listed the file live when it was read still does.
        if (dataFile.isEmpty() || !manifestPaths.contains(dataFile.get().manifest())) {
            sought.put(scope.get(), file);
        }
    }

    /** Whether the data manifest must be opened to see whether a file spoken of is live. */
    boolean mayBeIn(ManifestFile manifest) {
        if (sought.isEmpty()) {
            return false;
        }
        Type.Struct type = metadata.partitionType(manifest.specId());
        return sought.values().stream()
                .map(file -> place(file.specId(), file.partition()))
                .anyMatch(place -> place.specId() == manifest.specId()
                        && PartitionRange.mayContain(manifest, type, place.partition()));
    }

    /** A data file is live in the snapshot to be. */
    void seen(DataFile file) {
        DeleteFile deletes = sought.remove(file.path());
        if (deletes != null) {
            requireSamePlace(deletes, Removal.Known.of(file, ""));
        }
    }

    /** Data files spoken of that were not seen live, or that leave with the change. Complete once all manifests were asked. */
    Set<String> withoutDataFile(Set<String> removedPaths) {
        var missing = new HashSet<>(sought.keySet());
        byDataFile.keySet().stream().filter(removedPaths::contains).forEach(missing::add);
        return missing;
    }

    private void requireSamePlace(DeleteFile deletes, Removal.Known dataFile) {
        if (!place(deletes.specId(), deletes.partition()).equals(place(dataFile.specId(), dataFile.partition()))) {
            throw broken(
                    "deletes-in-partition-of-data-file",
                    "delete file " + deletes.key() + " must be in spec "
                            + dataFile.specId() + " " + dataFile.partition() + " as its data file " + dataFile.key()
                            + " is, not in spec "
                            + deletes.specId() + " " + deletes.partition());
        }
    }

    private ConflictRule.Place place(int specId, PartitionTuple partition) {
        return PartitionRange.place(metadata, specId, partition);
    }

    IllegalArgumentException broken(String rule, String how) {
        return new IllegalArgumentException(
                "Cannot commit to " + table + ": rule " + rule + " would be broken: " + how + ".");
    }
}
