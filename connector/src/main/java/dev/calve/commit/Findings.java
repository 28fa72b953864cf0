package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.expression.Expression;
import dev.calve.manifest.DeleteFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The conflicts found while walking over history, oldest snapshot first.
 *
 * <p>Bounded by what others wrote, not by files times snapshots: one per data file removed, added or deleted from by a
 * snapshot, one per equality delete file, whose list of data files all share, one per partition.
 */
final class Findings {

    private record FileInSnapshot(String dataFile, long snapshotId) {}

    private final List<Conflict> ofTable = new ArrayList<>();
    private final Map<String, Conflict> removed = new LinkedHashMap<>();
    private final List<Conflict> keysDeleted = new ArrayList<>();
    private final Map<FileInSnapshot, Conflict.Other> rowsDeleted = new LinkedHashMap<>();
    private final Map<FileInSnapshot, List<DeleteFile>> rowsDeletedBy = new LinkedHashMap<>();
    private final Map<Place, Conflict> partitions = new LinkedHashMap<>();
    private final Map<String, Conflict> added = new LinkedHashMap<>();
    private final List<Conflict> rowIds = new ArrayList<>();

    /** Something that concerns the table as a whole. */
    void add(Conflict conflict) {
        ofTable.add(conflict);
    }

    void dataFileRemoved(Conflict.Other by, String path) {
        removed.put(path, new Conflict.DataFileRemoved(by, path));
    }

    void dataAdded(Conflict.Other by, String path, Expression filter) {
        added.put(path, new Conflict.DataAdded(by, path, filter));
    }

    /** Two rules may guard the same file: the delete file is named once. */
    void rowsDeleted(Conflict.Other by, String dataFile, DeleteFile deletes) {
        var key = new FileInSnapshot(dataFile, by.snapshotId());
        rowsDeleted.put(key, by);
        List<DeleteFile> known = rowsDeletedBy.computeIfAbsent(key, none -> new ArrayList<>(1));
        if (known.isEmpty() || known.get(known.size() - 1) != deletes) {
            known.add(deletes);
        }
    }

    void keysDeleted(Conflict.Other by, List<String> dataFiles, DeleteFile.EqualityDeletes deletes) {
        keysDeleted.add(new Conflict.KeysDeleted(by, dataFiles, deletes));
    }

    void partitionChanged(Conflict.Other by, Place place, String file) {
        partitions.putIfAbsent(place, new Conflict.PartitionChanged(by, place, file));
    }

    void rowIdsAssigned(String path) {
        rowIds.add(new Conflict.RowIdsAssigned(path));
    }

    /** Whether nothing was found. */
    boolean isEmpty() {
        return ofTable.isEmpty()
                && removed.isEmpty()
                && keysDeleted.isEmpty()
                && rowsDeleted.isEmpty()
                && partitions.isEmpty()
                && added.isEmpty()
                && rowIds.isEmpty();
    }

    /** All of them: by kind, the most telling first; those of a kind newest snapshot first. */
    List<Conflict> all() {
        var result = new ArrayList<Conflict>(ofTable);
        addNewestFirst(result, removed.values());
        addNewestFirst(result, keysDeleted);
        var rows = new ArrayList<Conflict>(rowsDeleted.size());
        rowsDeleted.forEach((key, by) ->
                rows.add(new Conflict.RowsDeleted(by, key.dataFile(), rowsDeletedBy.getOrDefault(key, List.of()))));
        addNewestFirst(result, rows);
        addNewestFirst(result, partitions.values());
        addNewestFirst(result, added.values());
        result.addAll(rowIds);
        return List.copyOf(result);
    }

    private static void addNewestFirst(List<Conflict> result, Collection<Conflict> oldestFirst) {
        var reversed = new ArrayList<>(oldestFirst);
        Collections.reverse(reversed);
        result.addAll(reversed);
    }
}
