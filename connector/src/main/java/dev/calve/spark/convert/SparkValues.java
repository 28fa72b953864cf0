package dev.calve.spark.convert;

import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Single values of primitive types, between {@code schema}'s representation and that of Spark's internal rows. */
public final class SparkValues {

    private SparkValues() {}

    /** A value as Spark's internal rows hold it. */
    public static Object toSpark(Type type, Object value) {
        if (value instanceof String text) {
            return UTF8String.fromString(text);
        }
        if (value instanceof UUID uuid) {
            return UTF8String.fromString(uuid.toString());
        }
        if (value instanceof Bytes bytes) {
            return bytes.toArray();
        }
        if (type instanceof Type.Decimal decimal) {
            return Decimal.apply((BigDecimal) value, decimal.precision(), decimal.scale());
        }
        return value;
    }

    /**
     * A value of a Spark row of the type {@link SparkTypes#toSpark} gives.
     *
     * @return empty if the type has no equal value: a decimal of more digits, a string that is not a canonical UUID
     *     or not UTF-8
     */
    public static Optional<Object> fromSpark(Type type, Object value) {
        if (type instanceof Type.Decimal decimal) {
            BigDecimal number = ((Decimal) value).toJavaBigDecimal();
            return number.stripTrailingZeros().scale() > decimal.scale()
                    ? Optional.empty()
                    : Optional.of(number.setScale(decimal.scale(), RoundingMode.UNNECESSARY));
        }
        if (type == Type.Simple.UUID) {
            return uuid(value.toString());
        }
        if (value instanceof UTF8String text) {
            // As a Java string, different invalid bytes would become the same replacement character.
            return text.isValid() ? Optional.of(text.toString()) : Optional.empty();
        }
        if (value instanceof byte[] bytes) {
            return Optional.of(Bytes.copyOf(bytes));
        }
        if (value instanceof Byte || value instanceof Short) {
            return Optional.of(((Number) value).intValue());
        }
        return Optional.of(value);
    }

    /** Only the canonical spelling equals what Spark shows for a stored UUID. */
    private static Optional<Object> uuid(String text) {
        try {
            UUID uuid = UUID.fromString(text);
            return uuid.toString().equals(text) ? Optional.of(uuid) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
