package dev.calve.metadata;

import java.util.OptionalInt;
import java.util.OptionalLong;

/** A branch or tag. Spec: Snapshot References. */
public record SnapshotRef(
        long snapshotId,
        Kind kind,
        OptionalInt minSnapshotsToKeep,
        OptionalLong maxSnapshotAgeMillis,
        OptionalLong maxRefAgeMillis) {

    public static final String MAIN = "main";

    public enum Kind {
        BRANCH,
        TAG
    }

    public static SnapshotRef branch(long snapshotId) {
        return of(Kind.BRANCH, snapshotId);
    }

    /** A reference without retention of its own. */
    public static SnapshotRef of(Kind kind, long snapshotId) {
        return new SnapshotRef(snapshotId, kind, OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /** The same reference, with its retention, at another snapshot. */
    public SnapshotRef at(long newSnapshotId) {
        return new SnapshotRef(newSnapshotId, kind, minSnapshotsToKeep, maxSnapshotAgeMillis, maxRefAgeMillis);
    }
}
