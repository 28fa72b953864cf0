package dev.calve.spark.procedure;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.MetadataCommit;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** The table a call changes. */
final class TargetTable {

    private final String procedure;
    private final LoadedTable table;
    private final String sqlName;
    private final Runnable refresh;

    /**
     * @param procedure for messages
     * @param sqlName the table's full name as SQL has it
     * @param refresh run after each change, for what is cached of the table
     */
    TargetTable(String procedure, LoadedTable table, String sqlName, Runnable refresh) {
        this.procedure = procedure;
        this.table = table;
        this.sqlName = sqlName;
        this.refresh = refresh;
    }

    LoadedTable loaded() {
        return table;
    }

    String sqlName() {
        return sqlName;
    }

    /** @throws IllegalArgumentException if the table has no such branch; {@code main} need not have begun */
    void requireBranch(String branch) {
        SnapshotRef ref = table.metadata().refs().get(branch);
        boolean isBranch = ref == null ? branch.equals(SnapshotRef.MAIN) : ref.kind() == SnapshotRef.Kind.BRANCH;
        if (!isBranch) {
            throw new IllegalArgumentException(
                    "'" + branch + "' must be a branch of " + table.name() + ", but there is none.");
        }
    }

    /** Says that the table has other files now. */
    void changed() {
        refresh.run();
    }

    /** The table right before the change and right after it; the same if there was nothing to change. */
    record Changed(TableMetadata before, TableMetadata after) {}

    /**
     * Commits a change.
     *
     * @param change called with the newest metadata, again whenever another writer was faster
     */
    Changed change(Function<TableMetadata, List<MetadataUpdate>> change) {
        TableMetadata[] before = {table.metadata()};
        TableState after;
        try {
            after = new MetadataCommit(
                            UUID.randomUUID(),
                            table.name(),
                            table.metadata().uuid(),
                            table.committer(),
                            Clock.systemUTC())
                    .commit(found -> {
                        before[0] = found;
                        return change.apply(found);
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot run " + procedure + " on " + table.name() + ": " + e.getMessage(), e);
        }
        if (!after.metadata().equals(before[0])) {
            refresh.run();
        }
        return new Changed(before[0], after.metadata());
    }
}
