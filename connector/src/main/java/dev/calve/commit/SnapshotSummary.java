package dev.calve.commit;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.Snapshot;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts what a snapshot adds and removes and carries the totals on. Keys as Apache Iceberg writes them; a count of 0 is left
 * out, a total is not. Spec: Snapshots, Optional Snapshot Summary Fields.
 */
final class SnapshotSummary {

    /** Counts of one direction, added or removed. */
    private static final class Side {
        private long dataFiles;
        private long records;
        private long deleteFiles;
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
            deleteFiles++;
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
    }

    private record Partition(int specId, Object tuple) {}

    private final Side added = new Side();
    private final Side removed = new Side();
    private final Set<Partition> changed = new HashSet<>();

    void added(ContentFile file) {
        added.count(file);
        changed.add(new Partition(file.specId(), file.partition()));
    }

    void removed(ContentFile file) {
        removed.count(file);
        changed.add(new Partition(file.specId(), file.partition()));
    }

    boolean removedNothing() {
        return removed.dataFiles == 0 && removed.deleteFiles == 0;
    }

    /** The entries in the order they are written; {@code extra} first. */
    Map<String, String> entries(Optional<Snapshot> parent, Map<String, String> extra) {
        var entries = new LinkedHashMap<String, String>(extra);
        put(entries, "added-data-files", added.dataFiles);
        put(entries, "deleted-data-files", removed.dataFiles);
        put(entries, "added-delete-files", added.deleteFiles);
        put(entries, "removed-delete-files", removed.deleteFiles);
        put(entries, "added-position-delete-files", added.positionDeleteFiles);
        put(entries, "removed-position-delete-files", removed.positionDeleteFiles);
        put(entries, "added-equality-delete-files", added.equalityDeleteFiles);
        put(entries, "removed-equality-delete-files", removed.equalityDeleteFiles);
        put(entries, "added-dvs", added.vectors);
        put(entries, "removed-dvs", removed.vectors);
        put(entries, "added-records", added.records);
        put(entries, "deleted-records", removed.records);
        put(entries, "added-position-deletes", added.positionDeletes);
        put(entries, "removed-position-deletes", removed.positionDeletes);
        put(entries, "added-equality-deletes", added.equalityDeletes);
        put(entries, "removed-equality-deletes", removed.equalityDeletes);
        put(entries, "added-files-size", added.sizeBytes);
        put(entries, "removed-files-size", removed.sizeBytes);
        entries.put("changed-partition-count", Long.toString(changed.size()));
        total(entries, parent, "total-data-files", added.dataFiles - removed.dataFiles);
        total(entries, parent, "total-delete-files", added.deleteFiles - removed.deleteFiles);
        total(entries, parent, "total-records", added.records - removed.records);
        total(entries, parent, "total-files-size", added.sizeBytes - removed.sizeBytes);
        total(entries, parent, "total-position-deletes", added.positionDeletes - removed.positionDeletes);
        total(entries, parent, "total-equality-deletes", added.equalityDeletes - removed.equalityDeletes);
        return entries;
    }

    private static void put(Map<String, String> entries, String key, long value) {
        if (value != 0) {
            entries.put(key, Long.toString(value));
        }
    }

    /** A total the parent does not know, or that turns out wrong, stays unknown: counting from here would understate it. */
    private static void total(Map<String, String> entries, Optional<Snapshot> parent, String key, long difference) {
        String before = parent.isPresent() ? parent.get().summary().get(key) : "0";
        entries.remove(key);
        if (before != null && before.matches("\\d{1,18}")) {
            long total = Long.parseLong(before) + difference;
            if (total >= 0) {
                entries.put(key, Long.toString(total));
            }
        }
    }
}
