package dev.calve.it;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * The default file system of a JVM, which tells a {@link Witness} of every step that changes a folder, before it is taken.
 * A JVM gets it by the flag {@link #FLAG}; what the steps are, down to the hard link of a publication, is thus decided by
 * the code under test and not by a wrapper around it.
 *
 * <p>Files that are opened through {@code java.io} are not seen.
 */
public final class HaltingFiles extends FileSystemProvider {

    static final String FLAG = "-Djava.nio.file.spi.DefaultFileSystemProvider=" + HaltingFiles.class.getName();

    /** What a step does to the file it names. */
    enum Verb {
        FOLDER,
        CREATE,
        LINK,
        MOVE,
        DELETE
    }

    /** Is told of steps; it may end the JVM. */
    interface Witness {

        /** The step is about to be taken: a file or folder will be there, or no longer. */
        void before(Verb verb, Path target) throws IOException;

        /** The file was created and is empty. */
        void created(Path target) throws IOException;

        /**
         * The first bytes of the file are about to be written.
         *
         * @return how many of them to write before {@link #torn} is called; a negative number writes all and does not call it
         */
        int beforeFirstWrite(Path target, int length) throws IOException;

        /** Only the beginning of the file was written. */
        void torn(Path target) throws IOException;
    }

    private static volatile Witness witness = new NoWitness();

    private final FileSystemProvider real;
    private final FileSystem fileSystem;

    /** For the JDK, which calls it when the default file system is first asked for. */
    public HaltingFiles(FileSystemProvider real) {
        this.real = real;
        this.fileSystem = new Wrapped(real.getFileSystem(URI.create("file:///")));
    }

    /** From now on, this witness is told. */
    static void tell(Witness newWitness) {
        witness = newWitness;
    }

    private static final class NoWitness implements Witness {
        @Override
        public void before(Verb verb, Path target) {}

        @Override
        public void created(Path target) {}

        @Override
        public int beforeFirstWrite(Path target, int length) {
            return -1;
        }

        @Override
        public void torn(Path target) {}
    }

    // Paths: the JDK finds the provider of an operation through the file system of the path

    /** Lets a path be taken out of its wrapping. */
    private interface Wrapping {
        Path inside();
    }

    private static Path unwrap(Path path) {
        return path instanceof Wrapping wrapping ? wrapping.inside() : path;
    }

    private Path wrap(Path path) {
        if (path == null || path instanceof Wrapping) {
            return path;
        }
        return (Path) Proxy.newProxyInstance(
                HaltingFiles.class.getClassLoader(),
                new Class<?>[] {Path.class, Wrapping.class},
                (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "inside" -> {
                            return path;
                        }
                        case "getFileSystem" -> {
                            return fileSystem;
                        }
                        case "toFile" -> {
                            return new File(path.toString());
                        }
                        default -> {}
                    }
                    Object[] plain = arguments == null ? new Object[0] : arguments.clone();
                    for (int i = 0; i < plain.length; i++) {
                        plain[i] = plain[i] instanceof Path argument ? unwrap(argument) : plain[i];
                    }
                    Object result;
                    try {
                        result = method.invoke(path, plain);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (result instanceof Path found) {
                        return wrap(found);
                    }
                    return result instanceof Iterator<?> names ? wrapped(names) : result;
                });
    }

    private Iterator<Path> wrapped(Iterator<?> paths) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return paths.hasNext();
            }

            @Override
            public Path next() {
                return wrap((Path) paths.next());
            }
        };
    }

    // What changes a folder

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        Path target = unwrap(path);
        if (!options.contains(StandardOpenOption.WRITE) && !options.contains(StandardOpenOption.APPEND)) {
            return real.newByteChannel(target, options, attributes);
        }
        Path folder = target.getParent();
        if (folder == null || Files.isDirectory(folder)) {
            witness.before(Verb.CREATE, target);
        }
        var channel = real.newByteChannel(target, options, attributes);
        witness.created(target);
        return new FirstWriteChannel(channel, target, witness);
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        Path target = unwrap(path);
        if (Files.notExists(target)) {
            witness.before(Verb.FOLDER, target);
        }
        real.createDirectory(target, attributes);
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        witness.before(Verb.LINK, unwrap(link));
        real.createLink(unwrap(link), unwrap(existing));
    }

    @Override
    public void delete(Path path) throws IOException {
        Path target = unwrap(path);
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            witness.before(Verb.DELETE, target);
        }
        real.delete(target);
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        witness.before(Verb.MOVE, unwrap(target));
        real.move(unwrap(source), unwrap(target), options);
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        witness.before(Verb.CREATE, unwrap(target));
        real.copy(unwrap(source), unwrap(target), options);
    }

    // What does not

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        if (options.contains(StandardOpenOption.WRITE)) {
            throw new UnsupportedOperationException("A file channel that writes " + path + " would not be seen.");
        }
        return real.newFileChannel(unwrap(path), options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path folder, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        DirectoryStream<Path> stream = real.newDirectoryStream(unwrap(folder), child -> filter.accept(wrap(child)));
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return wrapped(stream.iterator());
            }

            @Override
            public void close() throws IOException {
                stream.close();
            }
        };
    }

    @Override
    public String getScheme() {
        return real.getScheme();
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> settings) throws IOException {
        return real.newFileSystem(uri, settings);
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return fileSystem;
    }

    @Override
    public Path getPath(URI uri) {
        return wrap(real.getPath(uri));
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return real.isSameFile(unwrap(one), unwrap(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return real.isHidden(unwrap(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return real.getFileStore(unwrap(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        real.checkAccess(unwrap(path), modes);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        return real.getFileAttributeView(unwrap(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return real.readAttributes(unwrap(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return real.readAttributes(unwrap(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        real.setAttribute(unwrap(path), attribute, value, options);
    }

    /** The real file system, whose paths lead back here. */
    private final class Wrapped extends FileSystem {

        private final FileSystem inside;

        Wrapped(FileSystem inside) {
            this.inside = inside;
        }

        @Override
        public FileSystemProvider provider() {
            return HaltingFiles.this;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("The default file system stays open.");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return inside.isReadOnly();
        }

        @Override
        public String getSeparator() {
            return inside.getSeparator();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            return () -> wrapped(inside.getRootDirectories().iterator());
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            return inside.getFileStores();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return inside.supportedFileAttributeViews();
        }

        @Override
        public Path getPath(String first, String... more) {
            return wrap(inside.getPath(first, more));
        }

        @Override
        public PathMatcher getPathMatcher(String pattern) {
            PathMatcher matcher = inside.getPathMatcher(pattern);
            return path -> matcher.matches(unwrap(path));
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            return inside.getUserPrincipalLookupService();
        }

        @Override
        public WatchService newWatchService() throws IOException {
            return inside.newWatchService();
        }
    }
}
