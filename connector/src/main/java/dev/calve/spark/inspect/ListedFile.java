package dev.calve.spark.inspect;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.ManifestEntry;
import java.util.Optional;

/**
 * A file as a manifest lists it, its partition widened to the fields of all specs.
 *
 * @param deletes of a data file, if they were asked for
 */
record ListedFile(ManifestEntry<? extends ContentFile> entry, Optional<AppliedDeletes> deletes) {

    ContentFile file() {
        return entry.file();
    }
}
