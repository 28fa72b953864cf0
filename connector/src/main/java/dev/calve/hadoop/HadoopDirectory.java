package dev.calve.hadoop;

import dev.calve.catalog.warehouse.Directory;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * Directories on local disks, HDFS and S3, with what makes a file appear without replacing another one there.
 *
 * <pre>
 * file    temporary file, fsync, hard link under the final name, fsync of the directory
 * hdfs    temporary file, hsync, FileContext.rename without OVERWRITE
 * s3a     one conditional request (If-None-Match: *), where the client offers it: Hadoop 3.4.2 and later
 * </pre>
 *
 * <p>Files are published nowhere else, because a check followed by a rename can replace what somebody published between the
 * two. Local files are found as {@link HadoopStorage} finds them, and do not go through Hadoop.
 */
public final class HadoopDirectory implements Directory {

    /** {@code Options.CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE}, which Hadoop before 3.4.2 lacks. */
    private static final String CONDITIONAL_CREATE = "fs.option.create.conditional.overwrite";

    /** Only the end of a temporary name says so: readers of other engines look at the beginning. */
    private static final String TEMPORARY = ".tmp";

    /** What a file system says that does not make links, or no more of them. */
    private static final Set<String> REFUSALS = Set.of(
            "Operation not permitted",
            "Operation not supported",
            "Function not implemented",
            "Too many links",
            "No space left on device",
            "Disk quota exceeded",
            "Read-only file system");

    private final HadoopStorage storage;
    private final Configuration configuration;

    /** Uses the storage's configuration. */
    public HadoopDirectory(HadoopStorage storage) {
        this.storage = storage;
        configuration = storage.configuration();
    }

