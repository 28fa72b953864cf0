package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.Snapshot;
import dev.calve.scan.SnapshotManifests;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/**
 * What one snapshot of another writer did, read from its own manifest list: a writer puts every file it adds or removes into a
 * manifest of its own, ADDED or DELETED, and lists that in the snapshot that did it, though later ones may drop it. Spec:
 * Manifests, {@code status}.
 *
 * @param all every manifest the snapshot lists
 * @param written those it wrote
 * @param listsInPlace a v1 snapshot without a list, which does not say which manifests are its own: entries do
 */
record OtherSnapshot(
        Conflict.Other by, List<ManifestFile> all, List<ManifestFile> written, boolean listsInPlace, boolean replaces) {

    static OtherSnapshot read(Storage storage, Snapshot snapshot, OptionalLong readSnapshotId) throws IOException {
        List<ManifestFile> all = SnapshotManifests.of(storage, snapshot);
        boolean inPlace = snapshot.manifestList().isEmpty();
        List<ManifestFile> written = inPlace
                ? all
                : all.stream()
                        .filter(manifest -> manifest.addedSnapshotId() == snapshot.id())
                        .toList();
        boolean addsData =
                written.stream().anyMatch(manifest -> manifest.content() == Content.DATA && mayAdd(manifest));
        boolean replaces = snapshot.operation()
                .map(SnapshotChange.Operation.REPLACE.toString()::equals)
                .orElse(false);
        return new OtherSnapshot(
                new Conflict.Other(snapshot.id(), snapshot.operation(), readSnapshotId, addsData),
                all,
                written,
                inPlace,
                replaces);
    }

    static boolean mayAdd(ManifestFile manifest) {
        return manifest.counts().addedFiles().orElse(1) > 0;
    }

    static boolean mayRemove(ManifestFile manifest) {
        return manifest.counts().deletedFiles().orElse(1) > 0;
    }

    /**
     * Whether the entry of a manifest the snapshot wrote tells what it did. The id of the entry is not asked: some writers
     * leave that of the snapshot that added the file on an entry that is DELETED.
     */
    boolean did(ManifestEntry<? extends ContentFile> entry) {
        return entry.status() != ManifestEntry.Status.EXISTING
                && (!listsInPlace || entry.snapshotId() == by.snapshotId());
    }

    /** Whether its data files are of several specs, so that rows may have gone from a partition of one to one of another. */
    boolean movesBetweenSpecs() {
        return written.stream()
                        .filter(manifest -> manifest.content() == Content.DATA)
                        .filter(manifest -> mayAdd(manifest) || mayRemove(manifest))
                        .map(ManifestFile::specId)
                        .distinct()
                        .count()
                > 1;
    }
}
