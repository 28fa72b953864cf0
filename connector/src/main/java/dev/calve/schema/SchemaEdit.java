package dev.calve.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A schema while changes are applied to it, one after the other. Used by one thread, once. */
final class SchemaEdit {

    private final Set<Integer> identifiers;
    private final int schemaId;
    private final int firstNewId;
    private final int formatVersion;
    private final boolean caseSensitive;
    private final List<Integer> touched = new ArrayList<>();
    private Schema schema;
    private int lastColumnId;

    SchemaEdit(Schema base, int lastColumnId, int formatVersion, boolean caseSensitive) {
        this.schema = base;
        this.schemaId = base.id();
        this.identifiers = base.identifierFieldIds();
        this.lastColumnId = Math.max(lastColumnId, base.highestFieldId());
        this.firstNewId = this.lastColumnId + 1;
        this.formatVersion = formatVersion;
        this.caseSensitive = caseSensitive;
    }

    Schema schema() {
        return schema;
    }

    int lastColumnId() {
        return lastColumnId;
    }

    /** As {@link EvolvedSchema} describes it. */
    List<Integer> touched() {
        return touched;
    }

    void apply(SchemaChange change) {
        if (change instanceof SchemaChange.Add add) {
            add(add);
        } else if (change instanceof SchemaChange.Drop drop) {
            drop(drop);
        } else if (change instanceof SchemaChange.Rename rename) {
            rename(rename);
        } else if (change instanceof SchemaChange.Retype retype) {
            retype(retype);
        } else if (change instanceof SchemaChange.SetRequired required) {
            setRequired(required);
        } else if (change instanceof SchemaChange.SetDoc doc) {
            setDoc(doc);
        } else if (change instanceof SchemaChange.SetWriteDefault value) {
            setWriteDefault(value);
        } else {
            move((SchemaChange.Move) change);
        }
    }

    private void add(SchemaChange.Add add) {
        String what = "add column " + quoted(with(add.parent(), add.name()));
        Optional<Field> parent = add.parent().isEmpty() ? Optional.empty() : Optional.of(existing(what, add.parent()));
        List<Field> siblings = parent.map(field -> structFields(what, field)).orElse(schema.fields());
        requireFree(what, add.name(), siblings, field -> true);
        if (add.required() && add.defaultValue().isEmpty()) {
            throw refused(what, "existing rows have no value for a NOT NULL column. Give it a default, or allow nulls");
        }
        // The field's own id comes before those of its parts, as everywhere.
        int id = nextId();
        var field = new Field(
                id,
                add.name(),
                add.required(),
                FreshIds.assign(add.type(), this::nextId),
                add.doc(),
                add.defaultValue(),
                add.defaultValue());
        List<Field> fields = new ArrayList<>(siblings);
        fields.add(field);
        replaceFields(what, parent, fields);
        add.position().ifPresent(position -> place(what, field, position));
    }

    private int nextId() {
        lastColumnId = Math.incrementExact(lastColumnId);
        if (lastColumnId >= MetadataFields.FIRST_RESERVED_ID) {
            throw new IllegalArgumentException("Cannot add a column: all field ids below "
                    + MetadataFields.FIRST_RESERVED_ID + " were used. Create a new table.");
        }
        return lastColumnId;
    }

    private void drop(SchemaChange.Drop drop) {
        String what = "drop column " + quoted(drop.path());
        if (drop.ifExists() && find(drop.path()).isEmpty()) {
            return;
        }
        Field field = existing(what, drop.path());
        requireNoKey(what, field);
        requireNamed(what, field);
        for (int identifier : identifiers) {
            if (identifier == field.id() || isInside(identifier, field)) {
                throw refused(
                        what,
                        "identifier field '" + schema.name(identifier).orElseThrow()
                                + "' would go. Set other identifier fields first");
            }
        }
        Optional<Field> parent = schema.parent(field.id());
        List<Field> fields = parent.map(struct -> structFields(what, struct)).orElse(schema.fields()).stream()
                .filter(other -> other.id() != field.id())
                .toList();
        if (fields.isEmpty() && parent.isPresent()) {
            throw refused(what, "it is the only field of its struct. Drop the struct");
        }
        replaceFields(what, parent, fields);
    }

