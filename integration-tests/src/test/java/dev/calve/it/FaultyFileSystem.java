package dev.calve.it;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * An object store as the S3A client presents it, where things go wrong when a test says so. What it holds is in local
 * folders for tests to look at: {@code s3a://faulty/a/b} is the file {@code /a/b}. A file appears when its stream is closed.
 *
 * <p>The fault is one per JVM, and driver and tasks of a local session are one JVM. So is what is mounted: a bucket that is
 * has its files below a folder and not at the root.
 */
public final class FaultyFileSystem extends FileSystem {

    /** When a fault may strike. */
    enum Moment {
        /** A stream for a new file is asked for. */
        CREATE,
        /** Bytes are written to a stream. */
        WRITE,
        /** A file is about to appear only if nothing is there. */
        BEFORE_PUBLISH,
        /** It has appeared. */
        AFTER_PUBLISH,
        /** A file is opened or looked for. */
        LOOK
    }

    /** What goes wrong: throws, or does what nobody expects to happen at that moment. */
    interface Fault {

        Fault NONE = (moment, path) -> {};

        void at(Moment moment, String path) throws IOException;
    }

    private static final String CONDITIONAL_CREATE = "fs.option.create.conditional.overwrite";

    private static final Map<String, java.nio.file.Path> MOUNTED = new ConcurrentHashMap<>();

    private static volatile Fault fault = Fault.NONE;

    private URI uri = URI.create("s3a://faulty");

    /** Called by Hadoop. */
    public FaultyFileSystem() {}

    static void fail(Fault with) {
        fault = with;
    }

    static void heal() {
        fault = Fault.NONE;
    }

    /** The location of a local folder on this file system. */
    static String location(java.nio.file.Path folder) {
        return "s3a://faulty" + folder.toAbsolutePath();
    }

    /** Makes {@code s3a://bucket/a/b} the file {@code a/b} in the folder. */
    static void mount(String bucket, java.nio.file.Path folder) {
        MOUNTED.put(bucket, folder);
    }

    private static java.nio.file.Path local(Path path) {
        String name = path.toUri().getPath();
        java.nio.file.Path folder = MOUNTED.get(path.toUri().getAuthority());
        return folder == null ? java.nio.file.Path.of(name) : folder.resolve(name.substring(1));
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
    public String getScheme() {
        return uri.getScheme();
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) {
        return capability.equals(CONDITIONAL_CREATE);
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
        public FSDataOutputStream build() throws IOException {
            boolean conditional = getMandatoryKeys().contains(CONDITIONAL_CREATE)
                    && getOptions().getBoolean(CONDITIONAL_CREATE, false);
            return newStream(path, conditional);
        }
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        return newStream(path, false);
    }

    private static FSDataOutputStream newStream(Path path, boolean conditional) throws IOException {
        fault.at(Moment.CREATE, path.toString());
        return new FSDataOutputStream(new Upload(path, conditional), null);
    }

    private static final class Upload extends OutputStream implements Abortable, StreamCapabilities {

        private final Path path;
        private final boolean conditional;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private boolean ended;

        Upload(Path path, boolean conditional) {
            this.path = path;
            this.conditional = conditional;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            fault.at(Moment.WRITE, path.toString());
            content.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            if (ended) {
                return;
            }
            ended = true;
            java.nio.file.Path target = local(path);
            Files.createDirectories(target.getParent());
            java.nio.file.Path part = Files.createTempFile("upload-" + UUID.randomUUID(), ".part");
            Files.write(part, content.toByteArray());
            if (!conditional) {
                Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
                return;
            }
            fault.at(Moment.BEFORE_PUBLISH, path.toString());
            try {
                Files.createLink(target, part);
            } catch (FileAlreadyExistsException e) {
                throw new IOException("412 Precondition Failed", e);
            } finally {
                Files.delete(part);
            }
            fault.at(Moment.AFTER_PUBLISH, path.toString());
        }

        @Override
        public AbortableResult abort() {
            ended = true;
            return null;
        }

        @Override
        public boolean hasCapability(String capability) {
            return capability.equals(StreamCapabilities.ABORTABLE_STREAM);
        }
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return new FSDataInputStream(
                new Bytes(Files.readAllBytes(local(found(path).getPath()))));
    }

    private static final class Bytes extends FSInputStream {

        private final byte[] content;
        private ByteArrayInputStream in;

        Bytes(byte[] content) {
            this.content = content;
            in = new ByteArrayInputStream(content);
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return in.read(target, offset, length);
        }

        @Override
        public void seek(long target) {
            in = new ByteArrayInputStream(content, Math.toIntExact(target), content.length);
        }

        @Override
        public long getPos() {
            return (long) content.length - in.available();
        }

        @Override
        public boolean seekToNewSource(long target) {
            return false;
        }
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return found(path);
    }

    private static FileStatus found(Path path) throws IOException {
        fault.at(Moment.LOOK, path.toString());
        java.nio.file.Path local = local(path);
        if (Files.notExists(local, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileNotFoundException(path.toString());
        }
        return new FileStatus(Files.size(local), Files.isDirectory(local), 1, 1, 0, path);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        found(path);
        List<java.nio.file.Path> children;
        try (Stream<java.nio.file.Path> all = Files.list(local(path))) {
            children = all.sorted().toList();
        }
        var result = new FileStatus[children.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = found(new Path(path, children.get(i).getFileName().toString()));
        }
        return result;
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        java.nio.file.Path local = local(path);
        if (Files.notExists(local)) {
            return false;
        }
        List<java.nio.file.Path> deepestFirst;
        try (Stream<java.nio.file.Path> all = Files.walk(local)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (java.nio.file.Path file : deepestFirst) {
            Files.delete(file);
        }
        return true;
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        Files.createDirectories(local(path));
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
