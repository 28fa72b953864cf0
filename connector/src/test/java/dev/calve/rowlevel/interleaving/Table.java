package dev.calve.rowlevel.interleaving;

import dev.calve.commit.LiveFiles;
import dev.calve.commit.ScriptedCommitter;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Metrics;
import dev.calve.io.MemoryStorage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** A table {@code (id long, part int, value long)}, {@code part} being {@code id % 2}, whose rows are kept beside its storage. */
final class Table {

    static final int ID = 1;
    static final int PART = 2;
    static final int VALUE = 3;

    /** A row in a file; its row id is stored with it if the file was written again. */
    record Stored(Row row, OptionalLong rowId) {}

    final MemoryStorage storage = new MemoryStorage();
    final ScriptedCommitter committer;

    private final Map<String, List<Stored>> rows = new HashMap<>();
    private final Map<String, Set<Long>> keys = new HashMap<>();

    private final Options options;

    private Table(TableMetadata metadata, Options options) {
        this.committer = new ScriptedCommitter(metadata);
        this.options = options;
        if (options.byRequirement()) {
            committer.byRequirement();
        }
    }

    /**
     * What tables differ in.
     *
     * @param bounds whether the metrics of the next data file tell its least and greatest values
     * @param mergedAt how many small manifests are merged into one
     * @param byRequirement whether the catalog swaps as a server does, by what is required, or as a directory
     */
    record Options(
            int formatVersion, boolean partitioned, BooleanSupplier bounds, int mergedAt, boolean byRequirement) {

        /** A table with bounds and many manifests. */
        static Options partitioned(int formatVersion) {
            return new Options(formatVersion, true, () -> true, 100, false);
        }
    }

    static Table create(Options options) {
        var schema = new Schema(
                0,
                List.of(
                        Field.required(ID, "id", Type.Simple.LONG),
                        Field.optional(PART, "part", Type.Simple.INT),
                        Field.required(VALUE, "value", Type.Simple.LONG)));
        PartitionSpec spec = options.partitioned()
                ? new PartitionSpec(0, List.of(PartitionField.of(PART, 1000, "part", Transform.IDENTITY)))
                : PartitionSpec.unpartitioned(0);
        var properties = Map.of(
                "commit.retry.min-wait-ms", "1",
                "commit.retry.max-wait-ms", "1",
                "commit.manifest.min-count-to-merge", String.valueOf(options.mergedAt()));
        TableMetadata metadata = MetadataUpdates.fresh(
                schema, spec, SortOrder.UNSORTED, "memory:/t", properties, options.formatVersion(), 1_000);
        return new Table(metadata, options);
    }

    static int part(long id) {
        return (int) (id % 2);
    }

    /** The same table once more, so that one can go on without the other. */
    Table copy() {
        var copy = new Table(metadata(), options);
        storage.locations().forEach(location -> copy.storage.put(location, storage.bytes(location)));
        copy.rows.putAll(rows);
        copy.keys.putAll(keys);
        return copy;
    }

    TableMetadata metadata() {
        return committer.metadata();
    }

    boolean isPartitioned() {
        return !metadata().spec().isUnpartitioned();
    }

    PartitionTuple partition(long id) {
        return isPartitioned() ? PartitionTuple.of(part(id)) : PartitionTuple.EMPTY;
    }

    /** Rows of a data file, by position. */
    List<Stored> rows(DataFile file) {
        return Objects.requireNonNull(rows.get(file.path()), file.path());
    }

    /** Puts a data file, all of whose rows are of one partition, on storage. */
    DataFile write(String path, List<Stored> content) {
        List<Row> plain = content.stream().map(Stored::row).toList();
        storage.put(path, new byte[] {1});
        rows.put(path, List.copyOf(content));
        Metrics metrics =
                metrics(plain, options.bounds().getAsBoolean() ? Map.of(ID, Row::id, VALUE, Row::value) : Map.of());
        return new DataFile(common(path, partition(plain.get(0).id()), metrics), OptionalLong.empty());
    }

