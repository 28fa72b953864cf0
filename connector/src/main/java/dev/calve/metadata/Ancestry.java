package dev.calve.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The line of snapshots a branch went through. */
public final class Ancestry {

    private Ancestry() {}

    /**
     * Snapshots from the head of a branch, or what it would begin at, newest first, down to but without {@code since}.
     *
     * @param since empty: down to the first snapshot of the table
     * @return empty if {@code since} is not an ancestor of the head, or a snapshot on the way was expired
     */
    public static Optional<List<Snapshot>> since(TableMetadata metadata, String ref, OptionalLong since) {
        return since(metadata, metadata.commitParent(ref), since);
    }

    /**
     * The same from any snapshot; without one there is nothing to list.
     *
     * @param since empty: down to the first snapshot of the table
     * @return empty if {@code since} is not an ancestor of the head, or a snapshot on the way was expired
     */
    public static Optional<List<Snapshot>> since(TableMetadata metadata, Optional<Snapshot> head, OptionalLong since) {
        var line = new ArrayList<Snapshot>();
        Set<Long> seen = new HashSet<>();
        OptionalLong at = head.isPresent() ? OptionalLong.of(head.get().id()) : OptionalLong.empty();
        while (at.isPresent()) {
            if (since.isPresent() && since.getAsLong() == at.getAsLong()) {
                return Optional.of(line);
            }
            Optional<Snapshot> snapshot = metadata.snapshot(at.getAsLong());
            if (snapshot.isEmpty() || !seen.add(at.getAsLong())) {
                return Optional.empty();
            }
            line.add(snapshot.get());
            at = snapshot.get().parentId();
        }
        return since.isPresent() ? Optional.empty() : Optional.of(line);
    }

    /** A snapshot and those it descends from, newest first, as far back as they are known. */
    public static List<Snapshot> known(TableMetadata metadata, Optional<Snapshot> head) {
        Map<Long, Snapshot> line = new LinkedHashMap<>();
        Optional<Snapshot> at = head;
        while (at.isPresent() && line.putIfAbsent(at.get().id(), at.get()) == null) {
            OptionalLong parent = at.get().parentId();
            at = parent.isPresent() ? metadata.snapshot(parent.getAsLong()) : Optional.empty();
        }
        return List.copyOf(line.values());
    }
}
