package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.io.InputStream;

/**
 * An Avro file on its way to Avro's own stream, which allocates as much as the head of a block says. Each head is looked at
 * as it passes: a block must fit into the file, and one of codec {@code snappy} must not say that it becomes larger than it
 * can.
 */
final class CheckedFrames extends InputStream {

    /** A copy of up to 64 bytes takes 3. */
    private static final int MOST_BYTES_PER_SNAPPY_BYTE = 22;

    /** The number that is passing, if one is. */
    private enum Part {
        RECORDS,
        BYTES,
        SNAPPY_BYTES
    }

    private final ChunkedInput in;
    private final boolean snappy;
    private Part next = Part.RECORDS;

    /** Bytes before the next head: what is left of the header, or of a block and its marker. */
    private long left;

    private long number;
    private int bits;
    private long blockBytes;

    /** @param headerLength of the file's header, at whose beginning the input is */
    CheckedFrames(ChunkedInput in, int headerLength, boolean snappy) {
        this.in = in;
        this.snappy = snappy;
        this.left = headerLength;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        int read = in.read(target, offset, count);
        int at = 0;
        while (at < read) {
            if (left > 0 && next != Part.SNAPPY_BYTES) {
                int passing = (int) Math.min(left, read - at);
                left -= passing;
                at += passing;
            } else {
                byte part = target[offset + at++];
                pass(part, in.remaining() + read - at);
            }
        }
        return read;
    }

    /** @param behind how many bytes of the file follow */
    private void pass(byte part, long behind) {
        left -= next == Part.SNAPPY_BYTES ? 1 : 0;
        if (bits >= Long.SIZE) {
            throw new InvalidTableException("A long must end after 10 bytes.");
        }
        number |= (part & 0x7fL) << bits;
        bits += 7;
        if (part >= 0) {
            next = after(number, behind);
            number = 0;
            bits = 0;
        }
    }

    private Part after(long found, long behind) {
        switch (next) {
            case RECORDS -> {
                return Part.BYTES;
            }
            case BYTES -> {
                blockBytes = (found >>> 1) ^ -(found & 1);
                if (blockBytes < 0 || blockBytes > behind - AvroBlocks.SYNC_BYTES) {
                    throw new InvalidTableException("A block must fit into the file, but has " + blockBytes
                            + " bytes where " + behind + " are left.");
                }
                left = blockBytes + AvroBlocks.SYNC_BYTES;
                return snappy && blockBytes > 0 ? Part.SNAPPY_BYTES : Part.RECORDS;
            }
            default -> {
                if (found < 0 || found > blockBytes * MOST_BYTES_PER_SNAPPY_BYTE) {
                    throw new InvalidTableException(
                            "A block of " + blockBytes + " bytes must not be said to hold " + found + ".");
                }
                return Part.RECORDS;
            }
        }
    }
}
