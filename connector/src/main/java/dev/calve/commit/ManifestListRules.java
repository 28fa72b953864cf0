package dev.calve.commit;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;

/** The rules a list of manifests is held against before the snapshot is swapped in. Pure computation over its counts. */
final class ManifestListRules {

    private ManifestListRules() {}

    /**
     * Checks the counts of the list to be against those of the parent, which were counted anew if {@link #isMiscounted}.
     * Counts of version 1 that are unknown are passed over.
     *
     * @param before the parent's manifests
     * @param left the files that left
     */
    static void checkCounts(
            Preparation preparation,
            Content content,
            List<ManifestFile> before,
            List<ManifestFile> after,
            List<ContentFile> left) {
        List<? extends ContentFile> files = content == Content.DATA
                ? preparation.change().addedData().stream()
                        .map(SnapshotChange.AddedData::file)
                        .toList()
                : preparation.change().addedDeletes().stream()
                        .map(SnapshotChange.AddedDelete::file)
                        .toList();
        List<ManifestFile> own = after.stream()
                .filter(manifest -> manifest.sequenceNumber() == ManifestFile.UNASSIGNED)
                .toList();
        check(preparation, content, "added files", files.size(), sum(own, content, ManifestFile.Counts::addedFiles));
        check(preparation, content, "added rows", rows(files), sum(own, content, ManifestFile.Counts::addedRows));
        check(preparation, content, "removed files", left.size(), sum(own, content, ManifestFile.Counts::deletedFiles));
        check(preparation, content, "removed rows", rows(left), sum(own, content, ManifestFile.Counts::deletedRows));
        OptionalLong live = live(before, content);
        if (live.isPresent()) {
            long expected = live.getAsLong() + files.size() - left.size();
            check(preparation, content, "live files", expected, live(after, content));
        }
    }

    /**
     * Whether live files do not add up: the change would lose or repeat one, or another writer's list is wrong about a manifest
     * that is written again. Which of both, tells only a count of what that holds.
     */
    static boolean isMiscounted(
            Preparation preparation,
            Content content,
            List<ManifestFile> before,
            List<ManifestFile> after,
            List<ContentFile> left) {
        OptionalLong live = live(before, content);
        OptionalLong counted = live(after, content);
        long added = content == Content.DATA
                ? preparation.change().addedData().size()
                : preparation.change().addedDeletes().size();
        return live.isPresent() && counted.isPresent() && live.getAsLong() + added - left.size() != counted.getAsLong();
    }

    private static long rows(List<? extends ContentFile> files) {
        return files.stream().mapToLong(ContentFile::recordCount).sum();
    }

    private static void check(
            Preparation preparation, Content content, String what, long expected, OptionalLong counted) {
        if (counted.isPresent() && counted.getAsLong() != expected) {
            throw SnapshotRule.COUNTS_AGREE.broken(
                    preparation.table(),
                    what + " of manifests of " + content + " must be " + expected + ", but the list counts "
                            + counted.getAsLong());
        }
    }

    private static OptionalLong live(List<ManifestFile> manifests, Content content) {
        OptionalLong added = sum(manifests, content, ManifestFile.Counts::addedFiles);
        OptionalLong existing = sum(manifests, content, ManifestFile.Counts::existingFiles);
        return added.isPresent() && existing.isPresent()
                ? OptionalLong.of(added.getAsLong() + existing.getAsLong())
                : OptionalLong.empty();
    }

    /** Empty if a count is unknown. */
    private static OptionalLong sum(
            List<ManifestFile> manifests, Content content, Function<ManifestFile.Counts, OptionalLong> count) {
        long sum = 0;
        for (ManifestFile manifest : manifests) {
            if (manifest.content() != content) {
                continue;
            }
            OptionalLong one = count.apply(manifest.counts());
            if (one.isEmpty()) {
                return OptionalLong.empty();
            }
            sum += one.getAsLong();
        }
        return OptionalLong.of(sum);
    }

    /**
     * Checks the row ids a list hands out. What was handed out before stays where it was.
     *
     * @param before the parent's manifests
     * @param written the list as it was written
     */
    static void checkRowIds(Preparation preparation, List<ManifestFile> before, ManifestList.WrittenList written) {
        if (preparation.found().formatVersion() < 3) {
            return;
        }
        Map<String, Long> handedOut = new HashMap<>();
        before.forEach(manifest -> manifest.firstRowId().ifPresent(first -> handedOut.put(manifest.path(), first)));
        long start = preparation.found().nextRowId();
        long next = start;
        for (ManifestFile manifest : written.manifests()) {
            if (manifest.content() != Content.DATA) {
                continue;
            }
            String ids = "row ids of manifest " + manifest.path() + " must ";
            long first =
                    manifest.firstRowId().orElseThrow(() -> rowIds(preparation, ids + "begin somewhere, but do not"));
            long rows = manifest.counts().addedRows().orElse(0)
                    + manifest.counts().existingRows().orElse(0);
            long expected = Objects.requireNonNullElse(handedOut.get(manifest.path()), next);
            if (first != expected) {
                throw rowIds(preparation, ids + "begin at " + expected + ", not " + first);
            }
            if (handedOut.containsKey(manifest.path())) {
                if (first + rows > start) {
                    throw rowIds(preparation, ids + "lie below " + start + ", but end at " + (first + rows));
                }
            } else {
                next += rows;
            }
        }
        if (next != written.nextRowId()) {
            throw rowIds(preparation, "the table's next must be " + next + ", not " + written.nextRowId());
        }
    }

    private static IllegalArgumentException rowIds(Preparation preparation, String how) {
        return SnapshotRule.ROW_IDS_GIVEN_ONCE.broken(preparation.table(), how);
    }
}
