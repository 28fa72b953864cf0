package dev.calve.deletes;

import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import org.roaringbitmap.RoaringBitmap;

/**
 * The portable format of 64-bit Roaring bitmaps, little endian throughout: 8 bytes number of keys, then per key, strictly
 * ascending, 4 bytes key and a 32-bit bitmap.
 *
 * <p>A 32-bit bitmap is checked here completely before the library decodes it. The library takes container keys,
 * cardinalities and the order of values on trust, and would answer wrongly later instead of failing now.
 *
 * <p>Spec: Roaring format specification, including its extension for 64-bit implementations.
 */
final class PortableFormat {

    private static final int COOKIE_WITHOUT_RUNS = 12346;
    private static final int COOKIE_WITH_RUNS = 12347;
    private static final int MOST_CONTAINERS = 1 << 16;
    private static final int MOST_ARRAY_VALUES = 4096;
    private static final int BITMAP_LONGS = 1024;

    /** Bitmaps with runs and fewer containers than this have no offsets. */
    private static final int FEWEST_CONTAINERS_WITH_OFFSETS = 4;

    private static final int EMPTY_BITMAP_BYTES = 8;

    private PortableFormat() {}

    /**
     * Writes a set between two gaps of zeros that the caller fills.
     *
     * @param everyKey also writes empty bitmaps for keys below the largest that have no positions
     * @throws IllegalArgumentException if an array cannot be so long
     */
    static byte[] write(PositionBitmap positions, boolean everyKey, int gapBefore, int gapAfter) {
        int count = positions.size();
        long keys = count == 0 || !everyKey ? count : positions.key(count - 1) + 1L;
        long length = gapBefore + Long.BYTES + (keys - count) * (Integer.BYTES + EMPTY_BITMAP_BYTES) + gapAfter;
        for (int i = 0; i < count; i++) {
            length += Integer.BYTES + (long) positions.bitmap(i).serializedSizeInBytes();
        }
        if (length > Integer.MAX_VALUE - Long.BYTES) {
            throw new IllegalArgumentException(
                    "Row positions " + positions + " must fit into 2 GiB when written, but need " + length + " bytes.");
        }
        var buffer = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.position(gapBefore).putLong(keys);
        int next = 0;
        for (int i = 0; i < count; i++) {
            int key = positions.key(i);
            for (; everyKey && next < key; next++) {
                buffer.putInt(next).putInt(COOKIE_WITHOUT_RUNS).putInt(0);
            }
            next = key + 1;
            buffer.putInt(key);
            positions.bitmap(i).serialize(buffer);
        }
        return buffer.array();
    }

