package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestTarget;
import dev.calve.metadata.TableProperties;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where the manifests of a statement go. Each is named after the statement and recorded in its ledger before it is created.
 * Safe for use by several threads.
 */
final class ManifestTargets {

    private final Storage storage;
    private final FileLedger ledger;
    private final UUID statementId;
    private final AtomicInteger count = new AtomicInteger();

    ManifestTargets(Storage storage, FileLedger ledger, UUID statementId) {
        this.storage = storage;
        this.ledger = ledger;
        this.statementId = statementId;
    }

    /** The next manifest for files of a spec. */
    ManifestTarget next(Preparation preparation, int specId, Content content) {
        String location = preparation.metadataFolder() + "/" + statementId + "-m" + count.getAndIncrement() + ".avro";
        ledger.wrote(location);
        return new ManifestTarget(
                storage,
                location,
                preparation.found().formatVersion(),
                preparation.found().schema(),
                preparation.found().spec(specId),
                preparation.found().partitionType(specId),
                preparation.snapshotId(),
                content,
                preparation
                        .properties()
                        .get(TableProperties.MANIFEST_COMPRESSION)
                        .name()
                        .toLowerCase(Locale.ROOT));
    }

    /** Manifests for files of a spec, as many as the target size demands. */
    RollingManifests rolling(Preparation preparation, int specId, Content content) {
        return new RollingManifests(() -> next(preparation, specId, content), targetSizeBytes(preparation));
    }

    static long targetSizeBytes(Preparation preparation) {
        return preparation.properties().get(TableProperties.MANIFEST_TARGET_SIZE);
    }
}
