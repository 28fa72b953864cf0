package dev.calve.spark.functions;

import dev.calve.partition.Transform;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** {@link Transform.Truncate} of Spark's values; the result has the type of the value. Public because generated code calls it. */
public final class Truncate extends BoundTransform<Object> {

    private static final long serialVersionUID = 1L;

    Truncate(DataType value) {
        super("truncate", value, value.catalogString(), DataTypes.IntegerType, value);
    }

    public static byte invoke(int width, byte value) {
        return (byte) invoke(width, (int) value);
    }

    public static short invoke(int width, short value) {
        return (short) invoke(width, (int) value);
    }

    public static int invoke(int width, int value) {
        return value - Math.floorMod(value, positive(width));
    }

    public static long invoke(int width, long value) {
        return value - Math.floorMod(value, (long) positive(width));
    }

    /** The width counts units of the last digit. */
    public static @Nullable Decimal invoke(int width, @Nullable Decimal value) {
        if (value == null) {
            return null;
        }
        BigDecimal number = value.toJavaBigDecimal();
        BigInteger unscaled = number.unscaledValue();
        BigInteger rest = unscaled.mod(BigInteger.valueOf(positive(width)));
        return Decimal.apply(new BigDecimal(unscaled.subtract(rest), number.scale()));
    }

    /** The width counts code points. */
    public static @Nullable UTF8String invoke(int width, @Nullable UTF8String value) {
        return value == null ? null : value.substring(0, positive(width));
    }

    public static byte @Nullable [] invoke(int width, byte @Nullable [] value) {
        return value == null ? null : Arrays.copyOf(value, Math.min(value.length, positive(width)));
    }

    private static int positive(int width) {
        return width > 0 ? width : new Transform.Truncate(width).width();
    }
}
