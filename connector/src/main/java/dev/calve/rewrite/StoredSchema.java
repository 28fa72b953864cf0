package dev.calve.rewrite;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type.Repetition;

/** The schema of a table as a file has it. */
final class StoredSchema {

    private StoredSchema() {}

    /**
     * The schema with those optional fields required that are required in a file. Everything else stays as it is, whether the
     * file has it or not.
     */
    static Schema of(Schema table, MessageType file) {
        return new Schema(table.id(), fields(table.fields(), file));
    }

    private static List<Field> fields(List<Field> fields, GroupType group) {
        return fields.stream().map(field -> field(field, group)).toList();
    }

    private static Field field(Field field, GroupType group) {
        if (!group.containsField(field.name())) {
            return field;
        }
        org.apache.parquet.schema.Type part = group.getType(field.name());
        Field stored = part.isRepetition(Repetition.REQUIRED) ? field.withRequired(true) : field;
        if (part.isPrimitive() || !(field.type() instanceof Type.Nested nested)) {
            return stored;
        }
        GroupType inside = part.asGroupType();
        if (nested instanceof Type.Struct) {
            return stored.withType(nested.withFields(fields(nested.fields(), inside)));
        }
        // Lists and maps have their parts in a repeated group.
        return inside.getFieldCount() == 1 && !inside.getType(0).isPrimitive()
                ? stored.withType(nested.withFields(
                        fields(nested.fields(), inside.getType(0).asGroupType())))
                : stored;
    }
}
