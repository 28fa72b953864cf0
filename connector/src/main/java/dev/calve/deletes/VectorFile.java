package dev.calve.deletes;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import java.io.EOFException;
import java.io.IOException;

/** Reads deletion vectors out of Puffin files by offset and size. */
public final class VectorFile {

    private VectorFile() {}

    /**
     * Reads one vector. One ranged read; the footer is not looked at.
     *
     * @throws InvalidTableException if the file ends before the vector does, or the vector is corrupt
     * @throws java.io.FileNotFoundException if the file does not exist
     */
    public static PositionBitmap read(Storage storage, VectorSlice slice) throws IOException {
        return read(
                storage.input(slice.path()), slice.contentOffset(), slice.contentSizeInBytes(), slice.cardinality());
    }

    /**
     * Reads one vector. One ranged read; the footer is not looked at, because the specification makes the manifest's
     * offset and size equal to the footer's.
     *
     * @param cardinality number of positions by the manifest entry
     * @throws InvalidTableException if the file ends before the vector does, or the vector is corrupt
     * @throws java.io.FileNotFoundException if the file does not exist
     */
    public static PositionBitmap read(InputFile file, long contentOffset, long contentSizeInBytes, long cardinality)
            throws IOException {
        var where = "Deletion vector at " + file.location() + "[" + contentOffset + ", "
                + (contentOffset + contentSizeInBytes) + ")";
        if (contentOffset < 0 || contentSizeInBytes < 0 || contentSizeInBytes > Integer.MAX_VALUE - Long.BYTES) {
            throw new InvalidTableException(where + " is corrupt: offset and size must not be negative and the size be"
                    + " below 2 GiB, but are " + contentOffset + " and " + contentSizeInBytes + ".");
        }
        byte[] content;
        try {
            content = file.read(contentOffset, (int) contentSizeInBytes);
        } catch (EOFException e) {
            throw new InvalidTableException(where + " is corrupt: the file ends before the vector does.", e);
        }
        return DeletionVectorCodec.decode(content, cardinality, where);
    }
}
