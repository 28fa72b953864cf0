package dev.calve.parquet;

import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * Writes one data file. Used by one thread; whoever opened it either closes or abandons it.
 *
 * @param <R> the engine's type of rows
 */
public final class DataFileWriter<R> {

    private final RowFile<R> file;
    private final Placement placement;

    private DataFileWriter(RowFile<R> file, Placement placement) {
        this.file = file;
        this.placement = placement;
    }

    /**
     * Creates the file.
     *
     * @param reader gets the values of the layout's schema out of rows
     * @throws java.nio.file.FileAlreadyExistsException if there is a file at the location
     */
    public static <R> DataFileWriter<R> create(
            Storage storage, String location, FileLayout layout, RowReader<R> reader, Placement placement)
            throws IOException {
        return new DataFileWriter<>(RowFile.create(storage, location, layout, reader), placement);
    }

    public String location() {
        return file.location();
    }

    /** Rows written so far. */
    public long rows() {
        return file.rows();
    }

    /** Bytes the file has now, with an estimate of what is still in memory. Cost: a look at each column. */
    public long length() {
        return file.length();
    }

    /**
     * Adds a row, which may be reused afterwards. After an exception the writer can only be abandoned.
     *
     * @throws IllegalArgumentException if a required value is null or a value does not fit its column
     */
    public void write(R row) throws IOException {
        file.write(row);
    }

    /** Completes the file and describes it as a manifest will. */
    public DataFile close() throws IOException {
        return new DataFile(placement.describe(file.location(), file.close()), OptionalLong.empty());
    }

    /** Gives the file up: closes and deletes it. */
    public void abandon() throws IOException {
        file.abandon();
    }
}
