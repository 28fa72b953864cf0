package dev.calve.spark.inspect;

import dev.calve.catalog.LoadedTable;
import dev.calve.io.Storage;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;

/** The columns of a metadata table, and how its rows are divided among tasks. Asked on the driver. */
interface Contents {

    Columns<?> columns();

    /**
     * What each task is given, in the form that {@link MetadataReaders} opens.
     *
     * @param parallelism how many tasks there should be, if there is enough to do
     */
    List<byte[]> parts(StructType wanted, int parallelism) throws IOException;

    /** The manifests of deletes that every task needs to know for the wanted columns. */
    default ManifestPart deletes(StructType wanted) throws IOException {
        return ManifestPart.whole(List.of());
    }

    /** About how many rows there are, at the cost of reading manifest lists at most. */
    long estimatedRows() throws IOException;

    /**
     * The contents of a metadata table. Reads nothing yet.
     *
     * @param snapshot of the tables that show one; empty if the table has none
     */
    static Contents of(LoadedTable table, Optional<Snapshot> snapshot, MetadataTableName name) {
        TableMetadata metadata = table.metadata();
        Storage storage = table.storage();
        return switch (name) {
            case SNAPSHOTS -> DriverContents.of(HistoryColumns.snapshots(), metadata.snapshots());
            case HISTORY -> DriverContents.of(HistoryColumns.history(), HistoryColumns.history(metadata));
            case REFS ->
                DriverContents.of(
                        HistoryColumns.refs(), List.copyOf(metadata.refs().entrySet()));
            case METADATA_LOG_ENTRIES ->
                DriverContents.of(HistoryColumns.metadataLogEntries(), HistoryColumns.metadataLogEntries(table));
            case MANIFESTS -> {
                var manifests = Manifests.of(storage, snapshot);
                yield new DriverContents<>(
                        ManifestColumns.manifests(metadata),
                        wanted -> manifests.list().stream()
                                .map(manifest -> new ManifestColumns.Listed(
                                        manifest, snapshot.orElseThrow().id()))
                                .toList(),
                        () -> manifests.list().size());
            }
            case PARTITIONS -> {
                var manifests = Manifests.of(storage, snapshot);
                yield new DriverContents<>(
                        PartitionTotals.columns(metadata),
                        wanted -> new PartitionCount(storage, metadata)
                                .of(manifests.live(), wanted.hasAny(PartitionTotals.DELETES)),
                        manifests::liveFiles);
            }
            case FILES, DATA_FILES, DELETE_FILES, ENTRIES, POSITION_DELETES ->
                new ManifestContents(metadata, name, Manifests.of(storage, snapshot));
            case ALL_FILES, ALL_DATA_FILES, ALL_DELETE_FILES, ALL_ENTRIES ->
                new ManifestContents(metadata, name, new Manifests(storage, metadata.snapshots()));
            case ALL_MANIFESTS -> new ManifestListContents(metadata);
        };
    }
}
