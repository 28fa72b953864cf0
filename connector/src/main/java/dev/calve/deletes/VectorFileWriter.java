package dev.calve.deletes;

import dev.calve.io.Storage;
import dev.calve.puffin.BlobSpec;
import dev.calve.puffin.PuffinWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes many deletion vectors into one Puffin file: {@link #add} each, then {@link #finish()}. Closing it unfinished
 * leaves a file that no reader accepts, which the caller deletes. Used by one thread.
 *
 * <p>Spec: Puffin, {@code deletion-vector-v1} blob type; Deletion Vectors.
 */
public final class VectorFileWriter implements Closeable {

    private static final String BLOB_TYPE = "deletion-vector-v1";
    private static final String REFERENCED_DATA_FILE = "referenced-data-file";
    private static final String CARDINALITY = "cardinality";

    /** Reserved id of the column {@code _pos}. */
    private static final List<Integer> ROW_POSITION = List.of(2147483645);

    /** Snapshot id and sequence number are not known before the commit; the specification wants this instead. */
    private static final long UNKNOWN = -1;

    private final String location;
    private final PuffinWriter puffin;
    private final Set<String> dataFiles = new HashSet<>();

    private VectorFileWriter(String location, PuffinWriter puffin) {
        this.location = location;
        this.puffin = puffin;
    }

    /**
     * Creates the file.
     *
     * @param createdBy application and version, stored in the file
     * @throws java.nio.file.FileAlreadyExistsException if something exists at the location
     */
    public static VectorFileWriter create(Storage storage, String location, String createdBy) throws IOException {
        return new VectorFileWriter(location, PuffinWriter.create(storage, location, createdBy));
    }

    /**
     * Writes a data file's vector and says where it lies. The positions are run-optimized, otherwise not changed.
     *
     * @param positions every deleted row of the data file, those of the vector it replaces included
     * @throws IllegalArgumentException if there are no positions, or the data file already has a vector in this file
     */
    public VectorSlice add(String referencedDataFile, PositionBitmap positions) throws IOException {
        if (positions.isEmpty()) {
            throw new IllegalArgumentException(
                    "Deletion vector of " + referencedDataFile + " must have positions, not none.");
        }
        if (!dataFiles.add(referencedDataFile)) {
            throw new IllegalArgumentException(
                    "Data file " + referencedDataFile + " must have one deletion vector in " + location + ", not two.");
        }
        long cardinality = positions.cardinality();
        var properties = new LinkedHashMap<String, String>();
        properties.put(REFERENCED_DATA_FILE, referencedDataFile);
        properties.put(CARDINALITY, Long.toString(cardinality));
        var blob = puffin.add(
                new BlobSpec(BLOB_TYPE, ROW_POSITION, UNKNOWN, UNKNOWN, Optional.empty(), properties),
                DeletionVectorCodec.encode(positions));
        return new VectorSlice(location, blob.offset(), blob.length(), referencedDataFile, cardinality);
    }

    /** Bytes written so far, to start another file when this one gets large. */
    public long position() {
        return puffin.position();
    }

    /** Writes the footer, closes the file and returns its length in bytes. */
    public long finish() throws IOException {
        return puffin.finish();
    }

    /** Abandons the file unless it was finished. Doing it twice is harmless. */
    @Override
    public void close() throws IOException {
        puffin.close();
    }
}
