package dev.calve.hadoop;

import dev.calve.io.PositionOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/**
 * Collects small writes and counts bytes. Once a write has failed the file cannot be closed any more as if it were
 * complete: {@link #close()} then abandons it and fails.
 */
final class BufferedPositionOutput extends PositionOutput {

    private static final int BUFFER_BYTES = 64 * 1024;

    /** Larger arrays go down in parts, because the JDK copies each into an off-heap buffer of its size. */
    private static final int MOST_BYTES_AT_ONCE = 1 << 20;

    /** Ends a stream whose file is not complete. */
    @FunctionalInterface
    interface Abandon {
        void run() throws IOException;
    }

    private final String location;
    private final OutputStream target;
    private final Abandon abandon;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int buffered;
    private long position;
    private boolean failed;
    private boolean closed;

    BufferedPositionOutput(String location, OutputStream target, Abandon abandon) {
        this.location = location;
        this.target = target;
        this.abandon = abandon;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void write(int value) throws IOException {
        checkOpen();
        if (buffered == buffer.length) {
            drain();
        }
        buffer[buffered++] = (byte) value;
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checkOpen();
        if (length > buffer.length - buffered) {
            drain();
        }
        if (length < buffer.length) {
            System.arraycopy(bytes, offset, buffer, buffered, length);
            buffered += length;
        } else {
            for (int done = 0; done < length; done += MOST_BYTES_AT_ONCE) {
                send(bytes, offset + done, Math.min(length - done, MOST_BYTES_AT_ONCE));
            }
        }
        position += length;
    }

    @Override
    public void flush() throws IOException {
        checkOpen();
        drain();
        target.flush();
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        if (!failed) {
            try {
                drain();
            } catch (IOException e) {
                try {
                    abandon();
                } catch (IOException suppressed) {
                    e.addSuppressed(suppressed);
                }
                throw e;
            }
            closed = true;
            target.close();
            return;
        }
        abandon();
        throw new IOException("Cannot complete " + location + ": an earlier write failed.");
    }

    @Override
    public void abandon() throws IOException {
        if (!closed) {
            closed = true;
            abandon.run();
        }
    }

    private void drain() throws IOException {
        int count = buffered;
        buffered = 0;
        if (count > 0) {
            send(buffer, 0, count);
        }
    }

    private void send(byte[] bytes, int offset, int length) throws IOException {
        failed = true;
        target.write(bytes, offset, length);
        failed = false;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("Cannot write to " + location + ": it is closed.");
        }
    }
}
