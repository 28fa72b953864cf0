package dev.calve.parquet;

import dev.calve.io.PositionOutput;
import java.io.IOException;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A file of {@code io.Storage} that is being written, as parquet-java wants to see it. */
public final class StorageOutput implements OutputFile {

    private final PositionOutput output;

    /** The stream is closed through parquet-java's writer, or by whoever created it when writing fails. */
    public StorageOutput(PositionOutput output) {
        this.output = output;
    }

    @Override
    public PositionOutputStream create(long blockSizeHint) {
        return new Stream(output);
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
        return create(blockSizeHint);
    }

    /** Row groups are not padded to blocks. */
    @Override
    public boolean supportsBlockSize() {
        return false;
    }

    @Override
    public long defaultBlockSize() {
        return 0;
    }

    private static final class Stream extends PositionOutputStream {

        private final PositionOutput output;
        private boolean closed;

        Stream(PositionOutput output) {
            this.output = output;
        }

        @Override
        public long getPos() {
            return output.position();
        }

        @Override
        public void write(int value) throws IOException {
            output.write(value);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            output.write(source, offset, length);
        }

        @Override
        public void flush() throws IOException {
            if (!closed) {
                output.flush();
            }
        }

        /** Parquet-java closes more than once. */
        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                output.close();
            }
        }
    }
}
