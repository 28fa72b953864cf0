package dev.calve.deletes;

import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * Walks a {@link PositionBitmap} forwards beside something that is read in ascending row positions, such as batches of
 * rows. It skips over what is not asked for, so that walking costs no more than the positions it meets. Used by one
 * thread.
 */
public final class PositionCursor {

    /** What {@link #seek} returns when no position is left. */
    public static final long NONE = -1;

    private static final long LOW_BITS = 0xFFFF_FFFFL;

    private final int[] keys;
    private final RoaringBitmap[] bitmaps;
    private final int size;

    private int index;
    private PeekableIntIterator lows = new RoaringBitmap().getIntIterator();

    PositionCursor(int[] keys, RoaringBitmap[] bitmaps, int size) {
        this.keys = keys;
        this.bitmaps = bitmaps;
        this.size = size;
        moveTo(0);
    }

    /**
     * The smallest position of the set that is at least the given one, else {@link #NONE}. It is not consumed: the same
     * call returns it again. Arguments must not descend from call to call.
     */
    public long seek(long position) {
        int key = (int) (position >>> 32);
        while (index < size && keys[index] < key) {
            moveTo(index + 1);
        }
        if (index < size && keys[index] == key && lows.hasNext()) {
            lows.advanceIfNeeded((int) position);
        }
        while (index < size && !lows.hasNext()) {
            moveTo(index + 1);
        }
        return index < size ? ((long) keys[index] << 32) | (lows.peekNext() & LOW_BITS) : NONE;
    }

    /**
     * Lists the rows of a batch that are <em>not</em> in the set: writes their 0-based indexes within the batch to
     * {@code target}, ascending, and returns how many there are. Batches must be asked for in ascending order.
     *
     * @param from position of the batch's first row
     * @param count number of rows; {@code target} has room for so many
     */
    public int survivors(long from, int count, int[] target) {
        int kept = 0;
        int row = 0;
        while (row < count) {
            long next = seek(from + row);
            int stop = next == NONE || next - from >= count ? count : (int) (next - from);
            while (row < stop) {
                target[kept++] = row++;
            }
            row++;
        }
        return kept;
    }

    private void moveTo(int next) {
        index = next;
        if (next < size) {
            lows = bitmaps[next].getIntIterator();
        }
    }
}
