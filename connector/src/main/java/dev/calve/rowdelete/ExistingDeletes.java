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
 * The positions deleted in a data file so far. A position delete file that speaks of several data files is read once for
 * every data file it is asked about. One ranged read for a vector.
 */
public final class ExistingDeletes {

    private ExistingDeletes() {}

    /**
     * Reads all positional deletes of a task.
     *
     * @throws UnsupportedOperationException if an equality delete applies
     * @throws dev.calve.io.InvalidTableException if a delete file is corrupt
     */
    public static PositionBitmap of(Storage storage, FileTask task) throws IOException {
        String path = task.file().path();
        var positions = new PositionBitmap();
        for (ManifestEntry<DeleteFile> entry : task.deletes()) {
            DeleteFile file = entry.file();
            if (file instanceof DeleteFile.DeletionVector vector) {
                positions.or(VectorFile.read(
                        storage,
                        new VectorSlice(
                                vector.path(),
                                vector.contentOffset(),
                                vector.contentSizeBytes(),
                                vector.referencedDataFile(),
                                vector.recordCount())));
            } else if (file instanceof DeleteFile.PositionDeletes deletes) {
                Optional.ofNullable(PositionDeleteReader.read(storage, deletes, Set.of(path))
                                .get(path))
                        .ifPresent(positions::or);
            } else {
                throw new UnsupportedOperationException(
                        "Data file " + task.file().path() + " has rows deleted by the equality"
                                + " delete file " + file.path()
                                + ", and equality deletes are not supported yet. Read the table with"
                                + " the engine that wrote it, or compact it there first.");
            }
        }
        return positions;
    }
}
