package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.schema.Schema;
import java.util.Optional;

/**
 * The table a statement commits to.
 *
 * @param name for messages
 * @param uuid of the table that was read; a table created anew under its name is refused
 * @param schema that new data files are written for; empty if that does not matter
 * @param branches what the statement knows of branches
 */
public record CommitTarget(
        String name, String uuid, Optional<Schema> schema, Branches branches, Committer committer, Storage storage) {

    public CommitTarget(String name, String uuid, Committer committer, Storage storage) {
        this(name, uuid, Optional.empty(), Branches.UNKNOWN, committer, storage);
    }
}
