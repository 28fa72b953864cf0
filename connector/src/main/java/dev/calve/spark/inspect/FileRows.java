package dev.calve.spark.inspect;

import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.Selection;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.DeleteIndex;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.jspecify.annotations.Nullable;

/** The rows of {@code files}, {@code entries} and their kin that some manifests hold. */
final class FileRows implements PartitionReader<InternalRow> {

    private final Entries entries;
    private final Columns<ListedFile> columns;
    private final Optional<DeleteIndex> deletes;
    private @Nullable ListedFile current;

    private FileRows(Entries entries, Columns<ListedFile> columns, Optional<DeleteIndex> deletes) {
        this.entries = entries;
        this.columns = columns;
        this.deletes = deletes;
    }

    /**
     * Opens the rows.
     *
     * @param columns that are wanted; statistics are decoded only for those that need them
     * @param liveOnly whether removed files are left out
     * @param deletes manifests of all deletes of the snapshot, read only for columns that need them
     */
    static FileRows open(
            Storage storage,
            TableMetadata table,
            List<ManifestFile> manifests,
            Columns<ListedFile> columns,
            boolean liveOnly,
            List<ManifestFile> deletes)
            throws IOException {
        Selection selection = selection(table, liveOnly);
        if (!columns.hasAny(FileColumns.STATISTICS)) {
            selection = selection.withStatisticsOf(Set.of());
        }
        Optional<DeleteIndex> index = columns.hasAny(FileColumns.DELETES)
                ? Optional.of(index(storage, table, manifests, deletes))
                : Optional.empty();
        return new FileRows(new Entries(storage, manifests, selection.toldAsWritten()), columns, index);
    }

    private static Selection selection(TableMetadata table, boolean liveOnly) {
        Selection entries = liveOnly ? Selection.live() : Selection.all();
        return entries.typedAs(FileColumns.partitionsOf(table).struct());
    }

    private record Place(int specId, PartitionTuple partition) {
        static Place of(ContentFile file) {
            return new Place(file.specId(), file.partition());
        }
    }

    /** Of all deletes those that may apply to a data file of these manifests; the others would not fit an executor. */
    private static DeleteIndex index(
            Storage storage, TableMetadata table, List<ManifestFile> manifests, List<ManifestFile> deletes)
            throws IOException {
        var paths = new HashSet<String>();
        var places = new HashSet<Place>();
        Selection live = selection(table, true).withStatisticsOf(Set.of());
        List<ManifestFile> data = manifests.stream()
                .filter(manifest -> manifest.content() == Content.DATA)
                .toList();
        var index = new DeleteIndex(table);
        if (data.isEmpty() || deletes.isEmpty()) {
            return index;
        }
        try (var files = new Entries(storage, data, live)) {
            for (var next = files.next(); next.isPresent(); next = files.next()) {
                paths.add(next.get().file().path());
                places.add(Place.of(next.get().file()));
            }
        }
        try (var files = new Entries(storage, deletes, live)) {
            for (var next = files.next(); next.isPresent(); next = files.next()) {
                ManifestEntry<DeleteFile> entry = PartitionCount.as(DeleteFile.class, next.get());
                DeleteFile file = entry.file();
                boolean isGlobal = file instanceof DeleteFile.EqualityDeletes
                        && table.spec(file.specId()).isUnpartitioned();
                if (isGlobal || file.scopedTo().map(paths::contains).orElseGet(() -> places.contains(Place.of(file)))) {
                    index.add(entry);
                }
            }
        }
        return index;
    }

    @Override
    public boolean next() throws IOException {
        current = entries.next().map(this::listed).orElse(null);
        return current != null;
    }

    private ListedFile listed(ManifestEntry<? extends ContentFile> entry) {
        if (entry.file() instanceof DataFile) {
            return new ListedFile(
                    entry, deletes.map(index -> AppliedDeletes.of(index.of(PartitionCount.as(DataFile.class, entry)))));
        }
        return new ListedFile(entry, Optional.empty());
    }

    @Override
    public InternalRow get() {
        if (current == null) {
            throw new IllegalStateException("get must follow a call of next that returned true.");
        }
        return columns.row(current);
    }

    @Override
    public void close() throws IOException {
        entries.close();
    }
}
