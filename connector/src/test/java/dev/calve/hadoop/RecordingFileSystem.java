package dev.calve.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.util.Progressable;

/**
 * A file system of Hadoop's that is not the local one: scheme {@code rec}, files on the local disk. It records what it is
 * asked, and its streams can be aborted as those of object stores.
 */
public final class RecordingFileSystem extends RawLocalFileSystem {

    static final List<String> CALLS = Collections.synchronizedList(new ArrayList<>());

    /** When true, writes fail as on a full disk. */
    static volatile boolean full;

    private boolean opening;

    static Configuration configuration() {
        var configuration = new Configuration();
        configuration.set("fs.rec.impl", RecordingFileSystem.class.getName());
        CALLS.clear();
        full = false;
        return configuration;
    }

    @Override
    public String getScheme() {
        return "rec";
    }

    @Override
    public URI getUri() {
        return URI.create("rec:///");
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        CALLS.add("open " + path);
        opening = true; // The superclass looks at the file first; a remote one would not.
        try {
            return super.open(path, bufferSize);
        } finally {
            opening = false;
        }
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        if (!opening) {
            CALLS.add("status " + path);
        }
        return super.getFileStatus(path);
    }

    @Override
    public FSDataOutputStream create(
            Path path, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
            throws IOException {
        CALLS.add("create " + path + (overwrite ? " overwrite" : ""));
        return new FSDataOutputStream(
                new Stream(super.create(path, overwrite, bufferSize, replication, blockSize, progress)), null);
    }

    private static final class Stream extends OutputStream implements StreamCapabilities, Abortable {
        private final OutputStream target;

        Stream(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (full) {
                throw new IOException("No space left on device");
            }
            target.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            CALLS.add("close");
            target.close();
        }

        @Override
        public AbortableResult abort() {
            CALLS.add("abort");
            return new AbortableResult() {
                @Override
                public boolean alreadyClosed() {
                    return false;
                }

                @Override
                public IOException anyCleanupException() {
                    return new IOException("none");
                }
            };
        }

        @Override
        public boolean hasCapability(String capability) {
            return capability.equals(StreamCapabilities.ABORTABLE_STREAM);
        }
    }
}
