package dev.calve.hadoop;

import dev.calve.io.InputFile;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;

/**
 * Files on any file system that Hadoop knows, by absolute URI or by absolute path on the default file system.
 *
 * <p>Locations of scheme {@code file} are served by {@code java.nio.file}, unless {@code fs.file.impl} names a file
 * system other than Hadoop's own.
 *
 * <p>All methods throw {@link IllegalArgumentException} for a location that is not absolute.
 */
public final class HadoopStorage implements Storage {

    private static final String LOCAL_SCHEME = "file";
    private static final String LOCAL_IMPLEMENTATION = "fs.file.impl";

    /** Storages rebuilt from bytes. A JVM meets one per catalog; the bound is for long-lived executors. */
    private static final int MOST_CACHED = 16;

    private static final Map<ByteBuffer, HadoopStorage> REBUILT = new LinkedHashMap<>(MOST_CACHED, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, HadoopStorage> eldest) {
            return size() > MOST_CACHED;
        }
    };

    private final Configuration configuration;
    private final boolean localIsOurs;
    private final boolean defaultIsLocal;

    /** Keeps a copy of the configuration. */
    public HadoopStorage(Configuration configuration) {
        this.configuration = new Configuration(configuration);
        var local = configuration.get(LOCAL_IMPLEMENTATION);
        localIsOurs = local == null
                || local.equals(LocalFileSystem.class.getName())
                || local.equals(RawLocalFileSystem.class.getName());
        defaultIsLocal =
                LOCAL_SCHEME.equals(FileSystem.getDefaultUri(this.configuration).getScheme());
    }

    /**
     * Rebuilds a storage from what {@link #toBytes()} gave. Equal bytes give the same instance as long as it is cached, so
     * that a task pays nothing for it.
     *
     * @throws IllegalArgumentException if the bytes are something else
     */
    public static HadoopStorage fromBytes(byte[] bytes) {
        synchronized (REBUILT) {
            var known = REBUILT.get(ByteBuffer.wrap(bytes));
            if (known == null) {
                known = new HadoopStorage(ConfigurationBytes.read(bytes));
                REBUILT.put(ByteBuffer.wrap(bytes.clone()), known);
            }
            return known;
        }
    }

    /**
     * The whole configuration, for {@link #fromBytes}; about 20 KB. It may hold credentials: it belongs into tasks, not
     * into logs.
     */
    public byte[] toBytes() {
        return ConfigurationBytes.write(configuration);
    }

    /** The configuration, for libraries that open files themselves. Callers must not change it. */
    public Configuration configuration() {
        return configuration;
    }

    /** The location with scheme and authority: two spellings of one location become the same. No request is made. */
    public String qualify(String location) {
        return parse(location)
                .makeQualified(FileSystem.getDefaultUri(configuration), new Path(Path.SEPARATOR))
                .toString();
    }

    @Override
    public InputFile input(String location) {
        return newInput(location, HadoopInput.UNKNOWN_LENGTH);
    }

    @Override
    public InputFile input(String location, long length) {
        if (length < 0) {
            throw new IllegalArgumentException(
                    "Length of " + location + " must not be negative, but is " + length + ".");
        }
        return newInput(location, length);
    }

    private InputFile newInput(String location, long length) {
        var path = parse(location);
        return isLocal(path)
                ? new LocalInput(location, LocalFiles.toLocal(path, location), length)
                : new HadoopInput(location, path, configuration, length);
    }

    @Override
    public PositionOutput create(String location) throws IOException {
        var path = parse(location);
        if (isLocal(path)) {
            return LocalFiles.create(location, LocalFiles.toLocal(path, location));
        }
        FSDataOutputStream stream;
        try {
            stream = path.getFileSystem(configuration).create(path, false);
        } catch (org.apache.hadoop.fs.FileAlreadyExistsException | AlreadyBeingCreatedException e) {
            var exists = new FileAlreadyExistsException(location);
            exists.initCause(e);
            throw exists;
        }
        return new BufferedPositionOutput(location, stream, () -> {
            // Closing would make an object store publish what arrived so far.
            if (stream.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
                stream.abort();
            } else {
                stream.close();
            }
        });
    }

    @Override
    public boolean exists(String location) throws IOException {
        var path = parse(location);
        return isLocal(path)
                ? LocalFiles.exists(LocalFiles.toLocal(path, location))
                : path.getFileSystem(configuration).exists(path);
    }

    @Override
    public void delete(String location) throws IOException {
        var path = parse(location);
        if (isLocal(path)) {
            LocalFiles.delete(LocalFiles.toLocal(path, location));
            return;
        }
        path.getFileSystem(configuration).delete(path, false);
    }

    /** Names no configuration value, because it may be a secret. */
    @Override
    public String toString() {
        return "HadoopStorage[default " + FileSystem.getDefaultUri(configuration) + "]";
    }

    boolean isLocal(Path path) {
        var scheme = path.toUri().getScheme();
        return localIsOurs && (scheme == null ? defaultIsLocal : scheme.equals(LOCAL_SCHEME));
    }

    static Path parse(String location) {
        var path = new Path(location);
        if (!path.isUriPathAbsolute()) {
            throw new IllegalArgumentException("Location must be an absolute path or URI, not '" + location + "'.");
        }
        return path;
    }
}
