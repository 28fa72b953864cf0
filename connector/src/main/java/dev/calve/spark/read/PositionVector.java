package dev.calve.spark.read;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The column {@code _pos}: 0-based positions in the file, ascending; nothing is stored while they are consecutive. */
final class PositionVector extends ColumnVector {

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

    @Override
    public void close() {}

    @Override
    public void closeIfFreeable() {}

    @Override
    public boolean hasNull() {
        return false;
    }

    @Override
    public int numNulls() {
        return 0;
    }

    @Override
    public boolean isNullAt(int row) {
        return false;
    }

    @Override
    public boolean getBoolean(int row) {
        throw notLong();
    }

    @Override
    public byte getByte(int row) {
        throw notLong();
    }

    @Override
    public short getShort(int row) {
        throw notLong();
    }

    @Override
    public int getInt(int row) {
        throw notLong();
    }

    @Override
    public float getFloat(int row) {
        throw notLong();
    }

    @Override
    public double getDouble(int row) {
        throw notLong();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw notLong();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw notLong();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw notLong();
    }

    @Override
    public UTF8String getUTF8String(int row) {
        throw notLong();
    }

    @Override
    public byte[] getBinary(int row) {
        throw notLong();
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        throw notLong();
    }

    private static IllegalStateException notLong() {
        return new IllegalStateException("A row position is a long and was asked for as something else");
    }
}
