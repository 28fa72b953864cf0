package dev.calve.spark.read;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * A column that shows another column's rows, one by one, in a changed way; subclasses override what they change. It owns
 * nothing: whoever owns the source closes it.
 */
abstract class ViewVector extends ColumnVector {

    private final ColumnVector source;

    ViewVector(DataType type, ColumnVector source) {
        super(type);
        this.source = source;
    }

    @Override
    public void close() {}

    /** Does nothing: Spark calls it after each batch, and the source is used for the next one. */
    @Override
    public void closeIfFreeable() {}

    @Override
    public boolean hasNull() {
        return source.hasNull();
    }

    @Override
    public int numNulls() {
        return source.numNulls();
    }

    @Override
    public boolean isNullAt(int row) {
        return source.isNullAt(row);
    }

    @Override
    public boolean getBoolean(int row) {
        return source.getBoolean(row);
    }

    @Override
    public byte getByte(int row) {
        return source.getByte(row);
    }

    @Override
    public short getShort(int row) {
        return source.getShort(row);
    }

    @Override
    public int getInt(int row) {
        return source.getInt(row);
    }

    @Override
    public long getLong(int row) {
        return source.getLong(row);
    }

    @Override
    public float getFloat(int row) {
        return source.getFloat(row);
    }

    @Override
    public double getDouble(int row) {
        return source.getDouble(row);
    }

    @Override
    public @Nullable ColumnarArray getArray(int row) {
        return source.getArray(row);
    }

    @Override
    public @Nullable ColumnarMap getMap(int row) {
        return source.getMap(row);
    }

    @Override
    public @Nullable Decimal getDecimal(int row, int precision, int scale) {
        return source.getDecimal(row, precision, scale);
    }

    @Override
    public @Nullable UTF8String getUTF8String(int row) {
        return source.getUTF8String(row);
    }

    @Override
    public byte @Nullable [] getBinary(int row) {
        return source.getBinary(row);
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        return source.getChild(ordinal);
    }
}
