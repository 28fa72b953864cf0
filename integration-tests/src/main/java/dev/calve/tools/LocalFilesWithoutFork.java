package dev.calve.tools;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Local files through Hadoop as fast as they can be, for the peer: permissions are set in this process, and no checksums are
 * kept. Without its native library Hadoop's own starts a {@code chmod} process for every file it makes, which no other file
 * system does and which would drown what is compared. Counts the manifests opened.
 */
public final class LocalFilesWithoutFork extends RawLocalFileSystem {

    private static final AtomicInteger MANIFESTS = new AtomicInteger();

    /** A configuration in which this is the local file system. */
    static Configuration configuration() {
        var configuration = new Configuration();
        configuration.set("fs.file.impl", LocalFilesWithoutFork.class.getName());
        return configuration;
    }

    /**
     * Makes this the local file system of everything in this process that asks Hadoop for one; to be called before anything
     * does. Calve, which reads local files itself unless a configuration names another file system, still does.
     */
    static void installForProcess() throws IOException {
        // Hadoop keeps one file system for each scheme, whatever later configurations say.
        FileSystem installed = FileSystem.get(URI.create("file:///"), configuration());
        if (!(installed instanceof LocalFilesWithoutFork)) {
            throw new IllegalStateException("No local file system must be in use yet, but there is " + installed + ".");
        }
    }

    /** Manifests opened since the last call. */
    static int manifestsOpened() {
        return MANIFESTS.getAndSet(0);
    }

    /** Tells a manifest by its name, as every writer gives it; a list begins with {@code snap-}. */
    static boolean isManifest(String location) {
        String name = location.substring(location.lastIndexOf('/') + 1);
        return name.endsWith(".avro") && !name.startsWith("snap-");
    }

    @Override
    public String getScheme() {
        return "file";
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSizeBytes) throws IOException {
        if (isManifest(path.getName())) {
            MANIFESTS.incrementAndGet();
        }
        return super.open(path, bufferSizeBytes);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        String nine = permission.toString().substring(0, 9).replace('t', 'x').replace('T', '-');
        Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(nine));
    }
}