    private boolean isInside(int id, Field ancestor) {
        Optional<Field> at = schema.parent(id);
        while (at.isPresent()) {
            if (at.get().id() == ancestor.id()) {
                return true;
            }
            at = schema.parent(at.get().id());
        }
        return false;
    }

    private void rename(SchemaChange.Rename rename) {
        String what = "rename column " + quoted(rename.path()) + " to '" + rename.newName() + "'";
        Field field = existing(what, rename.path());
        requireNamed(what, field);
        requireFree(what, rename.newName(), siblings(field), other -> other.id() != field.id());
        replace(what, field, old -> old.withName(rename.newName()));
    }

    private void retype(SchemaChange.Retype retype) {
        String what = "change the type of column " + quoted(retype.path()) + " to " + retype.newType();
        Field field = existing(what, retype.path());
        if (field.type().equals(retype.newType())) {
            return;
        }
        if (!TypePromotion.isAllowed(field.type(), retype.newType(), formatVersion)) {
            throw refused(what, "it is " + field.type() + ". " + TypePromotion.ALLOWED);
        }
        replace(what, field, old -> TypePromotion.promote(old, retype.newType()));
    }

    private void setRequired(SchemaChange.SetRequired change) {
        String what = (change.required() ? "set" : "drop") + " NOT NULL of column " + quoted(change.path());
        Field field = existing(what, change.path());
        if (field.required() == change.required()) {
            return;
        }
        if (change.required()) {
            throw refused(what, "rows written so far may have nulls in it. Add a new column with a default instead");
        }
        for (int identifier : identifiers) {
            if (identifier == field.id() || isInside(identifier, field)) {
                throw refused(
                        what,
                        "identifier field '" + schema.name(identifier).orElseThrow()
                                + "' must not be null. Set other identifier fields first");
            }
        }
        replace(what, field, old -> old.withRequired(false));
    }

    private void setDoc(SchemaChange.SetDoc change) {
        String what = "comment on column " + quoted(change.path());
        Field field = existing(what, change.path());
        requireNamed(what, field);
        replace(what, field, old -> old.withDoc(change.doc()));
    }

    private void setWriteDefault(SchemaChange.SetWriteDefault change) {
        String what = "set the default of column " + quoted(change.path());
        Field field = existing(what, change.path());
        requireNamed(what, field);
        replace(what, field, old -> old.withWriteDefault(change.value()));
    }

    private void move(SchemaChange.Move move) {
        String what = "move column " + quoted(move.path());
        Field field = existing(what, move.path());
        requireNamed(what, field);
        place(what, field, move.position());
    }

    private void place(String what, Field field, SchemaChange.Position position) {
        Optional<Field> parent = schema.parent(field.id());
        List<Field> fields = new ArrayList<>(siblings(field));
        fields.removeIf(other -> other.id() == field.id());
        int index = 0;
        if (position instanceof SchemaChange.Position.After after) {
            Field before = named(after.name(), siblings(field))
                    .orElseThrow(
                            () -> refused(what, "there is no column '" + after.name() + "' beside it to put it after"));
            if (before.id() == field.id()) {
                throw refused(what, "it cannot come after itself");
            }
            touch(before);
            index = fields.indexOf(before) + 1;
        }
        fields.add(index, schema.field(field.id()).orElseThrow());
        replaceFields(what, parent, fields);
    }

    private List<Field> siblings(Field field) {
        return schema.parent(field.id())
                .map(parent -> ((Type.Nested) parent.type()).fields())
                .orElse(schema.fields());
    }

    private List<Field> structFields(String what, Field field) {
        if (field.type() instanceof Type.Struct struct) {
            return struct.fields();
        }
        throw refused(
                what,
                "'" + schema.name(field.id()).orElseThrow() + "' is no struct, but " + field.type()
                        + "; the parts of a list are in 'element', those of a map in 'value'");
    }

