package dev.calve.deletes;

/**
 * Where a deletion vector lies: what a manifest entry keeps about it.
 *
 * @param path the Puffin file
 * @param contentOffset first byte of the vector in it
 * @param contentSizeInBytes bytes of the vector with its length and CRC, below 2 GiB
 * @param referencedDataFile path of the data file whose rows the vector deletes, exactly as the data file's entry has it
 * @param cardinality number of deleted rows, at least one
 */
public record VectorSlice(
        String path, long contentOffset, long contentSizeInBytes, String referencedDataFile, long cardinality) {

    public VectorSlice {
        if (contentOffset < 0 || contentSizeInBytes <= 0 || cardinality <= 0) {
            throw new IllegalArgumentException("Deletion vector of " + referencedDataFile + " in " + path
                    + " must have an offset from 0, a size and a cardinality from 1 on, not " + contentOffset + ", "
                    + contentSizeInBytes + " and " + cardinality + ".");
        }
    }
}
