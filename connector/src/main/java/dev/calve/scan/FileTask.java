package dev.calve.scan;

import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import java.util.List;
import java.util.Optional;

/**
 * One data file to read.
 *
 * @param manifest location of the manifest that lists the file, remembered for a commit that removes it
 * @param deletes delete files that apply, with their sequence numbers; at most one vector, and then no position deletes
 * @param residual what of the filter is still to be checked for rows of this file
 * @param everyRowMatches whether partition and metrics prove that the filter is TRUE for every row
 * @param seenDeletes where the file's own delete files are listed, remembered for a commit that supersedes them; stays where
 *     the scan was planned, empty elsewhere
 */
public record FileTask(
        ManifestEntry<DataFile> entry,
        String manifest,
        List<ManifestEntry<DeleteFile>> deletes,
        Expression residual,
        boolean everyRowMatches,
        Optional<SeenDeletes> seenDeletes) {

    public FileTask {
        deletes = List.copyOf(deletes);
    }

    /** A file of whose deletes nobody knows where they are listed. */
    public FileTask(
            ManifestEntry<DataFile> entry,
            String manifest,
            List<ManifestEntry<DeleteFile>> deletes,
            Expression residual,
            boolean everyRowMatches) {
        this(entry, manifest, deletes, residual, everyRowMatches, Optional.empty());
    }

    /** The same file with something else to be checked for its rows. */
    FileTask withResidual(Expression other) {
        return residual == other ? this : new FileTask(entry, manifest, deletes, other, everyRowMatches, seenDeletes);
    }

    public DataFile file() {
        return entry.file();
    }

    /** Bytes a reader has to fetch at most, deletes included; for balancing work. */
    public long sizeBytes() {
        long size = file().fileSizeBytes();
        for (ManifestEntry<DeleteFile> delete : deletes) {
            size += delete.file() instanceof DeleteFile.DeletionVector vector
                    ? vector.contentSizeBytes()
                    : delete.file().fileSizeBytes();
        }
        return size;
    }
}
