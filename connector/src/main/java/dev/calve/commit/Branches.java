package dev.calve.commit;

import dev.calve.metadata.Ancestry;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a statement knows of branches, and whether it may move one.
 *
 * @param heads ids of the heads, when the table was loaded, of all branches but {@code main}: one that a statement knows must
 *     still be there, and go on from where it was, when the statement commits to it
 * @param stagedAs what the snapshot is known by in place of a branch: it goes on from the branch, which does not move
 */
public record Branches(Map<String, Long> heads, Optional<String> stagedAs) {

    /** A statement that knows none. */
    public static final Branches UNKNOWN = new Branches(Map.of(), Optional.empty());

    public Branches {
        heads = Map.copyOf(heads);
    }

    /** Those of a table as it was loaded. */
    public static Branches of(TableMetadata loaded) {
        Map<String, Long> heads = new HashMap<>();
        loaded.refs().forEach((name, ref) -> {
            if (ref.kind() == SnapshotRef.Kind.BRANCH && !name.equals(SnapshotRef.MAIN)) {
                heads.put(name, ref.snapshotId());
            }
        });
        return new Branches(heads, Optional.empty());
    }

    /** The same, with a snapshot that no branch has. */
    public Branches staging(Optional<String> id) {
        return new Branches(heads, id);
    }

    /**
     * What became of a branch that was known: a branch that was dropped, or dropped and created elsewhere, is not the one the
     * statement was told to write to.
     */
    Optional<Conflict> lost(TableMetadata found, String branch) {
        Long known = heads.get(branch);
        if (known == null) {
            return Optional.empty();
        }
        Optional<Snapshot> head = found.snapshot(branch);
        if (head.isEmpty()) {
            return Optional.of(new Conflict.BranchDropped(branch));
        }
        boolean goesOn = Ancestry.since(found, head, OptionalLong.of(known)).isPresent();
        return goesOn
                ? Optional.empty()
                : Optional.of(new Conflict.BranchMoved(branch, known, head.get().id()));
    }
}
