package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.avro.io.Decoder;
import org.apache.avro.util.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * Avro's binary decoding of bytes in memory. Knows where it is, so that a value can be kept as it is encoded, and needs no
 * buffer of its own. Spec of Avro: Binary Encoding.
 *
 * <p>Bytes that end early are an {@link EOFException}; bytes that encode nothing are an {@link InvalidTableException}.
 */
final class BlockDecoder extends Decoder {

    private static final int LONG_BITS = 64;

    private final byte[] bytes;
    private final int end;
    private int at;

    private BlockDecoder(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
    }

    static BlockDecoder of(byte[] bytes) {
        return new BlockDecoder(bytes, 0, bytes.length);
    }

    /** Decodes part of an array, which is not copied. */
    static BlockDecoder of(byte[] bytes, int start, int end) {
        return new BlockDecoder(bytes, start, end);
    }

    /** Decodes the remaining bytes of a buffer on the heap, which are not copied. */
    static BlockDecoder of(ByteBuffer buffer) {
        int start = buffer.arrayOffset() + buffer.position();
        return new BlockDecoder(buffer.array(), start, start + buffer.remaining());
    }

    /** Index of the next byte in the array that is decoded. */
    int position() {
        return at;
    }

    boolean isEnd() {
        return at == end;
    }

    /** A copy of part of what is decoded, whether it was read yet or not. */
    byte[] copy(int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    private byte next() throws EOFException {
        if (at >= end) {
            throw new EOFException("the bytes end within a value");
        }
        return bytes[at++];
    }

    /** Moves on by as many bytes as a length says, and returns where they begin. */
    private int take(long length) throws EOFException {
        if (length < 0) {
            throw new InvalidTableException("A length must be 0 or more, not " + length + ".");
        }
        if (length > end - at) {
            throw new EOFException("the bytes end within a value of " + length);
        }
        int start = at;
        at += (int) length;
        return start;
    }

    @Override
    public void readNull() {
        // Takes no byte.
    }

    @Override
    public boolean readBoolean() throws EOFException {
        return next() == 1;
    }

    @Override
    public int readInt() throws EOFException {
        long value = readLong();
        if (value != (int) value) {
            throw new InvalidTableException("An int must have 32 bits, but is " + value + ".");
        }
        return (int) value;
    }

    @Override
    public long readLong() throws EOFException {
        long zigzag = next();
        if (zigzag >= 0) {
            return (zigzag >>> 1) ^ -(zigzag & 1);
        }
        zigzag &= 0x7f;
        for (int shift = 7; shift < LONG_BITS; shift += 7) {
            byte part = next();
            zigzag |= (part & 0x7fL) << shift;
            if (part >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw new InvalidTableException("A long must end after 10 bytes.");
    }

    /** Passes over an int or long. */
    void skipLong() throws EOFException {
        for (int length = 1; next() < 0; length++) {
            if (length * 7 >= LONG_BITS) {
                throw new InvalidTableException("A long must end after 10 bytes.");
            }
        }
    }

    @Override
    public float readFloat() throws EOFException {
        return littleEndian(Float.BYTES).getFloat();
    }

    @Override
    public double readDouble() throws EOFException {
        return littleEndian(Double.BYTES).getDouble();
    }

    private ByteBuffer littleEndian(int length) throws EOFException {
        return ByteBuffer.wrap(bytes, take(length), length).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public Utf8 readString(@Nullable Utf8 old) throws EOFException {
        return new Utf8(readString());
    }

    @Override
    public String readString() throws EOFException {
        int start = take(readLong());
        return new String(bytes, start, at - start, StandardCharsets.UTF_8);
    }

    @Override
    public void skipString() throws EOFException {
        skipBytes();
    }

    @Override
    public ByteBuffer readBytes(@Nullable ByteBuffer old) throws EOFException {
        return ByteBuffer.wrap(readBytes());
    }

    /** The content of a value of Avro's type {@code bytes}. */
    byte[] readBytes() throws EOFException {
        int start = take(readLong());
        return copy(start, at);
    }

    @Override
    public void skipBytes() throws EOFException {
        take(readLong());
    }

    @Override
    public void readFixed(byte[] target, int start, int length) throws EOFException {
        System.arraycopy(bytes, take(length), target, start, length);
    }

    @Override
    public void skipFixed(int length) throws EOFException {
        take(length);
    }

    @Override
    public int readEnum() throws EOFException {
        return readInt();
    }

    @Override
    public int readIndex() throws EOFException {
        return readInt();
    }

    /** Items that take no bytes are in no file of a table, so there are no more items than bytes. */
    @Override
    public long readArrayStart() throws EOFException {
        long count = readLong();
        if (count < 0) {
            skipLong();
            count = Math.negateExact(count);
        }
        return checkedCount(count);
    }

    private long checkedCount(long count) throws EOFException {
        if (count > end - at) {
            throw new EOFException("the bytes end within an array of " + count + " items");
        }
        return count;
    }

    @Override
    public long arrayNext() throws EOFException {
        return readArrayStart();
    }

    /** Passes over blocks that say their length; the number of items of the first one that does not, 0 at the end. */
    @Override
    public long skipArray() throws EOFException {
        long count = readLong();
        while (count < 0) {
            take(readLong());
            count = readLong();
        }
        return checkedCount(count);
    }

    @Override
    public long readMapStart() throws EOFException {
        return readArrayStart();
    }

    @Override
    public long mapNext() throws EOFException {
        return readArrayStart();
    }

    @Override
    public long skipMap() throws EOFException {
        return skipArray();
    }
}
