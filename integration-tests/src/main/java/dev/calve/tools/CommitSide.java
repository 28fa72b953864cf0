package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Path;

/** One of the systems whose commits are compared. Every call loads the table anew, as a statement does. */
interface CommitSide {

    String name();

    /** Finds one file by its ids (and day, if partitioned) and removes it. */
    void removeFile(ManyFiles table, Path folder, int file) throws IOException;

    /** Finds the file of one id and gives it a vector of one position. */
    void addVector(ManyFiles table, Path folder, int file) throws IOException;

    /** Adds one file, nothing read. */
    void append(ManyFiles table, Path folder, int file) throws IOException;

    /** Removes the files of one day by a filter. */
    void removeDay(ManyFiles table, Path folder, int day) throws IOException;

    /** Gives so many files a vector, each in a commit of its own; the files are found by one scan before. */
    void addVectors(ManyFiles table, Path folder, int count) throws IOException;

    /** Plans a scan of the whole table and returns everything it keeps of it, to be weighed. */
    Object plan(ManyFiles table, Path folder) throws IOException;

    /** Manifests of the current snapshot. */
    int manifests(Path folder) throws IOException;

    /** Manifests opened since the last call. */
    int manifestsOpened();
}
