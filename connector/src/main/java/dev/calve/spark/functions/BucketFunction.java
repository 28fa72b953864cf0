package dev.calve.spark.functions;

import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** {@code bucket(count, value)}. */
final class BucketFunction implements UnboundFunction {

    private static final long serialVersionUID = 1L;

    @Override
    public String name() {
        return "bucket";
    }

    @Override
    public String description() {
        return "bucket(count, value): hash of the value modulo the number of buckets, as tables partition by it";
    }

    @Override
    public BoundFunction bind(StructType inputs) {
        DataType value = Arguments.numberAndValue(this, inputs);
        if (value instanceof ByteType || value instanceof ShortType || value instanceof IntegerType) {
            return new Bucket(DataTypes.IntegerType, "int");
        }
        if (value instanceof DecimalType) {
            return new Bucket(value, "decimal");
        }
        if (value instanceof StringType) {
            return new Bucket(DataTypes.StringType, "string");
        }
        boolean known = value instanceof LongType
                || value instanceof DateType
                || value instanceof TimestampType
                || value instanceof TimestampNTZType
                || value instanceof BinaryType;
        if (!known) {
            throw Arguments.wrongType(this, value, "an integer, decimal, string, binary, date or timestamp");
        }
        return new Bucket(value, value.catalogString());
    }
}
