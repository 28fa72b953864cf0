package dev.calve.commit;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Files added and removed, of a whole snapshot or of one partition, by the names a summary has for their numbers. */
final class FileCounts {

    /** One number of a summary. */
    private record Entry(String addedKey, String removedKey, ToLongFunction<Side> number) {}

    /** In the order the entries of a partition are written in, as elsewhere. */
    private static final List<Entry> ENTRIES = List.of(
            new Entry("added-data-files", "deleted-data-files", Side::dataFiles),
            new Entry("added-equality-delete-files", "removed-equality-delete-files", Side::equalityDeleteFiles),
            new Entry("added-position-delete-files", "removed-position-delete-files", Side::positionDeleteFiles),
            new Entry("added-delete-files", "removed-delete-files", Side::deleteFiles),
            new Entry("added-dvs", "removed-dvs", Side::vectors),
            new Entry("added-records", "deleted-records", Side::records),
            new Entry("added-files-size", "removed-files-size", Side::sizeBytes),
            new Entry("added-position-deletes", "removed-position-deletes", Side::positionDeletes),
            new Entry("added-equality-deletes", "removed-equality-deletes", Side::equalityDeletes));

    /** Names of all the numbers. */
    static final Set<String> KEYS = ENTRIES.stream()
            .flatMap(entry -> java.util.stream.Stream.of(entry.addedKey(), entry.removedKey()))
            .collect(Collectors.toUnmodifiableSet());

    private final Side added = new Side();
    private final Side removed = new Side();

    Side added() {
        return added;
    }

    Side removed() {
        return removed;
    }

    /** The numbers that are not 0. */
    Map<String, String> entries() {
        var entries = new LinkedHashMap<String, String>();
        for (Entry entry : ENTRIES) {
            put(entries, entry.addedKey(), entry.number().applyAsLong(added));
            put(entries, entry.removedKey(), entry.number().applyAsLong(removed));
        }
        return entries;
    }

    private static void put(Map<String, String> entries, String key, long number) {
        if (number != 0) {
            entries.put(key, Long.toString(number));
        }
    }

    /** The same as the value of one entry. */
    String text() {
        return entries().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
    }

    /** Counts of one direction, added or removed. */
    static final class Side {
        private long dataFiles;
        private long records;
        private long positionDeleteFiles;
        private long equalityDeleteFiles;
        private long vectors;
        private long positionDeletes;
        private long equalityDeletes;
        private long sizeBytes;

        void count(ContentFile file) {
            if (file instanceof DataFile) {
                dataFiles++;
                records += file.recordCount();
                sizeBytes += file.fileSizeBytes();
                return;
            }
            if (file instanceof DeleteFile.EqualityDeletes) {
                equalityDeleteFiles++;
                equalityDeletes += file.recordCount();
                sizeBytes += file.fileSizeBytes();
                return;
            }
            positionDeletes += file.recordCount();
            if (file instanceof DeleteFile.DeletionVector vector) {
                vectors++;
                // A Puffin file is shared by many vectors: each counts for its own bytes only.
                sizeBytes += vector.contentSizeBytes();
                return;
            }
            positionDeleteFiles++;
            sizeBytes += file.fileSizeBytes();
        }

        Side plus(Side other) {
            var sum = new Side();
            sum.dataFiles = dataFiles + other.dataFiles;
            sum.records = records + other.records;
            sum.positionDeleteFiles = positionDeleteFiles + other.positionDeleteFiles;
            sum.equalityDeleteFiles = equalityDeleteFiles + other.equalityDeleteFiles;
            sum.vectors = vectors + other.vectors;
            sum.positionDeletes = positionDeletes + other.positionDeletes;
            sum.equalityDeletes = equalityDeletes + other.equalityDeletes;
            sum.sizeBytes = sizeBytes + other.sizeBytes;
            return sum;
        }

        boolean isNothing() {
            return files() == 0;
        }

        long files() {
            return dataFiles + deleteFiles();
        }

        long dataFiles() {
            return dataFiles;
        }

        long records() {
            return records;
        }

        long deleteFiles() {
            return positionDeleteFiles + equalityDeleteFiles + vectors;
        }

        /** Without vectors. */
        long positionDeleteFiles() {
            return positionDeleteFiles;
        }

        long equalityDeleteFiles() {
            return equalityDeleteFiles;
        }

        long vectors() {
            return vectors;
        }

        /** Positions, those in vectors included. */
        long positionDeletes() {
            return positionDeletes;
        }

        long equalityDeletes() {
            return equalityDeletes;
        }

        /** Of a vector the bytes of its own blob. */
        long sizeBytes() {
            return sizeBytes;
        }
    }
}
