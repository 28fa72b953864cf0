package dev.calve.pruning;

import dev.calve.expression.Expression.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/** Finds a file's columns by field id: at the top and, at any depth, in structs. */
final class FileColumns {

    private final MessageType schema;
    private final Map<Integer, List<String>> paths = new HashMap<>();
    private final Set<Integer> ambiguous = new HashSet<>();
    private final Set<Integer> ids = new HashSet<>();
    private final Map<Column, Optional<FileColumn>> found = new HashMap<>();

    /** @param schema with the field ids that the file's columns have or got by the name mapping */
    FileColumns(MessageType schema) {
        this.schema = schema;
        collect(schema, List.of());
        collectIds(schema);
        paths.keySet().removeAll(ambiguous);
    }

    private void collect(GroupType group, List<String> parents) {
        for (Type field : group.getFields()) {
            if (field.isRepetition(Type.Repetition.REPEATED)) {
                continue;
            }
            var path = new ArrayList<>(parents);
            path.add(field.getName());
            if (!field.isPrimitive()) {
                // Lists, maps and variants are annotated.
                if (field.getLogicalTypeAnnotation() == null) {
                    collect(field.asGroupType(), path);
                }
            } else if (field.getId() != null && paths.put(field.getId().intValue(), path) != null) {
                ambiguous.add(field.getId().intValue());
            }
        }
    }

    private void collectIds(GroupType group) {
        for (Type field : group.getFields()) {
            if (field.getId() != null) {
                ids.add(field.getId().intValue());
            }
            if (!field.isPrimitive()) {
                collectIds(field.asGroupType());
            }
        }
    }

    /** Whether nothing in the file, at any depth, has the field's id. */
    boolean lacks(int fieldId) {
        return !ids.contains(fieldId);
    }

    /** Empty if the file does not have the column, or stores it in a way from which nothing can be concluded. */
    Optional<FileColumn> find(Column column) {
        return found.computeIfAbsent(column, this::look);
    }

    private Optional<FileColumn> look(Column column) {
        List<String> path = paths.get(column.fieldId());
        if (path == null) {
            return Optional.empty();
        }
        String[] names = path.toArray(String[]::new);
        var descriptor = schema.getColumnDescription(names);
        return StoredValues.of(descriptor.getPrimitiveType(), column.type())
                .map(values -> new FileColumn(ColumnPath.get(names), descriptor, values));
    }
}
