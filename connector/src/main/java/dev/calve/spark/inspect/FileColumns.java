package dev.calve.spark.inspect;

import dev.calve.expression.StatisticsMap;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.UnionPartitionType;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/** The columns of {@code files}, {@code entries} and their kin. Spec: Manifests, {@code manifest_entry} and {@code data_file}. */
final class FileColumns {

    /** Columns that need the statistics of an entry to be kept. */
    static final List<String> STATISTICS = List.of(
            "column_sizes",
            "value_counts",
            "null_value_counts",
            "nan_value_counts",
            "lower_bounds",
            "upper_bounds",
            ReadableMetrics.NAME);

    private static final String DV_COUNT = "dv_count";
    private static final String POSITION_DELETE_FILE_COUNT = "position_delete_file_count";
    private static final String EQUALITY_DELETE_FILE_COUNT = "equality_delete_file_count";
    private static final String DELETED_RECORD_COUNT = "deleted_record_count";

    /** Columns that need the delete files of the snapshot to be listed. */
    static final List<String> DELETES =
            List.of(DV_COUNT, POSITION_DELETE_FILE_COUNT, EQUALITY_DELETE_FILE_COUNT, DELETED_RECORD_COUNT);

    private static final DataType COUNTS = DataTypes.createMapType(DataTypes.IntegerType, DataTypes.LongType, false);
    private static final DataType BOUNDS = DataTypes.createMapType(DataTypes.IntegerType, DataTypes.BinaryType, false);

    private FileColumns() {}

    /** The partition fields of all specs of a table. */
    static UnionPartitionType partitionsOf(TableMetadata table) {
        return UnionPartitionType.of(table.specs(), table::partitionType);
    }

