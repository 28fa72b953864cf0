package dev.calve.hadoop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * An object store as the S3A client presents it: an object appears when its stream is closed, and only if none is there when
 * the condition is asked for. Bucket {@code old} is one of a client that cannot ask.
 */
public final class ConditionalFileSystem extends FileSystem {

    static final Map<String, byte[]> OBJECTS = new ConcurrentHashMap<>();
    static final List<Set<String>> MANDATORY_KEYS = Collections.synchronizedList(new ArrayList<>());

    private URI uri = URI.create("s3a://none");

    static Configuration configuration() {
        var configuration = new Configuration(false);
        configuration.set("fs.s3a.impl", ConditionalFileSystem.class.getName());
        return configuration;
    }

    @Override
    public void initialize(URI name, Configuration configuration) throws IOException {
        super.initialize(name, configuration);
        setConf(configuration);
        uri = URI.create(name.getScheme() + "://" + name.getAuthority());
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) {
        return capability.equals("fs.option.create.conditional.overwrite")
                && !uri.getAuthority().equals("old");
    }

    @Override
    public FSDataOutputStreamBuilder<?, ?> createFile(Path path) {
        return new Builder(this, path);
    }

    private static final class Builder extends FSDataOutputStreamBuilder<FSDataOutputStream, Builder> {

        private final Path path;

        Builder(FileSystem fileSystem, Path path) {
            super(fileSystem, path);
            this.path = path;
        }

        @Override
        public Builder getThisBuilder() {
            return this;
        }

        @Override
        public FSDataOutputStream build() {
            Set<String> mandatory = Set.copyOf(getMandatoryKeys());
            MANDATORY_KEYS.add(mandatory);
            boolean conditional = mandatory.contains("fs.option.create.conditional.overwrite")
                    && getOptions().getBoolean("fs.option.create.conditional.overwrite", false);
            return ConditionalFileSystem.stream(path, conditional);
        }
    }

    private static FSDataOutputStream stream(Path path, boolean conditional) {
        var bytes = new ByteArrayOutputStream() {
            private boolean closed;

            @Override
            public void close() throws IOException {
                if (closed) {
                    return;
                }
                closed = true;
                if (!conditional) {
                    OBJECTS.put(path.toString(), toByteArray());
                } else if (OBJECTS.putIfAbsent(path.toString(), toByteArray()) != null) {
                    throw new IOException("412 Precondition Failed");
                }
            }
        };
        return new FSDataOutputStream(bytes, null);
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress) {
        return stream(path, false);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        byte[] content = OBJECTS.get(path.toString());
        if (content == null) {
            throw new FileNotFoundException(path.toString());
        }
        return new FSDataInputStream(new Bytes(content));
    }

    private static final class Bytes extends FSInputStream {

        private final byte[] content;
        private ByteArrayInputStream in;
        private long position;

        Bytes(byte[] content) {
            this.content = content;
            in = new ByteArrayInputStream(content);
        }

        @Override
        public int read() {
            int value = in.read();
            position += value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            int count = in.read(target, offset, length);
            position += Math.max(0, count);
            return count;
        }

        @Override
        public void seek(long target) {
            position = target;
            in = new ByteArrayInputStream(content, Math.toIntExact(target), content.length);
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public boolean seekToNewSource(long target) {
            return false;
        }
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        byte[] content = OBJECTS.get(path.toString());
        if (content != null) {
            return new FileStatus(content.length, false, 1, 1, 0, path);
        }
        if (OBJECTS.keySet().stream().anyMatch(key -> key.startsWith(path + "/"))) {
            return new FileStatus(0, true, 1, 1, 0, path);
        }
        throw new FileNotFoundException(path.toString());
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        var children = new java.util.TreeMap<String, FileStatus>();
        OBJECTS.forEach((key, content) -> {
            if (key.startsWith(path + "/")) {
                String name = key.substring(path.toString().length() + 1).split("/", -1)[0];
                boolean folder = !key.endsWith("/" + name);
                children.put(name, new FileStatus(content.length, folder, 1, 1, 0, new Path(path, name)));
            }
        });
        if (children.isEmpty()) {
            throw new FileNotFoundException(path.toString());
        }
        return children.values().toArray(new FileStatus[0]);
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
        return OBJECTS.keySet()
                .removeIf(key -> key.equals(path.toString()) || (recursive && key.startsWith(path + "/")));
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) {
        return true;
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
        throw new UnsupportedOperationException("append");
    }

    @Override
    public boolean rename(Path source, Path target) {
        throw new UnsupportedOperationException("rename");
    }

    @Override
    public void setWorkingDirectory(Path path) {}

    @Override
    public Path getWorkingDirectory() {
        return new Path("/");
    }
}
