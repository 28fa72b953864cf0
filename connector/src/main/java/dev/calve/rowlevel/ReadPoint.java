package dev.calve.rowlevel;

import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a branch a change is made for.
 *
 * @param snapshotId the newest snapshot that was taken into account; empty for a branch without any
 * @param sequenceNumber of the snapshot the rows were read from: every delete up to it was applied to rows that were written
 *     again. Later ones still apply to them, also after positions were settled again
 * @param formatVersion what delete files were written for
 */
public record ReadPoint(String ref, OptionalLong snapshotId, long sequenceNumber, int formatVersion) {

    /** The newest state of the branch; of the main branch, if it does not exist yet and begins there. */
    public static ReadPoint of(TableMetadata metadata, String ref) {
        Optional<Snapshot> head = metadata.commitParent(ref);
        return new ReadPoint(
                ref,
                head.isPresent() ? OptionalLong.of(head.get().id()) : OptionalLong.empty(),
                head.map(Snapshot::sequenceNumber).orElse(0L),
                metadata.formatVersion());
    }

    /** The same rows, compared with what was committed up to {@code head}. */
    ReadPoint at(TableMetadata metadata, Snapshot head) {
        return new ReadPoint(ref, OptionalLong.of(head.id()), sequenceNumber, metadata.formatVersion());
    }
}
