package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.PartitionSummaries;
import dev.calve.schema.Type;

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

    static boolean mayContain(ManifestFile manifest, Type.Struct partitionType, PartitionTuple tuple) {
        return PartitionSummaries.mayContain(manifest, partitionType, tuple);
    }
}
