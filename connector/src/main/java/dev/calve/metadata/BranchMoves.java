package dev.calve.metadata;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How branches move to snapshots that are there. Nothing is changed here: each method gives the updates that do, none if the
 * branch is there already. A branch keeps its retention.
 *
 * <p>Every method throws {@link IllegalArgumentException} for what cannot be, naming what can.
 */
public final class BranchMoves {

    private BranchMoves() {}

    /** Moves {@code main} back to a snapshot it went through. */
    public static List<MetadataUpdate> rollbackTo(TableMetadata table, long snapshotId) {
        String action = "roll back to snapshot " + snapshotId;
        requireSnapshot(table, action, snapshotId);
        List<Snapshot> line = lineOfMain(table, action);
        if (line.stream().noneMatch(snapshot -> snapshot.id() == snapshotId)) {
            throw cannot(
                    table,
                    action,
                    "main did not go through it, but through " + TableParts.snapshots(line)
                            + ". set_current_snapshot moves main to any snapshot");
        }
        return moveMain(table, snapshotId);
    }

    /**
     * Moves {@code main} back to the newest snapshot of its line that is older than a time.
     *
     * @param millis epoch milliseconds; a snapshot of that very time is not older
     */
    public static List<MetadataUpdate> rollbackBefore(TableMetadata table, long millis) {
        String action = "roll back to before " + Instant.ofEpochMilli(millis);
        Optional<Snapshot> newest = Optional.empty();
        for (Snapshot snapshot : lineOfMain(table, action)) {
            boolean newer = newest.isEmpty()
                    || snapshot.timestampMillis() > newest.get().timestampMillis();
            if (snapshot.timestampMillis() < millis && newer) {
                newest = Optional.of(snapshot);
            }
        }
        return moveMain(
                table,
                newest.orElseThrow(() -> cannot(table, action, "main went through no snapshot older than that"))
                        .id());
    }

    /** Moves {@code main} to any snapshot of the table. */
    public static List<MetadataUpdate> setCurrent(TableMetadata table, long snapshotId) {
        requireSnapshot(table, "make snapshot " + snapshotId + " current", snapshotId);
        return moveMain(table, snapshotId);
    }

    /** Moves {@code main} to where a branch or tag is. */
    public static List<MetadataUpdate> setCurrent(TableMetadata table, String ref) {
        String action = "make '" + ref + "' current";
        return moveMain(table, requireRef(table, action, ref).id());
    }

    /**
     * Moves a branch on to where another ref is. A branch that is not there is created there.
     *
     * @param to a branch or tag whose snapshot descends from the branch's
     */
    public static List<MetadataUpdate> fastForward(TableMetadata table, String branch, String to) {
        String action = "fast-forward '" + branch + "' to '" + to + "'";
        Snapshot target = requireRef(table, action, to);
        SnapshotRef existing = table.refs().get(branch);
        if (existing == null) {
            if (branch.isBlank()) {
                throw cannot(table, action, "a branch must have a name");
            }
            return RefChanges.set(table, branch, SnapshotRef.branch(target.id()));
        }
        if (existing.kind() != SnapshotRef.Kind.BRANCH) {
            throw cannot(table, action, "'" + branch + "' is a tag, and tags stay where they are");
        }
        if (line(table, target).stream().noneMatch(snapshot -> snapshot.id() == existing.snapshotId())) {
            throw cannot(
                    table,
                    action,
                    "snapshot " + target.id() + " of '" + to + "' does not descend from snapshot "
                            + existing.snapshotId() + " of '" + branch
                            + "', so that would lose what was committed to it");
        }
        return RefChanges.set(table, branch, existing.at(target.id()));
    }

    private static void requireSnapshot(TableMetadata table, String action, long snapshotId) {
        if (table.snapshot(snapshotId).isEmpty()) {
            throw cannot(table, action, "there is no such snapshot, but " + TableParts.snapshots(table.snapshots()));
        }
    }

    private static Snapshot requireRef(TableMetadata table, String action, String ref) {
        return table.snapshot(ref)
                .orElseThrow(() -> cannot(
                        table,
                        action,
                        "there is no ref '" + ref + "', but branches " + TableParts.refs(table, SnapshotRef.Kind.BRANCH)
                                + " and tags " + TableParts.refs(table, SnapshotRef.Kind.TAG)));
    }

    private static List<Snapshot> lineOfMain(TableMetadata table, String action) {
        return line(
                table, table.currentSnapshot().orElseThrow(() -> cannot(table, action, "main has no snapshot yet")));
    }

    /** The snapshot and what it descends from, newest first, as far back as is known. */
    private static List<Snapshot> line(TableMetadata table, Snapshot head) {
        var line = new ArrayList<Snapshot>();
        Set<Long> seen = new HashSet<>();
        Optional<Snapshot> at = Optional.of(head);
        while (at.isPresent() && seen.add(at.get().id())) {
            line.add(at.get());
            OptionalLong parent = at.get().parentId();
            at = parent.isPresent() ? table.snapshot(parent.getAsLong()) : Optional.empty();
        }
        return line;
    }

    private static List<MetadataUpdate> moveMain(TableMetadata table, long snapshotId) {
        return RefChanges.set(table, SnapshotRef.MAIN, main(table, snapshotId));
    }

    /** {@code main} at a snapshot, with the retention it has. */
    static SnapshotRef main(TableMetadata table, long snapshotId) {
        return Optional.ofNullable(table.refs().get(SnapshotRef.MAIN))
                .map(ref -> ref.at(snapshotId))
                .orElseGet(() -> SnapshotRef.branch(snapshotId));
    }

    private static IllegalArgumentException cannot(TableMetadata table, String action, String why) {
        return new IllegalArgumentException("Cannot " + action + " (table at " + table.location() + "): " + why + ".");
    }
}
