package dev.calve.io;

import java.io.IOException;

/** Reads, creates and deletes files by location. Instances are safe for use by several threads. */
public interface Storage {

    /** Names a file without touching it; its length is asked for when first needed. */
    InputFile input(String location);

    /** Names a file whose length in bytes is already known, so that no request is spent on asking for it. */
    InputFile input(String location, long length);

    /**
     * Creates a file and its parent folders.
     *
     * @throws java.nio.file.FileAlreadyExistsException if something exists at the location; it is left as it was
     */
    PositionOutput create(String location) throws IOException;

    /** Tells whether a file exists. One request. */
    boolean exists(String location) throws IOException;

    /** Deletes one file. A file that is not there is not an error. */
    void delete(String location) throws IOException;
}
