package dev.calve.hadoop;

import dev.calve.io.PositionOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Creates and deletes files on local disks. Permissions are the process's default, as for any program. */
final class LocalFiles {

    private LocalFiles() {}

    static Path toLocal(org.apache.hadoop.fs.Path path, String location) {
        var authority = path.toUri().getAuthority();
        if (authority != null && !authority.isEmpty()) {
            throw new IllegalArgumentException("Local location must have no host, but '" + location + "' has '"
                    + authority + "'; an absolute path starts with 'file:/' or 'file:///'.");
        }
        return Path.of(path.toUri().getPath());
    }

    static PositionOutput create(String location, Path path) throws IOException {
        OutputStream stream;
        try {
            stream = open(path);
        } catch (FileAlreadyExistsException e) {
            var exists = new FileAlreadyExistsException(location);
            exists.initCause(e);
            throw exists;
        }
        var output = new BufferedPositionOutput(location, stream, stream::close);
        try {
            Files.deleteIfExists(checksumFile(path));
        } catch (IOException e) {
            output.abandon();
            throw e;
        }
        return output;
    }

    private static OutputStream open(Path path) throws IOException {
        try {
            return openNew(path);
        } catch (NoSuchFileException e) {
            createParent(path);
            return openNew(path);
        }
    }

    private static OutputStream openNew(Path path) throws IOException {
        return Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static void createParent(Path path) throws IOException {
        try {
            Files.createDirectories(path.getParent());
        } catch (FileAlreadyExistsException e) {
            // Would otherwise read as if the file itself existed.
            throw new IOException("Cannot create " + path + ": " + e.getMessage() + " is not a folder.", e);
        }
    }

    static boolean exists(Path path) throws IOException {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("Cannot delete " + path + " as a file: it is a folder.");
        }
        Files.deleteIfExists(path);
        Files.deleteIfExists(checksumFile(path));
    }

    /** Where Hadoop's local file system keeps the checksums of a file. */
    static Path checksumFile(Path path) {
        return path.resolveSibling("." + path.getFileName() + ".crc");
    }
}
