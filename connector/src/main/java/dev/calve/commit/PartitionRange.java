package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.PartitionSummaries;
import dev.calve.schema.Type;
import java.util.Collection;

/** Whether a manifest may list a file of one partition, by its summaries alone; partitions as the table types them now. */
final class PartitionRange {

    private PartitionRange() {}

    /**
     * The place of a file whose tuple may have been read before a source column was promoted: equal places must be equal
     * whenever they were read.
     */
    static Place place(TableMetadata metadata, int specId, PartitionTuple tuple) {
        return new Place(specId, PartitionSummaries.promoted(metadata, specId, tuple));
    }

    /** Whether the manifest may list a file of one of the places. */
    static boolean mayContainAny(TableMetadata metadata, ManifestFile manifest, Collection<Place> places) {
        if (places.isEmpty()) {
            return false;
        }
        Type.Struct type = metadata.partitionType(manifest.specId());
        return places.stream()
                .anyMatch(place -> place.specId() == manifest.specId()
                        && PartitionSummaries.mayContain(manifest, type, place.partition()));
    }

    static boolean mayContain(ManifestFile manifest, Type.Struct partitionType, PartitionTuple tuple) {
        return PartitionSummaries.mayContain(manifest, partitionType, tuple);
    }
}
