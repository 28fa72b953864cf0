package dev.calve.hadoop;

import dev.calve.io.InputFile;
import dev.calve.io.RangeInput;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;

/** A file on a file system of Hadoop's. */
final class HadoopInput implements InputFile {

    static final long UNKNOWN_LENGTH = -1;

    private final String location;
    private final Path path;
    private final Configuration configuration;
    private long length;

    HadoopInput(String location, Path path, Configuration configuration, long length) {
        this.location = location;
        this.path = path;
        this.configuration = configuration;
        this.length = length;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public long length() throws IOException {
        if (length == UNKNOWN_LENGTH) {
            var status = path.getFileSystem(configuration).getFileStatus(path);
            if (status.isDirectory()) {
                throw new FileNotFoundException(location + " is a folder.");
            }
            length = status.getLen();
        }
        return length;
    }

    @Override
    public RangeInput open() throws IOException {
        var builder = path.getFileSystem(configuration)
                .openFile(path)
                .opt(
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM);
        if (length != UNKNOWN_LENGTH) {
            builder.optLong(OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, length);
        }
        var stream = FutureIO.awaitFuture(builder.build());
        return new Open(stream);
    }

    /** The length is asked for before the file is opened, so that opening need not ask for it again. */
    @Override
    public byte[] readAll() throws IOException {
        var bytes = new byte[Math.toIntExact(length())];
        try (var in = open()) {
            in.readFully(0, bytes, 0, bytes.length);
        }
        return bytes;
    }

    private record Open(FSDataInputStream stream) implements RangeInput {
        @Override
        public void readFully(long position, byte[] target, int offset, int length) throws IOException {
            stream.readFully(position, target, offset, length);
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
