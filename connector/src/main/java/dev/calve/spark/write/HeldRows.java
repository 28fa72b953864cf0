package dev.calve.spark.write;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * The first rows of a task, held back as bytes: a task that gets no more of them hands them to the driver, which writes
 * those of all tasks into one file. Memory: the limit.
 *
 * <pre>
 * for each row: int length, bytes of an UnsafeRow
 * </pre>
 */
public final class HeldRows {

    private final UnsafeProjection projection;
    private final int limitBytes;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Takes a row. */
    @FunctionalInterface
    public interface Taker {
        void take(InternalRow row) throws IOException;
    }

    /**
     * Holds nothing yet.
     *
     * @param rows type of the rows
     * @param limitBytes most bytes to be held
     */
    public HeldRows(StructType rows, int limitBytes) {
        this.projection = UnsafeProjection.create(rows);
        this.limitBytes = limitBytes;
    }

    /** Holds a copy of the row; false if there is no room for it. */
    public boolean offer(InternalRow row) throws IOException {
        UnsafeRow encoded = row instanceof UnsafeRow unsafe ? unsafe : projection.apply(row);
        if (bytes.size() + Integer.BYTES + encoded.getSizeInBytes() > limitBytes) {
            return false;
        }
        new DataOutputStream(bytes).writeInt(encoded.getSizeInBytes());
        encoded.writeToStream(bytes, new byte[0]);
        return true;
    }

    /** The rows held, to be read by {@link #forEach}. */
    public byte[] toBytes() {
        return bytes.toByteArray();
    }

    /**
     * Reads rows back, in their order.
     *
     * @param held what {@link #toBytes} returned
     * @param columns number of columns of a row
     * @param taker may keep a row: each is an object of its own
     */
    public static void forEach(byte[] held, int columns, Taker taker) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(held));
        while (in.available() > 0) {
            byte[] bytes = in.readNBytes(in.readInt());
            var row = new UnsafeRow(columns);
            row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
            taker.take(row);
        }
    }
}
