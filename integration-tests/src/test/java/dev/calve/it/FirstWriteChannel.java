package dev.calve.it;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;

/** A new file, whose first bytes can be its last. */
final class FirstWriteChannel implements SeekableByteChannel {

    private final SeekableByteChannel channel;
    private final Path target;
    private final HaltingFiles.Witness witness;
    private boolean written;

    FirstWriteChannel(SeekableByteChannel channel, Path target, HaltingFiles.Witness witness) {
        this.channel = channel;
        this.target = target;
        this.witness = witness;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (!written) {
            written = true;
            int some = witness.beforeFirstWrite(target, source.remaining());
            if (some >= 0) {
                ByteBuffer beginning = source.duplicate();
                beginning.limit(beginning.position() + some);
                while (beginning.hasRemaining()) {
                    channel.write(beginning);
                }
                witness.torn(target);
            }
        }
        return channel.write(source);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public long position() throws IOException {
        return channel.position();
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        channel.position(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        channel.truncate(size);
        return this;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
