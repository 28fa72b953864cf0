package dev.calve.parquet;

import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows of one partition into data files of about the target size. Without rows there is no file. Used by one
 * thread; whoever created it either closes or abandons it.
 *
 * @param <R> the engine's type of rows
 */
public final class RollingDataWriter<R> {

    /** Rows between two looks at the size of a file. */
    private static final int ROWS_BETWEEN_CHECKS = 1_000;

    private final Storage storage;
    private final Supplier<String> locations;
    private final FileLayout layout;
    private final RowReader<R> reader;
    private final Placement placement;
    private final List<DataFile> finished = new ArrayList<>();
    private @Nullable DataFileWriter<R> open;

    /**
     * A writer that has not begun a file yet.
     *
     * @param locations a new unique location for each file
     */
    public RollingDataWriter(
            Storage storage, Supplier<String> locations, FileLayout layout, RowReader<R> reader, Placement placement) {
        this.storage = storage;
        this.locations = locations;
        this.layout = layout;
        this.reader = reader;
        this.placement = placement;
    }

    /** Adds a row, which may be reused afterwards. After an exception the writer can only be abandoned. */
    public void write(R row) throws IOException {
        if (open == null) {
            open = DataFileWriter.create(storage, locations.get(), layout, reader, placement);
        }
        open.write(row);
        if (open.rows() % ROWS_BETWEEN_CHECKS == 0
                && open.length() >= layout.settings().targetFileSizeBytes()) {
            closeOpen();
        }
    }

    /** Completes the file that is open, if any. More rows go to a new one. */
    public void closeOpen() throws IOException {
        if (open != null) {
            finished.add(open.close());
            open = null;
        }
    }

    /** Completes everything. The files in the order they were begun. */
    public List<DataFile> close() throws IOException {
        closeOpen();
        return List.copyOf(finished);
    }

    /** Deletes every file this writer created. All are tried; the first failure is thrown in the end. */
    public void abandon() throws IOException {
        var cleanUp = new CleanUp();
        if (open != null) {
            cleanUp.run(open::abandon);
            open = null;
        }
        finished.forEach(file -> cleanUp.delete(storage, file.path()));
        finished.clear();
        cleanUp.end();
    }
}
