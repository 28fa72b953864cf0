package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableProperties;
import java.util.Optional;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Where a session works while what it writes is not published yet: with the table's property {@code write.wap.enabled}, the
 * session's setting {@code spark.wap.branch} names a branch that statements read, if it is there, and write, in place of
 * {@code main}.
 */
final class WriteAuditPublish {

    private static final String BRANCH = "spark.wap.branch";
    private static final String ID = "spark.wap.id";

    private WriteAuditPublish() {}

    /** The table asked for by its name alone, as this session has to see it. */
    static CalveTable of(LoadedTable table) {
        Optional<String> branch = isEnabled(table) ? setting(BRANCH) : Optional.empty();
        if (branch.isEmpty()) {
            return CalveTable.of(table, ReadState.current(table.metadata()));
        }
        LoadedTable there = table.onBranch(branch.get());
        return table.metadata().refs().containsKey(branch.get())
                ? CalveTable.of(there, new ReadPoint.OfBranch(branch.get()).in(table.metadata(), table.name()))
                : CalveTable.of(there, ReadState.current(table.metadata()));
    }

    /**
     * Refuses what would show rows to everybody that the session asked to hold back.
     *
     * @throws UnsupportedOperationException if the session asks for snapshots that no branch has
     */
    static void refuseStaging(LoadedTable table) {
        if (isEnabled(table) && setting(ID).isPresent()) {
            throw new UnsupportedOperationException("Cannot write to " + table.name() + " with " + ID + " = '"
                    + setting(ID).get() + "': snapshots that no branch has are not supported. Set " + BRANCH
                    + " instead, and publish the branch by CALL system.fast_forward.");
        }
    }

    /**
     * Refuses to replace a table, which everybody would see.
     *
     * @throws UnsupportedOperationException if the session works on a branch, or stages what it writes
     */
    static void refuseReplacing(LoadedTable table) {
        refuseStaging(table);
        Optional<String> branch = setting(BRANCH).filter(name -> !name.equals(SnapshotRef.MAIN));
        if (isEnabled(table) && branch.isPresent()) {
            throw new UnsupportedOperationException(
                    "Cannot replace " + table.name() + " with " + BRANCH + " = '" + branch.get()
                            + "': a table is replaced as a whole. Use INSERT OVERWRITE, or unset " + BRANCH + ".");
        }
    }

    private static boolean isEnabled(LoadedTable table) {
        return table.properties().get(TableProperties.WAP);
    }

    private static Optional<String> setting(String name) {
        return Optional.of(SQLConf.get().getConfString(name, "")).filter(value -> !value.isEmpty());
    }
}
