package dev.calve.parquet;

/** A mutable view of a part of an array, filled by a {@link RowReader} and valid until it is filled again. */
public final class ByteSlice {

    private static final byte[] EMPTY = new byte[0];

    private byte[] array = EMPTY;
    private int offset;
    private int length;

    /** Points to the array without copying; it must not change before the value is written. */
    public void set(byte[] newArray, int newOffset, int newLength) {
        array = newArray;
        offset = newOffset;
        length = newLength;
    }

    public void set(byte[] newArray) {
        set(newArray, 0, newArray.length);
    }

    public byte[] array() {
        return array;
    }

    public int offset() {
        return offset;
    }

    /** In bytes. */
    public int length() {
        return length;
    }
}
