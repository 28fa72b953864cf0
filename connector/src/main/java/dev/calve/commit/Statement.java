package dev.calve.commit;

import dev.calve.metadata.TableProperties.IsolationLevel;
import java.util.Optional;
import java.util.UUID;

/**
 * The statement that commits: for file names, clean-up and errors.
 *
 * @param id part of every file name it writes
 * @param command as the user knows it, such as {@code DELETE}
 * @param isolation empty for commands that are not under any, such as an append
 * @param ledger the files it wrote so far
 */
public record Statement(UUID id, String command, Optional<Isolation> isolation, FileLedger ledger) {

    /**
     * How much of what others do at the same time a statement may overlook.
     *
     * @param setBy the table property or option that says so, or would
     */
    public record Isolation(IsolationLevel level, String setBy) {}

    /** A statement under no isolation level. */
    public static Statement of(UUID id, String command, FileLedger ledger) {
        return new Statement(id, command, Optional.empty(), ledger);
    }
}
