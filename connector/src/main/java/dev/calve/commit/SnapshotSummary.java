package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.PartitionPath;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Counts what a snapshot adds and removes and carries the totals on. Keys and values as Apache Iceberg writes them; a count of
 * 0 is left out, a total is not. Spec: Snapshots, Optional Snapshot Summary Fields.
 *
 * <p>Partitions are told apart by their path, as elsewhere: tuples of two specs that have the same path are one partition
 * here.
 */
final class SnapshotSummary {

    private static final String PARTITIONS = "partitions.";
    private static final String ROWS = "calve.rows-";
    private static final String FILES_REWRITTEN = "calve.files-rewritten";
    private static final String BYTES_COPIED = "calve.bytes-copied";
    private static final String BYTES_ENCODED = "calve.bytes-encoded";
    private static final String MANIFESTS_MERGED = "calve.manifests-merged";

    private static final Set<String> TOTALS = Set.of(
            "total-data-files",
            "total-delete-files",
            "total-records",
            "total-files-size",
            "total-position-deletes",
            "total-equality-deletes");

    private static final Set<String> OTHERS = Set.of(
            "operation",
            FILES_REWRITTEN,
            BYTES_COPIED,
            BYTES_ENCODED,
            MANIFESTS_MERGED,
            "deleted-duplicate-files",
            "changed-partition-count",
            "partition-summaries-included",
            "manifests-created",
            "manifests-kept",
            "manifests-replaced");

    private final TableMetadata table;
    private final int partitionLimit;
    private final FileCounts counts = new FileCounts();
    private final Map<String, FileCounts> byPartition = new TreeMap<>();

    /** What a removal takes away beyond the first live entry of each file in a manifest. */
    private final FileCounts repeated = new FileCounts();

    private long created;
    private long kept;
    private long replaced;
    private long merged;
    private boolean deletesStay;

    /**
     * Starts at nothing.
     *
     * @param name what messages call the table
     */
    SnapshotSummary(TableMetadata table, String name) {
        this.table = table;
        this.partitionLimit = TableProperties.of(table, name).get(TableProperties.SUMMARY_PARTITION_LIMIT);
    }

    static boolean isCounted(String key) {
        return FileCounts.KEYS.contains(key)
                || TOTALS.contains(key)
                || OTHERS.contains(key)
                || key.startsWith(PARTITIONS)
                || key.startsWith(ROWS);
    }

    void added(ContentFile file) {
        counts.added().count(file);
        partition(file).added().count(file);
    }

    /**
     * Counts what leaves one manifest. A file that is listed there twice, which is against the format, counts once, as
     * elsewhere; only the totals, which are to equal what is left, count it twice.
     */
    void removed(List<ContentFile> ofOneManifest) {
        Set<FileKey> seen = new HashSet<>();
        for (ContentFile file : ofOneManifest) {
            if (seen.add(file.key())) {
                counts.removed().count(file);
                partition(file).removed().count(file);
            } else {
                repeated.removed().count(file);
            }
        }
    }

    private FileCounts partition(ContentFile file) {
        String path = PartitionPath.of(table.spec(file.specId()), table.partitionType(file.specId()), file.partition());
        return byPartition.computeIfAbsent(path, absent -> new FileCounts());
    }

    boolean removedNothing() {
        return counts.removed().isNothing();
    }

    /**
     * Counts manifests.
     *
     * @param parents of the snapshot found
     * @param written those of the snapshot to commit
     */
    void manifests(Collection<ManifestFile> parents, Collection<ManifestFile> written, long snapshotId) {
        Set<String> paths = written.stream().map(ManifestFile::path).collect(Collectors.toSet());
        created = written.stream()
                .filter(manifest -> manifest.addedSnapshotId() == snapshotId)
                .count();
        kept = written.size() - created;
        // One that had nothing live any more just leaves the list: nothing takes its place.
        replaced = parents.stream()
                .filter(manifest -> manifest.mayHaveLiveFiles() && !paths.contains(manifest.path()))
                .count();
        deletesStay = written.stream()
                .anyMatch(
                        manifest -> manifest.content() == ManifestFile.Content.DELETES && manifest.mayHaveLiveFiles());
    }

    /** Counts manifests that were joined with others, old ones and such as this snapshot had just written. */
    void merged(int manifests) {
        merged = manifests;
    }

