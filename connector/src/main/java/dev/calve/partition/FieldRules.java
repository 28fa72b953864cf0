package dev.calve.partition;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.Optional;

/** What a new partition field must fulfil; fields of specs that exist are read as they are. */
public final class FieldRules {

    private FieldRules() {}

    /**
     * The source must be a plain column the transform is defined for.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static void checkSource(Schema schema, Field source, Transform transform) {
        String name = nameOf(schema, source);
        if (transform instanceof Transform.Unknown) {
            throw new IllegalArgumentException(
                    "Cannot partition by transform '" + transform + "' of '" + name + "': it is not known.");
        }
        if (!source.type().isPrimitive() || !Transforms.canApply(transform, source.type())) {
            throw new IllegalArgumentException("Cannot partition by " + transform + " of '" + name
                    + "': the transform is not defined for type " + source.type() + ".");
        }
        if (schema.isRepeated(source.id())) {
            throw new IllegalArgumentException("Cannot partition by '" + name
                    + "': a row has one partition, but a field in a list or map has many values.");
        }
    }

    /**
     * A partition field may share a column's name only where both always hold the same value.
     *
     * @throws IllegalArgumentException if it may not have the name
     */
    public static void checkName(Schema schema, Field source, Transform transform, String name) {
        String sourceName = nameOf(schema, source);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("Partition field of '" + sourceName + "' must have a name, not ''.");
        }
        Optional<Field> column = schema.field(name);
        boolean isColumnItself =
                column.isPresent() && column.get().id() == source.id() && transform instanceof Transform.Identity;
        if (column.isPresent() && !isColumnItself) {
            throw new IllegalArgumentException("Cannot name the partition field " + transform + " of '" + sourceName
                    + "' '" + name + "': a column of the table has that name. Give another name.");
        }
    }

    private static String nameOf(Schema schema, Field field) {
        return schema.name(field.id()).orElse(field.name());
    }
}
