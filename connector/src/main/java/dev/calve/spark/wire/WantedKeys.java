package dev.calve.spark.wire;

import dev.calve.deletes.EncodedKeys;
import dev.calve.deletes.KeyTable;
import dev.calve.deletes.LongKeys;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The distinct keys of rows somebody looks for, none of which has a null in it. Little endian:
 *
 * <pre>
 * a key that is one integer   8 bytes
 * any other                   4 bytes number of bytes, the bytes
 * </pre>
 *
 * <p>Meant to be broadcast: the table of the keys is built once for all tasks of an executor.
 */
public final class WantedKeys implements Serializable {

    private static final long serialVersionUID = 1L;

    private final int[] fieldIds;
    private final boolean integers;
    private final byte[] keys;

    private transient @Nullable KeyTable table;

    /**
     * Keys by the ids of their columns.
     *
     * @param integers whether a key is one integer
     * @param keys must not be changed any more
     */
    public WantedKeys(List<Integer> fieldIds, boolean integers, byte[] keys) {
        this.fieldIds = fieldIds.stream().mapToInt(Integer::intValue).toArray();
        this.integers = integers;
        this.keys = keys;
    }

    /** Ids of the columns that are the key, in the order of its parts. */
    public List<Integer> fieldIds() {
        return Arrays.stream(fieldIds).boxed().toList();
    }

    /** The keys, to be looked up; all of rank 0. */
    public synchronized KeyTable table() {
        if (table == null) {
            table = integers ? integerTable() : encodedTable();
        }
        return table;
    }

    private KeyTable integerTable() {
        ByteBuffer buffer = buffer(keys);
        var integerKeys = new LongKeys(keys.length / Long.BYTES);
        while (buffer.hasRemaining()) {
            integerKeys.put(buffer.getLong(), 0);
        }
        return integerKeys;
    }

    private KeyTable encodedTable() {
        ByteBuffer buffer = buffer(keys);
        var encodedKeys = new EncodedKeys(keys.length / (2 * Long.BYTES));
        while (buffer.hasRemaining()) {
            byte[] key = new byte[buffer.getInt()];
            buffer.get(key);
            encodedKeys.put(key, key.length, 0);
        }
        return encodedKeys;
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
