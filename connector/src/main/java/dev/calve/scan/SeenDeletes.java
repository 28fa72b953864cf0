package dev.calve.scan;

import java.util.Set;

/**
 * Where a snapshot lists the delete files that speak of one data file alone, applied or not: all of them, so that a commit
 * need not search the rest.
 *
 * @param snapshotId the snapshot that was read
 * @param manifests locations; empty if there is no such delete file
 */
public record SeenDeletes(long snapshotId, Set<String> manifests) {
    public SeenDeletes {
        manifests = Set.copyOf(manifests);
    }
}
