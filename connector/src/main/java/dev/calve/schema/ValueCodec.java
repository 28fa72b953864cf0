package dev.calve.schema;

import dev.calve.io.InvalidTableException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Single values as bytes, the form of bounds in manifests and manifest lists. Spec: Appendix D, Binary single-value
 * serialization.
 *
 * <pre>
 * boolean                                  1 byte, 0 is false
 * int, date                                4 bytes, little-endian
 * long, time, timestamps                   8 bytes, little-endian
 * float, double                            4 or 8 bytes of IEEE 754, little-endian
 * string                                   UTF-8
 * uuid                                     16 bytes, big-endian
 * fixed, binary, variant, geometry, …      as they are; a bound of fixed can be shorter than the type
 * decimal                                  unscaled value, two's complement, big-endian, fewest bytes
 * </pre>
 */
public final class ValueCodec {

    private static final char REPLACEMENT = '\uFFFD';

    private ValueCodec() {}

    /**
     * Serializes a value of the class the package names for the type.
     *
     * @throws IllegalArgumentException if the value is of another class, does not fit the type or the type has no such form
     */
    public static Bytes encode(Type type, Object value) {
        try {
            return Bytes.wrap(bytes(type, value));
        } catch (ClassCastException | ArithmeticException e) {
            throw new IllegalArgumentException("Value must be one of type " + type + ", not '" + value + "' of "
                    + value.getClass().getName() + ".");
        }
    }

    private static byte[] bytes(Type type, Object value) {
        if (type instanceof Type.Decimal decimal) {
            var fitted = ((BigDecimal) value).setScale(decimal.scale(), RoundingMode.UNNECESSARY);
            if (fitted.precision() > decimal.precision()) {
                throw new ArithmeticException();
            }
            return fitted.unscaledValue().toByteArray();
        }
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> new byte[] {(byte) ((Boolean) value ? 1 : 0)};
                case INT, DATE -> littleEndian(4).putInt((Integer) value).array();
                case LONG, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                    littleEndian(8).putLong((Long) value).array();
                case FLOAT -> littleEndian(4).putFloat((Float) value).array();
                case DOUBLE -> littleEndian(8).putDouble((Double) value).array();
                case STRING -> utf8((String) value);
                case UUID -> bigEndian((UUID) value);
                case BINARY, VARIANT -> ((Bytes) value).toArray();
                case UNKNOWN -> throw hasNoValues(type);
            };
        }
        if (type instanceof Type.Nested) {
            throw hasNoValues(type);
        }
        var bytes = (Bytes) value;
        if (type instanceof Type.Fixed fixed && bytes.length() > fixed.length()) {
            throw new ArithmeticException();
        }
        return bytes.toArray();
    }

    /**
     * Reads a value back. Bytes written before the type was promoted are read as the promoted type: long from an int's
     * bytes, double from a float's, timestamps without zone from a date's.
     *
     * @throws InvalidTableException if the bytes are not a value of the type
     * @throws IllegalArgumentException if the type has no such form
     */
    public static Object decode(Type type, Bytes bytes) {
        if (type instanceof Type.Decimal decimal) {
            if (bytes.length() == 0) {
                throw wrongLength(type, "1 or more", bytes);
            }
            return new BigDecimal(new BigInteger(bytes.toArray()), decimal.scale());
        }
        if (type instanceof Type.Fixed fixed) {
            if (bytes.length() > fixed.length()) {
                throw wrongLength(type, "at most " + fixed.length(), bytes);
            }
            return bytes;
        }
        if (type instanceof Type.Simple simple) {
            return decodeSimple(simple, bytes);
        }
        if (type instanceof Type.Nested) {
            throw hasNoValues(type);
        }
        return bytes;
    }

    private static Object decodeSimple(Type.Simple type, Bytes bytes) {
        return switch (type) {
            case BOOLEAN -> littleEndian(type, 1, bytes).get() != 0;
            case INT, DATE -> littleEndian(type, 4, bytes).getInt();
            case LONG -> bytes.length() == 4 ? (long) intOf(bytes) : longOf(type, bytes);
            case TIMESTAMP, TIMESTAMP_NS -> bytes.length() == 4 ? startOfDay(type, intOf(bytes)) : longOf(type, bytes);
            case TIME, TIMESTAMPTZ, TIMESTAMPTZ_NS -> longOf(type, bytes);
            case FLOAT -> littleEndian(type, 4, bytes).getFloat();
            case DOUBLE ->
                bytes.length() == 4
                        ? (double) littleEndian(type, 4, bytes).getFloat()
                        : littleEndian(type, 8, bytes).getDouble();
            case STRING -> text(bytes);
            case UUID -> uuid(littleEndian(type, 16, bytes).order(ByteOrder.BIG_ENDIAN));
            case BINARY, VARIANT -> bytes;
            case UNKNOWN -> throw hasNoValues(type);
        };
    }

    private static int intOf(Bytes bytes) {
        return bytes.toBuffer().order(ByteOrder.LITTLE_ENDIAN).getInt();
    }

    private static long longOf(Type type, Bytes bytes) {
        return littleEndian(type, 8, bytes).getLong();
    }

    private static UUID uuid(ByteBuffer bigEndian) {
        return new UUID(bigEndian.getLong(), bigEndian.getLong());
    }

    private static long startOfDay(Type.Simple type, int days) {
        try {
            return Math.multiplyExact((long) days, TimeText.perDay(type == Type.Simple.TIMESTAMP_NS));
        } catch (ArithmeticException e) {
            throw new InvalidTableException(
                    "Day " + days + " must be in the range of type " + type + ", but is not.", e);
        }
    }

    private static ByteBuffer littleEndian(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] bigEndian(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private static byte[] utf8(String text) {
        try {
            ByteBuffer buffer = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            var bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "Text must be valid Unicode, but has a lone surrogate: '" + text + "'.", e);
        }
    }

    private static String text(Bytes bytes) {
        var text = new String(bytes.toArray(), StandardCharsets.UTF_8);
        // A replaced byte could move a bound to the wrong side of a value, so what is not UTF-8 is refused.
        if (text.indexOf(REPLACEMENT) >= 0) {
            try {
                StandardCharsets.UTF_8.newDecoder().decode(bytes.toBuffer());
            } catch (CharacterCodingException e) {
                throw new InvalidTableException("String must be valid UTF-8, not the bytes " + bytes + ".", e);
            }
        }
        return text;
    }

    private static ByteBuffer littleEndian(Type type, int length, Bytes bytes) {
        if (bytes.length() != length) {
            throw wrongLength(type, Integer.toString(length), bytes);
        }
        return bytes.toBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static InvalidTableException wrongLength(Type type, String expected, Bytes bytes) {
        return new InvalidTableException("Value of type " + type + " must have " + expected + " bytes, not "
                + bytes.length() + ": " + bytes.prefix(64) + ".");
    }

    private static IllegalArgumentException hasNoValues(Type type) {
        return new IllegalArgumentException("Single values must be of a primitive type with values, not " + type + ".");
    }
}
