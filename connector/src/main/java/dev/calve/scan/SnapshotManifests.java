package dev.calve.scan;

import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The manifests of a snapshot, whichever way its format version lists them. */
public final class SnapshotManifests {

    private SnapshotManifests() {}

    /** In list order. One read for a manifest list; one a manifest for v1 snapshots that name them in place. */
    public static List<ManifestFile> of(Storage storage, Snapshot snapshot) throws IOException {
        if (snapshot.manifestList().isPresent()) {
            return ManifestList.read(storage, snapshot.manifestList().get());
        }
        var result = new ArrayList<ManifestFile>();
        for (String location : snapshot.manifests()) {
            result.add(ManifestReader.describe(storage, location, snapshot.id()));
        }
        return result;
    }
}
