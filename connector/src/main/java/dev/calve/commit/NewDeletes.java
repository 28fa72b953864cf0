package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The delete files a change adds that speak of one data file, held against the rules: one vector per data file, in the
 * partition of a data file that is live. A data file that is gone is for the caller to judge.
 */
final class NewDeletes {

    private final Preparation preparation;
    private final TableMetadata metadata;
    private final Map<String, DeleteFile> byDataFile = new HashMap<>();
    private final Map<String, DeleteFile> sought = new HashMap<>();

    /**
     * Checks what needs no reading.
     *
     * @param manifestPaths locations of the manifests of the snapshot found
     * @throws IllegalArgumentException if the change breaks a rule by itself
     */
    NewDeletes(Preparation preparation, Set<String> manifestPaths) {
        this.preparation = preparation;
        this.metadata = preparation.found();
        for (SnapshotChange.AddedDelete added : preparation.change().addedDeletes()) {
            add(added, manifestPaths);
        }
        preparation.change().addedData().forEach(added -> {
            DeleteFile deletes = sought.remove(added.file().path());
            if (deletes != null) {
                requireSamePlace(deletes, Removal.Known.of(added.file(), ""));
            }
        });
    }

    private void add(SnapshotChange.AddedDelete added, Set<String> manifestPaths) {
        DeleteFile file = added.file();
        Optional<String> scope = file.scopedTo();
        if (scope.isEmpty()) {
            return;
        }
        DeleteFile other = byDataFile.put(scope.get(), file);
        if (other != null && file instanceof DeleteFile.DeletionVector) {
            throw SnapshotRule.ONE_VECTOR_PER_DATA_FILE.broken(
                    preparation.table(),
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

    /** Where data files spoken of that were not seen live yet may be. */
    Set<Place> placesOfRest() {
        return sought.values().stream()
                .map(file -> place(file.specId(), file.partition()))
                .collect(Collectors.toSet());
    }

    /** Whether a new delete file speaks of the data file alone. */
    boolean speaksOf(DataFile file) {
        return byDataFile.containsKey(file.path());
    }

    /** A data file spoken of is live in the snapshot found and stays. */
    void seen(ManifestEntry<DataFile> entry) {
        DataFile file = entry.file();
        DeleteFile deletes = byDataFile.get(file.path());
        if (deletes == null) {
            return;
        }
        sought.remove(file.path());
        requireSamePlace(deletes, Removal.Known.of(file, ""));
        if (entry.sequenceNumber() > preparation.sequenceNumber()) {
            throw SnapshotRule.VECTOR_NOT_OLDER_THAN_DATA_FILE.broken(
                    preparation.table(),
                    "delete file " + deletes.key() + " would have sequence number " + preparation.sequenceNumber()
                            + ", but data file " + file.path() + " has " + entry.sequenceNumber());
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
            throw SnapshotRule.DELETES_IN_PARTITION_OF_DATA_FILE.broken(
                    preparation.table(),
                    "delete file " + deletes.key() + " must be in spec "
                            + dataFile.specId() + " " + dataFile.partition() + " as its data file " + dataFile.key()
                            + " is, not in spec "
                            + deletes.specId() + " " + deletes.partition());
        }
    }

    private Place place(int specId, PartitionTuple partition) {
        return PartitionRange.place(metadata, specId, partition);
    }
}
