package dev.calve.spark.read;

import java.util.Arrays;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** The column {@code _deleted}: false in every row until told otherwise; nothing is stored. */
final class DeletedVector extends ColumnVector {

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
    public byte getByte(int row) {
        throw notBoolean();
    }

    @Override
    public short getShort(int row) {
        throw notBoolean();
    }

    @Override
    public int getInt(int row) {
        throw notBoolean();
    }

    @Override
    public long getLong(int row) {
        throw notBoolean();
    }

    @Override
    public float getFloat(int row) {
        throw notBoolean();
    }

    @Override
    public double getDouble(int row) {
        throw notBoolean();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw notBoolean();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw notBoolean();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw notBoolean();
    }

    @Override
    public UTF8String getUTF8String(int row) {
        throw notBoolean();
    }

    @Override
    public byte[] getBinary(int row) {
        throw notBoolean();
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        throw notBoolean();
    }

    private static IllegalStateException notBoolean() {
        return new IllegalStateException("A deletion mark is a boolean and was asked for as something else");
    }
}
