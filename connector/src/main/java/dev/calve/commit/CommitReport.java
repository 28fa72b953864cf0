package dev.calve.commit;

import dev.calve.metadata.Snapshot;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a statement did, for people: counted by the commit and the writers, not by the engine.
 *
 * @param summary of the snapshot it committed
 * @param attempts 1 for an undisturbed commit
 * @param conflictsResolved how often the change was derived again because others had committed something that mattered
 * @param commitTime without the time spent waiting for other writers of this process
 */
public record CommitReport(
        long snapshotId,
        String operation,
        Map<String, String> summary,
        int attempts,
        int conflictsResolved,
        Duration commitTime) {

    /** What is counted, and where it stands in the summary; empty for a count that is computed here. */
    public enum Count {
        ROWS_MATCHED("rows matched", ""),
        ROWS_DELETED("rows deleted", "calve.rows-deleted"),
        ROWS_UPDATED("rows updated", "calve.rows-updated"),
        ROWS_INSERTED("rows inserted", "calve.rows-inserted"),
        ROWS_COPIED("rows copied", "calve.rows-copied"),
        DATA_FILES_ADDED("data files added", "added-data-files"),
        DATA_FILES_REMOVED("data files removed", "deleted-data-files"),
        DATA_FILES_REWRITTEN("data files rewritten", "calve.files-rewritten"),
        VECTORS_ADDED("deletion vectors added", "added-dvs"),
        POSITION_DELETE_FILES_ADDED("position delete files added", "added-position-delete-files"),
        DELETE_FILES_REMOVED("delete files removed", "removed-delete-files"),
        BYTES_ADDED("bytes of new files", "added-files-size"),
        BYTES_COPIED("bytes copied raw", "calve.bytes-copied"),
        BYTES_ENCODED("bytes encoded again", "calve.bytes-encoded"),
        MANIFESTS_KEPT("manifests carried", "manifests-kept"),
        MANIFESTS_CREATED("manifests written", "manifests-created"),
        MANIFESTS_REPLACED("manifests replaced", "manifests-replaced"),
        MANIFESTS_MERGED("manifests merged", "calve.manifests-merged"),
        ATTEMPTS("attempts", ""),
        CONFLICTS_RESOLVED("conflicts resolved", "");

        private final String text;
        private final String key;

        Count(String text, String key) {
            this.text = text;
            this.key = key;
        }

        /** For people, in lower case. */
        public String text() {
            return text;
        }
    }

    public CommitReport {
        summary = Map.copyOf(summary);
    }

    static CommitReport of(Snapshot snapshot, int attempts, int conflictsResolved, Duration commitTime) {
        return new CommitReport(
                snapshot.id(),
                snapshot.operation().orElse("none"),
                snapshot.summary(),
                attempts,
                conflictsResolved,
                commitTime);
    }

    /** A count: 0 for what the statement did not do, and for rows that are not known exactly. */
    public long get(Count count) {
        return switch (count) {
            case ROWS_MATCHED -> value(Count.ROWS_DELETED) + value(Count.ROWS_UPDATED);
            case ATTEMPTS -> attempts;
            case CONFLICTS_RESOLVED -> conflictsResolved;
            default -> value(count);
        };
    }

    private long value(Count count) {
        return Long.parseLong(summary.getOrDefault(count.key, "0"));
    }

    /** One line with every count that is not 0. */
    @Override
    public String toString() {
        Map<Count, Long> counts = new LinkedHashMap<>();
        for (Count count : Count.values()) {
            counts.put(count, get(count));
        }
        return "snapshot " + snapshotId + " (" + operation + ") in " + commitTime.toMillis() + " ms: "
                + counts.entrySet().stream()
                        .filter(entry -> entry.getValue() != 0)
                        .map(entry -> entry.getValue() + " " + entry.getKey().text())
                        .collect(Collectors.joining(", "));
    }
}
