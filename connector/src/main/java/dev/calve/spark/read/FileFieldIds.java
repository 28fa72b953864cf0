package dev.calve.spark.read;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapKeyValueTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/** The field ids of a file's schema: those it has, or those the name mapping gives. Spec: Column Projection. */
final class FileFieldIds {

    private FileFieldIds() {}

    /** Tells whether any field of the schema, however deep, has an id. One is enough to rule out the name mapping. */
    static boolean any(GroupType schema) {
        for (var field : schema.getFields()) {
            if (field.getId() != null || (!field.isPrimitive() && any(field.asGroupType()))) {
                return true;
            }
        }
        return false;
    }

    /** Gives the fields of a schema without ids the ids of their names; fields without a mapping stay without. */
    static MessageType mapped(MessageType schema, FieldNames names) {
        return new MessageType(schema.getName(), mappedFields(schema, List.of(), names));
    }

    /** Tells whether the repeated field of a list is the element itself, as old writers made it, not a wrapper. */
    static boolean isElement(Type repeated, String listName) {
        return repeated.isPrimitive()
                || repeated.asGroupType().getFieldCount() > 1
                || repeated.getName().equals("array")
                || repeated.getName().equals(listName + "_tuple");
    }

    static boolean isList(GroupType group) {
        return group.getLogicalTypeAnnotation() instanceof ListLogicalTypeAnnotation
                && group.getFieldCount() == 1
                && group.getType(0).isRepetition(Type.Repetition.REPEATED);
    }

    static boolean isMap(GroupType group) {
        var annotation = group.getLogicalTypeAnnotation();
        return (annotation instanceof MapLogicalTypeAnnotation || annotation instanceof MapKeyValueTypeAnnotation)
                && group.getFieldCount() == 1
                && group.getType(0).isRepetition(Type.Repetition.REPEATED)
                && !group.getType(0).isPrimitive()
                && group.getType(0).asGroupType().getFieldCount() == 2;
    }

    private static List<Type> mappedFields(GroupType group, List<String> path, FieldNames names) {
        var result = new ArrayList<Type>();
        for (var field : group.getFields()) {
            result.add(mapped(field, with(path, field.getName()), names));
        }
        return result;
    }

    private static Type mapped(Type field, List<String> path, FieldNames names) {
        var inside = field.isPrimitive() ? field : mappedInside(field.asGroupType(), path, names);
        var id = names.idOf(path);
        return id.isPresent() ? inside.withId(id.getAsInt()) : inside;
    }

    private static GroupType mappedInside(GroupType group, List<String> path, FieldNames names) {
        if (isList(group)) {
            var repeated = group.getType(0);
            var elementPath = with(path, "element");
            if (isElement(repeated, group.getName())) {
                return group.withNewFields(mapped(repeated, elementPath, names));
            }
            var element = repeated.asGroupType().getType(0);
            return group.withNewFields(repeated.asGroupType().withNewFields(mapped(element, elementPath, names)));
        }
        if (isMap(group)) {
            var entry = group.getType(0).asGroupType();
            return group.withNewFields(entry.withNewFields(
                    mapped(entry.getType(0), with(path, "key"), names),
                    mapped(entry.getType(1), with(path, "value"), names)));
        }
        return group.withNewFields(mappedFields(group, path, names));
    }

    private static List<String> with(List<String> path, String name) {
        var result = new ArrayList<>(path);
        result.add(name);
        return List.copyOf(result);
    }
}
