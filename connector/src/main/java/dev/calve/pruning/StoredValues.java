package dev.calve.pruning;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * How what a Parquet column stores ({@code Integer}, {@code Long}, {@code Float}, {@code Double}, {@code Boolean},
 * {@code Binary}) is a value of a table column's type, also of one that was promoted since, and the other way round.
 * Pairs of types that are not listed here have no such relation, and nothing is concluded from the column. Spec: Appendix
 * A: Parquet; Schema Evolution.
 */
final class StoredValues {

    private static final long MICROS_PER_DAY = 86_400_000_000L;

    private final Type type;
    private final Function<Object, @Nullable Object> toValue;
    private final @Nullable Function<Object, List<Object>> toStored;

    private StoredValues(
            Type type, Function<Object, @Nullable Object> toValue, @Nullable Function<Object, List<Object>> toStored) {
        this.type = type;
        this.toValue = toValue;
        this.toStored = toStored;
    }

    /** Empty if values of the stored type are not known to be values of the other. */
    static Optional<StoredValues> of(PrimitiveType stored, Type type) {
        LogicalTypeAnnotation logical = stored.getLogicalTypeAnnotation();
        if (type instanceof Type.Decimal decimal) {
            return logical instanceof DecimalLogicalTypeAnnotation annotation
                            && annotation.getScale() == decimal.scale()
                            && annotation.getPrecision() <= decimal.precision()
                    ? Optional.of(decimals(decimal, stored))
                    : Optional.empty();
        }
        if (type instanceof Type.Fixed fixed) {
            return isFixed(stored, fixed.length()) && logical == null ? Optional.of(bytes(type)) : Optional.empty();
        }
        return type instanceof Type.Simple simple ? of(stored, logical, simple) : Optional.empty();
    }

    private static Optional<StoredValues> of(
            PrimitiveType stored, @Nullable LogicalTypeAnnotation logical, Type.Simple type) {
        PrimitiveTypeName physical = stored.getPrimitiveTypeName();
        boolean plainInt =
                logical == null || (logical instanceof IntLogicalTypeAnnotation integer && integer.isSigned());
        return switch (type) {
            case BOOLEAN ->
                physical == PrimitiveTypeName.BOOLEAN
                        ? Optional.of(new StoredValues(type, value -> value, null))
                        : Optional.empty();
            case INT -> same(type, physical == PrimitiveTypeName.INT32 && plainInt);
            case LONG ->
                physical == PrimitiveTypeName.INT32 && plainInt
                        ? Optional.of(new StoredValues(type, StoredValues::widened, StoredValues::narrowed))
                        : same(type, physical == PrimitiveTypeName.INT64 && plainInt);
            case DATE ->
                same(type, physical == PrimitiveTypeName.INT32 && logical instanceof DateLogicalTypeAnnotation);
            case TIME ->
                same(
                        type,
                        physical == PrimitiveTypeName.INT64
                                && logical instanceof TimeLogicalTypeAnnotation time
                                && time.getUnit() == TimeUnit.MICROS);
            case TIMESTAMP ->
                isDate(physical, logical)
                        ? Optional.of(new StoredValues(type, StoredValues::startOfDay, null))
                        : same(type, isTimestamp(physical, logical, TimeUnit.MICROS));
            case TIMESTAMPTZ -> same(type, isTimestamp(physical, logical, TimeUnit.MICROS));
            case TIMESTAMP_NS, TIMESTAMPTZ_NS -> same(type, isTimestamp(physical, logical, TimeUnit.NANOS));
            case FLOAT ->
                physical == PrimitiveTypeName.FLOAT
                        ? Optional.of(new StoredValues(type, value -> value, StoredValues::bothZeros))
                        : Optional.empty();
            case DOUBLE -> doubles(type, physical);
            case STRING ->
                physical == PrimitiveTypeName.BINARY
                                && (logical == null || logical instanceof StringLogicalTypeAnnotation)
                        ? Optional.of(new StoredValues(
                                type, StoredValues::text, value -> List.of(Binary.fromString((String) value))))
                        : Optional.empty();
            case UUID ->
                isFixed(stored, 16) && (logical == null || logical instanceof UUIDLogicalTypeAnnotation)
                        ? Optional.of(new StoredValues(type, StoredValues::uuid, StoredValues::uuidBytes))
                        : Optional.empty();
            case BINARY ->
                physical == PrimitiveTypeName.BINARY && logical == null ? Optional.of(bytes(type)) : Optional.empty();
            case VARIANT, UNKNOWN -> Optional.empty();
        };
    }

    /** The value of the table column; null if what is stored is none. */
    @Nullable Object value(Object stored) {
        return toValue.apply(stored);
    }

    /** The value as a bound of the table column's type; empty if it is none, as a text cut within a character. */
    Optional<Bytes> bound(Object stored) {
        try {
            Object value = value(stored);
            return value == null ? Optional.empty() : Optional.of(ValueCodec.encode(type, value));
        } catch (IllegalArgumentException e) {
            // A decimal with more digits than its type has.
            return Optional.empty();
        }
    }

    /**
     * Everything that a value equal to this one can be stored as, for bloom filters, which know no booleans; an empty list if
     * there is none, empty if that is not known.
     */
    Optional<List<Object>> stored(Object value) {
        return toStored == null ? Optional.empty() : Optional.of(toStored.apply(value));
    }

