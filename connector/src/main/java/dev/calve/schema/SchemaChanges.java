package dev.calve.schema;

import java.util.List;

/**
 * Changes of a schema that are made together, in their order, each on what the ones before it left. Spec: Schema Evolution.
 *
 * @param caseSensitive whether names that differ only in letter case name different fields; otherwise a path finds a field
 *     in any spelling, and no two fields of a struct may come to differ only in it
 */
public record SchemaChanges(List<SchemaChange> changes, boolean caseSensitive) {

    public SchemaChanges {
        changes = List.copyOf(changes);
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /**
     * The schema with every change in it.
     *
     * @param lastColumnId the highest field id the table ever used; new fields get the next ones
     * @throws IllegalArgumentException if a change is not allowed or the result would break a rule of {@link SchemaRules}
     *     that the schema itself does not break; names the column and says what to do
     */
    public EvolvedSchema apply(Schema base, int lastColumnId, int formatVersion) {
        var edit = new SchemaEdit(base, lastColumnId, formatVersion, caseSensitive);
        changes.forEach(edit::apply);
        Schema result = edit.schema();
        List<String> problems = SchemaRules.problems(result, formatVersion);
        // What another writer got wrong must not keep users from changing something else.
        problems.removeAll(SchemaRules.problems(base, formatVersion));
        SchemaRules.check(problems, formatVersion);
        return new EvolvedSchema(base, lastColumnId, result, edit.lastColumnId(), edit.touched());
    }
}
