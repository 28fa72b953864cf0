package dev.calve.schema;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** An immutable byte string with value equality, ordered as unsigned bytes, shorter first where one is a prefix. */
public final class Bytes implements Comparable<Bytes> {

    private final byte[] content;

    private Bytes(byte[] content) {
        this.content = content;
    }

    /** Copies the array. */
    public static Bytes copyOf(byte[] content) {
        return new Bytes(content.clone());
    }

    /** Takes the array over; the caller must not change it afterwards. */
    public static Bytes wrap(byte[] content) {
        return new Bytes(content);
    }

    /** Copies the remaining bytes of the buffer, whose position stays. */
    public static Bytes copyOf(ByteBuffer buffer) {
        var content = new byte[buffer.remaining()];
        buffer.duplicate().get(content);
        return new Bytes(content);
    }

    public int length() {
        return content.length;
    }

    public byte at(int index) {
        return content[index];
    }

    /** A copy of the content. */
    public byte[] toArray() {
        return content.clone();
    }

    /** A read-only view, big-endian, from the first byte. */
    public ByteBuffer toBuffer() {
        return ByteBuffer.wrap(content).asReadOnlyBuffer();
    }

    public Bytes prefix(int length) {
        return length >= content.length ? this : new Bytes(Arrays.copyOf(content, length));
    }

    public boolean startsWith(Bytes prefix) {
        return content.length >= prefix.content.length
                && Arrays.equals(content, 0, prefix.content.length, prefix.content, 0, prefix.content.length);
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(content, other.content);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && Arrays.equals(content, bytes.content);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(content);
    }

    /** Lower-case hexadecimal digits, two a byte. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(content);
    }
}
