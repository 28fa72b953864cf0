package dev.calve.catalog.warehouse;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a directory catalog needs of a file system. Locations are URIs or paths as users write them. Instances are safe for
 * use by several threads.
 */
public interface Directory {

    /** A child of a directory. */
    record Entry(String name, boolean isDirectory) {}

    /** How an attempt to publish a file ended. */
    sealed interface Publication {

        /** The file is there, complete, and it is ours. */
        record Published() implements Publication {}

        /** There was something under that name; it is as it was. After a lost answer it may be our own file. */
        record Taken() implements Publication {}

        /** The file was certainly not published. */
        record Failed(IOException cause) implements Publication {}

        /** The file may have been published, now or later. */
        record Unknown(Throwable cause) implements Publication {}
    }

    /** Children of a directory in no order; empty if it does not exist. */
    List<Entry> list(String location) throws IOException;

    boolean isDirectory(String location) throws IOException;

    boolean exists(String location) throws IOException;

    /** The content of a file; empty if it does not exist. */
    Optional<byte[]> read(String location) throws IOException;

    /** Creates a directory and its parents; not an error if it exists. */
    void makeDirectories(String location) throws IOException;

    /** Why {@link #publish} cannot be done safely there, as a sentence; empty if it can. No file is touched. */
    Optional<String> whyNotPublishable(String location) throws IOException;

    /**
     * Makes a file with that content appear, complete and durable, if nothing exists under the name. Its directory must
     * exist. Of several callers, in any process, one gets {@link Publication.Published}.
     *
     * @param statement id by which a file is known that is left behind
     */
    Publication publish(String location, byte[] content, UUID statement);

    /**
     * Creates or replaces a small file; a reader sees the old or the new content, or for a moment none.
     *
     * @param statement id by which a file is known that is left behind
     */
    void replace(String location, byte[] content, UUID statement) throws IOException;

    /** Deletes a file; not an error if it does not exist. */
    void deleteFile(String location) throws IOException;

    /**
     * Deletes a directory if it is empty, in one step: what somebody puts into it meanwhile is not lost.
     *
     * @return whether there is no such directory afterwards
     */
    boolean deleteIfEmpty(String location) throws IOException;

    /** Deletes a directory with everything in it; not an error if it does not exist. */
    void deleteRecursively(String location) throws IOException;
}
