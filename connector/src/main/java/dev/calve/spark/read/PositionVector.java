package dev.calve.spark.read;

import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/** The column {@code _pos}: 0-based positions in the file, ascending; nothing is stored while they are consecutive. */
final class PositionVector extends UnstoredVector {

    private long first;
    private long @Nullable [] each;

    PositionVector() {
        super(DataTypes.LongType);
    }

    void startAt(long firstPosition) {
        first = firstPosition;
        each = null;
    }

    /** @param positions one for each row; not copied */
    void standAt(long[] positions) {
        each = positions;
    }

    @Override
    public long getLong(int row) {
        long[] positions = each;
        return positions == null ? first + row : positions[row];
    }
}
