package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import dev.calve.partition.FieldSummary;
import dev.calve.schema.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One entry of a manifest list. Spec: Manifest Lists.
 *
 * @param sequenceNumber {@link #UNASSIGNED} for a manifest that no snapshot holds yet; the list's writer fills it in
 * @param minSequenceNumber lowest data sequence number of live entries, or {@link #UNASSIGNED} as above
 * @param addedSnapshotId snapshot that wrote the manifest
 * @param partitions one summary per field of the manifest's spec; empty when the writer gave none: assume everything
 * @param firstRowId v3 data manifests: first row id for added entries without one; empty before it is assigned
 */
public record ManifestFile(
        String path,
        long length,
        int specId,
        Content content,
        long sequenceNumber,
        long minSequenceNumber,
        long addedSnapshotId,
        Counts counts,
        Optional<List<FieldSummary>> partitions,
        Optional<Bytes> keyMetadata,
        OptionalLong firstRowId) {

    public static final long UNASSIGNED = -1;

    /** What a manifest lists. Spec: Manifest Lists, {@code content}. */
    public enum Content {
        DATA(0),
        DELETES(1);

        private final int code;

        Content(int code) {
            this.code = code;
        }

        /** The stored number. */
        public int code() {
            return code;
        }

        static Content of(long code) {
            for (Content content : values()) {
                if (content.code == code) {
                    return content;
                }
            }
            throw new InvalidTableException("content of a manifest must be 0 or 1, not " + code + ".");
        }
    }

    /** Entries and rows by status; empty where a v1 writer did not say, which means not known to be zero. */
    public record Counts(
            OptionalLong addedFiles,
            OptionalLong existingFiles,
            OptionalLong deletedFiles,
            OptionalLong addedRows,
            OptionalLong existingRows,
            OptionalLong deletedRows) {

        public static Counts of(
                long addedFiles,
                long existingFiles,
                long deletedFiles,
                long addedRows,
                long existingRows,
                long deletedRows) {
            return new Counts(
                    OptionalLong.of(addedFiles),
                    OptionalLong.of(existingFiles),
                    OptionalLong.of(deletedFiles),
                    OptionalLong.of(addedRows),
                    OptionalLong.of(existingRows),
                    OptionalLong.of(deletedRows));
        }
    }

    public ManifestFile {
        partitions = partitions.map(List::copyOf);
    }

    /** Whether an entry may be live; only then is there a reason to open the manifest. */
    public boolean mayHaveLiveFiles() {
        return counts.addedFiles().orElse(1) > 0 || counts.existingFiles().orElse(1) > 0;
    }

    public ManifestFile withSequenceNumbers(long newSequenceNumber, long newMinSequenceNumber) {
        return new ManifestFile(
                path,
                length,
                specId,
                content,
                newSequenceNumber,
                newMinSequenceNumber,
                addedSnapshotId,
                counts,
                partitions,
                keyMetadata,
                firstRowId);
    }

    public ManifestFile withFirstRowId(long newFirstRowId) {
        return new ManifestFile(
                path,
                length,
                specId,
                content,
                sequenceNumber,
                minSequenceNumber,
                addedSnapshotId,
                counts,
                partitions,
                keyMetadata,
                OptionalLong.of(newFirstRowId));
    }
}
