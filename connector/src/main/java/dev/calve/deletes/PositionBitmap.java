package dev.calve.deletes;

import java.util.Arrays;
import java.util.function.LongConsumer;
import org.roaringbitmap.RoaringBitmap;

/**
 * A mutable set of 0-based row positions of one data file.
 *
 * <p>Positions are split into an upper half, the key, and a lower half kept in a compressed 32-bit bitmap per key. Files
 * with more than 2^32 rows are rare, so almost every instance has one key. Keys without positions are not kept. Not safe
 * for use by several threads while one of them changes it.
 *
 * <p>Spec: Deletion Vectors; Puffin: {@code deletion-vector-v1} blob type.
 */
public final class PositionBitmap {

    /** The largest position: its key is 2^31 - 2, the largest that the format allows. */
    public static final long MAX_POSITION = 0x7FFF_FFFE_FFFF_FFFFL;

    static final int MAX_KEY = (int) (MAX_POSITION >>> 32);

    private static final long LOW_BITS = 0xFFFF_FFFFL;
    private static final int BATCH = 256;

    /** Strictly ascending; the first {@link #size} elements count. */
    private int[] keys = new int[1];

    /** Beside {@link #keys}; none of the first {@link #size} is empty. */
    private RoaringBitmap[] bitmaps = new RoaringBitmap[1];

    private int size;

    /** Creates an empty set. */
    public PositionBitmap() {}

    /**
     * Creates a set of the given positions.
     *
     * @throws IllegalArgumentException if a position is negative or larger than {@link #MAX_POSITION}
     */
    public static PositionBitmap of(long... positions) {
        var result = new PositionBitmap();
        for (long position : positions) {
            result.add(position);
        }
        return result;
    }

    /**
     * Reads what {@link #toBytes()} wrote, or any other 64-bit Roaring bitmap in the portable format with keys up to
     * 2^31 - 2.
     *
     * @throws dev.calve.io.InvalidTableException if the bytes are anything else
     */
    public static PositionBitmap fromBytes(byte[] bytes) {
        return PortableFormat.read(bytes, 0, bytes.length, "Position bitmap of " + bytes.length + " bytes");
    }

    /**
     * Adds one position.
     *
     * @throws IllegalArgumentException if the position is negative or larger than {@link #MAX_POSITION}
     */
    public void add(long position) {
        int key = (int) (position >> 32);
        // The common case: the last key again. A negative position has a negative key and never matches.
        if (size > 0 && keys[size - 1] == key) {
            bitmaps[size - 1].add((int) position);
            return;
        }
        checkPosition(position);
        bitmapAt(key).add((int) position);
    }

    /**
     * Adds the positions from {@code from} up to, not including, {@code to}.
     *
     * @throws IllegalArgumentException if the range is reversed or leaves 0 to {@link #MAX_POSITION}
     */
    public void addRange(long from, long to) {
        checkRange(from, to);
        if (from == to) {
            return;
        }
        int lastKey = (int) ((to - 1) >>> 32);
        for (int key = (int) (from >>> 32); key <= lastKey; key++) {
            long keyStart = (long) key << 32;
            long low = Math.max(from, keyStart) - keyStart;
            long high = Math.min(to - keyStart, LOW_BITS + 1);
            bitmapAt(key).add(low, high);
        }
    }

