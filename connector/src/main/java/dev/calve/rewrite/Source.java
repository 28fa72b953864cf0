package dev.calve.rewrite;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;

/**
 * A data file that is rewritten.
 *
 * @param entry the more it knows of the metrics, the more is known of the new files'
 * @param gone positions of the rows that do not stay; those behind the last row mean nothing. Not changed
 */
public record Source(ManifestEntry<DataFile> entry, PositionBitmap gone) {

    public String path() {
        return entry.file().path();
    }
}
