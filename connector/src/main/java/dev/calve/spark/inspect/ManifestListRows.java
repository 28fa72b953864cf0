package dev.calve.spark.inspect;

import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.jspecify.annotations.Nullable;

/** The rows of {@code all_manifests} that some snapshots list. */
final class ManifestListRows implements PartitionReader<InternalRow> {

    private final Storage storage;
    private final Deque<SnapshotPart.Place> snapshots;
    private final Columns<ManifestColumns.Listed> columns;
    private final Deque<ManifestColumns.Listed> ahead = new ArrayDeque<>();
    private ManifestColumns.@Nullable Listed current;

    ManifestListRows(Storage storage, List<SnapshotPart.Place> snapshots, Columns<ManifestColumns.Listed> columns) {
        this.storage = storage;
        this.snapshots = new ArrayDeque<>(snapshots);
        this.columns = columns;
    }

    @Override
    public boolean next() throws IOException {
        while (ahead.isEmpty() && !snapshots.isEmpty()) {
            SnapshotPart.Place snapshot = snapshots.remove();
            for (ManifestFile manifest : read(snapshot)) {
                ahead.add(new ManifestColumns.Listed(manifest, snapshot.snapshotId()));
            }
        }
        current = ahead.poll();
        return current != null;
    }

    private List<ManifestFile> read(SnapshotPart.Place snapshot) throws IOException {
        try {
            return snapshot.read(storage);
        } catch (FileNotFoundException e) {
            throw new InvalidTableException(
                    "Snapshot " + snapshot.snapshotId() + " must have the manifests it names, but one does not exist: "
                            + e.getMessage(),
                    e);
        }
    }

    @Override
    public InternalRow get() {
        if (current == null) {
            throw new IllegalStateException("get must follow a call of next that returned true.");
        }
        return columns.row(current);
    }

    @Override
    public void close() {}
}
