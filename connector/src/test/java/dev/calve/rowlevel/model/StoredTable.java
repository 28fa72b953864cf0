package dev.calve.rowlevel.model;

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
import dev.calve.partition.Transforms;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A table of numbers whose rows are kept beside its storage. */
final class StoredTable {

    static final int ID = 1;

    /** A row with its lineage, as far as there is one. */
    record Stored(Row row, OptionalLong rowId, OptionalLong updated) {}

    /** What is in a data file. */
    private record Content(Set<Integer> columns, List<Stored> rows) {}

    final MemoryStorage storage = new MemoryStorage();
    final ScriptedCommitter committer;
    private final Map<String, Content> contents = new HashMap<>();
    private final Map<String, Keys> keys = new HashMap<>();

    /** Whether the metrics of the next file tell the bounds of its columns. */
    boolean writesBounds = true;

    StoredTable(Schema schema, PartitionSpec spec, int formatVersion, int mergedAt) {
        var properties = Map.of(
                "commit.retry.min-wait-ms", "1",
                "commit.retry.max-wait-ms", "1",
                "commit.manifest.min-count-to-merge", String.valueOf(mergedAt));
        committer = new ScriptedCommitter(
                MetadataUpdates.fresh(schema, spec, SortOrder.UNSORTED, "memory:/t", properties, formatVersion, 1_000));
    }

    TableMetadata metadata() {
        return committer.metadata();
    }

    /** The partition of a row that is written now. */
    PartitionTuple partition(PartitionSpec spec, Row row) {
        var values = new ArrayList<@Nullable Object>();
        for (PartitionField field : spec.fields()) {
            Optional<Field> source = metadata().schema().field(field.sourceId());
            Long value = row.value(field.sourceId());
            values.add(
                    source.isEmpty() || value == null
                            ? null
                            : Transforms.apply(
                                    field.transform(),
                                    source.get().type(),
                                    Where.typed(source.get().type(), value)));
        }
        return PartitionTuple.copyOf(values);
    }

    /** Puts a data file of the current schema on storage. All rows are of the partition. */
    DataFile write(String path, int specId, PartitionTuple partition, List<Stored> rows) {
        storage.put(path, new byte[] {1});
        List<Field> fields = metadata().schema().fields();
        contents.put(path, new Content(fields.stream().map(Field::id).collect(Collectors.toSet()), List.copyOf(rows)));
        Metrics metrics = metrics(rows.stream().map(Stored::row).toList(), writesBounds ? fields : List.of());
        return new DataFile(common(path, specId, partition, metrics), OptionalLong.empty());
    }

    /** Puts a file that deletes by key on storage. All keys are of the partition. */
    DeleteFile.EqualityDeletes writeKeys(String path, PartitionTuple partition, Keys deleted) {
        storage.put(path, new byte[] {1});
        keys.put(path, deleted);
        List<Field> fields = metadata().schema().fields().stream()
                .filter(field -> deleted.columns().contains(field.id()))
                .toList();
        return new DeleteFile.EqualityDeletes(
                common(path, deleted.spec().id(), partition, metrics(deleted.rows(), fields)), deleted.columns());
    }

    private static ContentFile.Common common(String path, int specId, PartitionTuple partition, Metrics metrics) {
        return new ContentFile.Common(
                path,
                FileFormat.PARQUET,
                specId,
                partition,
                metrics,
                100,
                List.of(),
                OptionalInt.empty(),
                Optional.empty());
    }

    private static Metrics metrics(List<Row> rows, List<Field> fields) {
        Map<Integer, Long> values = new HashMap<>();
        Map<Integer, Long> nulls = new HashMap<>();
        Map<Integer, Bytes> lower = new HashMap<>();
        Map<Integer, Bytes> upper = new HashMap<>();
        for (Field field : fields) {
            var present = rows.stream()
                    .map(row -> row.value(field.id()))
                    .filter(Objects::nonNull)
                    .mapToLong(Long::longValue)
                    .summaryStatistics();
            values.put(field.id(), (long) rows.size());
            nulls.put(field.id(), rows.size() - present.getCount());
            if (present.getCount() > 0) {
                lower.put(field.id(), bound(field.type(), present.getMin()));
                upper.put(field.id(), bound(field.type(), present.getMax()));
            }
        }
        return new Metrics(rows.size(), Map.of(), values, nulls, Map.of(), lower, upper);
    }

