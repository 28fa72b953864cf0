package dev.calve.commit;

import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestTarget;
import dev.calve.manifest.ManifestWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Manifests of one partition spec, a new one begun when the last reached the target size. None without an entry. */
final class RollingManifests implements Closeable {

    private final Supplier<ManifestTarget> targets;
    private final long targetSizeBytes;
    private final List<ManifestFile> finished = new ArrayList<>();
    private Optional<ManifestWriter> open = Optional.empty();

    RollingManifests(Supplier<ManifestTarget> targets, long targetSizeBytes) {
        this.targets = targets;
        this.targetSizeBytes = targetSizeBytes;
    }

    /** The manifest the next entry goes to. */
    ManifestWriter current() throws IOException {
        if (open.isPresent() && open.get().position() >= targetSizeBytes) {
            finished.add(open.get().finish());
            open = Optional.empty();
        }
        if (open.isEmpty()) {
            open = Optional.of(new ManifestWriter(targets.get()));
        }
        return open.get();
    }

    List<ManifestFile> finish() throws IOException {
        if (open.isPresent()) {
            finished.add(open.get().finish());
            open = Optional.empty();
        }
        return finished;
    }

    /** Gives up a manifest that was not finished. */
    @Override
    public void close() throws IOException {
        if (open.isPresent()) {
            open.get().abandon();
        }
    }
}
