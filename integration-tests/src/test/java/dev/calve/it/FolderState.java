package dev.calve.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

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
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
