package dev.calve.scan;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.Selection;
import java.util.HashSet;
import java.util.Set;

/**
 * What of the statistics of data files stays in memory once the filter was asked: a reader needs next to nothing, a commit that
 * removes a file all.
 *
 * @param fieldIds whose, where it is not all
 */
record KeptStatistics(boolean all, Set<Integer> fieldIds) {

    static final KeptStatistics ALL = new KeptStatistics(true, Set.of());

    static KeptStatistics of(Set<Integer> fieldIds) {
        return new KeptStatistics(false, Set.copyOf(fieldIds));
    }

    /** A selection that decodes these and what the filter looks at. */
    Selection decoded(Selection selection, Set<Integer> filtered) {
        if (all) {
            return selection;
        }
        var ids = new HashSet<>(fieldIds);
        ids.addAll(filtered);
        return selection.withStatisticsOf(ids);
    }

    ManifestEntry<DataFile> in(ManifestEntry<DataFile> entry) {
        if (all) {
            return entry;
        }
        DataFile file = entry.file();
        ContentFile.Common common = file.common();
        var slim = new ContentFile.Common(
                common.path(),
                common.format(),
                common.specId(),
                common.partition(),
                common.metrics().of(fieldIds),
                common.fileSizeBytes(),
                common.splitOffsets(),
                common.sortOrderId(),
                common.keyMetadata());
        return new ManifestEntry<>(
                entry.status(),
                entry.snapshotId(),
                entry.sequenceNumber(),
                entry.fileSequenceNumber(),
                new DataFile(slim, file.firstRowId()));
    }
}
