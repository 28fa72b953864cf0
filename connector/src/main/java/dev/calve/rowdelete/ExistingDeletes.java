package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.deletes.VectorFile;
import dev.calve.deletes.VectorSlice;
import dev.calve.io.Storage;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.parquet.PositionDeleteReader;
import dev.calve.scan.FileTask;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * The positions deleted in a data file so far; rows deleted by key are for a {@link KeyMatcher} to tell. A position delete file that speaks of several data files is read once for
 * every data file it is asked about. One ranged read for a vector.
 */
public final class ExistingDeletes {

    private ExistingDeletes() {}

    /**
     * Reads the vector or the position delete files of a task, whatever equality deletes it has.
     *
     * @throws dev.calve.io.InvalidTableException if a delete file is corrupt
     */
    public static PositionBitmap byPosition(Storage storage, FileTask task) throws IOException {
        var positions = new PositionBitmap();
        for (ManifestEntry<DeleteFile> entry : task.deletes()) {
            if (!(entry.file() instanceof DeleteFile.EqualityDeletes)) {
                positions.or(in(storage, entry.file(), task.file().path()));
            }
        }
        return positions;
    }

    /**
     * Reads all deletes of a task that has only positional ones.
     *
     * @throws UnsupportedOperationException if an equality delete applies, which needs a {@link KeyMatcher}
     * @throws dev.calve.io.InvalidTableException if a delete file is corrupt
     */
    public static PositionBitmap of(Storage storage, FileTask task) throws IOException {
        return of(storage, task, Long.MAX_VALUE);
    }

    /**
     * Reads all deletes of a task for a settling whose results are given the data sequence number {@code keysUpTo}:
     * equality deletes newer than that apply to the results as they apply to the file, so they are left aside.
     *
     * @throws UnsupportedOperationException if an equality delete applies that is not newer
     * @throws dev.calve.io.InvalidTableException if a delete file is corrupt
     */
    public static PositionBitmap of(Storage storage, FileTask task, long keysUpTo) throws IOException {
        for (ManifestEntry<DeleteFile> entry : task.deletes()) {
            if (entry.file() instanceof DeleteFile.EqualityDeletes && entry.sequenceNumber() <= keysUpTo) {
                throw new UnsupportedOperationException(
                        "Data file " + task.file().path() + " has rows deleted by the equality"
                                + " delete file " + entry.file().path()
                                + ", which cannot be evaluated here. Run the statement again.");
            }
        }
        return byPosition(storage, task);
    }

    /**
     * The positions one vector or position delete file names in one data file; none if it speaks of others only.
     *
     * @throws IllegalArgumentException for equality deletes, which name no positions
     */
    public static PositionBitmap in(Storage storage, DeleteFile deletes, String dataFile) throws IOException {
        if (deletes instanceof DeleteFile.DeletionVector vector) {
            return vector.referencedDataFile().equals(dataFile)
                    ? VectorFile.read(
                            storage,
                            new VectorSlice(
                                    vector.path(),
                                    vector.contentOffset(),
                                    vector.contentSizeBytes(),
                                    vector.referencedDataFile(),
                                    vector.recordCount()))
                    : new PositionBitmap();
        }
        if (deletes instanceof DeleteFile.PositionDeletes positions) {
            return Optional.ofNullable(PositionDeleteReader.read(storage, positions, Set.of(dataFile))
                            .get(dataFile))
                    .orElseGet(PositionBitmap::new);
        }
        throw new IllegalArgumentException("Equality delete file " + deletes.path() + " names no positions.");
    }
}
