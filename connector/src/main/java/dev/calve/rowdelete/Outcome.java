package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.rewrite.RewriteCounts;
import java.util.List;

/** What settling did with one data file. */
public sealed interface Outcome {

    /** Number of the task, as it was handed in. */
    int task();

    /** Rows this statement deleted, none of them deleted before: what a concurrent change is compared with. Not to be changed. */
    PositionBitmap positions();

    /** Number of rows this statement deleted. */
    default long deletedRows() {
        return positions().cardinality();
    }

    /** Locations of the files that were written for it. */
    default List<String> written() {
        if (this instanceof Deletes deletes) {
            return List.of(deletes.file().path());
        }
        if (this instanceof Rewritten rewritten) {
            return rewritten.files().stream().map(DataFile::path).toList();
        }
        return List.of();
    }

    /** No live row matched. */
    record Untouched(int task) implements Outcome {
        @Override
        public PositionBitmap positions() {
            return new PositionBitmap();
        }
    }

    /** Every live row matched: the file leaves the table and nothing was written. */
    record WholeFile(int task, PositionBitmap positions) implements Outcome {}

    /** A vector or position delete file was written; the latter may speak of other data files of the partition, too. */
    record Deletes(int task, PositionBitmap positions, DeleteFile file) implements Outcome {}

    /** The rows that stay were written again. */
    record Rewritten(int task, PositionBitmap positions, List<DataFile> files, RewriteCounts counts)
            implements Outcome {
        public Rewritten {
            files = List.copyOf(files);
        }
    }
}
