package dev.calve.spark.read;

import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/** Columns that have one value in every row. */
final class ConstantVectors {

    private ConstantVectors() {}

    /**
     * Creates a column of a value as Spark's internal rows hold it, or of nulls.
     *
     * @param rows number of rows a batch can have; only used to count nulls
     * @throws UnsupportedOperationException for a list or map that is not null
     */
    static ConstantColumnVector of(DataType type, Optional<Object> value, int rows) {
        var vector = new ConstantColumnVector(rows, type);
        if (type instanceof StructType struct) {
            fillStruct(vector, struct, value.map(InternalRow.class::cast), rows);
        } else if (value.isEmpty()) {
            vector.setNull();
        } else if (type instanceof ArrayType || type instanceof MapType) {
            throw new UnsupportedOperationException(
                    "A constant or default of type " + type.simpleString() + " must be null, not " + value.get());
        } else {
            ColumnVectorUtils.populate(vector, new GenericInternalRow(new Object[] {as(type, value.get())}), 0);
        }
        return vector;
    }

    /** A number as the type has it: partition values and defaults come as the type that the table's schema of another time had. */
    private static Object as(DataType type, Object value) {
        if (type instanceof LongType && value instanceof Integer number) {
            return number.longValue();
        }
        if (type instanceof IntegerType && value instanceof Long number) {
            return Math.toIntExact(number);
        }
        if (type instanceof DoubleType && value instanceof Float number) {
            return number.doubleValue();
        }
        return type instanceof FloatType && value instanceof Double number ? (Object) number.floatValue() : value;
    }

    private static void fillStruct(
            ConstantColumnVector vector, StructType type, Optional<InternalRow> value, int rows) {
        if (value.isEmpty()) {
            vector.setNull();
        } else {
            vector.setNotNull();
        }
        // A null struct gets children too: Spark may hold on to them before it looks at the struct.
        for (int i = 0; i < type.size(); i++) {
            var field = type.apply(i).dataType();
            int ordinal = i;
            vector.setChild(i, of(field, value.map(row -> row.get(ordinal, field)), rows));
        }
    }
}
