package dev.calve.parquet;

import dev.calve.io.RangeInput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.ParquetFileRange;
import org.apache.parquet.io.SeekableInputStream;

/**
 * A file of {@code io.Storage}, as parquet-java wants to see it. Reads smaller than a window are served from one, so
 * that a footer costs one or two ranged reads although parquet-java reads it byte by byte. Remembers whether storage failed,
 * because parquet-java reports damaged files with exceptions of the same type.
 */
public final class StorageInput implements InputFile {

    private static final int WINDOW = 64 * 1024;

    private final dev.calve.io.InputFile file;
    private boolean failed;
    private PageSizes pageSizes = PageSizes.unchecked();

    public StorageInput(dev.calve.io.InputFile file) {
        this.file = file;
    }

    @Override
    public long getLength() throws IOException {
        try {
            return file.length();
        } catch (IOException e) {
            failed = true;
            throw e;
        }
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        return newStream(WINDOW);
    }

    /** A stream for reading long ranges in small steps: {@code window} bytes are fetched, and held, at a time. */
    SeekableInputStream newStream(int window) throws IOException {
        long length = getLength();
        try {
            return new Stream(file.open(), length, window);
        } catch (IOException e) {
            failed = true;
            throw e;
        }
    }

    /** Says what is checked of ranges that are read from now on. */
    void check(PageSizes sizes) {
        pageSizes = sizes;
    }

    /** Whether storage failed to give bytes of the file; any other failure is the file's. */
    public boolean hasFailed() {
        return failed;
    }

    @Override
    public String toString() {
        return file.location();
    }

    private final class Stream extends SeekableInputStream {

        private final RangeInput input;
        private final long length;
        private final byte[] window;
        private long windowStart;
        private int windowLength;
        private long position;

        Stream(RangeInput input, long length, int window) {
            this.input = input;
            this.length = length;
            this.window = new byte[(int) Math.min(window, length)];
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void seek(long newPosition) {
            position = newPosition;
        }

        @Override
        public int read() throws IOException {
            if (position >= length) {
                return -1;
            }
            if (!isInWindow(1)) {
                fillWindow();
            }
            return window[(int) (position++ - windowStart)] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            if (count == 0) {
                return 0;
            }
            if (position >= length) {
                return -1;
            }
            int available = (int) Math.min(count, length - position);
            readFully(target, offset, available);
            return available;
        }

        @Override
        public void readFully(byte[] target) throws IOException {
            readFully(target, 0, target.length);
        }

        @Override
        public void readFully(byte[] target, int offset, int count) throws IOException {
            if (position < 0 || count > length - position) {
                throw endsBefore(count);
            }
            if (count < window.length || isInWindow(count)) {
                if (!isInWindow(count)) {
                    fillWindow();
                }
                System.arraycopy(window, (int) (position - windowStart), target, offset, count);
            } else {
                fetch(position, target, offset, count);
            }
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
            var part = target.slice(target.position(), count);
            readFully(part);
            target.position(target.position() + count);
            return count;
        }

        @Override
        public void readFully(ByteBuffer target) throws IOException {
            if (target.hasArray()) {
                readFully(target.array(), target.arrayOffset() + target.position(), target.remaining());
                target.position(target.limit());
                return;
            }
            var bytes = new byte[target.remaining()];
            readFully(bytes);
            target.put(bytes);
        }

        @Override
        public boolean readVectoredAvailable(ByteBufferAllocator allocator) {
            return !allocator.isDirect();
        }

        /** Reads each range at once; the futures are complete on return. */
        @Override
        public void readVectored(List<ParquetFileRange> ranges, ByteBufferAllocator allocator) throws IOException {
            for (ParquetFileRange range : ranges) {
                seek(range.getOffset());
                if (range.getLength() > length - position) {
                    throw endsBefore(range.getLength());
                }
                var bytes = new byte[range.getLength()];
                readFully(bytes);
                pageSizes.check(range.getOffset(), bytes, 0, bytes.length);
                range.setDataReadFuture(CompletableFuture.completedFuture(ByteBuffer.wrap(bytes)));
            }
        }

        @Override
        public void close() throws IOException {
            input.close();
        }

        private EOFException endsBefore(int count) {
            return new EOFException(
                    "Expected " + count + " bytes at " + position + ", but the file ends at " + length + ".");
        }

        private boolean isInWindow(int count) {
            return position >= windowStart && position - windowStart <= windowLength - count;
        }

        /** Near the end of the file the window reaches back, because a footer is found from its last bytes. */
        private void fillWindow() throws IOException {
            windowLength = 0;
            windowStart = Math.min(position, length - window.length);
            fetch(windowStart, window, 0, window.length);
            windowLength = window.length;
        }

        private void fetch(long from, byte[] target, int offset, int count) throws IOException {
            try {
                input.readFully(from, target, offset, count);
            } catch (EOFException e) {
                throw e;
            } catch (IOException e) {
                failed = true;
                throw e;
            }
        }
    }
}
