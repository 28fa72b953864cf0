package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.Snapshot;
import dev.calve.scan.ScanRange;
import java.util.Optional;

/**
 * What a scan reads, for a statement that writes to the table its own query reads.
 *
 * @param tableUuid of the table
 * @param branch of the table
 * @param snapshot empty for a table without any
 * @param newest whether it was the newest state of the branch when the scan's table was loaded. A state of the past stays what it is,
 *     whatever others commit
 */
public record ScannedState(String tableUuid, String branch, Optional<Snapshot> snapshot, boolean newest) {

    /** A scan that reads a table of ours. */
    public interface Known {
        ScannedState scanned();
    }

    static ScannedState of(LoadedTable table, ScanRange range) {
        Optional<Snapshot> snapshot = range.snapshot();
        return new ScannedState(
                table.metadata().uuid(),
                table.branch(),
                snapshot,
                snapshot.map(Snapshot::id).equals(table.head().map(Snapshot::id)));
    }
}
