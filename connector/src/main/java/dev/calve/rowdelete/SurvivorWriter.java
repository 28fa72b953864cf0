package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.scan.FileTask;
import java.io.IOException;
import java.util.List;

/** Writes the rows of a file that stay into new files of the same partition, row lineage kept. The engine implements it. */
public interface SurvivorWriter {

    /** Files with the rows that stay. */
    record Survivors(List<DataFile> files, RewriteCounts counts) {
        public Survivors {
            files = List.copyOf(files);
        }
    }

    /**
     * Copies every row that is not gone.
     *
     * @param gone positions of all rows that are or will be deleted
     * @return the new files, at least one, and what they took; on failure what was written has been deleted again
     */
    Survivors write(FileTask task, PositionBitmap gone) throws IOException;
}
