package dev.calve.deletes;

import java.util.Arrays;

/**
 * Keys that are one integer, or null.
 *
 * <p>Heap: 8 bytes a slot, 12 once there are ranks above 0; a slot and a half to three a key, so 12 to 36 bytes a key, and half
 * as much again for the moment in which the table grows.
 */
public final class LongKeys extends KeyTable {

    /** Open addressing; 0 marks a free slot, so the key 0 is kept aside. */
    private long[] slots;

    /** One for each slot; empty while all ranks are 0. */
    private int[] ranks = {};

    private int used;
    private int zeroRank = ABSENT;
    private int nullRank = ABSENT;
    private long least = Long.MAX_VALUE;
    private long greatest = Long.MIN_VALUE;

    /** @param expectedKeys to begin with room for; a number from a file is no danger, because the table grows by need */
    public LongKeys(long expectedKeys) {
        this.slots = new long[slotsFor(expectedKeys)];
    }

    public void put(long key, int rank) {
        least = Math.min(least, key);
        greatest = Math.max(greatest, key);
        if (key == 0) {
            zeroRank = Math.max(zeroRank, rank);
            return;
        }
        if (rank > 0 && ranks.length == 0) {
            ranks = new int[slots.length];
        }
        int slot = find(slots, key);
        if (slots[slot] == 0) {
            if (isFull(used, slots.length)) {
                grow();
                slot = find(slots, key);
            }
            slots[slot] = key;
            used++;
        }
        if (ranks.length > 0) {
            ranks[slot] = Math.max(ranks[slot], rank);
        }
    }

    public void putNull(int rank) {
        nullRank = Math.max(nullRank, rank);
    }

    /** The rank of a key, or {@link #ABSENT}. */
    public int rank(long key) {
        if (key < least || key > greatest) {
            return ABSENT;
        }
        if (key == 0) {
            return zeroRank;
        }
        int slot = find(slots, key);
        if (slots[slot] == 0) {
            return ABSENT;
        }
        return ranks.length == 0 ? 0 : ranks[slot];
    }

    public int rankOfNull() {
        return nullRank;
    }

    @Override
    public void putAll(KeyTable other, int rank) {
        if (!(other instanceof LongKeys keys)) {
            throw new IllegalArgumentException("Integer keys must not be mixed with encoded ones.");
        }
        for (long key : keys.slots) {
            if (key != 0) {
                put(key, rank);
            }
        }
        if (keys.zeroRank != ABSENT) {
            put(0, rank);
        }
        if (keys.nullRank != ABSENT) {
            putNull(rank);
        }
    }

    @Override
    public long size() {
        return (long) used + (zeroRank == ABSENT ? 0 : 1) + (nullRank == ABSENT ? 0 : 1);
    }

    @Override
    public long heapBytes() {
        return 64L + 8L * slots.length + 4L * ranks.length;
    }

    private static int find(long[] slots, long key) {
        int mask = slots.length - 1;
        int slot = (int) mix(key) & mask;
        while (slots[slot] != 0 && slots[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] old = slots;
        int[] oldRanks = ranks;
        long[] larger = new long[grown(old.length)];
        int[] largerRanks = oldRanks.length == 0 ? oldRanks : new int[larger.length];
        for (int i = 0; i < old.length; i++) {
            if (old[i] != 0) {
                int slot = find(larger, old[i]);
                larger[slot] = old[i];
                if (oldRanks.length > 0) {
                    largerRanks[slot] = oldRanks[i];
                }
            }
        }
        slots = larger;
        ranks = largerRanks;
    }

    @Override
    public String toString() {
        return size() + " integer keys in " + Arrays.toString(new long[] {least, greatest});
    }
}
