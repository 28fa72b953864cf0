package dev.calve.pruning;

import java.io.IOException;

/** Decides which rows of a row group must be read. */
@FunctionalInterface
public interface RowGroupFilter {

    /** Keeps every row. */
    RowGroupFilter ALL = group -> RowRanges.all(group.rows());

    /**
     * The rows that might matter; when in doubt a row does. The answer may leave out rows that stand in the same page as
     * others: a reader skips them.
     *
     * @param group the row group's statistics and indexes, read when they are asked for
     */
    RowRanges select(RowGroupIndexes group) throws IOException;
}
