package dev.calve.spark.inspect;

import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.Snapshot;
import dev.calve.scan.SnapshotManifests;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The manifests of some snapshots, each once. Their lists are read once, when first asked for, several at a time. */
final class Manifests {

    private final Storage storage;
    private final List<Snapshot> snapshots;
    private @Nullable List<ManifestFile> read;

    Manifests(Storage storage, List<Snapshot> snapshots) {
        this.storage = storage;
        this.snapshots = List.copyOf(snapshots);
    }

    static Manifests of(Storage storage, Optional<Snapshot> snapshot) {
        return new Manifests(storage, snapshot.map(List::of).orElse(List.of()));
    }

    /** All of them, as the newest of the snapshots lists them: one that is older than version 3 gives no row ids. */
    synchronized List<ManifestFile> list() throws IOException {
        List<ManifestFile> known = read;
        if (known == null) {
            Map<String, ManifestFile> byPath = new LinkedHashMap<>();
            // Each snapshot lists most of what the one before it lists: all lists together may be too large.
            OnDriver.each(
                    snapshots,
                    this::listed,
                    listed -> listed.forEach(manifest -> byPath.put(manifest.path(), manifest)));
            known = List.copyOf(byPath.values());
            read = known;
        }
        return known;
    }

    private List<ManifestFile> listed(Snapshot snapshot) throws IOException {
        try {
            return SnapshotManifests.of(storage, snapshot);
        } catch (FileNotFoundException e) {
            throw new InvalidTableException(
                    "Snapshot " + snapshot.id() + " must have the manifests it names, but one does not exist: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Those that may have live files. */
    List<ManifestFile> live() throws IOException {
        return list().stream().filter(ManifestFile::mayHaveLiveFiles).toList();
    }

    /** How many live files they have by what their lists say. */
    long liveFiles() throws IOException {
        return live().stream()
                .mapToLong(manifest -> manifest.counts().addedFiles().orElse(0)
                        + manifest.counts().existingFiles().orElse(0))
                .sum();
    }
}
