package dev.calve.spark.convert;

import dev.calve.metadata.TableMetadata;
import dev.calve.partition.UnionPartitionType;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructField;

/** The metadata columns a table offers, as Spark fields with their reserved ids. */
public final class MetadataColumns {

    private MetadataColumns() {}

    /**
     * All of them: {@code _file}, {@code _pos}, {@code _deleted}, {@code _spec_id}, {@code _partition}, and from format version 3 on {@code
     * _row_id} and {@code _last_updated_sequence_number}.
     */
    public static List<StructField> of(TableMetadata table) {
        var fields = new ArrayList<StructField>();
        fields.add(SparkTypes.toSpark(MetadataFields.FILE));
        fields.add(SparkTypes.toSpark(MetadataFields.POS));
        fields.add(SparkTypes.toSpark(MetadataFields.DELETED));
        fields.add(SparkTypes.toSpark(MetadataFields.SPEC_ID));
        fields.add(SparkTypes.toSpark(partition(table)));
        if (table.formatVersion() >= 3) {
            fields.add(SparkTypes.toSpark(MetadataFields.ROW_ID));
            fields.add(SparkTypes.toSpark(MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER));
        }
        return List.copyOf(fields);
    }

    private static Field partition(TableMetadata table) {
        UnionPartitionType union = UnionPartitionType.of(table.specs(), table::partitionType);
        return Field.optional(MetadataFields.PARTITION_ID, "_partition", union.struct());
    }
}
