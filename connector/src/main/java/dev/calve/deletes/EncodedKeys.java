package dev.calve.deletes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Keys of any shape, as bytes that are equal if and only if the keys are.
 *
 * <p>Heap: per key its bytes, rounded up to 4, and 4 for their number; 8 bytes a slot, 12 once there are ranks above 0, a slot
 * and a half to three a key. So 20 to 40 bytes more than the bytes of a key, and for the moment in which the table grows
 * another half of the slots. The bytes lie in blocks of 1 MiB; a larger key has a block of its own.
 */
public final class EncodedKeys extends KeyTable {

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int BLOCK_BITS = 20;
    private static final int BLOCK_BYTES = 1 << BLOCK_BITS;
    private static final int FIRST_BLOCK_BYTES = 1 << 10;

    /** Addresses are counted in units of 4 bytes, from 1 on, so that an int without sign reaches 16 GiB. */
    private static final int UNIT_BITS = 2;

    private static final long MOST_UNITS = (1L << 32) - 1;

    /** Open addressing: hash in the upper half, address in the lower; 0 marks a free slot. */
    private long[] slots;

    /** One for each slot; empty while all ranks are 0. */
    private int[] ranks = {};

    /** Keys one after the other, each with its length before it. A large key leaves the blocks it reaches into empty. */
    private byte[][] blocks = {new byte[FIRST_BLOCK_BYTES]};

    private int blockCount = 1;
    private int blockUsed;
    private long blockBytes = FIRST_BLOCK_BYTES;
    private int used;

    /** @param expectedKeys to begin with room for; a number from a file is no danger, because the table grows by need */
    public EncodedKeys(long expectedKeys) {
        this.slots = new long[slotsFor(expectedKeys)];
    }

    /** Puts the key that the first bytes of an array spell; they are copied. */
    public void put(byte[] key, int length, int rank) {
        put(key, 0, length, hash(key, 0, length), rank);
    }

    private void put(byte[] key, int from, int length, int hash, int rank) {
        if (rank > 0 && ranks.length == 0) {
            ranks = new int[slots.length];
        }
        int slot = find(key, from, length, hash);
        if (slots[slot] == 0) {
            if (isFull(used, slots.length)) {
                grow();
                slot = find(key, from, length, hash);
            }
            slots[slot] = ((long) hash << 32) | append(key, from, length);
            used++;
        }
        if (ranks.length > 0) {
            ranks[slot] = Math.max(ranks[slot], rank);
        }
    }

    /** The rank of the key that the first bytes of an array spell, or {@link #ABSENT}. */
    public int rank(byte[] key, int length) {
        int slot = find(key, 0, length, hash(key, 0, length));
        if (slots[slot] == 0) {
            return ABSENT;
        }
        return ranks.length == 0 ? 0 : ranks[slot];
    }

    @Override
    public void putAll(KeyTable other, int rank) {
        if (!(other instanceof EncodedKeys keys)) {
            throw new IllegalArgumentException("Encoded keys must not be mixed with integer ones.");
        }
        for (long slot : keys.slots) {
            if (slot != 0) {
                byte[] block = keys.block(slot);
                int at = keys.offset(slot);
                put(block, at + Integer.BYTES, (int) INTS.get(block, at), (int) (slot >>> 32), rank);
            }
        }
    }

    @Override
    public long size() {
        return used;
    }

    @Override
    public long heapBytes() {
        return 96L + 8L * slots.length + 4L * ranks.length + blockBytes + 24L * blockCount;
    }

