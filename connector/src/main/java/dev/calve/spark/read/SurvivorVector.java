package dev.calve.spark.read;

import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column without the deleted rows: row i is row {@code survivors[i]} of the source. The array is shared by all columns
 * of a batch and filled anew for each batch. The children of a struct or variant are survivors too, because Spark asks
 * them with the row of the struct; the elements of arrays and maps are not, because they have offsets of their own.
 */
final class SurvivorVector extends ColumnVector {

    private final ColumnVector source;
    private final int[] survivors;
    private final ColumnVector[] children;

    private SurvivorVector(ColumnVector source, int[] survivors) {
        super(source.dataType());
        this.source = source;
        this.survivors = survivors;
        this.children = new ColumnVector[rowChildren(source.dataType())];
        for (int i = 0; i < children.length; i++) {
            children[i] = of(source.getChild(i), survivors);
        }
    }

    /** Number of children that have one row for each row of the column. */
    private static int rowChildren(DataType type) {
        if (type instanceof StructType struct) {
            return struct.size();
        }
        return type instanceof VariantType ? 2 : 0;
    }

    /** Shows the surviving rows of a column; a constant column is its own view. */
    static ColumnVector of(ColumnVector source, int[] survivors) {
        return source instanceof ConstantColumnVector ? source : new SurvivorVector(source, survivors);
    }

    @Override
    public void close() {}

    @Override
    public void closeIfFreeable() {}

    @Override
    public boolean hasNull() {
        return source.hasNull();
    }

    /** At most so many: nulls of deleted rows count. Spark uses the number only as a hint. */
    @Override
    public int numNulls() {
        return source.numNulls();
    }

    @Override
    public boolean isNullAt(int row) {
        return source.isNullAt(survivors[row]);
    }

    @Override
    public boolean getBoolean(int row) {
        return source.getBoolean(survivors[row]);
    }

    @Override
    public byte getByte(int row) {
        return source.getByte(survivors[row]);
    }

    @Override
    public short getShort(int row) {
        return source.getShort(survivors[row]);
    }

    @Override
    public int getInt(int row) {
        return source.getInt(survivors[row]);
    }

    @Override
    public long getLong(int row) {
        return source.getLong(survivors[row]);
    }

    @Override
    public float getFloat(int row) {
        return source.getFloat(survivors[row]);
    }

    @Override
    public double getDouble(int row) {
        return source.getDouble(survivors[row]);
    }

    @Override
    public ColumnarArray getArray(int row) {
        return source.getArray(survivors[row]);
    }

    @Override
    public ColumnarMap getMap(int row) {
        return source.getMap(survivors[row]);
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        return source.getDecimal(survivors[row], precision, scale);
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return source.getUTF8String(survivors[row]);
    }

    @Override
    public byte[] getBinary(int row) {
        return source.getBinary(survivors[row]);
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        return children[ordinal];
    }
}