    /** Puts a file that deletes by id, in one partition, on storage. */
    DeleteFile.EqualityDeletes writeKeys(String path, Set<Long> ids) {
        List<Row> deleted = ids.stream().map(id -> new Row("", id, 0)).toList();
        storage.put(path, new byte[] {1});
        keys.put(path, Set.copyOf(ids));
        PartitionTuple partition = partition(ids.iterator().next());
        return new DeleteFile.EqualityDeletes(
                common(path, partition, metrics(deleted, Map.of(ID, Row::id))), List.of(ID));
    }

    private ContentFile.Common common(String path, PartitionTuple partition, Metrics metrics) {
        return new ContentFile.Common(
                path,
                FileFormat.PARQUET,
                metadata().defaultSpecId(),
                partition,
                metrics,
                100,
                List.of(),
                OptionalInt.empty(),
                Optional.empty());
    }

    private static Metrics metrics(Collection<Row> rows, Map<Integer, ToLongFunction<Row>> columns) {
        Map<Integer, Long> values = new HashMap<>();
        Map<Integer, Long> nulls = new HashMap<>();
        Map<Integer, Bytes> lower = new HashMap<>();
        Map<Integer, Bytes> upper = new HashMap<>();
        columns.forEach((id, column) -> {
            values.put(id, (long) rows.size());
            nulls.put(id, 0L);
            lower.put(id, bound(rows.stream().mapToLong(column).min().orElseThrow()));
            upper.put(id, bound(rows.stream().mapToLong(column).max().orElseThrow()));
        });
        return new Metrics(rows.size(), Map.of(), values, nulls, Map.of(), lower, upper);
    }

    private static Bytes bound(long value) {
        return ValueCodec.encode(Type.Simple.LONG, value);
    }

    /** The row at a position of a data file, with the id it has. */
    Stored at(DataFile file, int position) {
        Stored stored = rows(file).get(position);
        if (file.firstRowId().isEmpty() || stored.rowId().isPresent()) {
            return stored;
        }
        return new Stored(stored.row(), OptionalLong.of(file.firstRowId().getAsLong() + position));
    }

    /**
     * The rows of a snapshot, by the letter of the specification instead of by the planner. Spec: Scan Planning, delete scope;
     * Row Lineage.
     */
    List<Stored> live(LiveFiles files) throws IOException {
        var live = new ArrayList<Stored>();
        Collection<ManifestEntry<DeleteFile>> deletes = files.deletes().values();
        for (ManifestEntry<DataFile> data : files.data().values()) {
            DataFile file = data.file();
            PositionBitmap gone = positions(data, deletes);
            Set<Long> deletedKeys = new HashSet<>();
            for (ManifestEntry<DeleteFile> entry : deletes) {
                if (entry.file() instanceof DeleteFile.EqualityDeletes
                        && entry.sequenceNumber() > data.sequenceNumber()
                        && (!isPartitioned() || samePlace(entry.file(), file))) {
                    deletedKeys.addAll(
                            Objects.requireNonNull(keys.get(entry.file().path())));
                }
            }
            for (int i = 0; i < rows(file).size(); i++) {
                if (!gone.contains(i)
                        && !deletedKeys.contains(rows(file).get(i).row().id())) {
                    live.add(at(file, i));
                }
            }
        }
        return live;
    }

    private PositionBitmap positions(ManifestEntry<DataFile> data, Collection<ManifestEntry<DeleteFile>> deletes)
            throws IOException {
        var positions = new PositionBitmap();
        String path = data.file().path();
        for (ManifestEntry<DeleteFile> entry : deletes) {
            if (entry.file() instanceof DeleteFile.DeletionVector vector
                    && vector.referencedDataFile().equals(path)) {
                return ExistingDeletes.in(storage, vector, path);
            }
            if (entry.file() instanceof DeleteFile.PositionDeletes
                    && entry.sequenceNumber() >= data.sequenceNumber()
                    && samePlace(entry.file(), data.file())) {
                positions.or(ExistingDeletes.in(storage, entry.file(), path));
            }
        }
        return positions;
    }

    private static boolean samePlace(ContentFile one, ContentFile other) {
        return one.specId() == other.specId() && one.partition().equals(other.partition());
    }
}
