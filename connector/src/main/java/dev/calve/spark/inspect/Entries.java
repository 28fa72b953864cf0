package dev.calve.spark.inspect;

import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The entries of some manifests one after the other, of which a few at a time are in memory. */
final class Entries implements Closeable {

    private static final int AHEAD = 256;

    private final Storage storage;
    private final Deque<ManifestFile> manifests;
    private final Selection selection;
    private final Deque<ManifestEntry<? extends ContentFile>> ahead = new ArrayDeque<>();
    private @Nullable ManifestReader reader;

    Entries(Storage storage, List<ManifestFile> manifests, Selection selection) {
        this.storage = storage;
        this.manifests = new ArrayDeque<>(manifests);
        this.selection = selection;
    }

    /** The next entry; empty after the last. */
    Optional<ManifestEntry<? extends ContentFile>> next() throws IOException {
        while (ahead.isEmpty()) {
            if (reader == null) {
                if (manifests.isEmpty()) {
                    return Optional.empty();
                }
                reader = open(manifests.remove());
            }
            if (!fill(reader)) {
                reader.close();
                reader = null;
            }
        }
        return Optional.of(ahead.remove());
    }

    private ManifestReader open(ManifestFile manifest) throws IOException {
        try {
            return ManifestReader.open(storage, manifest, selection);
        } catch (FileNotFoundException e) {
            throw new InvalidTableException("Manifest " + manifest.path() + " must exist, but does not.", e);
        }
    }

    /** Tells whether there may be more. */
    private boolean fill(ManifestReader from) throws IOException {
        if (from.header().content() == ManifestFile.Content.DATA) {
            from.forEach(DataFile.class, this::keep);
        } else {
            from.forEach(DeleteFile.class, this::keep);
        }
        return !ahead.isEmpty();
    }

    private boolean keep(ManifestEntry<? extends ContentFile> entry) {
        ahead.add(entry);
        return ahead.size() < AHEAD;
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
