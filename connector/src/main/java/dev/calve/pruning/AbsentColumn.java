package dev.calve.pruning;

import dev.calve.schema.Bytes;

/** What the rows of a file have in a column that the file lacks, as one that was added later. */
public sealed interface AbsentColumn {

    /** Null, every row. */
    record Null() implements AbsentColumn {}

    /**
     * The same value in every row, but null where a struct around the column is.
     *
     * @param bound the value, encoded as a bound of the column's type
     */
    record Value(Bytes bound) implements AbsentColumn {}

    /** Anything. */
    record Unknown() implements AbsentColumn {}
}
