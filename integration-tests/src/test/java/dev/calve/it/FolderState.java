package dev.calve.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All files below a folder and what is in them: two are equal if nothing was changed between.
 *
 * @param files length and hash of the content by path below the folder
 */
record FolderState(Map<String, String> files) {

    static FolderState of(Path folder) {
        var files = new TreeMap<String, String>();
        for (Path file : filesBelow(folder)) {
            try {
                byte[] content = Files.readAllBytes(file);
                files.put(
                        folder.relativize(file).toString(),
                        content.length + " bytes, hash " + Arrays.hashCode(content));
            } catch (NoSuchFileException e) {
                // Deleted since, by a task that ends late: it is not there any more.
                files.remove(folder.relativize(file).toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new FolderState(files);
    }

    /** Files at any depth, in order; none if there is no such folder. */
    static List<Path> filesBelow(Path folder) {
        if (Files.notExists(folder)) {
            return List.of();
        }
        var files = new TreeSet<Path>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    files.add(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                    if (failure instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE; // deleted while the folder was walked
                    }
                    throw failure;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(files);
    }

    /** The one file at any depth whose name ends so. */
    static Path only(Path folder, String suffix) {
        List<Path> found = filesBelow(folder).stream()
                .filter(file -> file.toString().endsWith(suffix))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("There must be one file named …" + suffix + " below " + folder + ", not " + found);
        }
        return found.get(0);
    }
}
