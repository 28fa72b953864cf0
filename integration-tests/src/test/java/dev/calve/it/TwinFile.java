package dev.calve.it;

import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;

/**
 * A file that does not exist, described alike to both engines.
 *
 * @param partition values in the order of the spec
 * @param of the data file a delete file speaks of; null if it speaks of several, or for a data file
 * @param contentOffset of a vector
 */
record TwinFile(
        String name, int specId, List<Object> partition, long records, TwinFile of, OptionalLong contentOffset) {

    private static final int UNSORTED = 0;
    private static final long BLOB_BYTES = 44;

    static TwinFile data(String name, long records, int specId, Object... partition) {
        return new TwinFile(name, specId, Arrays.asList(partition), records, null, OptionalLong.empty());
    }

    static TwinFile vector(String name, TwinFile of, long offset, long cardinality) {
        return new TwinFile(name, of.specId, of.partition, cardinality, of, OptionalLong.of(offset));
    }

    static TwinFile positions(String name, TwinFile of, long records) {
        return new TwinFile(name, of.specId, of.partition, records, of, OptionalLong.empty());
    }

    private static String path(String location, String name) {
        return location + "/data/" + name;
    }

    /** Sizes differ from file to file, so that a sum tells which ones are in it. */
    private long size() {
        return 1_000L + Math.floorMod(name.hashCode(), 1_000);
    }

    private Map<Integer, ByteBuffer> bounds(long id) {
        return Map.of(1, ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, id));
    }

    DataFile theirData(Table table) {
        PartitionSpec spec = table.specs().get(specId);
        var metrics = new org.apache.iceberg.Metrics(
                records,
                Map.of(1, 80L, 2, 8L),
                Map.of(1, records, 2, records, 3, records),
                Map.of(1, 0L, 2, 0L, 3, 2L),
                Map.of(3, 1L),
                bounds(5),
                bounds(5 + records));
        return DataFiles.builder(spec)
                .withFormat(org.apache.iceberg.FileFormat.PARQUET)
                .withPath(path(table.location(), name))
                .withPartition(tuple(spec))
                .withFileSizeInBytes(size())
                .withMetrics(metrics)
                .withSplitOffsets(List.of(4L, 400L))
                .build();
    }

    private PartitionData tuple(PartitionSpec spec) {
        var tuple = new PartitionData(spec.partitionType());
        for (int i = 0; i < partition.size(); i++) {
            tuple.set(i, partition.get(i));
        }
        return tuple;
    }

    dev.calve.manifest.DataFile ourData(TableMetadata table) {
        var metrics = new Metrics(
                records,
                Map.of(1, 80L, 2, 8L),
                Map.of(1, records, 2, records, 3, records),
                Map.of(1, 0L, 2, 0L, 3, 2L),
                Map.of(3, 1L),
                Map.of(1, Bytes.copyOf(bounds(5).get(1))),
                Map.of(1, Bytes.copyOf(bounds(5 + records).get(1))));
        return new dev.calve.manifest.DataFile(
                common(table, FileFormat.PARQUET, metrics, List.of(4L, 400L), OptionalInt.of(UNSORTED)),
                OptionalLong.empty());
    }

    private ContentFile.Common common(
            TableMetadata table, FileFormat format, Metrics metrics, List<Long> offsets, OptionalInt order) {
        return new ContentFile.Common(
                path(table.location(), name),
                format,
                specId,
                PartitionTuple.of(partition.toArray()),
                metrics,
                size(),
                offsets,
                order,
                Optional.empty());
    }

    /** A vector if it has an offset, else a position delete file. */
    DeleteFile theirPositions(Table table) {
        PartitionSpec spec = table.specs().get(specId);
        var builder = FileMetadata.deleteFileBuilder(spec)
                .ofPositionDeletes()
                .withPath(path(table.location(), name))
                .withPartition(tuple(spec))
                .withFileSizeInBytes(size())
                .withRecordCount(records);
        if (of != null) {
            builder.withReferencedDataFile(path(table.location(), of.name));
        }
        if (contentOffset.isEmpty()) {
            return builder.withFormat(org.apache.iceberg.FileFormat.PARQUET).build();
        }
        return builder.withFormat(org.apache.iceberg.FileFormat.PUFFIN)
                .withContentOffset(contentOffset.getAsLong())
                .withContentSizeInBytes(BLOB_BYTES)
                .build();
    }

    dev.calve.manifest.DeleteFile ourPositions(TableMetadata table) {
        boolean vector = contentOffset.isPresent();
        ContentFile.Common common = common(
                table,
                vector ? FileFormat.PUFFIN : FileFormat.PARQUET,
                Metrics.ofCount(records),
                List.of(),
                OptionalInt.empty());
        Optional<String> referenced = Optional.ofNullable(of).map(file -> path(table.location(), file.name));
        return vector
                ? new dev.calve.manifest.DeleteFile.DeletionVector(
                        common, referenced.orElseThrow(), contentOffset.getAsLong(), BLOB_BYTES)
                : new dev.calve.manifest.DeleteFile.PositionDeletes(common, referenced);
    }

    DeleteFile theirKeys(Table table) {
        PartitionSpec spec = table.specs().get(specId);
        return FileMetadata.deleteFileBuilder(spec)
                .ofEqualityDeletes(1)
                .withFormat(org.apache.iceberg.FileFormat.PARQUET)
                .withPath(path(table.location(), name))
                .withPartition(tuple(spec))
                .withFileSizeInBytes(size())
                .withRecordCount(records)
                .build();
    }

    dev.calve.manifest.DeleteFile ourKeys(TableMetadata table) {
        return new dev.calve.manifest.DeleteFile.EqualityDeletes(
                common(table, FileFormat.PARQUET, Metrics.ofCount(records), List.of(), OptionalInt.of(UNSORTED)),
                List.of(1));
    }
}
