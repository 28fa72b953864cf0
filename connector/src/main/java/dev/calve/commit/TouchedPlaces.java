package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the deletes of the data files a change touches may be listed: in manifests that reach the file's partition and are not
 * older than the file.
 */
final class TouchedPlaces {

    private final TableMetadata metadata;

    /** The oldest sequence number a manifest with deletes of interest can have. */
    private final Map<Place, Long> since = new HashMap<>();

    TouchedPlaces(TableMetadata metadata) {
        this.metadata = metadata;
    }

    /** A delete file is added: older ones of its data file may be superseded or collide. */
    void add(DeleteFile file) {
        add(PartitionRange.place(metadata, file.specId(), file.partition()), 0);
    }

    /** A data file leaves: deletes that speak of it alone leave too. None is older than the file. */
    void addRemoved(ManifestEntry<DataFile> entry) {
        DataFile file = entry.file();
        add(PartitionRange.place(metadata, file.specId(), file.partition()), entry.sequenceNumber());
    }

    private void add(Place place, long sequenceNumber) {
        since.merge(place, sequenceNumber, Math::min);
    }

    boolean mayHaveDeletesIn(ManifestFile manifest) {
        List<Place> places = since.entrySet().stream()
                .filter(touched -> manifest.sequenceNumber() >= touched.getValue())
                .map(Map.Entry::getKey)
                .toList();
        return PartitionRange.mayContainAny(metadata, manifest, places);
    }
}
