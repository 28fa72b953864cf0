package dev.calve.spark.inspect;

import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructType;

/** Rows that executors make of the manifest lists of all snapshots. */
record ManifestListContents(TableMetadata metadata) implements Contents {

    private static final int SNAPSHOTS_PER_TASK = 50;

    /** Nobody knows without reading the lists; a list seldom has fewer. */
    private static final long MANIFESTS_PER_SNAPSHOT = 10;

    @Override
    public Columns<ManifestColumns.Listed> columns() {
        return ManifestColumns.allManifests(metadata);
    }

    @Override
    public List<byte[]> parts(StructType wanted, int parallelism) {
        List<Snapshot> snapshots = metadata.snapshots();
        var parts = new ArrayList<byte[]>();
        for (int from = 0; from < snapshots.size(); from += SNAPSHOTS_PER_TASK) {
            List<Snapshot> some = snapshots.subList(from, Math.min(from + SNAPSHOTS_PER_TASK, snapshots.size()));
            parts.add(new SnapshotPart(some.stream().map(SnapshotPart.Place::of).toList()).toBytes());
        }
        return parts;
    }

    @Override
    public long estimatedRows() {
        return MANIFESTS_PER_SNAPSHOT * metadata.snapshots().size();
    }
}
