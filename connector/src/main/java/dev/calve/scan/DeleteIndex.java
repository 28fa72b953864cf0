package dev.calve.scan;

import dev.calve.io.InvalidTableException;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The live delete files of a snapshot, found by the data file they apply to. Spec: Scan Planning, delete scope. Filled by one
 * thread, then read by many.
 */
public final class DeleteIndex {

    private record Place(int specId, PartitionTuple partition) {}

    private final TableMetadata metadata;
    private final Map<String, ManifestEntry<DeleteFile>> vectors = new HashMap<>();
    private final Map<String, List<ManifestEntry<DeleteFile>>> byPath = new HashMap<>();
    private final Map<Place, List<ManifestEntry<DeleteFile>>> positionsByPlace = new HashMap<>();
    private final Map<Place, List<ManifestEntry<DeleteFile>>> keysByPlace = new HashMap<>();
    private final List<ManifestEntry<DeleteFile>> globalKeys = new ArrayList<>();

    /** Where the delete files of a data file are listed; nearly always in one manifest, whose set many files share. */
    private final Map<String, Set<String>> manifestsByPath = new HashMap<>();

    public DeleteIndex(TableMetadata metadata) {
        this.metadata = metadata;
    }

    /** Adds the live entries of a delete manifest. */
    void addAll(List<ManifestEntry<DeleteFile>> entries, String manifest) {
        Set<String> alone = Set.of(manifest);
        for (ManifestEntry<DeleteFile> entry : entries) {
            add(entry);
            entry.file().scopedTo().ifPresent(path -> manifestsByPath.merge(path, alone, DeleteIndex::union));
        }
    }

    private static Set<String> union(Set<String> some, Set<String> more) {
        if (some.containsAll(more)) {
            return some;
        }
        var all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    /** Locations of the manifests that list delete files of the data file alone, also such as do not apply. */
    Set<String> manifestsOf(DataFile file) {
        return manifestsByPath.getOrDefault(file.path(), Set.of());
    }

    /** Adds a live entry. */
    public void add(ManifestEntry<DeleteFile> entry) {
        DeleteFile file = entry.file();
        var place = new Place(file.specId(), file.partition());
        if (file instanceof DeleteFile.DeletionVector vector) {
            ManifestEntry<DeleteFile> other = vectors.put(vector.referencedDataFile(), entry);
            if (other != null) {
                throw new InvalidTableException("Table " + metadata.location()
                        + " must have one deletion vector per data file, but " + vector.referencedDataFile()
                        + " has two: "
                        + other.file().key() + " and " + file.key() + ".");
            }
        } else if (file instanceof DeleteFile.EqualityDeletes) {
            if (metadata.spec(file.specId()).isUnpartitioned()) {
                globalKeys.add(entry);
            } else {
                keysByPlace.computeIfAbsent(place, key -> new ArrayList<>()).add(entry);
            }
        } else if (file.scopedTo().isPresent()) {
            byPath.computeIfAbsent(file.scopedTo().get(), key -> new ArrayList<>())
                    .add(entry);
        } else {
            positionsByPlace.computeIfAbsent(place, key -> new ArrayList<>()).add(entry);
        }
    }

    boolean isEmpty() {
        return vectors.isEmpty()
                && byPath.isEmpty()
                && positionsByPlace.isEmpty()
                && keysByPlace.isEmpty()
                && globalKeys.isEmpty();
    }

    /** The delete files that apply to a data file: a vector hides position deletes; numbers decide the rest. */
    public List<ManifestEntry<DeleteFile>> of(ManifestEntry<DataFile> data) {
        if (isEmpty()) {
            return List.of();
        }
        DataFile file = data.file();
        var place = new Place(file.specId(), file.partition());
        var result = new ArrayList<ManifestEntry<DeleteFile>>();
        Optional<ManifestEntry<DeleteFile>> vector = Optional.ofNullable(vectors.get(file.path()));
        if (vector.isPresent()) {
            result.add(checked(vector.get(), data));
        } else {
            addFrom(result, byPath.get(file.path()), data.sequenceNumber());
            result.forEach(deletes -> requireSamePlace(deletes.file(), file));
            addFrom(result, positionsByPlace.get(place), data.sequenceNumber());
        }
        // An equality delete never applies to rows of its own commit, a position delete may.
        addFrom(result, keysByPlace.get(place), data.sequenceNumber() + 1);
        addFrom(result, globalKeys, data.sequenceNumber() + 1);
        return result;
    }

    private static void addFrom(
            List<ManifestEntry<DeleteFile>> result,
            @org.jspecify.annotations.Nullable List<ManifestEntry<DeleteFile>> candidates,
            long minSequenceNumber) {
        if (candidates == null) {
            return;
        }
        for (ManifestEntry<DeleteFile> candidate : candidates) {
            if (candidate.sequenceNumber() >= minSequenceNumber) {
                result.add(candidate);
            }
        }
    }

    private ManifestEntry<DeleteFile> checked(ManifestEntry<DeleteFile> vector, ManifestEntry<DataFile> data) {
        if (vector.sequenceNumber() < data.sequenceNumber()) {
            throw new InvalidTableException("Deletion vector " + vector.file().key() + " of table "
                    + metadata.location()
                    + " must not be older than its data file " + data.file().path() + ", but has sequence number "
                    + vector.sequenceNumber() + " and the data file " + data.sequenceNumber() + ".");
        }
        requireSamePlace(vector.file(), data.file());
        return vector;
    }

    /** A delete file of another partition does not apply (spec), yet was surely meant to: nobody may guess which. */
    private void requireSamePlace(DeleteFile deletes, DataFile file) {
        if (deletes.specId() != file.specId() || !deletes.partition().equals(file.partition())) {
            throw new InvalidTableException("Delete file " + deletes.key() + " of table " + metadata.location()
                    + " must lie in the partition of its data file " + file.path() + ", but is in spec "
                    + deletes.specId() + " " + deletes.partition() + " and the data file in spec " + file.specId() + " "
                    + file.partition() + ".");
        }
    }
}
