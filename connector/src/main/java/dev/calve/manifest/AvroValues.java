package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * Values of primitive types in Avro: how each is declared, written and read. Spec: Appendix A, Avro.
 *
 * <p>A reader is made from the schema the file was written with and the type that is wanted, so that every legal spelling
 * is accepted (a union in either order, a day as a plain int, an int where a long is wanted now).
 */
final class AvroValues {

    private AvroValues() {}

    /** Writes a value that is not null. */
    @FunctionalInterface
    interface Writer {
        void write(Object value, Encoder out) throws IOException;
    }

    /** Reads a value; null only where the written schema allows it. */
    @FunctionalInterface
    interface Reader {
        @Nullable Object read(BlockDecoder in) throws IOException;
    }

    /** How a value of the type is declared in a file of ours. */
    static Schema schema(Type type) {
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> Schema.create(Schema.Type.BOOLEAN);
                case INT -> Schema.create(Schema.Type.INT);
                case DATE -> logical(Schema.create(Schema.Type.INT), "date");
                case LONG -> Schema.create(Schema.Type.LONG);
                case TIME -> logical(Schema.create(Schema.Type.LONG), "time-micros");
                case TIMESTAMP -> timestamp("timestamp-micros", false);
                case TIMESTAMPTZ -> timestamp("timestamp-micros", true);
                case TIMESTAMP_NS -> timestamp("timestamp-nanos", false);
                case TIMESTAMPTZ_NS -> timestamp("timestamp-nanos", true);
                case FLOAT -> Schema.create(Schema.Type.FLOAT);
                case DOUBLE -> Schema.create(Schema.Type.DOUBLE);
                case STRING -> Schema.create(Schema.Type.STRING);
                case UUID -> logical(Schema.createFixed("uuid_fixed", null, null, 16), "uuid");
                case BINARY -> Schema.create(Schema.Type.BYTES);
                case UNKNOWN -> Schema.create(Schema.Type.NULL);
                case VARIANT -> throw notPartitionable(type);
            };
        }
        if (type instanceof Type.Fixed fixed) {
            return Schema.createFixed("fixed_" + fixed.length(), null, null, fixed.length());
        }
        if (type instanceof Type.Decimal decimal) {
            String name = "decimal_" + decimal.precision() + "_" + decimal.scale();
            Schema schema = logical(Schema.createFixed(name, null, null, decimalBytes(decimal.precision())), "decimal");
            schema.addProp("precision", (Object) decimal.precision());
            schema.addProp("scale", (Object) decimal.scale());
            return schema;
        }
        throw notPartitionable(type);
    }

    private static Schema logical(Schema schema, String logicalType) {
        schema.addProp("logicalType", logicalType);
        return schema;
    }

    private static Schema timestamp(String logicalType, boolean adjustToUtc) {
        Schema schema = logical(Schema.create(Schema.Type.LONG), logicalType);
        schema.addProp("adjust-to-utc", (Object) adjustToUtc);
        return schema;
    }

    private static IllegalArgumentException notPartitionable(Type type) {
        return new IllegalArgumentException(
                "A partition value must be of a type a transform can yield, not " + type + ".");
    }

    /** The fewest bytes that hold every unscaled value of the precision. */
    static int decimalBytes(int precision) {
        return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength() / 8 + 1;
    }

    /** Writes values of the class the schema package names for the type; narrower numbers are widened. */
    static Writer writer(Type type) {
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> (value, out) -> out.writeBoolean((Boolean) value);
                case INT, DATE -> (value, out) -> out.writeInt((Integer) value);
                case LONG, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                    (value, out) -> out.writeLong((Long) coerce(type, value));
                case FLOAT -> (value, out) -> out.writeFloat((Float) value);
                case DOUBLE -> (value, out) -> out.writeDouble((Double) coerce(type, value));
                case STRING -> (value, out) -> out.writeString((String) value);
                case UUID -> AvroValues::writeUuid;
                case BINARY -> (value, out) -> out.writeBytes(((Bytes) value).toBuffer());
                case UNKNOWN ->
                    (value, out) -> {
                        throw new IllegalArgumentException(
                                "A partition value whose source field is gone must be null or be "
                                        + "written with the type it had, not '" + value + "' as unknown.");
                    };
                case VARIANT -> throw notPartitionable(type);
            };
        }
        if (type instanceof Type.Fixed fixed) {
            return (value, out) -> writeFixed((Bytes) value, fixed.length(), out);
        }
        if (type instanceof Type.Decimal decimal) {
            int length = decimalBytes(decimal.precision());
            return (value, out) -> writeDecimal((BigDecimal) value, decimal, length, out);
        }
        throw notPartitionable(type);
    }

    private static void writeUuid(Object value, Encoder out) throws IOException {
        var uuid = (UUID) value;
        out.writeFixed(ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array());
    }

    private static void writeFixed(Bytes value, int length, Encoder out) throws IOException {
        if (value.length() != length) {
            throw new IllegalArgumentException(
                    "A fixed[" + length + "] value must have that length, not " + value.length() + ".");
        }
        out.writeFixed(value.toArray());
    }

    private static void writeDecimal(BigDecimal value, Type.Decimal type, int length, Encoder out) throws IOException {
        if (value.scale() != type.scale() || value.precision() > type.precision()) {
            throw new IllegalArgumentException(
                    "A value of " + type + " must have its scale and fit, not " + value + ".");
        }
        byte[] digits = value.unscaledValue().toByteArray();
        var padded = new byte[length];
        if (digits[0] < 0) {
            Arrays.fill(padded, (byte) 0xff);
        }
        System.arraycopy(digits, 0, padded, length - digits.length, digits.length);
        out.writeFixed(padded);
    }

    /** The value as the type's own class: an int as a long, a float as a double, where a column was promoted since. */
    static Object coerce(Type type, Object value) {
        if (value instanceof Integer number && type != Type.Simple.INT && type != Type.Simple.DATE) {
            return type == Type.Simple.UNKNOWN ? value : (Object) number.longValue();
        }
        if (value instanceof Float number && type == Type.Simple.DOUBLE) {
            return number.doubleValue();
        }
        return value;
    }

    /** Reads what was written with a schema, through a union of any order, as values of the wanted type. */
    static Reader reader(Schema written, Type wanted) {
        return throughUnion(written, branch -> branchReader(branch, wanted));
    }

    /** Resolves unions; {@code reader} makes the reader of one branch that is not null. */
    static Reader throughUnion(Schema written, Function<Schema, Reader> reader) {
        if (written.getType() != Schema.Type.UNION) {
            return written.getType() == Schema.Type.NULL ? AvroValues::readNull : reader.apply(written);
        }
        var branches = new Reader[written.getTypes().size()];
        for (int i = 0; i < branches.length; i++) {
            Schema branch = written.getTypes().get(i);
            branches[i] = branch.getType() == Schema.Type.NULL ? AvroValues::readNull : reader.apply(branch);
        }
        return in -> branches[in.readIndex()].read(in);
    }

    /**
     * Reads a partition value.
     *
     * @param prefixed whether a plain {@code fixed} is preceded by its length, as some writers have it against Avro's rules
     */
    static Reader partitionReader(Schema written, Type wanted, boolean prefixed) {
        return throughUnion(
                written,
                branch -> prefixed && isPlainFixed(branch)
                        ? in -> readPrefixed(branch.getFixedSize(), in)
                        : branchReader(branch, wanted));
    }

    /** Whether the schema, or a branch of it, is a {@code fixed} that is neither a decimal nor a uuid. */
    static boolean isPlainFixed(Schema written) {
        if (written.getType() == Schema.Type.UNION) {
            return written.getTypes().stream().anyMatch(AvroValues::isPlainFixed);
        }
        return written.getType() == Schema.Type.FIXED && written.getProp("logicalType") == null;
    }

    private static Bytes readPrefixed(int length, BlockDecoder in) throws IOException {
        byte[] content = in.readBytes();
        if (content.length != length) {
            throw new InvalidTableException(
                    "A fixed value must have " + length + " bytes, not " + content.length + ".");
        }
        return Bytes.wrap(content);
    }

    private static @Nullable Object readNull(BlockDecoder in) throws IOException {
        in.readNull();
        return null;
    }

    private static Reader branchReader(Schema written, Type wanted) {
        boolean any = wanted == Type.Simple.UNKNOWN;
        switch (written.getType()) {
            case BOOLEAN -> {
                if (any || wanted == Type.Simple.BOOLEAN) {
                    return BlockDecoder::readBoolean;
                }
            }
            case INT -> {
                if (any || wanted == Type.Simple.INT || wanted == Type.Simple.DATE) {
                    return BlockDecoder::readInt;
                }
                if (isLong(wanted)) {
                    return in -> (long) in.readInt();
                }
            }
            case LONG -> {
                if (any || isLong(wanted)) {
                    return BlockDecoder::readLong;
                }
                if (wanted == Type.Simple.INT || wanted == Type.Simple.DATE) {
                    return in -> Math.toIntExact(in.readLong());
                }
            }
            case FLOAT -> {
                if (any || wanted == Type.Simple.FLOAT) {
                    return BlockDecoder::readFloat;
                }
                if (wanted == Type.Simple.DOUBLE) {
                    return in -> (double) in.readFloat();
                }
            }
            case DOUBLE -> {
                if (any || wanted == Type.Simple.DOUBLE) {
                    return BlockDecoder::readDouble;
                }
            }
            case STRING -> {
                if (any || wanted == Type.Simple.STRING) {
                    return BlockDecoder::readString;
                }
            }
            case BYTES, FIXED -> {
                return bytesReader(written, wanted);
            }
            default -> {}
        }
        throw mismatch(written, wanted);
    }

    private static boolean isLong(Type type) {
        return type == Type.Simple.LONG
                || type == Type.Simple.TIME
                || type == Type.Simple.TIMESTAMP
                || type == Type.Simple.TIMESTAMPTZ
                || type == Type.Simple.TIMESTAMP_NS
                || type == Type.Simple.TIMESTAMPTZ_NS;
    }

    private static Reader bytesReader(Schema written, Type wanted) {
        boolean any = wanted == Type.Simple.UNKNOWN;
        String logicalType = written.getProp("logicalType");
        if (wanted instanceof Type.Decimal || (any && "decimal".equals(logicalType))) {
            int scale = written.getObjectProp("scale") instanceof Number number
                    ? number.intValue()
                    : wanted instanceof Type.Decimal decimal ? decimal.scale() : 0;
            return in -> new BigDecimal(new BigInteger(readBytes(written, in)), scale);
        }
        if (written.getType() == Schema.Type.FIXED && written.getFixedSize() == 16) {
            if (wanted == Type.Simple.UUID || (any && "uuid".equals(logicalType))) {
                return in -> {
                    var buffer = ByteBuffer.wrap(readBytes(written, in));
                    return new UUID(buffer.getLong(), buffer.getLong());
                };
            }
        }
        if (any || wanted == Type.Simple.BINARY || wanted instanceof Type.Fixed) {
            return in -> Bytes.wrap(readBytes(written, in));
        }
        throw mismatch(written, wanted);
    }

    private static byte[] readBytes(Schema written, BlockDecoder in) throws IOException {
        if (written.getType() == Schema.Type.FIXED) {
            var content = new byte[written.getFixedSize()];
            in.readFixed(content);
            return content;
        }
        return in.readBytes();
    }

    private static InvalidTableException mismatch(Schema written, Type wanted) {
        return new InvalidTableException(
                "An Avro field must be readable as " + wanted + ", not be declared " + written + ".");
    }
}
