package dev.calve.commit;

import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a statement wants of the next snapshot.
 *
 * @param ref branch that moves
 * @param readSnapshotId head of the branch when the statement read it; empty for a statement that read nothing, or an
 *     empty table
 * @param settledForFormat format version the added delete files were written for; the table's at the time
 * @param rules which concurrent changes matter; a change without rules and without listed removals never conflicts
 * @param summary extra entries of the snapshot's summary, none of them one that the commit counts: see {@link #isCounted}
 * @param rowCounts how many rows the statement touched
 * @param copies what it took to write data files again
 */
public record SnapshotChange(
        Operation operation,
        String ref,
        OptionalLong readSnapshotId,
        int settledForFormat,
        List<AddedData> addedData,
        List<AddedDelete> addedDeletes,
        List<Removal> removals,
        List<ConflictRule> rules,
        Map<String, String> summary,
        RowCounts rowCounts,
        CopyCounts copies) {

    /** Spec: Snapshots, {@code operation}. */
    public enum Operation {
        APPEND,
        DELETE,
        OVERWRITE,
        REPLACE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A new data file.
     *
     * @param dataSequenceNumber for a rewritten file: the number of the snapshot whose deletes the rewriter applied; empty for
     *     new rows
     */
    public record AddedData(DataFile file, OptionalLong dataSequenceNumber) {

        public static AddedData ofNewRows(DataFile file) {
            return new AddedData(file, OptionalLong.empty());
        }
    }

    /**
     * A new delete file.
     *
     * @param absorbed delete files whose positions it repeats; those that are still live leave the table with this change
     * @param dataFile where the single data file it speaks of was seen live, which spares the commit a search for it
     */
    public record AddedDelete(DeleteFile file, Set<FileKey> absorbed, Optional<Removal.Known> dataFile) {
        public AddedDelete {
            absorbed = Set.copyOf(absorbed);
        }
    }

    public SnapshotChange {
        addedData = List.copyOf(addedData);
        addedDeletes = List.copyOf(addedDeletes);
        removals = List.copyOf(removals);
        rules = List.copyOf(rules);
        summary = Collections.unmodifiableMap(new LinkedHashMap<>(summary));
        for (String key : summary.keySet()) {
            if (isCounted(key)) {
                throw new IllegalArgumentException("A snapshot's summary must not be given the entry '" + key
                        + "': its value is counted when the snapshot is committed.");
            }
        }
        var paths = new HashSet<String>();
        for (AddedData added : addedData) {
            if (!paths.add(added.file().path())) {
                throw new IllegalArgumentException(
                        "A data file must be added once, but " + added.file().path() + " is added twice.");
            }
        }
    }

    /** A change that does not know how many rows it touches. */
    public SnapshotChange(
            Operation operation,
            String ref,
            OptionalLong readSnapshotId,
            int settledForFormat,
            List<AddedData> addedData,
            List<AddedDelete> addedDeletes,
            List<Removal> removals,
            List<ConflictRule> rules,
            Map<String, String> summary) {
        this(
                operation,
                ref,
                readSnapshotId,
                settledForFormat,
                addedData,
                addedDeletes,
                removals,
                rules,
                summary,
                RowCounts.unknown());
    }

    /** A change that writes no data file again. */
    public SnapshotChange(
            Operation operation,
            String ref,
            OptionalLong readSnapshotId,
            int settledForFormat,
            List<AddedData> addedData,
            List<AddedDelete> addedDeletes,
            List<Removal> removals,
            List<ConflictRule> rules,
            Map<String, String> summary,
            RowCounts rowCounts) {
        this(
                operation,
                ref,
                readSnapshotId,
                settledForFormat,
                addedData,
                addedDeletes,
                removals,
                rules,
                summary,
                rowCounts,
                CopyCounts.NONE);
    }

    /** New rows, nothing read. */
    public static SnapshotChange append(
            String ref, int formatVersion, List<DataFile> files, Map<String, String> summary) {
        return new SnapshotChange(
                Operation.APPEND,
                ref,
                OptionalLong.empty(),
                formatVersion,
                files.stream().map(AddedData::ofNewRows).toList(),
                List.of(),
                List.of(),
                List.of(),
                summary,
                RowCounts.none()
                        .withInserted(OptionalLong.of(
                                files.stream().mapToLong(DataFile::recordCount).sum())));
    }

    /**
     * The same change for a statement that depends on what it read.
     *
     * @param read the snapshot it read; empty if the table had none
     */
    public SnapshotChange under(OptionalLong read, List<ConflictRule> newRules) {
        return new SnapshotChange(
                operation,
                ref,
                read,
                settledForFormat,
                addedData,
                addedDeletes,
                removals,
                newRules,
                summary,
                rowCounts);
    }

    /** The same change, with that many rows touched. */
    public SnapshotChange withRowCounts(RowCounts newRowCounts) {
        return with(newRowCounts, copies);
    }

    /** The same change, with data files written again. */
    public SnapshotChange withCopies(CopyCounts newCopies) {
        return with(rowCounts, newCopies);
    }

    private SnapshotChange with(RowCounts newRowCounts, CopyCounts newCopies) {
        return new SnapshotChange(
                operation,
                ref,
                readSnapshotId,
                settledForFormat,
                addedData,
                addedDeletes,
                removals,
                rules,
                summary,
                newRowCounts,
                newCopies);
    }

    /** Whether the summary's entry of that name is counted by the commit, and so cannot be given. */
    public static boolean isCounted(String summaryKey) {
        return SnapshotSummary.isCounted(summaryKey);
    }

    public boolean isEmpty() {
        return addedData.isEmpty() && addedDeletes.isEmpty() && removals.isEmpty();
    }

    /** Whether another writer's commit since {@link #readSnapshotId} can matter. */
    boolean canConflict() {
        return !rules.isEmpty()
                || !addedDeletes.isEmpty()
                || removals.stream().anyMatch(removal -> removal instanceof Removal.Files);
    }
}