    @Override
    public List<Entry> list(String location) throws IOException {
        var path = HadoopStorage.parse(location);
        var result = new ArrayList<Entry>();
        if (storage.isLocal(path)) {
            try (var children = Files.newDirectoryStream(LocalFiles.toLocal(path, location))) {
                for (java.nio.file.Path child : children) {
                    result.add(new Entry(String.valueOf(child.getFileName()), Files.isDirectory(child)));
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                return List.of();
            }
            return result;
        }
        try {
            for (FileStatus child : fileSystem(path).listStatus(path)) {
                if (!child.getPath().equals(path)) {
                    result.add(new Entry(child.getPath().getName(), child.isDirectory()));
                }
            }
        } catch (FileNotFoundException e) {
            return List.of();
        }
        return result;
    }

    @Override
    public boolean isDirectory(String location) throws IOException {
        var path = HadoopStorage.parse(location);
        if (storage.isLocal(path)) {
            return Files.isDirectory(LocalFiles.toLocal(path, location));
        }
        try {
            return fileSystem(path).getFileStatus(path).isDirectory();
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    @Override
    public boolean exists(String location) throws IOException {
        return storage.exists(location);
    }

    @Override
    public Optional<byte[]> read(String location) throws IOException {
        try {
            return Optional.of(storage.input(location).readAll());
        } catch (FileNotFoundException | NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void makeDirectories(String location) throws IOException {
        var path = HadoopStorage.parse(location);
        if (storage.isLocal(path)) {
            Files.createDirectories(LocalFiles.toLocal(path, location));
            return;
        }
        if (!fileSystem(path).mkdirs(path)) {
            throw new IOException("Cannot create directory " + location + ": the file system refused.");
        }
    }

    @Override
    public Optional<String> whyNotPublishable(String location) throws IOException {
        var path = HadoopStorage.parse(location);
        if (storage.isLocal(path)) {
            return Optional.empty();
        }
        String scheme = scheme(path);
        return switch (scheme) {
            case "hdfs" -> Optional.empty();
            case "s3a" ->
                fileSystem(path).hasPathCapability(path, CONDITIONAL_CREATE)
                        ? Optional.empty()
                        : Optional.of(
                                "the S3A client does not offer conditional writes, without which a commit could replace "
                                        + "another one. Use Hadoop 3.4.2 or later with fs.s3a.create.conditional.enabled = true.");
            default ->
                Optional.of(
                        "on a file system of scheme '" + scheme + "' a commit could replace another one without "
                                + "a sign. Tables in a directory can be written on file, hdfs and s3a; they can be read anywhere.");
        };
    }

    @Override
    public Publication publish(String location, byte[] content, UUID statement) {
        var path = HadoopStorage.parse(location);
        if (storage.isLocal(path)) {
            return publishLocally(LocalFiles.toLocal(path, location), content, statement);
        }
        try {
            Optional<String> why = whyNotPublishable(location);
            if (why.isPresent()) {
                return new Publication.Failed(new IOException("Cannot publish " + location + ": " + why.get()));
            }
        } catch (IOException e) {
            return new Publication.Failed(e);
        }
        return scheme(path).equals("hdfs")
                ? publishByRename(path, content, statement)
                : publishByCondition(path, content);
    }

    /**
     * A link fails if the name exists, in one step of the file system, where {@code rename} would replace. Plain streams and
     * not channels, so that an interrupt does not end it half-way.
     */
    private static Publication publishLocally(java.nio.file.Path target, byte[] content, UUID statement) {
        var temporary = target.resolveSibling(temporaryName(statement, String.valueOf(target.getFileName())));
        try {
            writeDurably(temporary, content);
        } catch (IOException e) {
            return failed(temporary, e);
        }
        try {
            Files.createLink(target, temporary);
        } catch (FileAlreadyExistsException e) {
            // A network file system may have repeated a request whose answer was lost: then the file is ours.
            return withdraw(
                    temporary, isSameFile(target, temporary) ? new Publication.Published() : new Publication.Taken());
        } catch (UnsupportedOperationException e) {
            return failed(temporary, noLinks(target, e));
        } catch (IOException e) {
            return certainlyNotMade(e)
                    ? failed(temporary, noLinks(target, e))
                    : withdraw(temporary, new Publication.Unknown(e));
        }
        syncDirectory(target);
        deleteQuietly(LocalFiles.checksumFile(target));
        return withdraw(temporary, new Publication.Published());
    }

    /** An error of the disk or network says nothing about whether the link was made; a refusal does. */
    static boolean certainlyNotMade(IOException linking) {
        return linking instanceof NoSuchFileException
                || linking instanceof AccessDeniedException
                || (linking instanceof FileSystemException failure
                        && REFUSALS.contains(String.valueOf(failure.getReason())));
    }

    private static void writeDurably(java.nio.file.Path path, byte[] content) throws IOException {
        try (var out = new FileOutputStream(path.toFile())) {
            out.write(content);
            out.getFD().sync();
        }
    }

    private static IOException noLinks(java.nio.file.Path target, Exception cause) {
        return new IOException(
                "Cannot publish " + target + ": no hard link could be made (" + cause.getMessage()
                        + "), without which a commit could replace another one. Keep tables on a file system with hard links.",
                cause);
    }

    private static Publication failed(java.nio.file.Path temporary, IOException cause) {
        return withdraw(temporary, new Publication.Failed(cause));
    }

    private static Publication withdraw(java.nio.file.Path temporary, Publication publication) {
        deleteQuietly(temporary);
        return publication;
    }

    private static boolean isSameFile(java.nio.file.Path one, java.nio.file.Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException e) {
            return false;
        }
    }

    /** Makes the new name survive a power failure. Where directories cannot be opened, the file system sees to it. */
    private static void syncDirectory(java.nio.file.Path file) {
        java.nio.file.Path parent = file.getParent();
        if (parent == null) {
            return;
        }
        try (var channel = FileChannel.open(parent, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // The file is visible to everybody; that it may not survive a power failure is no reason to disown it.
            return;
        }
    }

    /** What stays is a temporary or checksum file that nobody looks at. */
    private static void deleteQuietly(java.nio.file.Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            return;
        }
    }

    private Publication publishByRename(Path target, byte[] content, UUID statement) {
        var temporary = new Path(target.getParent(), temporaryName(statement, target.getName()));
        FileContext context;
        try {
            context = FileContext.getFileContext(fileSystem(target).getUri(), configuration);
            try (FSDataOutputStream out = fileSystem(target).create(temporary, false)) {
                out.write(content);
                out.hsync();
            }
        } catch (IOException e) {
            return withdraw(temporary, new Publication.Failed(e));
        }
        try {
            context.rename(temporary, target, Options.Rename.NONE);
            return new Publication.Published();
        } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
            return withdraw(temporary, new Publication.Taken());
        } catch (IOException | RuntimeException e) {
            // The rename may still be carried out, and then needs the temporary file.
            return new Publication.Unknown(e);
        }
    }

    private Publication withdraw(Path temporary, Publication publication) {
        try {
            fileSystem(temporary).delete(temporary, false);
        } catch (IOException e) {
            return publication;
        }
        return publication;
    }

    private Publication publishByCondition(Path target, byte[] content) {
        FSDataOutputStream out;
        try {
            FSDataOutputStreamBuilder<?, ?> builder = fileSystem(target).createFile(target);
            builder.create();
            builder.overwrite(true);
            builder.recursive();
            builder.must(CONDITIONAL_CREATE, true);
            out = builder.build();
        } catch (IOException e) {
            return new Publication.Failed(e);
        }
        try {
            out.write(content);
        } catch (IOException e) {
            return abandon(out, e);
        }
        try {
            // The object appears with this request or not at all. Why it failed is not told by the exception's type.
            out.close();
            return new Publication.Published();
        } catch (IOException | RuntimeException e) {
            return new Publication.Unknown(e);
        }
    }

    private static Publication abandon(FSDataOutputStream out, IOException cause) {
        if (out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
            out.abort();
            return new Publication.Failed(cause);
        }
        return new Publication.Unknown(cause);
    }

    @Override
    public void replace(String location, byte[] content, UUID statement) throws IOException {
        var path = HadoopStorage.parse(location);
        if (storage.isLocal(path)) {
            replaceLocally(LocalFiles.toLocal(path, location), content, statement);
            return;
        }
        FileSystem fileSystem = fileSystem(path);
        if (!scheme(path).equals("hdfs")) {
            try (FSDataOutputStream out = fileSystem.create(path, true)) {
                out.write(content);
            }
            return;
        }
        var temporary = new Path(path.getParent(), temporaryName(statement, path.getName()));
        try (FSDataOutputStream out = fileSystem.create(temporary, false)) {
            out.write(content);
        }
        FileContext.getFileContext(fileSystem.getUri(), configuration)
                .rename(temporary, path, Options.Rename.OVERWRITE);
    }

    /** A checksum file beside the old content would make the new one unreadable for others. */
    private static void replaceLocally(java.nio.file.Path target, byte[] content, UUID statement) throws IOException {
        var temporary = target.resolveSibling(temporaryName(statement, String.valueOf(target.getFileName())));
        try {
            Files.write(temporary, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.deleteIfExists(LocalFiles.checksumFile(target));
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Files.deleteIfExists(LocalFiles.checksumFile(target));
        } catch (IOException e) {
            deleteQuietly(temporary);
            throw e;
        }
    }

    @Override
    public void deleteFile(String location) throws IOException {
        storage.delete(location);
    }

    @Override
    public boolean deleteIfEmpty(String location) throws IOException {
        var path = HadoopStorage.parse(location);
        if (storage.isLocal(path)) {
            try {
                Files.deleteIfExists(LocalFiles.toLocal(path, location));
                return true;
            } catch (DirectoryNotEmptyException e) {
                return false;
            }
        }
        try {
            fileSystem(path).delete(path, false);
            return true;
        } catch (IOException e) {
            // File systems say in different ways that a directory is not empty.
            if (list(location).isEmpty()) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public void deleteRecursively(String location) throws IOException {
        var path = HadoopStorage.parse(location);
        if (!storage.isLocal(path)) {
            fileSystem(path).delete(path, true);
            return;
        }
        var local = LocalFiles.toLocal(path, location);
        if (Files.notExists(local, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.walkFileTree(local, new Deleter());
        } catch (DirectoryNotEmptyException e) {
            throw new IOException("Cannot delete " + location + ": somebody is still writing into it.", e);
        }
    }

    /** Does not follow links; what others delete at the same time is not missed. */
    private static final class Deleter extends SimpleFileVisitor<java.nio.file.Path> {

        @Override
        public FileVisitResult visitFile(java.nio.file.Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(java.nio.file.Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(
                java.nio.file.Path folder, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }

    private FileSystem fileSystem(Path path) throws IOException {
        return path.getFileSystem(configuration);
    }

    private String scheme(Path path) {
        String scheme = path.toUri().getScheme();
        return (scheme == null
                        ? String.valueOf(FileSystem.getDefaultUri(configuration).getScheme())
                        : scheme)
                .toLowerCase(Locale.ROOT);
    }

    /** Differs for every attempt of a statement: one that may still be carried out needs its file. */
    private static String temporaryName(UUID statement, String name) {
        return statement + "-" + UUID.randomUUID().toString().substring(0, 8) + "-" + name.replace('.', '-')
                + TEMPORARY;
    }
}
