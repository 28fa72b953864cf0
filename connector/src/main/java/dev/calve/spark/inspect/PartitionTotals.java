package dev.calve.spark.inspect;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.UnionPartitionType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/** What the live files of one partition of one spec add up to: a row of {@code partitions}. */
final class PartitionTotals {

    private static final String DELETED_RECORD_COUNT = "deleted_record_count";
    private static final String TOTAL_RECORD_COUNT = "total_record_count";

    /** Columns for which the delete files must be matched to the data files. */
    static final List<String> DELETES = List.of(DELETED_RECORD_COUNT, TOTAL_RECORD_COUNT);

    private final PartitionTuple partition;
    private final int specId;
    private long records;
    private int files;
    private long fileBytes;
    private long positionRecords;
    private int positionFiles;
    private long equalityRecords;
    private int equalityFiles;
    private int vectors;
    private OptionalLong deletedRecords = OptionalLong.of(0);
    private @Nullable Snapshot last;

    PartitionTotals(PartitionTuple partition, int specId) {
        this.partition = partition;
        this.specId = specId;
    }

    static Columns<PartitionTotals> columns(TableMetadata table) {
        UnionPartitionType partitions = FileColumns.partitionsOf(table);
        List<Column<PartitionTotals>> columns =
                new ArrayList<>(FileColumns.partition(partitions, (PartitionTotals totals) -> totals.partition));
        if (!columns.isEmpty()) {
            columns.add(Column.required("spec_id", DataTypes.IntegerType, totals -> totals.specId));
        }
        columns.addAll(List.of(
                Column.required("record_count", DataTypes.LongType, totals -> totals.records),
                Column.required("file_count", DataTypes.IntegerType, totals -> totals.files),
                Column.required("total_data_file_size_in_bytes", DataTypes.LongType, totals -> totals.fileBytes),
                Column.required("position_delete_record_count", DataTypes.LongType, totals -> totals.positionRecords),
                Column.required("position_delete_file_count", DataTypes.IntegerType, totals -> totals.positionFiles),
                Column.required("equality_delete_record_count", DataTypes.LongType, totals -> totals.equalityRecords),
                Column.required("equality_delete_file_count", DataTypes.IntegerType, totals -> totals.equalityFiles),
                Column.optional(
                        "last_updated_at",
                        DataTypes.TimestampType,
                        ofLast(snapshot -> Cells.time(snapshot.timestampMillis()))),
                Column.optional("last_updated_snapshot_id", DataTypes.LongType, ofLast(Snapshot::id)),
                Column.explained(
                        "dv_count",
                        DataTypes.IntegerType,
                        "Deletion vectors among the position delete files",
                        totals -> totals.vectors),
                Column.explained(
                        DELETED_RECORD_COUNT,
                        DataTypes.LongType,
                        "Records of data files that their deletion vector or only position delete file deletes;"
                                + " null if other delete files apply to one of them",
                        totals -> Cells.number(totals.deletedRecords)),
                Column.explained(
                        TOTAL_RECORD_COUNT,
                        DataTypes.LongType,
                        "Records without the deleted ones; null if these are not known",
                        totals -> totals.deletedRecords.isPresent()
                                ? (Long) (totals.records - totals.deletedRecords.getAsLong())
                                : null)));
        return new Columns<>(columns);
    }

    private static Function<PartitionTotals, @Nullable Object> ofLast(Function<Snapshot, Object> of) {
        return totals -> totals.last == null ? null : of.apply(totals.last);
    }

    /**
     * Adds a live file.
     *
     * @param added the snapshot that added it, if the table still has it
     * @param deletes of a data file, if they are wanted
     */
    void add(ManifestEntry<? extends ContentFile> entry, Optional<Snapshot> added, Optional<AppliedDeletes> deletes) {
        ContentFile file = entry.file();
        added.ifPresent(this::updated);
        if (file instanceof DataFile) {
            records += file.recordCount();
            files++;
            fileBytes += file.fileSizeBytes();
            deletes.ifPresent(applied -> addDeleted(applied.deletedRecords()));
        } else if (file instanceof DeleteFile.EqualityDeletes) {
            equalityRecords += file.recordCount();
            equalityFiles++;
        } else {
            positionRecords += file.recordCount();
            positionFiles++;
            vectors += file instanceof DeleteFile.DeletionVector ? 1 : 0;
        }
    }

    /** Adds what another thread counted of the same partition. */
    void add(PartitionTotals others) {
        if (others.last != null) {
            updated(others.last);
        }
        records += others.records;
        files += others.files;
        fileBytes += others.fileBytes;
        positionRecords += others.positionRecords;
        positionFiles += others.positionFiles;
        equalityRecords += others.equalityRecords;
        equalityFiles += others.equalityFiles;
        vectors += others.vectors;
        addDeleted(others.deletedRecords);
    }

    private void updated(Snapshot snapshot) {
        if (last == null || snapshot.timestampMillis() > last.timestampMillis()) {
            last = snapshot;
        }
    }

    private void addDeleted(OptionalLong more) {
        deletedRecords = deletedRecords.isPresent() && more.isPresent()
                ? OptionalLong.of(deletedRecords.getAsLong() + more.getAsLong())
                : OptionalLong.empty();
    }
}