    /** Tells whether the position is in the set; any {@code long} may be asked for. */
    public boolean contains(long position) {
        int index = find((int) (position >> 32));
        return index >= 0 && bitmaps[index].contains((int) position);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Number of positions. Cost grows with the number of 65,536-row blocks, not of positions. */
    public long cardinality() {
        long total = 0;
        for (int i = 0; i < size; i++) {
            total += bitmaps[i].getLongCardinality();
        }
        return total;
    }

    /**
     * Number of positions from {@code from} up to, not including, {@code to}.
     *
     * @throws IllegalArgumentException if the range is reversed or leaves 0 to {@link #MAX_POSITION}
     */
    public long cardinalityInRange(long from, long to) {
        checkRange(from, to);
        long total = 0;
        for (int i = 0; i < size && from < to; i++) {
            long keyStart = (long) keys[i] << 32;
            long low = Math.max(from - keyStart, 0);
            long high = Math.min(to - keyStart, LOW_BITS + 1);
            if (low < high) {
                total += bitmaps[i].rangeCardinality(low, high);
            }
        }
        return total;
    }

    /**
     * The smallest position.
     *
     * @throws IllegalStateException if the set is empty
     */
    public long first() {
        checkNotEmpty();
        return ((long) keys[0] << 32) | (bitmaps[0].first() & LOW_BITS);
    }

    /**
     * The largest position.
     *
     * @throws IllegalStateException if the set is empty
     */
    public long last() {
        checkNotEmpty();
        return ((long) keys[size - 1] << 32) | (bitmaps[size - 1].last() & LOW_BITS);
    }

    /** Tells whether some position is in both sets. */
    public boolean intersects(PositionBitmap other) {
        for (int i = 0; i < size; i++) {
            int found = other.find(keys[i]);
            if (found >= 0 && RoaringBitmap.intersects(bitmaps[i], other.bitmaps[found])) {
                return true;
            }
        }
        return false;
    }

    /** Adds every position of the other set, which stays as it is. */
    @SuppressWarnings("ReferenceEquality") // Only a set that is this very object cannot be read while it changes.
    public void or(PositionBitmap other) {
        if (other == this) {
            return;
        }
        for (int i = 0; i < other.size; i++) {
            bitmapAt(other.keys[i]).or(other.bitmaps[i]);
        }
    }

    /** Removes every position of the other set, which stays as it is. */
    public void andNot(PositionBitmap other) {
        for (int i = 0; i < size; i++) {
            int found = other.find(keys[i]);
            if (found >= 0) {
                // Not in place, because the other set may be this one.
                bitmaps[i] = RoaringBitmap.andNot(bitmaps[i], other.bitmaps[found]);
            }
        }
        dropEmptyKeys();
    }

    /** Keeps only positions that are also in the other set, which stays as it is. */
    public void and(PositionBitmap other) {
        for (int i = 0; i < size; i++) {
            int found = other.find(keys[i]);
            bitmaps[i] = found < 0 ? new RoaringBitmap() : RoaringBitmap.and(bitmaps[i], other.bitmaps[found]);
        }
        dropEmptyKeys();
    }

    /** A new set of the positions of both; neither changes. */
    public static PositionBitmap union(PositionBitmap one, PositionBitmap other) {
        var result = one.copy();
        result.or(other);
        return result;
    }

    /** A new, independent set of the same positions. */
    public PositionBitmap copy() {
        var result = new PositionBitmap();
        result.keys = Arrays.copyOf(keys, Math.max(size, 1));
        result.bitmaps = new RoaringBitmap[Math.max(size, 1)];
        result.size = size;
        for (int i = 0; i < size; i++) {
            result.bitmaps[i] = bitmaps[i].clone();
        }
        return result;
    }

    /** Hands out every position, ascending. The set must not be changed meanwhile. */
    public void forEach(LongConsumer consumer) {
        // Not RoaringBitmap.forEach: up to 1.6 at least, it leaves out runs of values from 2^31 on.
        var lows = new int[BATCH];
        for (int i = 0; i < size; i++) {
            long keyStart = (long) keys[i] << 32;
            var batches = bitmaps[i].getBatchIterator();
            while (batches.hasNext()) {
                int count = batches.nextBatch(lows);
                for (int j = 0; j < count; j++) {
                    consumer.accept(keyStart | (lows[j] & LOW_BITS));
                }
            }
        }
    }

    /** Every position, ascending. Only for sets that are known to be small. */
    public long[] toArray() {
        var positions = new long[Math.toIntExact(cardinality())];
        var count = new int[1];
        forEach(position -> positions[count[0]++] = position);
        return positions;
    }

    /** Starts a walk over the set from position 0. The set must not be changed while the cursor is used. */
    public PositionCursor cursor() {
        return new PositionCursor(keys, bitmaps, size);
    }

    /** Stores ranges as ranges where that is smaller. The positions stay the same. */
    public void runOptimize() {
        for (int i = 0; i < size; i++) {
            bitmaps[i].runOptimize();
        }
    }

    /**
     * Writes the set as a 64-bit Roaring bitmap in the portable format, without keys that have no positions. For messages
     * between driver and executors; files get {@link DeletionVectorCodec#encode}.
     *
     * @throws IllegalArgumentException if that would be 2 GiB or more
     */
    public byte[] toBytes() {
        runOptimize();
        return PortableFormat.write(this, false, 0, 0);
    }

    /** Tells whether the other is a set of the same positions, however they are stored. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof PositionBitmap that) || that.size != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (keys[i] != that.keys[i] || !bitmaps[i].equals(that.bitmaps[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        // The bitmaps' own hash depends on how they are stored.
        return Long.hashCode(cardinality());
    }

    @Override
    public String toString() {
        return isEmpty() ? "{}" : "{" + cardinality() + " positions from " + first() + " to " + last() + "}";
    }

    int size() {
        return size;
    }

    int key(int index) {
        return keys[index];
    }

    RoaringBitmap bitmap(int index) {
        return bitmaps[index];
    }

    /** Appends a non-empty bitmap whose key is larger than all before. */
    void append(int key, RoaringBitmap bitmap) {
        insert(size, key, bitmap);
    }

    private int find(int key) {
        return Arrays.binarySearch(keys, 0, size, key);
    }

    /** The bitmap of a key, created when absent; the caller puts something into it. */
    private RoaringBitmap bitmapAt(int key) {
        int index = find(key);
        if (index >= 0) {
            return bitmaps[index];
        }
        var bitmap = new RoaringBitmap();
        insert(-index - 1, key, bitmap);
        return bitmap;
    }

    private void insert(int index, int key, RoaringBitmap bitmap) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size * 2);
            bitmaps = Arrays.copyOf(bitmaps, size * 2);
        }
        System.arraycopy(keys, index, keys, index + 1, size - index);
        System.arraycopy(bitmaps, index, bitmaps, index + 1, size - index);
        keys[index] = key;
        bitmaps[index] = bitmap;
        size++;
    }

    private void dropEmptyKeys() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (!bitmaps[i].isEmpty()) {
                keys[kept] = keys[i];
                bitmaps[kept] = bitmaps[i];
                kept++;
            }
        }
        Arrays.fill(bitmaps, kept, size, new RoaringBitmap());
        size = kept;
    }

    private void checkNotEmpty() {
        if (size == 0) {
            throw new IllegalStateException("An empty set of positions has no first or last one.");
        }
    }

    private static void checkPosition(long position) {
        if (position < 0 || position > MAX_POSITION) {
            throw new IllegalArgumentException(
                    "Row position must be between 0 and " + MAX_POSITION + ", not " + position + ".");
        }
    }

    private static void checkRange(long from, long to) {
        if (from < 0 || from > to || to > MAX_POSITION + 1) {
            throw new IllegalArgumentException("Range of row positions must lie between 0 and " + MAX_POSITION
                    + " and not be reversed, not [" + from + ", " + to + ").");
        }
    }
}
