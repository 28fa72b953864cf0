package dev.calve.spark.read;

import java.util.Arrays;
import org.apache.spark.sql.types.DataTypes;

/** The column {@code _deleted}: false in every row until told otherwise; nothing is stored. */
final class DeletedVector extends UnstoredVector {

    private final boolean[] deleted;

    DeletedVector(int batchRows) {
        super(DataTypes.BooleanType);
        this.deleted = new boolean[batchRows];
    }

    /**
     * Marks all rows of a batch but the live ones.
     *
     * @param live ordinals in its first {@code liveCount} elements; not looked at if that is all of them
     */
    void markAllBut(int[] live, int liveCount, int rows) {
        Arrays.fill(deleted, 0, rows, liveCount < rows);
        if (liveCount < rows) {
            for (int i = 0; i < liveCount; i++) {
                deleted[live[i]] = false;
            }
        }
    }

    @Override
    public boolean getBoolean(int row) {
        return deleted[row];
    }
}
