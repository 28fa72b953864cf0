package dev.calve.metadata;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaRules;
import java.util.LinkedHashSet;
import java.util.List;

/** How the columns that identify a row change. Spec: Identifier Field IDs. */
public final class IdentifierFields {

    private static final int LAST_ADDED = -1;

    private IdentifierFields() {}

    /**
     * The updates that make the columns the identifier fields; none if they are.
     *
     * @param columns full names; empty for no identifier
     * @throws IllegalArgumentException if a column is not there, is named twice, or cannot identify a row
     */
    public static List<MetadataUpdate> set(TableMetadata table, List<String> columns, boolean caseSensitive) {
        Schema schema = table.schema();
        var ids = new LinkedHashSet<Integer>();
        for (String column : columns) {
            Field field = schema.field(column, caseSensitive)
                    .orElseThrow(() -> cannot(
                            table, columns, "there is no column '" + column + "', but " + TableParts.columns(schema)));
            if (!ids.add(field.id())) {
                throw cannot(table, columns, "'" + column + "' is named twice");
            }
        }
        if (ids.equals(schema.identifierFieldIds())) {
            return List.of();
        }
        var changed = new Schema(schema.id(), schema.struct(), ids);
        List<String> problems = SchemaRules.identifierProblems(changed);
        if (!problems.isEmpty()) {
            throw cannot(table, columns, String.join("; ", problems));
        }
        return List.of(
                new MetadataUpdate.AddSchema(changed, table.lastColumnId()),
                new MetadataUpdate.SetCurrentSchema(LAST_ADDED));
    }

    private static IllegalArgumentException cannot(TableMetadata table, List<String> columns, String why) {
        return new IllegalArgumentException(
                "Cannot set identifier fields " + columns + " (table at " + table.location() + "): " + why + ".");
    }
}
