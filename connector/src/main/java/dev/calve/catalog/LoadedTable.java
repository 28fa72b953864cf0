package dev.calve.catalog;

import dev.calve.commit.CommitTarget;
import dev.calve.commit.Committer;
import dev.calve.commit.TableState;
import dev.calve.io.Storage;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.util.Optional;

/**
 * A table as it was when it was loaded, and what it takes to read and change it.
 *
 * @param name for messages, with the catalog's name
 */
public record LoadedTable(String name, TableState state, Storage storage, Committer committer) {

    public TableMetadata metadata() {
        return state.metadata();
    }

    public TableProperties properties() {
        return TableProperties.of(metadata(), name);
    }

    /** What a statement that read this table commits to. */
    public CommitTarget target() {
        return new CommitTarget(name, metadata().uuid(), Optional.of(metadata().schema()), committer, storage);
    }

    /** The same table in another state. */
    public LoadedTable at(TableState newState) {
        return new LoadedTable(name, newState, storage, committer);
    }
}
