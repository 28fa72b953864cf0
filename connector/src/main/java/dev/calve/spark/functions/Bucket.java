package dev.calve.spark.functions;

import dev.calve.partition.Murmur3;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** {@link Transform.Bucket} of Spark's values. Public because generated code calls it. */
public final class Bucket extends BoundTransform<Integer> {

    private static final long serialVersionUID = 1L;

    Bucket(DataType value, String typeName) {
        super("bucket", DataTypes.IntegerType, typeName, DataTypes.IntegerType, value);
    }

    /** Of a whole number or of a date, whose days are hashed like a number. */
    public static int invoke(int count, int value) {
        return invoke(count, (long) value);
    }

    /** Of a whole number or of a timestamp in microseconds. */
    public static int invoke(int count, long value) {
        return bucket(count, Murmur3.hash(value));
    }

    public static @Nullable Integer invoke(int count, @Nullable Decimal value) {
        return value == null
                ? null
                : (Integer) bucket(
                        count,
                        Murmur3.hash(value.toJavaBigDecimal().unscaledValue().toByteArray()));
    }

    public static @Nullable Integer invoke(int count, @Nullable UTF8String value) {
        return value == null ? null : (Integer) bucket(count, Murmur3.hash(value.getBytes()));
    }

    public static @Nullable Integer invoke(int count, byte @Nullable [] value) {
        return value == null ? null : (Integer) bucket(count, Murmur3.hash(value));
    }

    private static int bucket(int count, int hash) {
        return Transforms.bucketOf(hash, count > 0 ? count : new Transform.Bucket(count).count());
    }
}
