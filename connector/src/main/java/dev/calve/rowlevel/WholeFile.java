package dev.calve.rowlevel;

import dev.calve.io.Storage;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.scan.FileTask;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/**
 * A data file whose metadata proves that all its rows go, so that none was looked at.
 *
 * @param liveRows rows that were alive; empty if equality deletes apply, which would have to be evaluated to know
 */
public record WholeFile(FileTask task, OptionalLong liveRows) {

    /** Counts the live rows. Cost: nothing for a file without deletes or with a vector, else its position delete files. */
    public static WholeFile of(Storage storage, FileTask task) throws IOException {
        long rows = task.file().recordCount();
        List<ManifestEntry<DeleteFile>> deletes = task.deletes();
        if (deletes.isEmpty()) {
            return new WholeFile(task, OptionalLong.of(rows));
        }
        if (deletes.stream().anyMatch(entry -> entry.file() instanceof DeleteFile.EqualityDeletes)) {
            return new WholeFile(task, OptionalLong.empty());
        }
        if (deletes.size() == 1 && deletes.get(0).file() instanceof DeleteFile.DeletionVector vector) {
            return new WholeFile(task, OptionalLong.of(rows - vector.recordCount()));
        }
        long deleted = ExistingDeletes.of(storage, task).cardinalityInRange(0, rows);
        return new WholeFile(task, OptionalLong.of(rows - deleted));
    }
}
