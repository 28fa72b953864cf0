package dev.calve.spark.inspect;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.Snapshot;
import dev.calve.spark.wire.ExecutorTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;

/** Rows that executors make of the manifest lists of all snapshots. */
record ManifestListContents(LoadedTable table) implements Contents {

    private static final int SNAPSHOTS_PER_TASK = 50;

    /** Nobody knows without reading the lists; a list seldom has fewer. */
    private static final long MANIFESTS_PER_SNAPSHOT = 10;

    @Override
    public Columns<ManifestColumns.Listed> columns() {
        return ManifestColumns.allManifests(table.metadata());
    }

    @Override
    public List<byte[]> parts(StructType wanted) {
        List<Snapshot> snapshots = table.metadata().snapshots();
        var parts = new ArrayList<byte[]>();
        for (int from = 0; from < snapshots.size(); from += SNAPSHOTS_PER_TASK) {
            List<Snapshot> some = snapshots.subList(from, Math.min(from + SNAPSHOTS_PER_TASK, snapshots.size()));
            parts.add(new SnapshotPart(some.stream().map(SnapshotPart.Place::of).toList()).toBytes());
        }
        return parts;
    }

    @Override
    public PartitionReaderFactory readers(StructType wanted) {
        return new MetadataReaders(
                ExecutorTable.of(table), MetadataTableName.ALL_MANIFESTS.name(), wanted.json(), new byte[0]);
    }

    @Override
    public long estimatedRows() {
        return MANIFESTS_PER_SNAPSHOT * table.metadata().snapshots().size();
    }
}