    /**
     * Reads a set from exactly the bytes {@code [from, to)}.
     *
     * @param what what the bytes are and where they are from, for the message
     * @throws InvalidTableException if the bytes are not a bitmap of positions
     */
    static PositionBitmap read(byte[] bytes, int from, int to, String what) {
        var buffer =
                ByteBuffer.wrap(bytes, 0, to).order(ByteOrder.LITTLE_ENDIAN).position(from);
        var result = new PositionBitmap();
        try {
            long keys = buffer.getLong();
            if (keys < 0 || keys > buffer.remaining() / (Integer.BYTES + EMPTY_BITMAP_BYTES)) {
                throw corrupt(what, "number of keys must fit into the bytes, but is " + Long.toUnsignedString(keys));
            }
            int previous = -1;
            for (long i = 0; i < keys; i++) {
                int key = buffer.getInt();
                if (key < 0 || key > PositionBitmap.MAX_KEY) {
                    throw corrupt(
                            what,
                            "key must be between 0 and " + PositionBitmap.MAX_KEY + ", but is "
                                    + Integer.toUnsignedString(key));
                }
                if (key <= previous) {
                    throw corrupt(what, "keys must ascend, but " + key + " follows " + previous);
                }
                previous = key;
                var bitmap = readBitmap(buffer, what);
                if (!bitmap.isEmpty()) {
                    result.append(key, bitmap);
                }
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new InvalidTableException(what + " is corrupt: it ends in the middle of a bitmap.", e);
        }
        if (buffer.hasRemaining()) {
            throw corrupt(what, "it must end with its last bitmap, but " + buffer.remaining() + " bytes follow");
        }
        return result;
    }

    private static RoaringBitmap readBitmap(ByteBuffer buffer, String what) {
        int length = checkedLength(buffer, what);
        var bitmap = new RoaringBitmap();
        try {
            bitmap.deserialize(buffer.slice(buffer.position(), length).order(ByteOrder.LITTLE_ENDIAN));
        } catch (IOException | RuntimeException e) {
            throw new InvalidTableException(what + " is corrupt: " + e.getMessage(), e);
        }
        buffer.position(buffer.position() + length);
        return bitmap;
    }

    /** Length in bytes of the 32-bit bitmap at the buffer's position, once it is known to be sound. */
    private static int checkedLength(ByteBuffer buffer, String what) {
        int start = buffer.position();
        int at = start;
        int cookie = buffer.getInt(at);
        at += Integer.BYTES;
        boolean hasRuns = (cookie & 0xFFFF) == COOKIE_WITH_RUNS;
        int containers;
        int runFlags = at;
        if (hasRuns) {
            containers = (cookie >>> 16) + 1;
            at += (containers + 7) / 8;
        } else if (cookie == COOKIE_WITHOUT_RUNS) {
            containers = buffer.getInt(at);
            at += Integer.BYTES;
        } else {
            throw corrupt(
                    what,
                    "cookie of a bitmap must be " + COOKIE_WITHOUT_RUNS + " or " + COOKIE_WITH_RUNS + ", but is "
                            + Integer.toUnsignedString(cookie));
        }
        if (containers < 0 || containers > MOST_CONTAINERS) {
            throw corrupt(
                    what,
                    "number of containers must be at most " + MOST_CONTAINERS + ", but is "
                            + Integer.toUnsignedString(containers));
        }
        int header = at;
        at += containers * 2 * Short.BYTES;
        if (!hasRuns || containers >= FEWEST_CONTAINERS_WITH_OFFSETS) {
            // Containers follow each other, so their offsets are not needed.
            at += containers * Integer.BYTES;
        }
        int previousKey = -1;
        for (int i = 0; i < containers; i++) {
            int key = unsignedShort(buffer, header + i * 4);
            int cardinality = unsignedShort(buffer, header + i * 4 + Short.BYTES) + 1;
            if (key <= previousKey) {
                throw corrupt(what, "keys of containers must ascend, but " + key + " follows " + previousKey);
            }
            previousKey = key;
            if (hasRuns && (buffer.get(runFlags + i / 8) & (1 << (i % 8))) != 0) {
                at = checkRuns(buffer, at, cardinality, what);
            } else if (cardinality <= MOST_ARRAY_VALUES) {
                at = checkArray(buffer, at, cardinality, what);
            } else {
                at = checkBits(buffer, at, cardinality, what);
            }
        }
        return at - start;
    }

    private static int checkRuns(ByteBuffer buffer, int start, int cardinality, String what) {
        int runs = unsignedShort(buffer, start);
        int at = start + Short.BYTES;
        int end = 0;
        int found = 0;
        for (int i = 0; i < runs; i++, at += 2 * Short.BYTES) {
            int first = unsignedShort(buffer, at);
            int length = unsignedShort(buffer, at + Short.BYTES) + 1;
            if (first < end || first + length > MOST_CONTAINERS) {
                throw corrupt(
                        what,
                        String.format(
                                Locale.ROOT,
                                "runs must ascend within 65536 values, but [%d, %d) follows a run up to %d",
                                first,
                                first + length,
                                end));
            }
            end = first + length;
            found += length;
        }
        checkCardinality(found, cardinality, what);
        return at;
    }

    private static int checkArray(ByteBuffer buffer, int start, int cardinality, String what) {
        int at = start;
        int previous = -1;
        for (int i = 0; i < cardinality; i++, at += Short.BYTES) {
            int value = unsignedShort(buffer, at);
            if (value <= previous) {
                throw corrupt(what, "values of a container must ascend, but " + value + " follows " + previous);
            }
            previous = value;
        }
        return at;
    }

    private static int checkBits(ByteBuffer buffer, int start, int cardinality, String what) {
        int at = start;
        int found = 0;
        for (int i = 0; i < BITMAP_LONGS; i++, at += Long.BYTES) {
            found += Long.bitCount(buffer.getLong(at));
        }
        checkCardinality(found, cardinality, what);
        return at;
    }

    private static void checkCardinality(int found, int stated, String what) {
        if (found != stated) {
            throw corrupt(what, "a container must hold the " + stated + " values it states, but holds " + found);
        }
    }

    private static int unsignedShort(ByteBuffer buffer, int at) {
        return Short.toUnsignedInt(buffer.getShort(at));
    }

    private static InvalidTableException corrupt(String what, String why) {
        return new InvalidTableException(what + " is corrupt: " + why + ".");
    }
}
