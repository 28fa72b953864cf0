package dev.calve.schema;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One change of a schema. Spec: Schema Evolution. {@link SchemaChanges} applies a list of them.
 *
 * <p>A path holds the names from the top of the schema down to the field, one a part, so that names may contain dots; the
 * parts of lists and maps are called {@code element}, {@code key} and {@code value}.
 */
public sealed interface SchemaChange {

    /** Where a field comes to stand among the fields of its struct. */
    sealed interface Position {

        Position FIRST = new First();

        /** Before all others. */
        record First() implements Position {}

        /** Right behind another field of the same struct. */
        record After(String name) implements Position {}
    }

    /**
     * Adds a field. Existing rows have the default value in it, or null.
     *
     * @param parent path of the struct; empty for a column
     * @param type its parts have any ids; new ones are assigned
     * @param defaultValue initial and write default, as the package describes values
     * @param position last if empty
     */
    record Add(
            List<String> parent,
            String name,
            Type type,
            boolean required,
            Optional<String> doc,
            Optional<Object> defaultValue,
            Optional<Position> position)
            implements SchemaChange {
        public Add {
            parent = List.copyOf(parent);
            Objects.requireNonNull(name);
            Objects.requireNonNull(type);
        }
    }

    /**
     * Removes a field. What files hold of it is no longer read, even when a field of that name is added later.
     *
     * @param ifExists whether a field that is not there is no fault
     */
    record Drop(List<String> path, boolean ifExists) implements SchemaChange {
        public Drop {
            path = List.copyOf(path);
        }
    }

    record Rename(List<String> path, String newName) implements SchemaChange {
        public Rename {
            path = List.copyOf(path);
            Objects.requireNonNull(newName);
        }
    }

    /** Widens a primitive type. */
    record Retype(List<String> path, Type newType) implements SchemaChange {
        public Retype {
            path = List.copyOf(path);
            Objects.requireNonNull(newType);
        }
    }

    /** Allows nulls, or demands what already holds: that there are none. */
    record SetRequired(List<String> path, boolean required) implements SchemaChange {
        public SetRequired {
            path = List.copyOf(path);
        }
    }

    /**
     * Comments on a field.
     *
     * @param doc empty to remove the comment
     */
    record SetDoc(List<String> path, Optional<String> doc) implements SchemaChange {
        public SetDoc {
            path = List.copyOf(path);
        }
    }

    /** Says what new rows hold for which no value is given; existing rows stay. Empty removes the default. */
    record SetWriteDefault(List<String> path, Optional<Object> value) implements SchemaChange {
        public SetWriteDefault {
            path = List.copyOf(path);
        }
    }

    record Move(List<String> path, Position position) implements SchemaChange {
        public Move {
            path = List.copyOf(path);
            Objects.requireNonNull(position);
        }
    }
}
