package dev.calve.spark.read;

import dev.calve.pruning.RowRanges;

/**
 * A row group to read.
 *
 * @param ordinal in the file
 * @param first position in the file of its first row, read or not
 * @param rows those that are read, at least one
 */
record RowGroup(int ordinal, long first, RowRanges rows) {}
