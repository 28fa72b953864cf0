package dev.calve.deletes;

/**
 * Keys of deleted rows, each with the highest rank it was put with. A rank, 0 or higher, stands for the age of a delete: a row
 * is deleted if its key's rank is high enough. No object per key; what it costs is said at the two forms. Filled by one
 * thread, then read by many.
 */
public abstract sealed class KeyTable permits LongKeys, EncodedKeys {

    /** What {@code rank} answers for a key that is not there. */
    public static final int ABSENT = -1;

    static final int FEWEST_SLOTS = 16;
    static final int MOST_SLOTS = 1 << 30;

    KeyTable() {}

    /**
     * Puts all keys of another table of the same form, with one rank.
     *
     * @throws IllegalArgumentException if the other is of another form
     */
    public abstract void putAll(KeyTable other, int rank);

    /** Number of distinct keys, null keys included. */
    public abstract long size();

    /** Bytes on the heap, about. */
    public abstract long heapBytes();

    /** Slots that hold so many keys without growing; never more than a caller who exaggerates can ask for. */
    static int slotsFor(long expectedKeys) {
        long wanted = Math.min(Math.max(expectedKeys, 0), 1 << 20) * 3 / 2;
        int slots = FEWEST_SLOTS;
        while (slots < wanted) {
            slots <<= 1;
        }
        return slots;
    }

    /** The next size of a full table. */
    static int grown(int slots) {
        if (slots == MOST_SLOTS) {
            throw new IllegalStateException(
                    "A set of deleted keys must have fewer than " + MOST_SLOTS * 2L / 3 + " keys.");
        }
        return slots << 1;
    }

    /** Whether one key more would fill more than two thirds. */
    static boolean isFull(int used, int slots) {
        return used + 1 > slots / 3 * 2;
    }

    static long mix(long bits) {
        long hash = bits * 0x9E3779B97F4A7C15L;
        hash = (hash ^ (hash >>> 32)) * 0xD6E8FEB86659FD93L;
        return hash ^ (hash >>> 32);
    }
}
