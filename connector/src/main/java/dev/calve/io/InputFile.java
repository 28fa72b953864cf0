package dev.calve.io;

import java.io.IOException;

/** A file that can be read by ranges. */
public interface InputFile {

    String location();

    /**
     * Length in bytes. One request at most, none if the length was given.
     *
     * @throws java.io.FileNotFoundException if the file does not exist
     */
    long length() throws IOException;

    /**
     * Opens the file for reading.
     *
     * @throws java.io.FileNotFoundException if the file does not exist
     */
    RangeInput open() throws IOException;

    /** Reads the whole file, which must be smaller than 2 GiB. */
    default byte[] readAll() throws IOException {
        try (var in = open()) {
            var bytes = new byte[Math.toIntExact(length())];
            in.readFully(0, bytes, 0, bytes.length);
            return bytes;
        }
    }

    /** Reads {@code length} bytes from {@code offset}. One ranged read. */
    default byte[] read(long offset, int length) throws IOException {
        try (var in = open()) {
            var bytes = new byte[length];
            in.readFully(offset, bytes, 0, length);
            return bytes;
        }
    }
}
