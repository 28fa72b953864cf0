package dev.calve.spark.functions;

import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** {@code truncate(width, value)}. */
final class TruncateFunction implements UnboundFunction {

    private static final long serialVersionUID = 1L;

    @Override
    public String name() {
        return "truncate";
    }

    @Override
    public String description() {
        return "truncate(width, value): a number rounded down to a multiple of the width, or the first width characters or"
                + " bytes, as tables partition by it";
    }

    @Override
    public BoundFunction bind(StructType inputs) {
        DataType value = Arguments.numberAndValue(this, inputs);
        if (value instanceof StringType) {
            return new Truncate(DataTypes.StringType);
        }
        boolean known = value instanceof ByteType
                || value instanceof ShortType
                || value instanceof IntegerType
                || value instanceof LongType
                || value instanceof DecimalType
                || value instanceof BinaryType;
        if (!known) {
            throw Arguments.wrongType(this, value, "an integer, decimal, string or binary");
        }
        return new Truncate(value);
    }
}
