package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.Ancestry;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.scan.SeenDeletes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Where the deletes of the data files a change touches may be listed: in manifests that reach the file's partition and are not
 * older than the file. If a scan saw where they were, then there, or in what snapshots after the scan's wrote: a manifest
 * never changes, so a delete file that was not in it then is not in it now, and one that moved is in a newer one.
 */
final class TouchedPlaces {

    private final TableMetadata metadata;
    private final String ref;

    /** The oldest sequence number a manifest with deletes of interest can have, unless it is among those seen. */
    private final Map<Place, Long> since = new HashMap<>();

    private final Set<String> seen = new HashSet<>();
    private final Map<Long, OptionalLong> numbers = new HashMap<>();

    TouchedPlaces(TableMetadata metadata, String ref) {
        this.metadata = metadata;
        this.ref = ref;
    }

    /** A delete file is added: older ones of its data file may be superseded or collide. */
    void add(DeleteFile file, Optional<SeenDeletes> deletes) {
        add(PartitionRange.place(metadata, file.specId(), file.partition()), 0, deletes);
    }

    /** A data file leaves: deletes that speak of it alone leave too. None is older than the file. */
    void addRemoved(ManifestEntry<DataFile> entry, Optional<SeenDeletes> deletes) {
        DataFile file = entry.file();
        add(PartitionRange.place(metadata, file.specId(), file.partition()), entry.sequenceNumber(), deletes);
    }

    private void add(Place place, long notBefore, Optional<SeenDeletes> deletes) {
        long from = notBefore;
        OptionalLong read = deletes.isPresent() ? sequenceNumber(deletes.get().snapshotId()) : OptionalLong.empty();
        if (read.isPresent()) {
            from = Math.max(from, read.getAsLong() + 1);
            seen.addAll(deletes.get().manifests());
        }
        since.merge(place, from, Math::min);
    }

    /** That of a snapshot the branch went through; of another it would say nothing. */
    private OptionalLong sequenceNumber(long snapshotId) {
        return numbers.computeIfAbsent(snapshotId, id -> {
            if (Ancestry.since(metadata, ref, OptionalLong.of(id)).isEmpty()) {
                return OptionalLong.empty();
            }
            return metadata.snapshot(id)
                    .map(Snapshot::sequenceNumber)
                    .map(OptionalLong::of)
                    .orElseGet(OptionalLong::empty);
        });
    }

    boolean mayHaveDeletesIn(ManifestFile manifest) {
        if (seen.contains(manifest.path())) {
            return true;
        }
        List<Place> places = since.entrySet().stream()
                .filter(touched -> manifest.sequenceNumber() >= touched.getValue())
                .map(Map.Entry::getKey)
                .toList();
        return PartitionRange.mayContainAny(metadata, manifest, places);
    }
}
