package dev.calve.spark.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.Removal;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.Snapshot;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The outcomes of a delete collected into the change to commit.
 *
 * @param read the snapshot the files were planned from
 */
record DeletePlan(Snapshot read, List<FileTask> wholeFiles, List<FileTask> evaluated, List<Outcome> outcomes) {

    /**
     * The change that makes the outcomes true.
     *
     * @param rules which concurrent changes matter beyond those to the files touched
     */
    SnapshotChange change(String ref, int formatVersion, List<ConflictRule> rules, Map<String, String> summary) {
        var removed = new ArrayList<Removal.Known>();
        var addedData = new ArrayList<AddedData>();
        var addedDeletes = new ArrayList<AddedDelete>();
        Map<String, ConflictRule.Place> guarded = new HashMap<>();
        Map<String, ConflictRule.Place> needed = new HashMap<>();
        Map<String, ConflictRule.Place> withoutRowIds = new HashMap<>();
        for (FileTask task : wholeFiles) {
            removed.add(Removal.Known.of(task.file(), task.manifest()));
        }
        for (Outcome outcome : outcomes) {
            FileTask task = evaluated.get(outcome.task());
            DataFile file = task.file();
            var place = new ConflictRule.Place(file.specId(), file.partition());
            if (outcome instanceof Outcome.WholeFile) {
                removed.add(Removal.Known.of(file, task.manifest()));
            } else if (outcome instanceof Outcome.Rewritten rewritten) {
                removed.add(Removal.Known.of(file, task.manifest()));
                // Deletes up to the snapshot read were applied by the rewrite; later equality deletes must still apply.
                rewritten
                        .files()
                        .forEach(written ->
                                addedData.add(new AddedData(written, OptionalLong.of(read.sequenceNumber()))));
                guarded.put(file.path(), place);
                if (file.firstRowId().isEmpty()) {
                    withoutRowIds.put(file.path(), place);
                }
            } else if (outcome instanceof Outcome.Deletes deletes) {
                addedDeletes.add(new AddedDelete(
                        deletes.file(), absorbed(task), Optional.of(Removal.Known.of(file, task.manifest()))));
                needed.put(file.path(), place);
                if (deletes.file() instanceof DeleteFile.DeletionVector) {
                    guarded.put(file.path(), place);
                }
            }
        }
        removed.forEach(file -> needed.put(file.key().path(), new ConflictRule.Place(file.specId(), file.partition())));
        var allRules = new ArrayList<>(rules);
        allRules.add(new ConflictRule.FilesStillThere(needed));
        allRules.add(new ConflictRule.DeletesUnchanged(guarded));
        allRules.add(new ConflictRule.RowIdsStillUnassigned(withoutRowIds));
        return new SnapshotChange(
                addedData.isEmpty() ? Operation.DELETE : Operation.OVERWRITE,
                ref,
                OptionalLong.of(read.id()),
                formatVersion,
                addedData,
                addedDeletes,
                removed.isEmpty() ? List.of() : List.of(new Removal.Files(removed)),
                allRules,
                summary);
    }

    /** Deletes that speak of this data file alone: the new file repeats their positions. */
    private static Set<FileKey> absorbed(FileTask task) {
        return task.deletes().stream()
                .map(ManifestEntry::file)
                .filter(file -> !(file instanceof DeleteFile.EqualityDeletes))
                .filter(file -> file.scopedTo().isPresent())
                .map(DeleteFile::key)
                .collect(Collectors.toSet());
    }

    /** Locations of all files the outcomes name. */
    static List<String> written(List<Outcome> outcomes) {
        var locations = new ArrayList<String>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Rewritten rewritten) {
                rewritten.files().forEach(file -> locations.add(file.path()));
            } else if (outcome instanceof Outcome.Deletes deletes) {
                locations.add(deletes.file().path());
            }
        }
        return locations;
    }
}
