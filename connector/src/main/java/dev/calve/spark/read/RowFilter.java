package dev.calve.spark.read;

import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Rules out rows of one file by the values of some of its columns, over decoded batches. */
public interface RowFilter {

    /**
     * The columns it looks at, at least one, with field ids, of structs only the fields it looks at. They are read in
     * addition to the wanted ones and not shown; a field that is wanted, too, comes as the type it is wanted as.
     */
    StructType columns();

    /**
     * Binds the filter to vectors of {@link #columns}, which hold another batch at each call.
     *
     * @param batchRows most rows of a batch
     */
    Rows over(List<ColumnVector> columns, int batchRows);

    /** A filter at work on a file. */
    @FunctionalInterface
    interface Rows {
        /**
         * Keeps the rows that stay.
         *
         * @param rows ordinals of rows of the batch in their first {@code count} elements, ascending; afterwards those that
         *     stay, in order, at the front
         * @return how many stay
         */
        int retain(int[] rows, int count);
    }
}
