package dev.calve.metadata;

import java.util.OptionalLong;

/**
 * A branch or tag that is asked for.
 *
 * @param snapshotId empty for where {@code main} is
 */
public record NewRef(
        String name, SnapshotRef.Kind kind, OptionalLong snapshotId, Retention retention, IfExists ifExists) {

    /** What to do if there is a ref of that name and kind. */
    public enum IfExists {
        FAIL,
        KEEP,
        REPLACE
    }

    public NewRef {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A branch or tag must have a name, not '" + name + "'.");
        }
        boolean ofBranch = retention.minSnapshotsToKeep().isPresent()
                || retention.maxSnapshotAgeMillis().isPresent();
        if (kind == SnapshotRef.Kind.TAG && ofBranch) {
            throw new IllegalArgumentException("Tag '" + name
                    + "' must have no retention of snapshots: it keeps one, as long as the tag is there.");
        }
    }
}
