package dev.calve.hadoop;

import dev.calve.io.InputFile;
import dev.calve.io.RangeInput;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** A file on a local disk. Checksum files that Hadoop may have left beside it are not looked at. */
final class LocalInput implements InputFile {

    /** The JDK reads through an off-heap buffer as large as the request, and keeps it for the thread. */
    private static final int MOST_BYTES_AT_ONCE = 1 << 20;

    private final String location;
    private final Path path;
    private long length;

    LocalInput(String location, Path path, long length) {
        this.location = location;
        this.path = path;
        this.length = length;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public long length() throws IOException {
        if (length == HadoopInput.UNKNOWN_LENGTH) {
            BasicFileAttributes attributes;
            try {
                attributes = Files.readAttributes(path, BasicFileAttributes.class);
            } catch (NoSuchFileException e) {
                throw notFound(e);
            }
            if (attributes.isDirectory()) {
                throw new FileNotFoundException(location + " is a folder.");
            }
            length = attributes.size();
        }
        return length;
    }

    @Override
    public RangeInput open() throws IOException {
        try {
            return new Open(location, FileChannel.open(path, StandardOpenOption.READ));
        } catch (NoSuchFileException e) {
            throw notFound(e);
        }
    }

    private FileNotFoundException notFound(NoSuchFileException cause) {
        var notFound = new FileNotFoundException(location + " does not exist.");
        notFound.initCause(cause);
        return notFound;
    }

    private record Open(String location, FileChannel channel) implements RangeInput {
        @Override
        public void readFully(long position, byte[] target, int offset, int length) throws IOException {
            int done = 0;
            while (done < length) {
                var part = ByteBuffer.wrap(target, offset + done, Math.min(length - done, MOST_BYTES_AT_ONCE));
                int read = channel.read(part, position + done);
                if (read < 0) {
                    throw new EOFException(
                            location + " must have " + (position + length) + " bytes, but has " + channel.size() + ".");
                }
                done += read;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
