package dev.calve.parquet;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.FileFormat;
import dev.calve.partition.PartitionTuple;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where in the table the rows of a file belong.
 *
 * @param specId of the partition spec the tuple belongs to
 * @param sortOrderId the order the rows are sorted by, if they are
 */
public record Placement(int specId, PartitionTuple partition, OptionalInt sortOrderId) {

    public static Placement of(int specId, PartitionTuple partition) {
        return new Placement(specId, partition, OptionalInt.empty());
    }

    ContentFile.Common describe(String location, RowFile.Finished file) {
        return new ContentFile.Common(
                location,
                FileFormat.PARQUET,
                specId,
                partition,
                file.metrics(),
                file.sizeBytes(),
                file.splitOffsets(),
                sortOrderId,
                Optional.empty());
    }
}
