package dev.calve.commit;

import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.TableProperties;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which manifests of a list are joined, so that planning stays fast after thousands of commits. Pure computation.
 *
 * <p>Every commit merges when it is due, appends too: a table that only grows, one row at a time, would otherwise have a
 * manifest per commit. A manifest is <i>small</i> below half the target size; larger ones are left alone for good. Nothing is
 * joined before there are as many small ones, whatever they hold, as {@code commit.manifest.min-count-to-merge} says.
 *
 * <ul>
 *   <li>Small manifests of one partition spec and one content are packed into bins of at most the target size, from the oldest
 *       on, so that older bins stay as they are while newer commits are put before them.
 *   <li>A manifest takes part if the smaller ones of its bin have at least a quarter of its size together. So each time an
 *       entry is written again its manifest grows by a quarter or the bin shrinks by many: rewriting costs a commit, on average, a
 *       logarithm of what it adds, and never a large manifest for the sake of a tiny one.
 *   <li>A commit joins one bin per spec and content, the one with most manifests. What is left is for the next commits: none
 *       pays for a whole table, and none writes more than the target size per spec and content.
 * </ul>
 */
final class MergePlan {

    /** How many times as large as all smaller ones of its bin together a manifest may be to be joined with them. */
    private static final int LARGEST_TO_REST = 4;

    private MergePlan() {}

    private record Group(int specId, Content content) {}

    /**
     * Bins of two or more, each in list order.
     *
     * @param listed every manifest of the snapshot to be, newest first
     */
    static List<List<ManifestFile>> of(List<ManifestFile> listed, TableProperties properties) {
        if (!properties.get(TableProperties.MANIFEST_MERGE)) {
            return List.of();
        }
        long target = properties.get(TableProperties.MANIFEST_TARGET_SIZE);
        // An encrypted one could not be read.
        List<ManifestFile> small = listed.stream()
                .filter(manifest -> manifest.length() < (target + 1) / 2)
                .filter(manifest -> manifest.keyMetadata().isEmpty())
                .toList();
        if (small.size() < Math.max(2, properties.get(TableProperties.MANIFEST_MIN_COUNT_TO_MERGE))) {
            return List.of();
        }
        Map<Group, List<ManifestFile>> groups = new LinkedHashMap<>();
        for (ManifestFile manifest : small) {
            groups.computeIfAbsent(new Group(manifest.specId(), manifest.content()), group -> new ArrayList<>())
                    .add(manifest);
        }
        var result = new ArrayList<List<ManifestFile>>();
        for (List<ManifestFile> group : groups.values()) {
            List<ManifestFile> best = List.of();
            for (List<ManifestFile> bin : bins(group, target)) {
                List<ManifestFile> worthwhile = worthwhile(bin);
                if (worthwhile.size() > Math.max(1, best.size())) {
                    best = worthwhile;
                }
            }
            if (!best.isEmpty()) {
                result.add(best);
            }
        }
        return result;
    }

    /** From the end of the list; each bin in list order. */
    private static List<List<ManifestFile>> bins(List<ManifestFile> manifests, long target) {
        var bins = new ArrayList<List<ManifestFile>>();
        var bin = new ArrayList<ManifestFile>();
        long size = 0;
        for (int i = manifests.size() - 1; i >= 0; i--) {
            ManifestFile manifest = manifests.get(i);
            if (!bin.isEmpty() && size + manifest.length() > target) {
                bins.add(bin);
                bin = new ArrayList<>();
                size = 0;
            }
            bin.add(0, manifest);
            size += manifest.length();
        }
        bins.add(bin);
        return bins;
    }

    private static List<ManifestFile> worthwhile(List<ManifestFile> bin) {
        List<ManifestFile> ascending = bin.stream()
                .sorted(Comparator.comparingLong(ManifestFile::length))
                .toList();
        long smaller = 0;
        int count = 0;
        for (int i = 0; i < ascending.size(); i++) {
            long length = ascending.get(i).length();
            if (length <= LARGEST_TO_REST * smaller) {
                count = i + 1;
            }
            smaller += length;
        }
        Set<ManifestFile> chosen = new HashSet<>(ascending.subList(0, count));
        return bin.stream().filter(chosen::contains).toList();
    }
}
