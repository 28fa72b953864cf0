package dev.calve.spark.read;

import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.partition.UnionPartitionType;
import dev.calve.scan.FileTask;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.NameMapping;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Says, for the data files of one table, where each wanted column's values come from. Spec: Column Projection. Made once a
 * task of Spark.
 */
public final class TaskReads {

    private final Storage storage;
    private final TableMetadata table;
    private final Schema schema;
    private final UnionPartitionType partitions;
    private final Map<Integer, Object> defaults = new HashMap<>();
    private final Optional<NameMapping> mapping;

    /** @param schema the table is read with; its initial defaults fill columns that files lack */
    public TaskReads(Storage storage, TableMetadata table, Schema schema) {
        this.storage = storage;
        this.table = table;
        this.schema = schema;
        this.partitions = partitionsOf(table);
        // Equality deletes can name fields that only other schemas have.
        table.schemas().forEach(this::addDefaults);
        addDefaults(schema);
        this.mapping = TableProperties.of(table, table.location())
                .get(TableProperties.NAME_MAPPING)
                .map(NameMapping::parse);
    }

    private void addDefaults(Schema of) {
        for (Field field : of.allFields()) {
            field.initialDefault()
                    .ifPresent(value -> defaults.put(
                            field.id(),
                            // A struct's default only says that there is one; its fields have their own.
                            field.type() instanceof Type.Struct
                                    ? FileRead.STRUCT
                                    : SparkValues.toSpark(field.type(), value)));
        }
    }

    /** The union of the partition fields of all specs: the type of the metadata column {@code _partition}. */
    public static UnionPartitionType partitionsOf(TableMetadata table) {
        return UnionPartitionType.of(table.specs(), table::partitionType);
    }

    /**
     * Prepares the read of one file; what is deleted, which rows and row groups are wanted is for the caller to add.
     *
     * @param columns wanted columns with their field ids, metadata columns among them
     * @throws UnsupportedOperationException if the file is not Parquet
     */
    public FileRead.Builder read(FileTask task, StructType columns) {
        DataFile file = task.file();
        FileRead.Builder read = read(file, "data file", columns);
        if (file.firstRowId().isPresent()) {
            read.lineage(file.firstRowId().getAsLong(), task.entry().sequenceNumber());
        }
        StructField[] fields = columns.fields();
        for (int i = 0; i < fields.length; i++) {
            int id = Math.toIntExact(fields[i].metadata().getLong(SparkTypes.FIELD_ID));
            if (id == MetadataFields.FILE.id()) {
                read.constant(i, UTF8String.fromString(file.path()));
            } else if (id == MetadataFields.SPEC_ID.id()) {
                read.constant(i, file.specId());
            } else if (id == MetadataFields.PARTITION_ID) {
                read.constant(i, partition(file, (StructType) fields[i].dataType()));
            }
        }
        return read;
    }

    /**
     * Prepares the read of the keys of an equality-delete file.
     *
     * @throws UnsupportedOperationException if the file is not Parquet
     */
    FileRead.Builder keys(DeleteFile.EqualityDeletes file, StructType columns) {
        return read(file, "equality delete file", columns);
    }

    /** Finds the fields that are the key of an equality-delete file; see {@link KeyFields#of}. */
    KeyFields keyFields(DeleteFile.EqualityDeletes file) {
        return KeyFields.of(table, schema, file);
    }

    boolean isUnpartitioned(int specId) {
        return table.spec(specId).isUnpartitioned();
    }

    private FileRead.Builder read(ContentFile file, String kind, StructType columns) {
        if (file.format() != FileFormat.PARQUET) {
            throw new UnsupportedOperationException("Cannot read " + kind + " " + file.path() + ": format "
                    + file.format() + " is not supported, only PARQUET. Rewrite it with the engine that wrote it.");
        }
        if (file.common().keyMetadata().isPresent()) {
            throw new InvalidTableException(
                    "Cannot read " + kind + " " + file.path() + ": it is encrypted, which is not supported.");
        }
        FileRead.Builder read = FileRead.of(storage.input(file.path(), file.fileSizeBytes()), columns);
        mapping.ifPresent(names -> read.fieldNames(names::fieldId));
        defaults.forEach(read::absentValue);
        identityValues(file, read);
        return read;
    }

    /** A file that was written without a column its partition is made of gets the value from the partition. */
    private void identityValues(ContentFile file, FileRead.Builder read) {
        PartitionSpec spec = table.spec(file.specId());
        List<Field> types = table.partitionType(file.specId()).fields();
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField field = spec.fields().get(i);
            Optional<Object> value = file.partition().value(i);
            if (!(field.transform() instanceof Transform.Identity)) {
                continue;
            }
            if (value.isPresent()) {
                read.absentValue(
                        field.sourceId(), SparkValues.toSpark(types.get(i).type(), value.get()));
            } else {
                // Not the initial default: planning takes the partition's word for it.
                read.absentNull(field.sourceId());
            }
        }
    }

    /** @param wanted the fields of {@code _partition} that are asked for, with their ids */
    private InternalRow partition(DataFile file, StructType wanted) {
        List<Field> all = partitions.struct().fields();
        List<@Nullable Object> values =
                partitions.widen(file.specId(), file.partition()).values();
        var row = new @Nullable Object[wanted.size()];
        for (int i = 0; i < row.length; i++) {
            long id = wanted.fields()[i].metadata().getLong(SparkTypes.FIELD_ID);
            for (int j = 0; j < all.size(); j++) {
                Object value = values.get(j);
                if (all.get(j).id() == id && value != null) {
                    row[i] = SparkValues.toSpark(all.get(j).type(), value);
                }
            }
        }
        return new GenericInternalRow(row);
    }
}
