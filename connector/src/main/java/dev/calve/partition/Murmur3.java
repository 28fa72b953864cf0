package dev.calve.partition;

/**
 * The 32-bit x86 variant of MurmurHash3 with seed 0, the hash behind bucket partitions and object-store paths. Spec:
 * Appendix B, 32-bit Hash Requirements.
 */
public final class Murmur3 {

    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;

    private Murmur3() {}

    /** Hash of the value's 8 bytes, little-endian. */
    public static int hash(long value) {
        int hash = mix(0, (int) value);
        hash = mix(hash, (int) (value >>> 32));
        return finish(hash, Long.BYTES);
    }

    /** Hash of the 16 bytes of two values, each little-endian. */
    static int hash(long first, long second) {
        int hash = mix(0, (int) first);
        hash = mix(hash, (int) (first >>> 32));
        hash = mix(hash, (int) second);
        hash = mix(hash, (int) (second >>> 32));
        return finish(hash, 2 * Long.BYTES);
    }

    public static int hash(byte[] bytes) {
        return hash(bytes, 0, bytes.length);
    }

    public static int hash(byte[] bytes, int offset, int length) {
        int hash = 0;
        int at = offset;
        int end = offset + length;
        for (; at + 4 <= end; at += 4) {
            hash = mix(
                    hash,
                    (bytes[at] & 0xff)
                            | (bytes[at + 1] & 0xff) << 8
                            | (bytes[at + 2] & 0xff) << 16
                            | bytes[at + 3] << 24);
        }
        int tail = 0;
        for (int i = end - 1; i >= at; i--) {
            tail = tail << 8 | (bytes[i] & 0xff);
        }
        return finish(hash ^ scramble(tail), length);
    }

    private static int mix(int hash, int word) {
        return Integer.rotateLeft(hash ^ scramble(word), 13) * 5 + 0xe6546b64;
    }

    private static int scramble(int word) {
        return Integer.rotateLeft(word * C1, 15) * C2;
    }

    private static int finish(int hash, int length) {
        int mixed = hash ^ length;
        mixed = (mixed ^ mixed >>> 16) * 0x85ebca6b;
        mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
        return mixed ^ mixed >>> 16;
    }
}
