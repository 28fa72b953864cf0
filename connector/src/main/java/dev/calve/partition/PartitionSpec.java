package dev.calve.partition;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;

/** How a table divides its rows into partitions. Spec: Partition Specs. A spec with no field is unpartitioned. */
public record PartitionSpec(int id, List<PartitionField> fields) {

    /** Ids of partition fields start here. */
    public static final int FIRST_FIELD_ID = 1000;

    public PartitionSpec {
        fields = List.copyOf(fields);
        if (fields.stream().map(PartitionField::name).distinct().count() != fields.size()) {
            throw new IllegalArgumentException("Partition field names must be unique: " + fields);
        }
    }

    public static PartitionSpec unpartitioned(int id) {
        return new PartitionSpec(id, List.of());
    }

    public boolean isUnpartitioned() {
        return fields.stream().allMatch(field -> field.transform() instanceof Transform.Void);
    }

    /** Whether two specs divide rows in the same way and store it under the same ids and names. */
    public boolean sameFields(PartitionSpec other) {
        return fields.equals(other.fields);
    }

    /** The highest partition field id, 999 if there is none. */
    public int highestFieldId() {
        return fields.stream().mapToInt(PartitionField::fieldId).max().orElse(FIRST_FIELD_ID - 1);
    }

    /**
     * The struct of the partition tuple: one optional field per partition field, typed by its transform's result.
     *
     * @param schema one that still has the source fields; a field whose source is gone is typed {@code unknown}
     */
    public Type.Struct partitionType(Schema schema) {
        var result = new ArrayList<Field>();
        for (PartitionField field : fields) {
            Type source = schema.field(field.sourceId()).map(Field::type).orElse(Type.Simple.UNKNOWN);
            result.add(Field.optional(field.fieldId(), field.name(), Transforms.resultType(field.transform(), source)));
        }
        return new Type.Struct(result);
    }
}
