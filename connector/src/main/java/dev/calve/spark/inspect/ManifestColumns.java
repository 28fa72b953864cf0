package dev.calve.spark.inspect;

import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transforms;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * The columns of {@code manifests} and {@code all_manifests}. Counts and summaries are null where a list of format version 1
 * does not say them. Spec: Manifest Lists.
 */
final class ManifestColumns {

    private static final DataType SUMMARIES = DataTypes.createArrayType(
            new StructType()
                    .add("contains_null", DataTypes.BooleanType, false)
                    .add("contains_nan", DataTypes.BooleanType, true)
                    .add("lower_bound", DataTypes.StringType, true)
                    .add("upper_bound", DataTypes.StringType, true),
            false);

    private ManifestColumns() {}

    /** A manifest in the list of a snapshot. */
    record Listed(ManifestFile manifest, long snapshotId) {}

    static Columns<Listed> manifests(TableMetadata table) {
        return Columns.of(
                Column.required(
                        "content",
                        DataTypes.IntegerType,
                        listed -> listed.manifest().content().code()),
                Column.required(
                        "path",
                        DataTypes.StringType,
                        listed -> Cells.text(listed.manifest().path())),
                Column.required(
                        "length",
                        DataTypes.LongType,
                        listed -> listed.manifest().length()),
                Column.required(
                        "partition_spec_id",
                        DataTypes.IntegerType,
                        listed -> listed.manifest().specId()),
                Column.required(
                        "added_snapshot_id",
                        DataTypes.LongType,
                        listed -> listed.manifest().addedSnapshotId()),
                count("added_data_files_count", Content.DATA, ManifestFile.Counts::addedFiles),
                count("existing_data_files_count", Content.DATA, ManifestFile.Counts::existingFiles),
                count("deleted_data_files_count", Content.DATA, ManifestFile.Counts::deletedFiles),
                count("added_delete_files_count", Content.DELETES, ManifestFile.Counts::addedFiles),
                count("existing_delete_files_count", Content.DELETES, ManifestFile.Counts::existingFiles),
                count("deleted_delete_files_count", Content.DELETES, ManifestFile.Counts::deletedFiles),
                Column.optional("partition_summaries", SUMMARIES, listed -> summaries(table, listed.manifest())));
    }

    static Columns<Listed> allManifests(TableMetadata table) {
        return manifests(table)
                .and(List.of(
                        Column.required("reference_snapshot_id", DataTypes.LongType, Listed::snapshotId),
                        Column.optional(
                                "key_metadata",
                                DataTypes.BinaryType,
                                listed -> Cells.bytes(listed.manifest().keyMetadata()))));
    }

    /** Files of the other kind are none. */
    private static Column<Listed> count(
            String name, Content content, Function<ManifestFile.Counts, OptionalLong> count) {
        return Column.optional(name, DataTypes.IntegerType, listed -> {
            if (listed.manifest().content() != content) {
                return 0;
            }
            OptionalLong known = count.apply(listed.manifest().counts());
            return known.isPresent() ? (Integer) Math.toIntExact(known.getAsLong()) : null;
        });
    }

    private static @Nullable Object summaries(TableMetadata table, ManifestFile manifest) {
        if (manifest.partitions().isEmpty()) {
            return null;
        }
        List<PartitionField> fields = table.spec(manifest.specId()).fields();
        List<Field> types = table.partitionType(manifest.specId()).fields();
        List<FieldSummary> summaries = manifest.partitions().get();
        var rows = new ArrayList<GenericInternalRow>();
        for (int i = 0; i < summaries.size(); i++) {
            FieldSummary summary = summaries.get(i);
            boolean known = i < fields.size();
            rows.add(new GenericInternalRow(new @Nullable Object[] {
                summary.containsNull(),
                summary.containsNan().orElse(null),
                known ? text(fields.get(i), types.get(i).type(), summary.lowerBound()) : null,
                known ? text(fields.get(i), types.get(i).type(), summary.upperBound()) : null
            }));
        }
        return Cells.list(rows);
    }

    /** Text {@code null} where there is no bound, as other engines show it. */
    private static UTF8String text(PartitionField field, Type type, Optional<Bytes> bound) {
        Object value = bound.isEmpty() || type == Type.Simple.UNKNOWN ? null : ValueCodec.decode(type, bound.get());
        return Cells.text(Transforms.toHuman(field.transform(), type, value));
    }
}
