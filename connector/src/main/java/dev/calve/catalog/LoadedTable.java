package dev.calve.catalog;

import dev.calve.commit.Branches;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.Committer;
import dev.calve.commit.TableState;
import dev.calve.io.Storage;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.util.Optional;

/**
 * A table as it was when it was loaded, and what it takes to read and change it.
 *
 * @param name for messages, with the catalog's name
 * @param branch what statements commit to; one that does not exist begins where {@code main} is
 * @param stagedAs what snapshots are known by that no branch has: statements then go on from the branch, which does not move
 */
public record LoadedTable(
        String name, TableState state, Storage storage, Committer committer, String branch, Optional<String> stagedAs) {

    /** A table whose branch {@code main} is read and written. */
    public LoadedTable(String name, TableState state, Storage storage, Committer committer) {
        this(name, state, storage, committer, SnapshotRef.MAIN, Optional.empty());
    }

    public TableMetadata metadata() {
        return state.metadata();
    }

    public TableProperties properties() {
        return TableProperties.of(metadata(), name);
    }

    /** What a statement that read this table commits to. */
    public CommitTarget target() {
        return new CommitTarget(
                name,
                metadata().uuid(),
                Optional.of(metadata().schema()),
                Branches.of(metadata()).staging(stagedAs),
                committer,
                storage);
    }

    /** The same table in another state. */
    public LoadedTable at(TableState newState) {
        return new LoadedTable(name, newState, storage, committer, branch, stagedAs);
    }

    /** The same table, another branch of which is written. */
    public LoadedTable onBranch(String other) {
        return new LoadedTable(name, state, storage, committer, other, stagedAs);
    }

    /** The same table; what is written becomes a snapshot of that id that no branch has. */
    public LoadedTable staging(String id) {
        return new LoadedTable(name, state, storage, committer, branch, Optional.of(id));
    }

    /** What is changed: the newest snapshot of the branch; empty if it has none. */
    public Optional<Snapshot> head() {
        return metadata().commitParent(branch);
    }
}
