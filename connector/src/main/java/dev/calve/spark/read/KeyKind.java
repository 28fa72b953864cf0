package dev.calve.spark.read;

import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * How a column's values are part of a key, for the types whose equal values have equal bytes: not floating numbers, of which
 * Spark takes zeros of either sign for equal, and not UUIDs, which Spark compares as text.
 */
enum KeyKind {
    INTEGER,
    BOOLEAN,
    DECIMAL,
    TEXT,
    BINARY;

    static Optional<KeyKind> of(Type type) {
        if (type == Type.Simple.INT
                || type == Type.Simple.LONG
                || type == Type.Simple.DATE
                || type == Type.Simple.TIMESTAMP
                || type == Type.Simple.TIMESTAMPTZ) {
            return Optional.of(INTEGER);
        }
        if (type == Type.Simple.BOOLEAN) {
            return Optional.of(BOOLEAN);
        }
        if (type instanceof Type.Decimal) {
            return Optional.of(DECIMAL);
        }
        if (type == Type.Simple.STRING) {
            return Optional.of(TEXT);
        }
        return type == Type.Simple.BINARY ? Optional.of(BINARY) : Optional.empty();
    }

    /** Adds a value of Spark's internal rows that is not null, as {@link KeyCell} spells it. */
    void write(Object value, KeyBytes out) {
        out.addByte(1);
        switch (this) {
            case INTEGER -> out.addLong(((Number) value).longValue());
            case BOOLEAN -> out.addByte((Boolean) value ? 1 : 0);
            case DECIMAL -> {
                BigInteger unscaled = ((Decimal) value).toJavaBigDecimal().unscaledValue();
                out.addLong(unscaled.shiftRight(Long.SIZE).longValue());
                out.addLong(unscaled.longValue());
            }
            case TEXT -> out.addText((UTF8String) value);
            case BINARY -> out.addBytes((byte[]) value);
        }
    }

    /**
     * Reads what {@link #write} wrote, as {@code schema} represents values of the type.
     *
     * @param bytes little endian, at a value; afterwards behind it
     * @return empty for a value no column of the type has, or that is no text
     */
    Optional<Object> read(ByteBuffer bytes, Type type) {
        bytes.get();
        return switch (this) {
            case INTEGER -> integer(bytes.getLong(), type);
            case BOOLEAN -> Optional.of(bytes.get() == 1);
            case DECIMAL -> {
                BigInteger high = BigInteger.valueOf(bytes.getLong()).shiftLeft(Long.SIZE);
                BigInteger low = new BigInteger(1, bigEndian(bytes.getLong()));
                yield Optional.of(new BigDecimal(high.add(low), ((Type.Decimal) type).scale()));
            }
            case TEXT -> {
                UTF8String text = UTF8String.fromBytes(run(bytes));
                yield text.isValid() ? Optional.of(text.toString()) : Optional.empty();
            }
            case BINARY -> Optional.of(Bytes.copyOf(run(bytes)));
        };
    }

    /** A value of a column of integers; empty if it has no such. */
    static Optional<Object> integer(long value, Type type) {
        if (type != Type.Simple.INT && type != Type.Simple.DATE) {
            return Optional.of(value);
        }
        return value == (int) value ? Optional.of((int) value) : Optional.empty();
    }

    private static byte[] bigEndian(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] run(ByteBuffer bytes) {
        byte[] run = new byte[bytes.getInt()];
        bytes.get(run);
        return run;
    }
}
