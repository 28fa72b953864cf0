package dev.calve.spark.read;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** The bytes of one key at a time, in an array that is used again for the next. */
final class KeyBytes {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes = new byte[64];
    private int length;

    /** The key is in the first {@link #length} of them. */
    byte[] array() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    void addByte(int value) {
        makeRoom(1);
        bytes[length++] = (byte) value;
    }

    void addLong(long value) {
        makeRoom(Long.BYTES);
        LONGS.set(bytes, length, value);
        length += Long.BYTES;
    }

    void addBytes(byte[] value) {
        addLength(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
    }

    void addText(UTF8String value) {
        addLength(value.numBytes());
        value.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + length);
        length += value.numBytes();
    }

    private void addLength(int count) {
        makeRoom(Integer.BYTES + (long) count);
        INTS.set(bytes, length, count);
        length += Integer.BYTES;
    }

    private void makeRoom(long count) {
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.max(length + count, 2L * length)));
        }
    }
}
