package dev.calve.manifest;

import dev.calve.io.RangeInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A file as a stream, fetched in large ranges. Remembers what storage threw, because libraries wrap it. */
final class ChunkedInput extends InputStream {

    /** Most manifests fit into one read. */
    private static final int CHUNK_BYTES = 8 * 1024 * 1024;

    private final RangeInput in;
    private final long length;
    private byte[] chunk = new byte[0];
    private byte[] tail = new byte[0];
    private int at;
    private long fetched;
    private @Nullable IOException failure;

    ChunkedInput(RangeInput in, long length) {
        this.in = in;
        this.length = length;
    }

    /** The beginning of the file, to be read again by whoever looks at it. To be called before anything is read. */
    byte[] firstChunk() throws IOException {
        fill();
        return chunk;
    }

    /** Begins again at a place in the first chunk, which must be the one that is read. */
    void rewindTo(int position) {
        if (fetched != chunk.length) {
            throw new IllegalStateException("Byte " + fetched + " was fetched already.");
        }
        at = position;
    }

    /** Bytes of the file that were not read yet. */
    long remaining() {
        return length - fetched + chunk.length - at;
    }

    private boolean fill() throws IOException {
        if (at < chunk.length) {
            return true;
        }
        if (fetched >= length) {
            return false;
        }
        var next = new byte[(int) Math.min(CHUNK_BYTES, length - fetched)];
        try {
            in.readFully(fetched, next, 0, next.length);
        } catch (EOFException e) {
            throw e;
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        fetched += next.length;
        chunk = next;
        at = 0;
        tail = tail(tail, next);
        return true;
    }

    private static byte[] tail(byte[] before, byte[] next) {
        if (next.length >= AvroBlocks.SYNC_BYTES) {
            return Arrays.copyOfRange(next, next.length - AvroBlocks.SYNC_BYTES, next.length);
        }
        byte[] joined = Arrays.copyOf(before, before.length + next.length);
        System.arraycopy(next, 0, joined, before.length, next.length);
        return Arrays.copyOfRange(joined, Math.max(0, joined.length - AvroBlocks.SYNC_BYTES), joined.length);
    }

    @Override
    public int read() throws IOException {
        return fill() ? chunk[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int taken = Math.min(count, chunk.length - at);
        System.arraycopy(chunk, at, target, offset, taken);
        at += taken;
        return taken;
    }

    /** Whether all was fetched and ends with the marker of a block. */
    boolean endsWith(byte[] marker) {
        return fetched == length && Arrays.equals(tail, marker);
    }

    /** What storage threw, if it did. */
    @Nullable IOException failure() {
        return failure;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
