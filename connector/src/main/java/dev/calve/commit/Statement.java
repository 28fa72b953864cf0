package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.IsolationLevel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The statement that commits: for file names, clean-up and errors.
 *
 * @param id part of every file name it writes
 * @param command as the user knows it, such as {@code DELETE}
 * @param isolation empty for commands that are not under any, such as an append
 * @param ledger the files it wrote so far
 * @param instead what to do after a conflict where the same can not be tried again, such as {@code stage it anew}
 */
public record Statement(
        UUID id, String command, Optional<Isolation> isolation, FileLedger ledger, Optional<String> instead) {

    /** A statement that can be run again after a conflict. */
    public Statement(UUID id, String command, Optional<Isolation> isolation, FileLedger ledger) {
        this(id, command, isolation, ledger, Optional.empty());
    }

    /**
     * How much of what others do at the same time a statement may overlook. Under either level it never undoes what others
     * did: the rules for files a statement touches are not asked of here. {@code serializable} adds those for what it read.
     *
     * @param setBy the table property or option that says so, or would
     */
    public record Isolation(IsolationLevel level, String setBy) {

        public static Isolation ofDelete(TableProperties properties) {
            return of(properties, TableProperties.DELETE_ISOLATION);
        }

        public static Isolation ofUpdate(TableProperties properties) {
            return of(properties, TableProperties.UPDATE_ISOLATION);
        }

        public static Isolation ofMerge(TableProperties properties) {
            return of(properties, TableProperties.MERGE_ISOLATION);
        }

        private static Isolation of(TableProperties properties, TableProperties.Property<IsolationLevel> property) {
            return new Isolation(properties.get(property), property.name());
        }

        /**
         * Rules for a statement that read the table once, to find the rows it changes.
         *
         * @param filter TRUE for every row the statement selects
         */
        public List<ConflictRule> rules(Expression filter) {
            return level == IsolationLevel.SERIALIZABLE
                    ? List.of(new ConflictRule.NoNewDataMatching(filter))
                    : List.of();
        }

        /**
         * Rules for a statement whose result depends on rows it read and leaves as they are: a MERGE, or one that reads its
         * table a second time.
         *
         * @param scanned every data file it read
         * @param filter TRUE for every row its result depends on
         */
        public List<ConflictRule> rules(Expression filter, Map<String, ConflictRule.Place> scanned) {
            return level == IsolationLevel.SERIALIZABLE
                    ? List.of(
                            new ConflictRule.NoNewDataMatching(filter),
                            new ConflictRule.NoRowsDeletedIn(scanned, filter))
                    : List.of();
        }
    }

    /** A statement under no isolation level. */
    public static Statement of(UUID id, String command, FileLedger ledger) {
        return new Statement(id, command, Optional.empty(), ledger);
    }

    /** The same, which cannot be run again after a conflict: something else has to be done. */
    public Statement orInstead(String other) {
        return new Statement(id, command, isolation, ledger, Optional.of(other));
    }
}
