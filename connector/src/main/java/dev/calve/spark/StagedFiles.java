package dev.calve.spark;

import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of a snapshot without a parent that was staged and is not to be published: all it refers to is its own. */
final class StagedFiles {

    private static final Logger LOG = LoggerFactory.getLogger(StagedFiles.class);

    private final String table;
    private final Storage storage;

    /** @param table name for messages */
    StagedFiles(String table, Storage storage) {
        this.table = table;
        this.storage = storage;
    }

    /** Deletes them as far as that can be done, and logs what is left. */
    void delete(Snapshot snapshot) {
        List<String> files;
        try {
            files = filesOf(snapshot);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Could not find the files of {}, which was not published to {}", snapshot, table, e);
            return;
        }
        var left = new ArrayList<String>();
        for (String file : files) {
            var cleanUp = new CleanUp();
            if (!cleanUp.delete(storage, file)) {
                left.add(file);
                cleanUp.failure().ifPresent(failure -> LOG.debug("Could not delete {}", file, failure));
            }
        }
        if (!left.isEmpty()) {
            LOG.warn("Could not delete {} file(s) that were not published to {}: {}", left.size(), table, left);
        }
    }

    /** Data files, manifests and the list, in this order: what is deleted first can still be found if deleting ends early. */
    private List<String> filesOf(Snapshot snapshot) throws IOException {
        String list = snapshot.manifestList().orElseThrow();
        var data = new ArrayList<String>();
        var manifests = new ArrayList<String>();
        for (ManifestFile manifest : ManifestList.read(storage, list)) {
            for (ManifestEntry<DataFile> entry : ManifestReader.readData(storage, manifest)) {
                data.add(entry.file().path());
            }
            manifests.add(manifest.path());
        }
        data.addAll(manifests);
        data.add(list);
        return data;
    }
}
