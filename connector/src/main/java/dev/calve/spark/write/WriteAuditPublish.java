package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableProperties;
import java.util.Optional;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Where a session works while what it writes is not published yet, on tables whose property {@code write.wap.enabled} is set.
 * The session's setting {@code spark.wap.branch} names a branch that statements read, if it is there, and write, in place of
 * {@code main}. With {@code spark.wap.id} each statement goes on from what it reads and makes a snapshot that no branch has,
 * known by that id, for {@code CALL system.publish_changes}.
 */
public final class WriteAuditPublish {

    private static final String BRANCH = "spark.wap.branch";
    private static final String ID = "spark.wap.id";

    private WriteAuditPublish() {}

    /** The table asked for by its name alone, with the branch this session reads and writes of it. */
    public static LoadedTable of(LoadedTable table) {
        return isEnabled(table) ? setting(BRANCH).map(table::onBranch).orElse(table) : table;
    }

    /**
     * The table as this session has to write it, whichever way it was named.
     *
     * @throws IllegalArgumentException if the session asks for a branch as well as for snapshots that no branch has
     */
    public static LoadedTable staged(LoadedTable table) {
        Optional<String> id = isEnabled(table) ? setting(ID) : Optional.empty();
        if (id.isPresent() && setting(BRANCH).isPresent()) {
            throw new IllegalArgumentException("Cannot write to " + table.name() + " with " + ID + " = '" + id.get()
                    + "' and " + BRANCH + " = '" + setting(BRANCH).get() + "': set one of them.");
        }
        return id.map(table::staging).orElse(table);
    }

    /**
     * Refuses to replace a table, which everybody would see.
     *
     * @throws UnsupportedOperationException if the session works on a branch, or stages what it writes
     */
    public static void refuseReplacing(LoadedTable table) {
        for (String name : new String[] {ID, BRANCH}) {
            Optional<String> value = setting(name).filter(set -> name.equals(ID) || !set.equals(SnapshotRef.MAIN));
            if (isEnabled(table) && value.isPresent()) {
                throw new UnsupportedOperationException("Cannot replace " + table.name() + " with " + name + " = '"
                        + value.get() + "': a table is replaced as a whole. Use INSERT OVERWRITE, or unset " + name
                        + ".");
            }
        }
    }

    private static boolean isEnabled(LoadedTable table) {
        return table.properties().get(TableProperties.WAP);
    }

    private static Optional<String> setting(String name) {
        return Optional.of(SQLConf.get().getConfString(name, "")).filter(value -> !value.isEmpty());
    }
}
