package dev.calve.io;

import java.io.Closeable;
import java.io.IOException;

/** An open file. Used by one thread at a time; closed by whoever opened it. */
public interface RangeInput extends Closeable {

    /**
     * Reads exactly {@code length} bytes that start at {@code position} of the file.
     *
     * @throws java.io.EOFException if the file ends before
     */
    void readFully(long position, byte[] target, int offset, int length) throws IOException;
}