    /** The value of plain encoded bytes, as parquet-java's statistics have it; null if they are of another length. */
    static @Nullable Object plain(PrimitiveType type, ByteBuffer bytes) {
        ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int length = in.remaining();
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> length == 1 ? (Object) (in.get() != 0) : null;
            case INT32 -> length == 4 ? (Object) in.getInt() : null;
            case INT64 -> length == 8 ? (Object) in.getLong() : null;
            case FLOAT -> length == 4 ? (Object) in.getFloat() : null;
            case DOUBLE -> length == 8 ? (Object) in.getDouble() : null;
            case BINARY, FIXED_LEN_BYTE_ARRAY -> Binary.fromReusedByteBuffer(in).copy();
            case INT96 -> null;
        };
    }

    private static Optional<StoredValues> same(Type type, boolean isStoredSo) {
        return isStoredSo ? Optional.of(new StoredValues(type, value -> value, List::of)) : Optional.empty();
    }

    private static boolean isDate(PrimitiveTypeName physical, @Nullable LogicalTypeAnnotation logical) {
        return physical == PrimitiveTypeName.INT32 && logical instanceof DateLogicalTypeAnnotation;
    }

    private static boolean isTimestamp(
            PrimitiveTypeName physical, @Nullable LogicalTypeAnnotation logical, TimeUnit unit) {
        return physical == PrimitiveTypeName.INT64
                && logical instanceof TimestampLogicalTypeAnnotation timestamp
                && timestamp.getUnit() == unit;
    }

    private static boolean isFixed(PrimitiveType stored, int length) {
        return stored.getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
                && stored.getTypeLength() == length;
    }

    private static Object startOfDay(Object days) {
        return (Integer) days * MICROS_PER_DAY;
    }

    private static Object widened(Object value) {
        return (long) (Integer) value;
    }

    private static List<Object> narrowed(Object value) {
        long number = (Long) value;
        return number == (int) number ? List.of((int) number) : List.of();
    }

    private static Optional<StoredValues> doubles(Type type, PrimitiveTypeName physical) {
        if (physical == PrimitiveTypeName.DOUBLE) {
            return Optional.of(new StoredValues(type, value -> value, StoredValues::bothZeros));
        }
        return physical == PrimitiveTypeName.FLOAT
                ? Optional.of(new StoredValues(type, value -> (double) (Float) value, StoredValues::floats))
                : Optional.empty();
    }

    private static List<Object> floats(Object value) {
        double number = (Double) value;
        return (float) number == number ? bothZeros((float) number) : List.of();
    }

    private static List<Object> bothZeros(Object value) {
        if (value instanceof Float number) {
            return number == 0f ? List.of(0f, -0f) : List.of(number);
        }
        return (Double) value == 0d ? List.of(0d, -0d) : List.of(value);
    }

    private static @Nullable Object text(Object value) {
        try {
            return ValueCodec.decode(Type.Simple.STRING, Bytes.wrap(((Binary) value).getBytes()));
        } catch (InvalidTableException e) {
            // Text that is not UTF-8, which Spark lets through.
            return null;
        }
    }

    private static StoredValues bytes(Type type) {
        return new StoredValues(
                type,
                value -> Bytes.wrap(((Binary) value).getBytes()),
                value -> List.of(Binary.fromConstantByteArray(((Bytes) value).toArray())));
    }

    private static @Nullable Object uuid(Object value) {
        ByteBuffer bytes = ((Binary) value).toByteBuffer();
        return bytes.remaining() == 16
                ? new UUID(bytes.getLong(bytes.position()), bytes.getLong(bytes.position() + 8))
                : null;
    }

    private static List<Object> uuidBytes(Object value) {
        UUID uuid = (UUID) value;
        ByteBuffer bytes =
                ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
        return List.of(Binary.fromConstantByteArray(bytes.array()));
    }

    private static StoredValues decimals(Type.Decimal type, PrimitiveType stored) {
        return new StoredValues(
                type,
                value -> decimal(value, type.scale()),
                switch (stored.getPrimitiveTypeName()) {
                    case INT32 -> value -> unscaled(value, 32);
                    case INT64 -> value -> unscaled(value, 64);
                    case FIXED_LEN_BYTE_ARRAY -> value -> padded(value, stored.getTypeLength());
                    case BOOLEAN, FLOAT, DOUBLE, INT96, BINARY -> null;
                });
    }

    private static @Nullable Object decimal(Object value, int scale) {
        if (value instanceof Binary binary) {
            byte[] bytes = binary.getBytes();
            return bytes.length == 0 ? null : new BigDecimal(new BigInteger(bytes), scale);
        }
        return BigDecimal.valueOf(((Number) value).longValue(), scale);
    }

    private static List<Object> unscaled(Object value, int bits) {
        BigInteger number = ((BigDecimal) value).unscaledValue();
        if (number.bitLength() >= bits) {
            return List.of();
        }
        return bits == 32 ? List.of(number.intValue()) : List.of(number.longValue());
    }

    private static List<Object> padded(Object value, int length) {
        byte[] bytes = ((BigDecimal) value).unscaledValue().toByteArray();
        if (bytes.length > length) {
            return List.of();
        }
        var padded = new byte[length];
        Arrays.fill(padded, (byte) (bytes[0] < 0 ? -1 : 0));
        System.arraycopy(bytes, 0, padded, length - bytes.length, bytes.length);
        return List.of(Binary.fromConstantByteArray(padded));
    }
}
