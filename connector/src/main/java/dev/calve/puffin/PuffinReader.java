package dev.calve.puffin;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.io.RangeInput;
import dev.calve.puffin.PuffinFormat.Footer;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Reads one Puffin file by its footer. Opening costs two ranged reads, three when the footer is large; each blob one more.
 * Used by one thread; whoever opened it closes it.
 *
 * <p>Spec: Puffin.
 */
public final class PuffinReader implements Closeable {

    /** Most footers fit, and reading so much costs no more than reading twelve bytes. */
    private static final int FIRST_READ_BYTES = 32 * 1024;

    private static final int SMALLEST_FILE_BYTES = 2 * PuffinFormat.MAGIC_BYTES + PuffinFormat.FOOTER_STRUCT_BYTES;

    /** The smallest zstd block has 4 bytes and the largest content of a block is 128 KiB. */
    private static final long MOST_BYTES_PER_STORED_BYTE = 128 * 1024 / 4;

    private final String location;
    private final RangeInput input;
    private final Footer footer;
    private final long footerSize;

    private PuffinReader(String location, RangeInput input, Footer footer, long footerSize) {
        this.location = location;
        this.input = input;
        this.footer = footer;
        this.footerSize = footerSize;
    }

    /**
     * Opens a file and reads its footer.
     *
     * @throws InvalidTableException if it is no Puffin file or its footer is corrupt
     * @throws UnsupportedOperationException if the footer is compressed
     * @throws java.io.FileNotFoundException if the file does not exist
     */
    public static PuffinReader open(InputFile file) throws IOException {
        long length = file.length();
        var input = file.open();
        try {
            return open(file.location(), input, length);
        } catch (IOException | RuntimeException e) {
            try {
                input.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static PuffinReader open(String location, RangeInput input, long length) throws IOException {
        if (length < SMALLEST_FILE_BYTES) {
            throw new InvalidTableException("Puffin file " + location + " is corrupt: it must have at least "
                    + SMALLEST_FILE_BYTES + " bytes, but has " + length + ".");
        }
        checkMagic(read(location, input, 0, PuffinFormat.MAGIC_BYTES), 0, location, "start");
        var tail = read(
                location, input, length - Math.min(length, FIRST_READ_BYTES), (int) Math.min(length, FIRST_READ_BYTES));
        checkMagic(tail, tail.length - PuffinFormat.MAGIC_BYTES, location, "end");

        int structStart = tail.length - PuffinFormat.FOOTER_STRUCT_BYTES;
        var struct = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN);
        int payloadLength = struct.getInt(structStart);
        checkFlags(struct.getInt(structStart + Integer.BYTES), location);
        if (payloadLength < 0 || payloadLength > length - SMALLEST_FILE_BYTES) {
            throw PuffinFormat.corrupt(
                    location,
                    "its payload must fit into the file's " + length + " bytes, but is said to have " + payloadLength);
        }
        long footerSize = PuffinFormat.MAGIC_BYTES + (long) payloadLength + PuffinFormat.FOOTER_STRUCT_BYTES;
        int wanted = Math.toIntExact(footerSize);
        byte[] whole = wanted <= tail.length
                ? Arrays.copyOfRange(tail, tail.length - wanted, tail.length)
                : read(location, input, length - wanted, wanted);
        checkMagic(whole, 0, location, "start of the footer");
        var payload = Arrays.copyOfRange(whole, PuffinFormat.MAGIC_BYTES, PuffinFormat.MAGIC_BYTES + payloadLength);
        return new PuffinReader(
                location, input, PuffinFormat.fromJson(payload, location, length - footerSize), footerSize);
    }

    /** Blobs in the footer's order. */
    public List<BlobMetadata> blobs() {
        return footer.blobs();
    }

    /** The file's properties, such as {@code created-by}. */
    public Map<String, String> properties() {
        return footer.properties();
    }

    /** Bytes of the footer with both magics. */
    public long footerSize() {
        return footerSize;
    }

    /**
     * Reads and decompresses a blob. One ranged read.
     *
     * @throws InvalidTableException if its compressed bytes are corrupt or its codec is unknown
     * @throws UnsupportedOperationException if its codec is {@code lz4}
     */
    public byte[] read(BlobMetadata blob) throws IOException {
        if (blob.length() > Integer.MAX_VALUE - Long.BYTES) {
            throw new UnsupportedOperationException("Puffin blobs of 2 GiB or more are not supported: '" + blob.type()
                    + "' in " + location + " has " + blob.length() + " bytes.");
        }
        var codec = blob.compressionCodec().orElse("");
        if (codec.equals(PuffinFormat.LZ4)) {
            throw new UnsupportedOperationException("LZ4 compression of Puffin blobs is not supported: '" + blob.type()
                    + "' in " + location + " must have codec 'zstd' or none.");
        }
        if (!codec.isEmpty() && !codec.equals(PuffinFormat.ZSTD)) {
            throw new InvalidTableException(
                    describe(blob) + " must have codec 'zstd', 'lz4' or none, but has '" + codec + "'.");
        }
        var stored = read(location, input, blob.offset(), (int) blob.length());
        return codec.isEmpty() ? stored : decompress(stored, blob);
    }

    @Override
    public void close() throws IOException {
        input.close();
    }

    /** Expects one frame that states its content's size, as the specification demands. */
    private byte[] decompress(byte[] stored, BlobMetadata blob) {
        long frame;
        long size;
        long found;
        byte[] content;
        if (stored.length == 0) {
            throw new InvalidTableException(describe(blob) + " is corrupt: it must be a zstd frame, but has no bytes.");
        }
        try {
            size = Zstd.getFrameContentSize(stored);
            // A damaged size must not lead to a large allocation.
            long most = Math.min(Integer.MAX_VALUE - Long.BYTES, stored.length * MOST_BYTES_PER_STORED_BYTE);
            if (size < 0 || size > most) {
                throw new InvalidTableException(describe(blob) + " is corrupt: it must be a zstd frame that states a"
                        + " size from 0 to " + most + ", but states " + size + ".");
            }
            frame = Zstd.findFrameCompressedSize(stored);
            content = new byte[(int) size];
            found = Zstd.decompressByteArray(content, 0, content.length, stored, 0, stored.length);
        } catch (ZstdException e) {
            throw new InvalidTableException(describe(blob) + " is corrupt: " + e.getMessage() + ".", e);
        }
        if (frame != stored.length || found != size) {
            throw new InvalidTableException(describe(blob) + " is corrupt: it must be one frame of " + stored.length
                    + " bytes that holds " + size + ", but the frame has " + frame + " and holds " + found + ".");
        }
        return content;
    }

    private String describe(BlobMetadata blob) {
        return "Puffin blob '" + blob.type() + "' at " + location + "[" + blob.offset() + ", "
                + (blob.offset() + blob.length()) + ")";
    }

    private static byte[] read(String location, RangeInput input, long offset, int length) throws IOException {
        var bytes = new byte[length];
        try {
            input.readFully(offset, bytes, 0, length);
        } catch (EOFException e) {
            throw new InvalidTableException(
                    "Puffin file " + location + " is corrupt: it must have at least " + (offset + length)
                            + " bytes, but ends before.",
                    e);
        }
        return bytes;
    }

    private static void checkMagic(byte[] bytes, int at, String location, String where) {
        if (!Arrays.equals(
                bytes, at, at + PuffinFormat.MAGIC_BYTES, PuffinFormat.magic(), 0, PuffinFormat.MAGIC_BYTES)) {
            throw new InvalidTableException(String.format(
                    "Puffin file %s is corrupt: its %s must be 50464131, but is %08x.",
                    location, where, ByteBuffer.wrap(bytes).getInt(at)));
        }
    }

    private static void checkFlags(int flags, String location) {
        if (flags == 1) {
            throw new UnsupportedOperationException(
                    "LZ4 compression of Puffin footers is not supported: " + location + " has one.");
        }
        if (flags != 0) {
            throw PuffinFormat.corrupt(
                    location, "its flags must be 0 or 1, but are " + Integer.toUnsignedString(flags));
        }
    }
}
