package dev.calve.spark.read;

import dev.calve.io.RangeInput;
import dev.calve.parquet.PageSizes;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.io.ParquetFileRange;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Turns parquet-java's seeks and small reads into few ranged reads.
 *
 * <p>The file's last {@value #TAIL_BYTES} bytes are read once and kept: they hold the footer, usually the page indexes,
 * and all of a small file. Column chunks of a row group that stand at most {@value #GAP_BYTES} bytes apart are read
 * together, because skipping a gap costs less than another request. Larger single reads go straight to the target.
 */
final class ParquetSourceStream extends SeekableInputStream {

    static final int TAIL_BYTES = 128 << 10;
    static final int GAP_BYTES = 256 << 10;

    /** Chunks are joined up to this many bytes, so that a joined buffer never becomes hard to allocate. */
    static final int JOINED_BYTES = 32 << 20;

    /** Read-ahead for reads smaller than this outside the tail: page headers and indexes read one by one. */
    private static final int BUFFER_BYTES = 16 << 10;

    private final RangeInput in;
    private final long length;
    private long position;

    private byte[] tail = new byte[0];
    private long tailStart = Long.MAX_VALUE;
    private byte[] buffer = new byte[0];
    private long bufferStart;

    private long bytesRead;
    private long requests;
    private boolean closed;
    private boolean failed;

    private PageSizes pageSizes = PageSizes.unchecked();

    ParquetSourceStream(RangeInput in, long length) {
        this.in = in;
        this.length = length;
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public void seek(long newPosition) throws IOException {
        if (newPosition < 0 || newPosition > length) {
            throw new EOFException("Cannot seek to " + newPosition + " of " + length + " bytes");
        }
        position = newPosition;
    }

    @Override
    public int read() throws IOException {
        if (position >= length) {
            return -1;
        }
        var one = new byte[1];
        readFully(one, 0, 1);
        return one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (position >= length) {
            return -1;
        }
        int read = (int) Math.min(count, length - position);
        readFully(target, offset, read);
        return read;
    }

    @Override
    public void readFully(byte[] target) throws IOException {
        readFully(target, 0, target.length);
    }

    @Override
    public void readFully(byte[] target, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, target.length);
        if (count > length - position) {
            throw new EOFException(
                    "Cannot read " + count + " bytes at " + position + " of a file of " + length + " bytes");
        }
        readAt(position, target, offset, count);
        position += count;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!target.hasRemaining()) {
            return 0;
        }
        if (position >= length) {
            return -1;
        }
        int count = (int) Math.min(target.remaining(), length - position);
        readInto(target, count);
        return count;
    }

    @Override
    public void readFully(ByteBuffer target) throws IOException {
        readInto(target, target.remaining());
    }

    private void readInto(ByteBuffer target, int count) throws IOException {
        if (target.hasArray()) {
            readFully(target.array(), target.arrayOffset() + target.position(), count);
            target.position(target.position() + count);
            return;
        }
        var bytes = new byte[count];
        readFully(bytes, 0, count);
        target.put(bytes);
    }

    @Override
    public boolean readVectoredAvailable(ByteBufferAllocator allocator) {
        return !allocator.isDirect();
    }

    /** Reads ranges that stand near each other with one ranged read each group; the futures are complete on return. */
    @Override
    public void readVectored(List<ParquetFileRange> ranges, ByteBufferAllocator allocator) throws IOException {
        var sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(ParquetFileRange::getOffset));
        int first = 0;
        while (first < sorted.size()) {
            long start = sorted.get(first).getOffset();
            long end = start + sorted.get(first).getLength();
            int next = first + 1;
            while (next < sorted.size()) {
                var range = sorted.get(next);
                long joinedEnd = Math.max(end, range.getOffset() + range.getLength());
                if (range.getOffset() - end > GAP_BYTES || joinedEnd - start > JOINED_BYTES) {
                    break;
                }
                end = joinedEnd;
                next++;
            }
            readJoined(sorted.subList(first, next), start, Math.toIntExact(end - start));
            first = next;
        }
    }

    private void readJoined(List<ParquetFileRange> ranges, long start, int count) throws IOException {
        if (start + count > length) {
            throw new EOFException(
                    "Cannot read " + count + " bytes at " + start + " of a file of " + length + " bytes");
        }
        var bytes = new byte[count];
        if (!readFromTail(start, bytes, 0, count)) {
            load(start, bytes, 0, count);
        }
        for (var range : ranges) {
            int offset = Math.toIntExact(range.getOffset() - start);
            // Not a slice: Spark's reader of DELTA_BYTE_ARRAY takes a buffer's array without its offset in it.
            var part = ByteBuffer.wrap(bytes, offset, range.getLength());
            pageSizes.check(range.getOffset(), bytes, offset, range.getLength());
            range.setDataReadFuture(CompletableFuture.completedFuture(part));
        }
    }

    /** Says what is checked of ranges that are read from now on. */
    void check(PageSizes sizes) {
        pageSizes = sizes;
    }

    /** Bytes asked of the storage so far. */
    long bytesRead() {
        return bytesRead;
    }

    /** Ranged reads asked of the storage so far. */
    long requests() {
        return requests;
    }

    /**
     * Reads a range at once of which parts are wanted soon. It replaces the one read ahead before.
     *
     * @param count bytes, all within the file
     */
    void readAhead(long from, int count) throws IOException {
        if (from < length - TAIL_BYTES && !isBuffered(from, count)) {
            var loaded = new byte[count];
            load(from, loaded, 0, count);
            buffer = loaded;
            bufferStart = from;
        }
    }

    /** Shows other bytes at the end of the file, for whoever reads the footer next. */
    void replaceEnd(byte[] end) {
        buffer = end;
        bufferStart = length - end.length;
    }

    private void load(long from, byte[] target, int offset, int count) throws IOException {
        bytesRead += count;
        requests++;
        failed = true;
        in.readFully(from, target, offset, count);
        failed = false;
    }

    /** Whether the last request to the storage failed. */
    boolean hasFailed() {
        return failed;
    }

    private boolean isBuffered(long from, int count) {
        return from >= bufferStart && from + count <= bufferStart + buffer.length;
    }

    private void readAt(long from, byte[] target, int offset, int count) throws IOException {
        if (isBuffered(from, count)) {
            System.arraycopy(buffer, Math.toIntExact(from - bufferStart), target, offset, count);
            return;
        }
        if (readFromTail(from, target, offset, count)) {
            return;
        }
        if (count >= BUFFER_BYTES || from + count > length - TAIL_BYTES) {
            load(from, target, offset, count);
            return;
        }
        var loaded = new byte[(int) Math.min(BUFFER_BYTES, length - from)];
        load(from, loaded, 0, loaded.length);
        buffer = loaded;
        bufferStart = from;
        System.arraycopy(buffer, Math.toIntExact(from - bufferStart), target, offset, count);
    }

    private boolean readFromTail(long from, byte[] target, int offset, int count) throws IOException {
        if (from < length - TAIL_BYTES) {
            return false;
        }
        if (count > 0) {
            if (tailStart == Long.MAX_VALUE) {
                loadTail();
            }
            System.arraycopy(tail, Math.toIntExact(from - tailStart), target, offset, count);
        }
        return true;
    }

    private void loadTail() throws IOException {
        long start = Math.max(0, length - TAIL_BYTES);
        var loaded = new byte[(int) (length - start)];
        load(start, loaded, 0, loaded.length);
        tail = loaded;
        tailStart = start;
    }

    /** Closes the file; again without effect, as parquet-java closes it, too, where opening fails. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            in.close();
        }
    }
}