    private int find(byte[] key, int from, int length, int hash) {
        int mask = slots.length - 1;
        int at = hash & mask;
        while (slots[at] != 0 && !isKey(slots[at], key, from, length, hash)) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private boolean isKey(long slot, byte[] key, int from, int length, int hash) {
        if ((int) (slot >>> 32) != hash) {
            return false;
        }
        byte[] block = block(slot);
        int at = offset(slot);
        int start = at + Integer.BYTES;
        return (int) INTS.get(block, at) == length
                && Arrays.equals(block, start, start + length, key, from, from + length);
    }

    private byte[] block(long slot) {
        return blocks[(int) (address(slot) >>> BLOCK_BITS)];
    }

    private int offset(long slot) {
        return (int) (address(slot) & (BLOCK_BYTES - 1));
    }

    private static long address(long slot) {
        return ((slot & 0xFFFFFFFFL) - 1) << UNIT_BITS;
    }

    /** Copies a key to the end and returns its address as slots hold it. */
    private long append(byte[] key, int from, int length) {
        long needed = (Integer.BYTES + (long) length + 3) & ~3L;
        makeRoom(needed);
        byte[] block = blocks[blockCount - 1];
        long address = ((long) (blockCount - 1) << BLOCK_BITS) + blockUsed;
        long unit = (address >>> UNIT_BITS) + 1;
        if (unit > MOST_UNITS) {
            throw new IllegalStateException("The keys of an equality delete must not need more than 16 GiB.");
        }
        INTS.set(block, blockUsed, length);
        System.arraycopy(key, from, block, blockUsed + Integer.BYTES, length);
        if (needed > BLOCK_BYTES) {
            // The addresses of its later bytes belong to blocks that do not exist.
            int spanned = Math.toIntExact((needed + BLOCK_BYTES - 1) >>> BLOCK_BITS);
            blockCount += spanned - 1;
            blocks = Arrays.copyOf(blocks, Math.max(blocks.length, blockCount));
            blockUsed = BLOCK_BYTES;
        } else {
            blockUsed += (int) needed;
        }
        return unit;
    }

    /** Makes the last block have so many free bytes: the first block grows, later ones come whole. */
    private void makeRoom(long needed) {
        if (blockCount == 1 && blockUsed + needed > blocks[0].length && blockUsed + needed <= BLOCK_BYTES) {
            int larger = (int) Math.min(BLOCK_BYTES, Math.max(blockUsed + needed, 2L * blocks[0].length));
            blockBytes += larger - blocks[0].length;
            blocks[0] = Arrays.copyOf(blocks[0], larger);
            return;
        }
        if (blockUsed + needed <= Math.min(BLOCK_BYTES, lastBlockBytes())) {
            return;
        }
        if (blockCount == blocks.length) {
            blocks = Arrays.copyOf(blocks, blocks.length * 2);
        }
        int size = Math.toIntExact(Math.max(BLOCK_BYTES, needed));
        blocks[blockCount++] = new byte[size];
        blockBytes += size;
        blockUsed = 0;
    }

    private int lastBlockBytes() {
        byte[] last = blocks[blockCount - 1];
        return last == null ? 0 : last.length;
    }

    private void grow() {
        long[] old = slots;
        int[] oldRanks = ranks;
        long[] larger = new long[grown(old.length)];
        int[] largerRanks = oldRanks.length == 0 ? oldRanks : new int[larger.length];
        int mask = larger.length - 1;
        for (int i = 0; i < old.length; i++) {
            if (old[i] != 0) {
                int at = (int) (old[i] >>> 32) & mask;
                while (larger[at] != 0) {
                    at = (at + 1) & mask;
                }
                larger[at] = old[i];
                if (oldRanks.length > 0) {
                    largerRanks[at] = oldRanks[i];
                }
            }
        }
        slots = larger;
        ranks = largerRanks;
    }

    private static int hash(byte[] key, int from, int length) {
        long hash = length;
        int at = from;
        int end = from + length;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = mix(hash ^ (long) LONGS.get(key, at)) + 0x9E3779B97F4A7C15L;
        }
        long rest = 0;
        for (; at < end; at++) {
            rest = (rest << 8) | (key[at] & 0xFF);
        }
        return (int) mix(hash ^ rest);
    }

    @Override
    public String toString() {
        return size() + " encoded keys";
    }
}
