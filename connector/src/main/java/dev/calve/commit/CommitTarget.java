package dev.calve.commit;

import dev.calve.io.Storage;

/**
 * The table a statement commits to.
 *
 * @param name for messages
 * @param uuid of the table that was read; a table created anew under its name is refused
 */
public record CommitTarget(String name, String uuid, Committer committer, Storage storage) {}
