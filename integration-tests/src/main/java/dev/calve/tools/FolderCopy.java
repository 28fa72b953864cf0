package dev.calve.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A table's folder as it was at one moment, to be made so again in no time: files of a table are not changed once they are
 * written, so the copy consists of hard links. Only the pointer to the newest version is overwritten, and copied.
 *
 * @param table the folder of the table
 * @param copy a folder on the same disk
 */
record FolderCopy(Path table, Path copy) {

    private static final String POINTER = "version-hint.text";

    /** Keeps the table as it is now. */
    void save() throws IOException {
        ManyFiles.deleteFolder(copy);
        for (String file : files(table)) {
            put(table.resolve(file), copy.resolve(file));
        }
    }

    /** Makes the table what it was, without files that came since. */
    void restore() throws IOException {
        Set<String> kept = files(copy);
        for (String file : files(table)) {
            if (!kept.contains(file)) {
                Files.delete(table.resolve(file));
            }
        }
        for (String file : kept) {
            Path target = table.resolve(file);
            if (file.endsWith(POINTER) || !Files.exists(target) || !Files.isSameFile(copy.resolve(file), target)) {
                put(copy.resolve(file), target);
            }
        }
    }

    private static void put(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.deleteIfExists(to);
        if (from.endsWith(POINTER)) {
            Files.copy(from, to);
        } else {
            Files.createLink(to, from);
        }
    }

    /** The files below a folder, by their paths in it. */
    private static Set<String> files(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            var files = new TreeSet<String>();
            all.filter(Files::isRegularFile)
                    .forEach(file -> files.add(folder.relativize(file).toString()));
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list " + folder + ": " + e.getMessage(), e);
        }
    }
}
