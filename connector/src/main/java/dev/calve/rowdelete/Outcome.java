package dev.calve.rowdelete;

import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import java.util.List;

/** What settling did with one data file. */
public sealed interface Outcome {

    /** Number of the task, as it was handed in. */
    int task();

    /** Rows this statement deleted. */
    long deletedRows();

    /** No live row matched. */
    record Untouched(int task) implements Outcome {
        @Override
        public long deletedRows() {
            return 0;
        }
    }

    /** Every live row matched: the file leaves the table and nothing was written. */
    record WholeFile(int task, long deletedRows) implements Outcome {}

    /** A vector or position delete file was written. */
    record Deletes(int task, long deletedRows, DeleteFile file) implements Outcome {}

    /** The rows that stay were written again. */
    record Rewritten(int task, long deletedRows, List<DataFile> files) implements Outcome {
        public Rewritten {
            files = List.copyOf(files);
        }
    }
}