    /** Elements, keys and values of lists and maps have neither a name of their own, nor a comment, default or position. */
    private void requireNamed(String what, Field field) {
        boolean named = schema.parent(field.id())
                .map(parent -> parent.type() instanceof Type.Struct)
                .orElse(true);
        if (!named) {
            throw refused(what, "it is a part of a list or map, not a field of a struct. Change the whole column");
        }
    }

    private void requireFree(String what, String name, List<Field> siblings, Predicate<Field> counts) {
        if (name.isEmpty()) {
            throw refused(what, "a column must have a name");
        }
        for (Field other : siblings) {
            boolean same =
                    caseSensitive ? other.name().equals(name) : other.name().equalsIgnoreCase(name);
            if (same && counts.test(other)) {
                throw refused(what, "there is a column '" + other.name() + "' already. Choose another name");
            }
        }
    }

    /** The field at a path, which a change names. */
    private Field existing(String what, List<String> path) {
        Field field = find(path).orElseThrow(() -> refused(what, "there is no column " + quoted(path)));
        touch(field);
        return field;
    }

    private void requireNoKey(String what, Field field) {
        Optional<Field> at = Optional.of(field);
        while (at.isPresent()) {
            int id = at.get().id();
            at = schema.parent(id);
            if (at.isPresent() && at.get().type() instanceof Type.MapOf map && map.keyId() == id) {
                throw refused(what, "keys of maps cannot change. Add a new map column");
            }
        }
    }

    private void touch(Field field) {
        touched.add(field.id() < firstNewId ? field.id() : firstNewId - 1 - field.id());
    }

    private Optional<Field> find(List<String> path) {
        List<Field> fields = schema.fields();
        Optional<Field> found = Optional.empty();
        for (String name : path) {
            found = named(name, fields);
            if (found.isEmpty()) {
                return found;
            }
            fields = found.get().type() instanceof Type.Nested nested ? nested.fields() : List.of();
        }
        return found;
    }

    private Optional<Field> named(String name, List<Field> fields) {
        Optional<Field> exact =
                fields.stream().filter(field -> field.name().equals(name)).findFirst();
        if (exact.isPresent() || caseSensitive) {
            return exact;
        }
        List<Field> alike = fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .toList();
        if (alike.size() > 1) {
            throw new IllegalArgumentException(
                    "Column '" + name + "' must name one column, but several differ only in letter case: " + alike);
        }
        return alike.stream().findFirst();
    }

    /** A change that changes nothing is allowed everywhere. */
    private void replace(String what, Field field, UnaryOperator<Field> edit) {
        if (!edit.apply(field).equals(field)) {
            requireNoKey(what, field);
            change((Type.Struct) replaced(schema.struct(), field.id(), edit));
        }
    }

    /** @param struct the field whose fields they become; empty for the columns of the table */
    private void replaceFields(String what, Optional<Field> struct, List<Field> fields) {
        if (struct.isEmpty()) {
            change(new Type.Struct(fields));
        } else {
            replace(what, struct.get(), old -> old.withType(new Type.Struct(fields)));
        }
    }

    /** @throws IllegalArgumentException if two full names would be the same, which a name with dots can bring about */
    private void change(Type.Struct struct) {
        schema = new Schema(schemaId, struct, identifiers);
    }

    private static Type replaced(Type type, int id, UnaryOperator<Field> edit) {
        if (!(type instanceof Type.Nested nested)) {
            return type;
        }
        List<Field> fields = nested.fields().stream()
                .map(field -> field.id() == id ? edit.apply(field) : field.withType(replaced(field.type(), id, edit)))
                .toList();
        return nested.withFields(fields);
    }

    private static List<String> with(List<String> parent, String name) {
        var path = new ArrayList<>(parent);
        path.add(name);
        return path;
    }

    private static String quoted(List<String> path) {
        return "'" + String.join(".", path) + "'";
    }

    private static IllegalArgumentException refused(String what, String why) {
        return new IllegalArgumentException("Cannot " + what + ": " + why + ".");
    }
}
