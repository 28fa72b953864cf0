package dev.calve.spark.inspect;

import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.DeleteIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Adds the live files of a snapshot up by partition. Cost: every manifest is read, several at a time; memory grows with the
 * partitions, and with the delete files only if deleted records are to be counted, as in a scan.
 */
final class PartitionCount {

    private final Storage storage;
    private final TableMetadata metadata;
    private final Map<Long, Snapshot> snapshots = new HashMap<>();
    private final Selection live;

    /** Equal values of two specs are two partitions, because they need not hold the same rows. */
    private record Key(int specId, PartitionTuple partition) {}

    PartitionCount(Storage storage, TableMetadata metadata) {
        this.storage = storage;
        this.metadata = metadata;
        metadata.snapshots().forEach(snapshot -> snapshots.put(snapshot.id(), snapshot));
        // Values of several specs and of sources promoted in between must be comparable.
        live = Selection.live()
                .typedAs(FileColumns.partitionsOf(metadata).struct())
                .withStatisticsOf(Set.of());
    }

    /**
     * Counts.
     *
     * @param manifests of a snapshot
     * @param deleted whether deleted records are counted too
     */
    List<PartitionTotals> of(List<ManifestFile> manifests, boolean deleted) throws IOException {
        Optional<DeleteIndex> deletes = deleted ? Optional.of(deletes(manifests)) : Optional.empty();
        var result = new LinkedHashMap<Key, PartitionTotals>();
        OnDriver.each(
                manifests,
                manifest -> count(manifest, deletes),
                part -> part.forEach((partition, totals) -> {
                    PartitionTotals known = result.putIfAbsent(partition, totals);
                    if (known != null) {
                        known.add(totals);
                    }
                }));
        return List.copyOf(result.values());
    }

    private DeleteIndex deletes(List<ManifestFile> manifests) throws IOException {
        List<ManifestFile> lists = manifests.stream()
                .filter(manifest -> manifest.content() == Content.DELETES)
                .toList();
        var index = new DeleteIndex(metadata);
        for (List<ManifestEntry<DeleteFile>> entries : OnDriver.map(lists, this::deletes)) {
            entries.forEach(index::add);
        }
        return index;
    }

    private List<ManifestEntry<DeleteFile>> deletes(ManifestFile manifest) throws IOException {
        var result = new ArrayList<ManifestEntry<DeleteFile>>();
        try (var entries = new Entries(storage, List.of(manifest), live)) {
            for (var next = entries.next(); next.isPresent(); next = entries.next()) {
                result.add(as(DeleteFile.class, next.get()));
            }
        }
        return result;
    }

    private Map<Key, PartitionTotals> count(ManifestFile manifest, Optional<DeleteIndex> deletes) throws IOException {
        var totals = new LinkedHashMap<Key, PartitionTotals>();
        try (var entries = new Entries(storage, List.of(manifest), live)) {
            for (var next = entries.next(); next.isPresent(); next = entries.next()) {
                ManifestEntry<? extends ContentFile> entry = next.get();
                Optional<AppliedDeletes> applied = entry.file() instanceof DataFile
                        ? deletes.map(index -> AppliedDeletes.of(index.of(as(DataFile.class, entry))))
                        : Optional.empty();
                totals.computeIfAbsent(
                                new Key(entry.file().specId(), entry.file().partition()),
                                key -> new PartitionTotals(key.partition(), key.specId()))
                        .add(entry, Optional.ofNullable(snapshots.get(entry.snapshotId())), applied);
            }
        }
        return totals;
    }

    /** The entry as one of a file of the kind that it is. */
    static <F extends ContentFile> ManifestEntry<F> as(Class<F> kind, ManifestEntry<? extends ContentFile> entry) {
        return new ManifestEntry<>(
                entry.status(),
                entry.snapshotId(),
                entry.sequenceNumber(),
                entry.fileSequenceNumber(),
                kind.cast(entry.file()));
    }
}
