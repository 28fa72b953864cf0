package dev.calve.metadata;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How long a ref and the snapshots behind it are kept when snapshots expire. Spec: Snapshot Retention Policy. What is empty
 * is not said here.
 *
 * @param minSnapshotsToKeep branches only
 * @param maxSnapshotAgeMillis branches only
 */
public record Retention(
        OptionalInt minSnapshotsToKeep, OptionalLong maxSnapshotAgeMillis, OptionalLong maxRefAgeMillis) {

    /** Nothing is said. */
    public static final Retention UNSAID =
            new Retention(OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty());

    public Retention {
        if (minSnapshotsToKeep.isPresent() && minSnapshotsToKeep.getAsInt() <= 0) {
            throw notPositive("number of snapshots to keep", minSnapshotsToKeep.getAsInt());
        }
        if (maxSnapshotAgeMillis.isPresent() && maxSnapshotAgeMillis.getAsLong() <= 0) {
            throw notPositive("maximum age of snapshots", maxSnapshotAgeMillis.getAsLong());
        }
        if (maxRefAgeMillis.isPresent() && maxRefAgeMillis.getAsLong() <= 0) {
            throw notPositive("maximum age of a ref", maxRefAgeMillis.getAsLong());
        }
    }

    private static IllegalArgumentException notPositive(String what, long value) {
        return new IllegalArgumentException("The " + what + " must be positive, not " + value + ".");
    }

    /** The ref, with what is said here put in the place of what it had. */
    public SnapshotRef of(SnapshotRef ref) {
        return new SnapshotRef(
                ref.snapshotId(),
                ref.kind(),
                minSnapshotsToKeep.isPresent() ? minSnapshotsToKeep : ref.minSnapshotsToKeep(),
                maxSnapshotAgeMillis.isPresent() ? maxSnapshotAgeMillis : ref.maxSnapshotAgeMillis(),
                maxRefAgeMillis.isPresent() ? maxRefAgeMillis : ref.maxRefAgeMillis());
    }
}
