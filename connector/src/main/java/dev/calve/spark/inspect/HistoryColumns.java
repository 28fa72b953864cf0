package dev.calve.spark.inspect;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadata.MetadataLogEntry;
import dev.calve.metadata.TableMetadata.SnapshotLogEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.types.DataTypes;

/** The tables that a metadata file answers by itself: {@code snapshots}, {@code history}, {@code refs}, {@code metadata_log_entries}. */
final class HistoryColumns {

    private HistoryColumns() {}

    static Columns<Snapshot> snapshots() {
        return Columns.of(
                Column.required(
                        "committed_at", DataTypes.TimestampType, snapshot -> Cells.time(snapshot.timestampMillis())),
                Column.required("snapshot_id", DataTypes.LongType, Snapshot::id),
                Column.optional("parent_id", DataTypes.LongType, snapshot -> Cells.number(snapshot.parentId())),
                Column.optional("operation", DataTypes.StringType, snapshot -> Cells.text(snapshot.operation())),
                Column.optional("manifest_list", DataTypes.StringType, snapshot -> Cells.text(snapshot.manifestList())),
                Column.optional(
                        "summary",
                        DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType, false),
                        snapshot ->
                                hasSummary(snapshot) ? Cells.map(snapshot.summary(), Cells::text, Cells::text) : null));
    }

    private static boolean hasSummary(Snapshot snapshot) {
        return snapshot.operation().isPresent() || !snapshot.summary().isEmpty();
    }

    /** An entry of the snapshot log. */
    record LogEntry(SnapshotLogEntry entry, Optional<Snapshot> snapshot, boolean isAncestor) {}

    static Columns<LogEntry> history() {
        return Columns.of(
                Column.required(
                        "made_current_at",
                        DataTypes.TimestampType,
                        made -> Cells.time(made.entry().timestampMillis())),
                Column.required(
                        "snapshot_id", DataTypes.LongType, made -> made.entry().snapshotId()),
                Column.optional(
                        "parent_id",
                        DataTypes.LongType,
                        made -> made.snapshot()
                                .map(snapshot -> Cells.number(snapshot.parentId()))
                                .orElse(null)),
                Column.required("is_current_ancestor", DataTypes.BooleanType, LogEntry::isAncestor));
    }

    static List<LogEntry> history(TableMetadata table) {
        Set<Long> ancestors = ancestors(table);
        var result = new ArrayList<LogEntry>();
        for (SnapshotLogEntry entry : table.snapshotLog()) {
            result.add(new LogEntry(entry, table.snapshot(entry.snapshotId()), ancestors.contains(entry.snapshotId())));
        }
        return result;
    }

    /** The current snapshot and its ancestors, as far as the table remembers them. */
    private static Set<Long> ancestors(TableMetadata table) {
        var ids = new HashSet<Long>();
        Optional<Snapshot> next = table.currentSnapshot();
        while (next.isPresent() && ids.add(next.get().id())) {
            OptionalLong parent = next.get().parentId();
            next = parent.isPresent() ? table.snapshot(parent.getAsLong()) : Optional.empty();
        }
        return ids;
    }

    static Columns<Map.Entry<String, SnapshotRef>> refs() {
        return Columns.of(
                Column.required("name", DataTypes.StringType, ref -> Cells.text(ref.getKey())),
                Column.required(
                        "type",
                        DataTypes.StringType,
                        ref -> Cells.text(ref.getValue().kind().name())),
                Column.required(
                        "snapshot_id", DataTypes.LongType, ref -> ref.getValue().snapshotId()),
                Column.optional(
                        "max_reference_age_in_ms",
                        DataTypes.LongType,
                        ref -> Cells.number(ref.getValue().maxRefAgeMillis())),
                Column.optional(
                        "min_snapshots_to_keep",
                        DataTypes.IntegerType,
                        ref -> Cells.number(ref.getValue().minSnapshotsToKeep())),
                Column.optional(
                        "max_snapshot_age_in_ms",
                        DataTypes.LongType,
                        ref -> Cells.number(ref.getValue().maxSnapshotAgeMillis())));
    }

    /** A metadata file and the snapshot that was current in it, if the table remembers that. */
    record MetadataFile(MetadataLogEntry entry, OptionalLong snapshotId, Optional<Snapshot> snapshot) {}

    static Columns<MetadataFile> metadataLogEntries() {
        return Columns.of(
                Column.required(
                        "timestamp",
                        DataTypes.TimestampType,
                        file -> Cells.time(file.entry().timestampMillis())),
                Column.required(
                        "file",
                        DataTypes.StringType,
                        file -> Cells.text(file.entry().file())),
                Column.optional("latest_snapshot_id", DataTypes.LongType, file -> Cells.number(file.snapshotId())),
                Column.optional(
                        "latest_schema_id",
                        DataTypes.IntegerType,
                        file -> file.snapshot()
                                .map(snapshot -> Cells.number(snapshot.schemaId()))
                                .orElse(null)),
                Column.optional(
                        "latest_sequence_number",
                        DataTypes.LongType,
                        file -> file.snapshot().map(Snapshot::sequenceNumber).orElse(null)));
    }

    /** The log, and the file the table was loaded from, which is not in it yet. */
    static List<MetadataFile> metadataLogEntries(LoadedTable table) {
        TableMetadata metadata = table.metadata();
        var entries = new ArrayList<>(metadata.metadataLog());
        entries.add(
                new MetadataLogEntry(metadata.lastUpdatedMillis(), table.state().metadataLocation()));
        var result = new ArrayList<MetadataFile>();
        for (MetadataLogEntry entry : entries) {
            OptionalLong snapshotId = metadata.snapshotLog().stream()
                    .filter(made -> made.timestampMillis() <= entry.timestampMillis())
                    .mapToLong(SnapshotLogEntry::snapshotId)
                    .reduce((earlier, later) -> later);
            Optional<Snapshot> snapshot =
                    snapshotId.isPresent() ? metadata.snapshot(snapshotId.getAsLong()) : Optional.empty();
            result.add(new MetadataFile(entry, snapshotId, snapshot));
        }
        return result;
    }
}