    /** The entries in the order they are written, those of the caller first. */
    Map<String, String> entries(Optional<Snapshot> parent, SnapshotChange change) {
        var entries = new LinkedHashMap<String, String>(change.summary());
        putRows(entries, change);
        put(entries, FILES_REWRITTEN, change.copies().files());
        put(entries, BYTES_COPIED, change.copies().bytesCopied());
        put(entries, BYTES_ENCODED, change.copies().bytesEncoded());
        entries.put("manifests-created", Long.toString(created));
        entries.put("manifests-kept", Long.toString(kept));
        entries.put("manifests-replaced", Long.toString(replaced));
        put(entries, MANIFESTS_MERGED, merged);
        entries.putAll(counts.entries());
        put(entries, "deleted-duplicate-files", repeated.removed().files());
        putPartitions(entries);
        FileCounts.Side added = counts.added();
        FileCounts.Side removed = counts.removed().plus(repeated.removed());
        total(entries, parent, "total-records", added.records() - removed.records());
        total(entries, parent, "total-files-size", added.sizeBytes() - removed.sizeBytes());
        total(entries, parent, "total-data-files", added.dataFiles() - removed.dataFiles());
        total(entries, parent, "total-delete-files", added.deleteFiles() - removed.deleteFiles());
        total(entries, parent, "total-position-deletes", added.positionDeletes() - removed.positionDeletes());
        total(entries, parent, "total-equality-deletes", added.equalityDeletes() - removed.equalityDeletes());
        return entries;
    }

    private void putPartitions(Map<String, String> entries) {
        entries.put("changed-partition-count", Long.toString(byPartition.size()));
        if (byPartition.isEmpty() || byPartition.size() > partitionLimit) {
            return;
        }
        entries.put("partition-summaries-included", "true");
        byPartition.forEach((path, ofPartition) -> {
            // The whole of an unpartitioned table is no partition worth repeating everything for.
            if (!path.isEmpty()) {
                entries.put(PARTITIONS + path, ofPartition.text());
            }
        });
    }

    private void putRows(Map<String, String> entries, SnapshotChange change) {
        RowCounts rows = change.rowCounts();
        put(entries, ROWS + "deleted", deletedRows(change).orElse(0));
        put(entries, ROWS + "updated", rows.updated().orElse(0));
        put(entries, ROWS + "inserted", rows.inserted().orElse(0));
        put(entries, ROWS + "copied", rows.copied().orElse(0));
    }

    private OptionalLong deletedRows(SnapshotChange change) {
        OptionalLong deleted = change.rowCounts().deleted();
        if (deleted.isEmpty() || !change.rowCounts().matchedAreDeleted()) {
            return deleted;
        }
        OptionalLong matched = matchedRows(change);
        return matched.isEmpty() ? matched : OptionalLong.of(deleted.getAsLong() + matched.getAsLong());
    }

    /** Live rows of the files a filter took away; empty unless metadata tells their exact number. */
    private OptionalLong matchedRows(SnapshotChange change) {
        boolean onlyMatched = change.removals().stream().allMatch(Removal.Matching.class::isInstance);
        boolean everything = change.removals().contains(new Removal.Matching(Expression.Constant.TRUE));
        FileCounts.Side removed = counts.removed().plus(repeated.removed());
        // Positions can repeat in position delete files, and keys of equality deletes can match any number of rows.
        boolean onlyVectors = removed.positionDeleteFiles() == 0 && removed.equalityDeleteFiles() == 0;
        if (!onlyMatched || !onlyVectors || repeated.removed().files() > 0 || (deletesStay && !everything)) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(removed.records() - removed.positionDeletes());
    }

    private static void put(Map<String, String> entries, String key, long value) {
        if (value != 0) {
            entries.put(key, Long.toString(value));
        }
    }

    /** A total the parent does not know, or that turns out wrong, stays unknown: counting from here would understate it. */
    private static void total(Map<String, String> entries, Optional<Snapshot> parent, String key, long difference) {
        String before = parent.isPresent() ? parent.get().summary().get(key) : "0";
        if (before != null && before.matches("\\d{1,18}")) {
            long total = Long.parseLong(before) + difference;
            if (total >= 0) {
                entries.put(key, Long.toString(total));
            }
        }
    }
}
