package dev.calve.rewrite;

/**
 * One row group of a source and what stays of it.
 *
 * @param source index of the source
 * @param first position in the source of the row group's first row
 * @param rows of the row group
 * @param kept rows that stay, at least 1
 * @param storedBytes of the row group
 * @param copyable whether its chunks may be copied as they are if all rows stay
 */
record Slice(int source, int rowGroup, long first, int rows, int kept, long storedBytes, boolean copyable) {

    /** Whether all rows stay. */
    boolean isClean() {
        return kept == rows;
    }

    /** About the bytes of what stays. */
    long keptBytes() {
        return (long) ((double) storedBytes * kept / rows);
    }
}
