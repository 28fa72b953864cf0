package dev.calve.spark.read;

import dev.calve.deletes.EncodedKeys;
import dev.calve.deletes.KeyTable;
import dev.calve.deletes.LongKeys;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Distinct keys, as they come, up to a bound of bytes. The bytes are those of {@link dev.calve.spark.wire.WantedKeys}. */
final class KeyList {

    private final List<KeyKind> kinds;
    private final long mostBytes;
    private final KeyTable known;
    private final KeyBytes key = new KeyBytes();
    private byte[] bytes = new byte[1 << 10];
    private int length;

    /** @param mostBytes of all keys together; no more than an array can have */
    KeyList(List<KeyKind> kinds, long mostBytes) {
        this.kinds = List.copyOf(kinds);
        this.mostBytes = mostBytes;
        this.known = isOneInteger(kinds) ? new LongKeys(0) : new EncodedKeys(0);
    }

    static boolean isOneInteger(List<KeyKind> kinds) {
        return kinds.size() == 1 && kinds.get(0) == KeyKind.INTEGER;
    }

    /**
     * Adds a key, unless one of its values is null.
     *
     * @param values as Spark's internal rows hold them
     * @return false if there is no room; then the list must not be used any more
     */
    boolean add(@Nullable Object... values) {
        for (Object value : values) {
            if (value == null) {
                return true;
            }
        }
        if (known instanceof LongKeys) {
            return addInteger(((Number) values[0]).longValue());
        }
        key.clear();
        for (int i = 0; i < values.length; i++) {
            kinds.get(i).write(values[i], key);
        }
        return addEncoded(key.array(), key.length());
    }

    /**
     * Adds the keys of another list of the same kinds.
     *
     * @return false if there is no room
     */
    boolean addAll(byte[] others) {
        ByteBuffer buffer = buffer(others);
        BooleanSupplier next = known instanceof LongKeys
                ? () -> addInteger(buffer.getLong())
                : () -> {
                    byte[] other = new byte[buffer.getInt()];
                    buffer.get(other);
                    return addEncoded(other, other.length);
                };
        while (buffer.hasRemaining()) {
            if (!next.getAsBoolean()) {
                return false;
            }
        }
        return true;
    }

    private boolean addInteger(long value) {
        var integers = (LongKeys) known;
        if (integers.rank(value) != KeyTable.ABSENT) {
            return true;
        }
        integers.put(value, 0);
        if (!makeRoom(Long.BYTES)) {
            return false;
        }
        buffer(bytes).putLong(length, value);
        length += Long.BYTES;
        return true;
    }

    private boolean addEncoded(byte[] encoded, int size) {
        var keys = (EncodedKeys) known;
        if (keys.rank(encoded, size) != KeyTable.ABSENT) {
            return true;
        }
        keys.put(encoded, size, 0);
        if (!makeRoom(Integer.BYTES + (long) size)) {
            return false;
        }
        buffer(bytes).putInt(length, size);
        System.arraycopy(encoded, 0, bytes, length + Integer.BYTES, size);
        length += Integer.BYTES + size;
        return true;
    }

    private boolean makeRoom(long more) {
        if (length + more > mostBytes) {
            return false;
        }
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.min(mostBytes, Math.max(length + more, 2L * length))));
        }
        return true;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
