package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileKey;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import dev.calve.scan.SeenDeletes;
import java.util.List;
import java.util.Optional;

/** What leaves the table. Delete files that speak only of a removed data file leave with it and need no mention. */
public sealed interface Removal {

    /** Exactly these files; each must still be live. */
    record Files(List<Known> files) implements Removal {
        public Files {
            files = List.copyOf(files);
        }
    }

    /** Every live data file all of whose rows match; one that matches only in part is an error. Resolved anew per attempt. */
    record Matching(Expression filter) implements Removal {}

    /**
     * A data file and where it was seen.
     *
     * @param manifest location of the manifest that listed it, so that the others need not be opened
     * @param deletes where its own delete files were listed, so that other manifests need not be opened for them; empty if
     *     nobody looked
     */
    record Known(FileKey key, int specId, PartitionTuple partition, String manifest, Optional<SeenDeletes> deletes) {

        public Known(FileKey key, int specId, PartitionTuple partition, String manifest) {
            this(key, specId, partition, manifest, Optional.empty());
        }

        /** A file as a scan found it. */
        public static Known of(FileTask task) {
            DataFile file = task.file();
            return new Known(file.key(), file.specId(), file.partition(), task.manifest(), task.seenDeletes());
        }

        public static Known of(ContentFile file, String manifest) {
            return new Known(file.key(), file.specId(), file.partition(), manifest);
        }
    }
}
