package dev.calve.deletes;

import dev.calve.io.InvalidTableException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * The bytes of a deletion vector; the layout is in the package's description. Encoding what was decoded gives the same
 * bytes when their writer stored ranges as runs and left no key out, as both known writers do.
 *
 * <p>Spec: Puffin, {@code deletion-vector-v1} blob type.
 */
public final class DeletionVectorCodec {

    /** The first four bytes of the content, as a big endian number. */
    private static final int MAGIC = 0xD1D3_3964;

    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int MAGIC_BYTES = Integer.BYTES;
    private static final int CRC_BYTES = Integer.BYTES;

    /** A vector without keys. */
    private static final int SMALLEST_BYTES = LENGTH_BYTES + MAGIC_BYTES + Long.BYTES + CRC_BYTES;

    private DeletionVectorCodec() {}

    /**
     * Encodes a set, whose ranges are stored as runs afterwards.
     *
     * @throws IllegalArgumentException if that would be 2 GiB or more
     */
    public static byte[] encode(PositionBitmap positions) {
        positions.runOptimize();
        byte[] bytes = PortableFormat.write(positions, true, LENGTH_BYTES + MAGIC_BYTES, CRC_BYTES);
        int crcAt = bytes.length - CRC_BYTES;
        var buffer = ByteBuffer.wrap(bytes);
        buffer.putInt(0, crcAt - LENGTH_BYTES);
        buffer.putInt(LENGTH_BYTES, MAGIC);
        buffer.putInt(crcAt, crc(bytes, crcAt));
        return bytes;
    }

    /**
     * Decodes a vector.
     *
     * @param cardinality number of positions the vector must have: the manifest entry's record count
     * @param where what the bytes are and where they are from, such as {@code Deletion vector at a.puffin[4, 54)}
     * @throws InvalidTableException if length, magic, CRC, bitmap or cardinality is not as it must be
     */
    public static PositionBitmap decode(byte[] bytes, long cardinality, String where) {
        var positions = decode(bytes, where);
        if (positions.cardinality() != cardinality) {
            throw corrupt(
                    where,
                    "it must have " + cardinality + " positions by its metadata, but has " + positions.cardinality());
        }
        return positions;
    }

    /** Decodes a vector whose number of positions is not known beforehand; otherwise as the other. */
    public static PositionBitmap decode(byte[] bytes, String where) {
        if (bytes.length < SMALLEST_BYTES) {
            throw corrupt(where, "it must have at least " + SMALLEST_BYTES + " bytes, but has " + bytes.length);
        }
        var buffer = ByteBuffer.wrap(bytes);
        int crcAt = bytes.length - CRC_BYTES;
        int length = buffer.getInt(0);
        if (length != crcAt - LENGTH_BYTES) {
            throw corrupt(
                    where,
                    "its length must be " + (crcAt - LENGTH_BYTES) + ", but is " + Integer.toUnsignedString(length));
        }
        int magic = buffer.getInt(LENGTH_BYTES);
        if (magic != MAGIC) {
            throw corrupt(where, String.format(Locale.ROOT, "its magic must be %08x, but is %08x", MAGIC, magic));
        }
        int stored = buffer.getInt(crcAt);
        int computed = crc(bytes, crcAt);
        if (stored != computed) {
            throw corrupt(where, String.format(Locale.ROOT, "CRC 0x%08x but stored 0x%08x", computed, stored));
        }
        return PortableFormat.read(bytes, LENGTH_BYTES + MAGIC_BYTES, crcAt, where);
    }

    private static int crc(byte[] bytes, int end) {
        var crc = new CRC32();
        crc.update(bytes, LENGTH_BYTES, end - LENGTH_BYTES);
        return (int) crc.getValue();
    }

    private static InvalidTableException corrupt(String where, String why) {
        return new InvalidTableException(where + " is corrupt: " + why + ".");
    }
}
