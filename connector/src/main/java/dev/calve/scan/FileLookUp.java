package dev.calve.scan;

import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds known data files in a later snapshot without planning a scan of it. One use, one thread. */
final class FileLookUp {

    private final Storage storage;
    private final TableMetadata metadata;
    private final Snapshot snapshot;

    /** Files not found yet, by path. */
    private final Map<String, FileTask> sought = new LinkedHashMap<>();

    private final Map<String, Found> found = new HashMap<>();

    private record Found(ManifestEntry<DataFile> entry, String manifest) {}

    FileLookUp(Storage storage, TableMetadata metadata, Snapshot snapshot) {
        this.storage = storage;
        this.metadata = metadata;
        this.snapshot = snapshot;
    }

    List<FileTask> find(Collection<FileTask> seen) throws IOException {
        Set<String> hinted = new HashSet<>();
        for (FileTask task : seen) {
            sought.put(task.file().path(), task);
            hinted.add(task.manifest());
        }
        List<ManifestFile> manifests = SnapshotManifests.of(storage, snapshot).stream()
                .filter(ManifestFile::mayHaveLiveFiles)
                .toList();
        // A manifest never changes: one that listed the file live when it was read still does.
        for (ManifestFile manifest : manifests) {
            if (manifest.content() == Content.DATA && hinted.contains(manifest.path())) {
                readData(manifest);
            }
        }
        for (ManifestFile manifest : manifests) {
            if (manifest.content() == Content.DATA
                    && !hinted.contains(manifest.path())
                    && mayListAny(manifest, partitions(sought.values(), manifest.specId()))) {
                readData(manifest);
            }
        }
        DeleteIndex deletes = deletesOf(seen, manifests);
        var result = new ArrayList<FileTask>();
        for (FileTask task : seen) {
            Optional.ofNullable(found.get(task.file().path()))
                    .ifPresent(now -> result.add(new FileTask(
                            now.entry(),
                            now.manifest(),
                            deletes.of(now.entry()),
                            task.residual(),
                            task.everyRowMatches(),
                            Optional.of(new SeenDeletes(
                                    snapshot.id(),
                                    deletes.manifestsOf(now.entry().file()))))));
        }
        return result;
    }

    private void readData(ManifestFile manifest) throws IOException {
        Set<PartitionTuple> wanted = partitions(sought.values(), manifest.specId());
        for (ManifestEntry<DataFile> entry : ManifestReader.readData(storage, manifest, live(manifest, wanted))) {
            if (sought.remove(entry.file().path()) != null) {
                found.put(entry.file().path(), new Found(entry, manifest.path()));
            }
        }
    }

    private DeleteIndex deletesOf(Collection<FileTask> seen, List<ManifestFile> manifests) throws IOException {
        var index = new DeleteIndex(metadata);
        for (ManifestFile manifest : manifests) {
            if (manifest.content() != Content.DELETES) {
                continue;
            }
            // Equality deletes of an unpartitioned spec apply to every partition of every spec.
            boolean global = metadata.spec(manifest.specId()).isUnpartitioned();
            Set<PartitionTuple> wanted = partitions(seen, manifest.specId());
            if (global || mayListAny(manifest, wanted)) {
                Selection selection = global
                        ? Selection.live().typedAs(metadata.partitionType(manifest.specId()))
                        : live(manifest, wanted);
                List<ManifestEntry<DeleteFile>> wide = ManifestReader.readDeletes(storage, manifest, selection).stream()
                        .filter(entry ->
                                entry.file().scopedTo().map(found::containsKey).orElse(true))
                        .toList();
                index.addAll(wide, manifest.path());
            }
        }
        return index;
    }

    private Selection live(ManifestFile manifest, Set<PartitionTuple> wanted) {
        return Selection.live()
                .typedAs(metadata.partitionType(manifest.specId()))
                .inPartitions(wanted::contains);
    }

    private boolean mayListAny(ManifestFile manifest, Set<PartitionTuple> wanted) {
        Type.Struct type = metadata.partitionType(manifest.specId());
        return wanted.stream().anyMatch(tuple -> PartitionSummaries.mayContain(manifest, type, tuple));
    }

    private Set<PartitionTuple> partitions(Collection<FileTask> tasks, int specId) {
        var partitions = new HashSet<PartitionTuple>();
        for (FileTask task : tasks) {
            if (task.file().specId() == specId) {
                partitions.add(PartitionSummaries.promoted(
                        metadata, specId, task.file().partition()));
            }
        }
        return partitions;
    }
}
