package dev.calve.spark.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.Removal;
import dev.calve.commit.RowCounts;
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
        Map<String, ConflictRule.Place> touched = new HashMap<>();
        Map<String, ConflictRule.Place> withoutRowIds = new HashMap<>();
        for (FileTask task : wholeFiles) {
            removed.add(Removal.Known.of(task.file(), task.manifest()));
            touched.put(task.file().path(), place(task.file()));
        }
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Untouched) {
                continue;
            }
            FileTask task = evaluated.get(outcome.task());
            DataFile file = task.file();
            touched.put(file.path(), place(file));
            if (outcome instanceof Outcome.WholeFile) {
                removed.add(Removal.Known.of(file, task.manifest()));
            } else if (outcome instanceof Outcome.Rewritten rewritten) {
                removed.add(Removal.Known.of(file, task.manifest()));
                // Deletes up to the snapshot read were applied by the rewrite; later equality deletes must still apply.
                rewritten
                        .files()
                        .forEach(written ->
                                addedData.add(new AddedData(written, OptionalLong.of(read.sequenceNumber()))));
                if (file.firstRowId().isEmpty()) {
                    withoutRowIds.put(file.path(), place(file));
                }
            } else if (outcome instanceof Outcome.Deletes deletes) {
                addedDeletes.add(new AddedDelete(
                        deletes.file(), absorbed(task), Optional.of(Removal.Known.of(file, task.manifest()))));
            }
        }
        var allRules = new ArrayList<>(rules);
        allRules.add(new ConflictRule.FilesStillThere(touched));
        // Rows that somebody else deletes meanwhile would be counted twice, and come back where a file is written
        // again.
        allRules.add(new ConflictRule.DeletesUnchanged(touched));
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
                summary,
                rowCounts());
    }

    private static ConflictRule.Place place(DataFile file) {
        return new ConflictRule.Place(file.specId(), file.partition());
    }

    private RowCounts rowCounts() {
        long deleted = outcomes.stream().mapToLong(Outcome::deletedRows).sum();
        long copied = 0;
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Rewritten rewritten) {
                copied += rewritten.files().stream()
                        .mapToLong(DataFile::recordCount)
                        .sum();
            }
        }
        RowCounts counts = RowCounts.none().withCopied(OptionalLong.of(copied));
        for (FileTask task : wholeFiles) {
            OptionalLong live = liveRows(task);
            if (live.isEmpty()) {
                return counts.withDeleted(live);
            }
            deleted += live.getAsLong();
        }
        return counts.withDeleted(OptionalLong.of(deleted));
    }

    /** By metadata: empty if the file has deletes other than a vector, which alone says how many rows it deletes. */
    private static OptionalLong liveRows(FileTask task) {
        long live = task.file().recordCount();
        for (ManifestEntry<DeleteFile> delete : task.deletes()) {
            if (!(delete.file() instanceof DeleteFile.DeletionVector vector)) {
                return OptionalLong.empty();
            }
            live -= vector.recordCount();
        }
        return OptionalLong.of(live);
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
