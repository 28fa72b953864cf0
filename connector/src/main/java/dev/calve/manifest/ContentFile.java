package dev.calve.manifest;

import dev.calve.expression.Metrics;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A data file or delete file as a manifest describes it, without its place in history. Spec: Manifests, {@code data_file}. */
public sealed interface ContentFile permits DataFile, DeleteFile {

    /** What every kind of file says. */
    Common common();

    default String path() {
        return common().path();
    }

    default FileFormat format() {
        return common().format();
    }

    default int specId() {
        return common().specId();
    }

    default PartitionTuple partition() {
        return common().partition();
    }

    /** Rows of a data file, positions of a vector or position delete file, keys of an equality delete file. */
    default long recordCount() {
        return common().metrics().recordCount();
    }

    /** Size of the whole file, also where several vectors share it. */
    default long fileSizeBytes() {
        return common().fileSizeBytes();
    }

    default Metrics metrics() {
        return common().metrics();
    }

    /** What identifies the file among the live files of a snapshot. */
    FileKey key();

    /**
     * The part all kinds share.
     *
     * @param splitOffsets ascending offsets of row groups, empty when unknown
     * @param keyMetadata present only in encrypted tables, which are refused
     */
    record Common(
            String path,
            FileFormat format,
            int specId,
            PartitionTuple partition,
            Metrics metrics,
            long fileSizeBytes,
            List<Long> splitOffsets,
            OptionalInt sortOrderId,
            Optional<Bytes> keyMetadata) {
        public Common {
            splitOffsets = List.copyOf(splitOffsets);
            if (path.isEmpty()) {
                throw new IllegalArgumentException("file_path must not be empty.");
            }
        }
    }
}
