package dev.calve.rowlevel;

import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which data files a compaction joins: those too small, too large or with too many deletes, of one partition each. Sizes are in
 * bytes. The names and rules are those of Apache Iceberg's {@code rewrite_data_files}.
 *
 * @param targetFileSizeBytes of new files
 * @param minFileSizeBytes smaller files are rewritten
 * @param maxFileSizeBytes larger files are rewritten
 * @param minInputFiles files of a partition that are worth a rewrite although they do not fill a new one
 * @param deleteFileThreshold a file with so many delete files is rewritten
 * @param deleteRatioThreshold a file so many of whose rows are deleted by deletes of its own is rewritten; 1 is all
 * @param rewriteAll whether every file is rewritten
 */
public record BinPack(
        long targetFileSizeBytes,
        long minFileSizeBytes,
        long maxFileSizeBytes,
        int minInputFiles,
        int deleteFileThreshold,
        double deleteRatioThreshold,
        boolean rewriteAll) {

    public BinPack {
        if (targetFileSizeBytes <= 0
                || minFileSizeBytes < 0
                || minFileSizeBytes > targetFileSizeBytes
                || maxFileSizeBytes <= targetFileSizeBytes) {
            throw new IllegalArgumentException(
                    "min-file-size-bytes must be at most target-file-size-bytes, and that less"
                            + " than max-file-size-bytes, but they are " + minFileSizeBytes + ", " + targetFileSizeBytes
                            + " and " + maxFileSizeBytes + ".");
        }
        if (minInputFiles < 1 || deleteFileThreshold < 1 || !(deleteRatioThreshold > 0 && deleteRatioThreshold <= 1)) {
            throw new IllegalArgumentException("min-input-files and delete-file-threshold must be 1 or more, and"
                    + " delete-ratio-threshold more than 0 and at most 1, but they are " + minInputFiles + ", "
                    + deleteFileThreshold + " and " + deleteRatioThreshold + ".");
        }
    }

    private record Place(int specId, PartitionTuple partition) {}

    /**
     * The files that are rewritten together, each list into as few files as can hold it. Pure.
     *
     * @param tasks with all deletes that apply; files of an old partition spec stay in theirs
     */
    public List<List<FileTask>> groups(List<FileTask> tasks) {
        var byPlace = new LinkedHashMap<Place, List<FileTask>>();
        for (FileTask task : tasks) {
            if (isCandidate(task)) {
                var place = new Place(task.file().specId(), task.file().partition());
                byPlace.computeIfAbsent(place, key -> new ArrayList<>()).add(task);
            }
        }
        var groups = new ArrayList<List<FileTask>>();
        for (Map.Entry<Place, List<FileTask>> partition : byPlace.entrySet()) {
            if (isWorthIt(partition.getValue())) {
                addBins(partition.getValue(), groups);
            }
        }
        return groups;
    }

    private boolean isCandidate(FileTask task) {
        long size = task.file().fileSizeBytes();
        return rewriteAll || size < minFileSizeBytes || size > maxFileSizeBytes || hasManyDeletes(task);
    }

    private boolean hasManyDeletes(FileTask task) {
        if (task.deletes().size() >= deleteFileThreshold) {
            return true;
        }
        long deleted = 0;
        for (ManifestEntry<DeleteFile> delete : task.deletes()) {
            if (delete.file().scopedTo().isPresent()) {
                deleted += delete.file().recordCount();
            }
        }
        long rows = task.file().recordCount();
        return deleted > 0 && (double) Math.min(deleted, rows) / rows >= deleteRatioThreshold;
    }

    private boolean isWorthIt(List<FileTask> files) {
        long size =
                files.stream().mapToLong(task -> task.file().fileSizeBytes()).sum();
        boolean several = files.size() > 1 && (files.size() >= minInputFiles || size > targetFileSizeBytes);
        return rewriteAll
                || several
                || size > maxFileSizeBytes
                || files.stream().anyMatch(this::hasManyDeletes);
    }

    /** Cuts the files of a partition into bins of about equal size, in their order. */
    private void addBins(List<FileTask> files, List<List<FileTask>> groups) {
        long total =
                files.stream().mapToLong(task -> task.file().fileSizeBytes()).sum();
        long bins = Math.max(1, (total + targetFileSizeBytes / 2) / targetFileSizeBytes);
        long full = total / bins + 1;
        var bin = new ArrayList<FileTask>();
        long size = 0;
        for (FileTask file : files) {
            if (!bin.isEmpty() && size + file.file().fileSizeBytes() / 2 > full) {
                addBin(bin, groups);
                bin.clear();
                size = 0;
            }
            bin.add(file);
            size += file.file().fileSizeBytes();
        }
        addBin(bin, groups);
    }

    /** A file alone is only written again if something changes by it. */
    private void addBin(List<FileTask> bin, List<List<FileTask>> groups) {
        boolean changes = bin.size() > 1
                || rewriteAll
                || bin.get(0).file().fileSizeBytes() > maxFileSizeBytes
                || hasManyDeletes(bin.get(0));
        if (changes) {
            groups.add(List.copyOf(bin));
        }
    }
}