    private static Bytes bound(Type type, long value) {
        return ValueCodec.encode(type, Where.typed(type, value));
    }

    /** How many rows a data file has, deleted or not. */
    int size(DataFile file) {
        return content(file).rows().size();
    }

    private Content content(DataFile file) {
        return Objects.requireNonNull(contents.get(file.path()), file.path());
    }

    /** The value of any column the table has or had. */
    private @Nullable Long value(DataFile file, int position, int column) {
        Content content = content(file);
        if (content.columns().contains(column)) {
            return content.rows().get(position).row().value(column);
        }
        return metadata().schemas().stream()
                .flatMap(schema -> schema.field(column).stream())
                .flatMap(field -> field.initialDefault().stream())
                .map(number -> ((Number) number).longValue())
                .findFirst()
                .orElse(null);
    }

    /**
     * The row at a position of a data file, as the current schema has it. Spec: Column Projection (initial defaults), Row
     * Lineage.
     */
    Stored at(ManifestEntry<DataFile> entry, int position) {
        DataFile file = entry.file();
        Stored stored = content(file).rows().get(position);
        var values = new HashMap<Integer, Long>();
        for (Field field : metadata().schema().fields()) {
            Long value = value(file, position, field.id());
            if (value != null) {
                values.put(field.id(), value);
            }
        }
        var row = new Row(stored.row().name(), values);
        if (file.firstRowId().isEmpty()) {
            return new Stored(row, OptionalLong.empty(), OptionalLong.empty());
        }
        return new Stored(
                row,
                stored.rowId().isPresent()
                        ? stored.rowId()
                        : OptionalLong.of(file.firstRowId().getAsLong() + position),
                stored.updated().isPresent() ? stored.updated() : OptionalLong.of(entry.sequenceNumber()));
    }

    /** Positions that equality deletes of a list delete, whether they are deleted otherwise or not. */
    PositionBitmap deletedByKey(ManifestEntry<DataFile> data, Collection<ManifestEntry<DeleteFile>> deletes) {
        var gone = new PositionBitmap();
        for (ManifestEntry<DeleteFile> entry : deletes) {
            if (entry.file() instanceof DeleteFile.EqualityDeletes) {
                Keys deleted = Objects.requireNonNull(keys.get(entry.file().path()));
                Set<List<@Nullable Long>> values = deleted.values();
                for (int i = 0; i < size(data.file()); i++) {
                    int position = i;
                    if (values.contains(Keys.of(deleted.columns(), column -> value(data.file(), position, column)))) {
                        gone.add(i);
                    }
                }
            }
        }
        return gone;
    }

    /**
     * The rows of a snapshot by name, by the letter of the specification instead of by the planner. Spec: Scan Planning, delete
     * scope.
     *
     * @throws AssertionError if a row is there twice
     */
    Map<Long, Stored> live(LiveFiles files) throws IOException {
        var live = new TreeMap<Long, Stored>();
        Collection<ManifestEntry<DeleteFile>> deletes = files.deletes().values();
        for (ManifestEntry<DataFile> data : files.data().values()) {
            PositionBitmap gone = positions(data, deletes);
            gone.or(deletedByKey(
                    data,
                    deletes.stream()
                            .filter(entry -> entry.sequenceNumber() > data.sequenceNumber())
                            .filter(entry -> isGlobal(entry.file()) || samePlace(entry.file(), data.file()))
                            .toList()));
            for (int i = 0; i < size(data.file()); i++) {
                if (gone.contains(i)) {
                    continue;
                }
                Stored stored = at(data, i);
                Stored twin = live.put(stored.row().name(), stored);
                if (twin != null) {
                    throw new AssertionError("A row must be there once, but is " + twin + " and " + stored);
                }
            }
        }
        return live;
    }

    private boolean isGlobal(ContentFile file) {
        return metadata().spec(file.specId()).isUnpartitioned();
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