    /** The struct of partition values, if any spec has fields. Tuples must have been widened. */
    static <S> List<Column<S>> partition(UnionPartitionType partitions, Function<S, PartitionTuple> of) {
        List<Field> fields = partitions.struct().fields();
        if (fields.isEmpty()) {
            return List.of();
        }
        var columns = new ArrayList<Column<PartitionTuple>>();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            int index = i;
            columns.add(Column.optional(
                    field.name(),
                    SparkTypes.toSpark(field.type(), "partition." + field.name()),
                    tuple -> tuple.value(index)
                            .map(value -> SparkValues.toSpark(field.type(), value))
                            .orElse(null)));
        }
        return List.of(new Column.Part<>("partition", false, of, new Columns<>(columns)));
    }

    /** The columns of tables of files that are not of one snapshot. */
    static Columns<ListedFile> files(TableMetadata table) {
        return file(table).and(List.of(ReadableMetrics.column(table.schema())));
    }

    /** The columns of tables of files of one snapshot, where it is known which deletes apply. */
    static Columns<ListedFile> filesOfSnapshot(TableMetadata table) {
        return files(table).and(deletes());
    }

    /** The columns of tables of entries. */
    static Columns<ListedFile> entries(TableMetadata table) {
        return Columns.of(
                Column.required(
                        "status",
                        DataTypes.IntegerType,
                        listed -> listed.entry().status().code()),
                Column.optional(
                        "snapshot_id",
                        DataTypes.LongType,
                        listed -> listed.entry().snapshotId()),
                Column.optional(
                        "sequence_number",
                        DataTypes.LongType,
                        listed -> known(listed.entry().sequenceNumber())),
                Column.optional(
                        "file_sequence_number",
                        DataTypes.LongType,
                        listed -> known(listed.entry().fileSequenceNumber())),
                new Column.Part<>("data_file", false, Function.identity(), file(table)),
                ReadableMetrics.column(table.schema()));
    }

    /** Entries that old writers removed may have no sequence number. */
    private static @Nullable Long known(long sequenceNumber) {
        return sequenceNumber < 0 ? null : (Long) sequenceNumber;
    }

    private static Columns<ListedFile> file(TableMetadata table) {
        return Columns.of(
                        of("content", DataTypes.IntegerType, true, FileColumns::content),
                        of("file_path", DataTypes.StringType, false, file -> Cells.text(file.path())),
                        of(
                                "file_format",
                                DataTypes.StringType,
                                false,
                                file -> Cells.text(file.format().name())),
                        of("spec_id", DataTypes.IntegerType, true, ContentFile::specId))
                .and(partition(
                        partitionsOf(table),
                        (ListedFile listed) -> listed.file().partition()))
                .and(List.of(
                        of("record_count", DataTypes.LongType, false, ContentFile::recordCount),
                        of("file_size_in_bytes", DataTypes.LongType, false, ContentFile::fileSizeBytes),
                        of(
                                "column_sizes",
                                COUNTS,
                                true,
                                file -> counts(file.metrics().columnSizes())),
                        of(
                                "value_counts",
                                COUNTS,
                                true,
                                file -> counts(file.metrics().valueCounts())),
                        of(
                                "null_value_counts",
                                COUNTS,
                                true,
                                file -> counts(file.metrics().nullValueCounts())),
                        of(
                                "nan_value_counts",
                                COUNTS,
                                true,
                                file -> counts(file.metrics().nanValueCounts())),
                        of(
                                "lower_bounds",
                                BOUNDS,
                                true,
                                file -> bounds(file.metrics().lowerBounds())),
                        of(
                                "upper_bounds",
                                BOUNDS,
                                true,
                                file -> bounds(file.metrics().upperBounds())),
                        of(
                                "key_metadata",
                                DataTypes.BinaryType,
                                true,
                                file -> Cells.bytes(file.common().keyMetadata())),
                        of(
                                "split_offsets",
                                DataTypes.createArrayType(DataTypes.LongType, false),
                                true,
                                file -> splitOffsets(file)),
                        of(
                                "equality_ids",
                                DataTypes.createArrayType(DataTypes.IntegerType, false),
                                true,
                                file -> equalityIds(file)),
                        of(
                                "sort_order_id",
                                DataTypes.IntegerType,
                                true,
                                file -> Cells.number(file.common().sortOrderId())),
                        of("first_row_id", DataTypes.LongType, true, file -> Cells.number(firstRowId(file))),
                        of(
                                "referenced_data_file",
                                DataTypes.StringType,
                                true,
                                file -> Cells.text(referencedDataFile(file))),
                        of(
                                "content_offset",
                                DataTypes.LongType,
                                true,
                                file -> vector(file)
                                        .map(DeleteFile.DeletionVector::contentOffset)
                                        .orElse(null)),
                        of(
                                "content_size_in_bytes",
                                DataTypes.LongType,
                                true,
                                file -> vector(file)
                                        .map(DeleteFile.DeletionVector::contentSizeBytes)
                                        .orElse(null))));
    }

    private static Column<ListedFile> of(
            String name, DataType type, boolean nullable, Function<ContentFile, @Nullable Object> of) {
        return nullable
                ? Column.optional(name, type, listed -> of.apply(listed.file()))
                : Column.required(name, type, listed -> of.apply(listed.file()));
    }

    private static List<Column<ListedFile>> deletes() {
        return List.of(
                deletes(
                        DV_COUNT,
                        DataTypes.IntegerType,
                        "Deletion vectors that apply to the data file: 1 or 0",
                        AppliedDeletes::vectors),
                deletes(
                        POSITION_DELETE_FILE_COUNT,
                        DataTypes.IntegerType,
                        "Position delete files that apply to the data file, deletion vectors included",
                        AppliedDeletes::positionFiles),
                deletes(
                        EQUALITY_DELETE_FILE_COUNT,
                        DataTypes.IntegerType,
                        "Equality delete files that apply to the data file",
                        AppliedDeletes::equalityFiles),
                deletes(
                        DELETED_RECORD_COUNT,
                        DataTypes.LongType,
                        "Records of the data file that its deletion vector or only position delete file deletes;"
                                + " null if other delete files apply",
                        applied -> Cells.number(applied.deletedRecords())));
    }

    private static Column<ListedFile> deletes(
            String name, DataType type, String comment, Function<AppliedDeletes, @Nullable Object> of) {
        return Column.explained(
                name,
                type,
                comment,
                listed ->
                        listed.deletes().isPresent() ? of.apply(listed.deletes().get()) : null);
    }

    private static Integer content(ContentFile file) {
        if (file instanceof DataFile) {
            return 0;
        }
        return file instanceof DeleteFile.EqualityDeletes ? 2 : 1;
    }

    /** Null where nothing was written, which is not the same as nothing in a map that was. */
    private static @Nullable Object counts(Map<Integer, Long> counts) {
        return isAbsent(counts) ? null : Cells.map(counts, id -> id, count -> count);
    }

    private static @Nullable Object bounds(Map<Integer, Bytes> bounds) {
        return isAbsent(bounds) ? null : Cells.map(bounds, id -> id, Bytes::toArray);
    }

    private static boolean isAbsent(Map<Integer, ?> statistics) {
        return statistics.isEmpty() && !(statistics instanceof StatisticsMap<?>);
    }

    /** Offsets that lie outside of the file are no offsets. */
    private static @Nullable Object splitOffsets(ContentFile file) {
        List<Long> offsets = file.common().splitOffsets();
        if (offsets.isEmpty() || offsets.get(offsets.size() - 1) >= file.fileSizeBytes()) {
            return null;
        }
        return Cells.list(offsets);
    }

    private static @Nullable Object equalityIds(ContentFile file) {
        return file instanceof DeleteFile.EqualityDeletes deletes ? Cells.list(deletes.equalityIds()) : null;
    }

    private static OptionalLong firstRowId(ContentFile file) {
        return file instanceof DataFile data ? data.firstRowId() : OptionalLong.empty();
    }

    private static Optional<String> referencedDataFile(ContentFile file) {
        return file instanceof DeleteFile deletes ? deletes.scopedTo() : Optional.empty();
    }

    private static Optional<DeleteFile.DeletionVector> vector(ContentFile file) {
        return file instanceof DeleteFile.DeletionVector vector ? Optional.of(vector) : Optional.empty();
    }
}
