package dev.calve.schema;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A schema of a table: named fields with unique ids. Immutable; look-ups by id and by name cost one map access.
 *
 * <p>Full names join the parts by a dot: {@code point.x}, {@code list.element}, {@code map.key}, {@code map.value}.
 */
public final class Schema {

    private final int id;
    private final Type.Struct struct;
    private final Set<Integer> identifierFieldIds;
    private final Map<Integer, Field> byId = new LinkedHashMap<>();
    private final Map<Integer, String> names = new HashMap<>();
    private final Map<Integer, Integer> parents = new HashMap<>();
    private final Map<String, Integer> idsByName = new HashMap<>();
    private final Map<String, Integer> idsByLowerName = new HashMap<>();
    private final Set<String> ambiguousLowerNames = new TreeSet<>();

    public Schema(int id, List<Field> fields) {
        this(id, new Type.Struct(fields), Set.of());
    }

    /**
     * @throws IllegalArgumentException if two fields share an id or a full name, or an identifier field is not in the schema
     */
    public Schema(int id, Type.Struct struct, Set<Integer> identifierFieldIds) {
        this.id = id;
        this.struct = struct;
        this.identifierFieldIds = Collections.unmodifiableSet(new TreeSet<>(identifierFieldIds));
        Deque<String> path = new ArrayDeque<>();
        index(struct, path, -1);
        for (int identifier : identifierFieldIds) {
            if (!byId.containsKey(identifier)) {
                throw new IllegalArgumentException(
                        "Identifier field " + identifier + " must be a field of the schema: " + struct);
            }
        }
    }

    private void index(Type.Nested type, Deque<String> path, int parent) {
        for (Field field : type.fields()) {
            path.addLast(field.name());
            String name = String.join(".", path);
            if (byId.put(field.id(), field) != null) {
                throw new IllegalArgumentException(
                        "Field ids must be unique, but id " + field.id() + " is used twice in " + struct);
            }
            names.put(field.id(), name);
            if (parent >= 0) {
                parents.put(field.id(), parent);
            }
            if (idsByName.put(name, field.id()) != null) {
                throw new IllegalArgumentException(
                        "Field names must be unique, but '" + name + "' is used twice in " + struct);
            }
            String lower = name.toLowerCase(Locale.ROOT);
            if (idsByLowerName.put(lower, field.id()) != null) {
                ambiguousLowerNames.add(lower);
            }
            if (field.type() instanceof Type.Nested nested) {
                index(nested, path, field.id());
            }
            path.removeLast();
        }
    }

    public int id() {
        return id;
    }

    public Type.Struct struct() {
        return struct;
    }

    /** The top-level fields in order. */
    public List<Field> fields() {
        return struct.fields();
    }

    /** Ids of the fields that together identify a row, ascending. */
    public Set<Integer> identifierFieldIds() {
        return identifierFieldIds;
    }

    /** All fields at any depth, parents before their parts, in schema order. */
    public Iterable<Field> allFields() {
        return Collections.unmodifiableCollection(byId.values());
    }

    public Optional<Field> field(int fieldId) {
        return Optional.ofNullable(byId.get(fieldId));
    }

    /** The field with this full name, letter case counting. */
    public Optional<Field> field(String fullName) {
        return Optional.ofNullable(idsByName.get(fullName)).map(byId::get);
    }

    /**
     * The field with this full name.
     *
     * @throws IllegalArgumentException if letter case does not count and several fields answer to the name
     */
    public Optional<Field> field(String fullName, boolean caseSensitive) {
        if (caseSensitive) {
            return field(fullName);
        }
        String lower = fullName.toLowerCase(Locale.ROOT);
        if (ambiguousLowerNames.contains(lower)) {
            throw new IllegalArgumentException("Field name '" + fullName
                    + "' must name one field, but several differ only in letter case: " + struct);
        }
        return Optional.ofNullable(idsByLowerName.get(lower)).map(byId::get);
    }

    /** Full name of a field of this schema. */
    public Optional<String> name(int fieldId) {
        return Optional.ofNullable(names.get(fieldId));
    }

    /** The field that a nested field is part of; empty for top-level fields. */
    public Optional<Field> parent(int fieldId) {
        return Optional.ofNullable(parents.get(fieldId)).map(byId::get);
    }

    /** Whether the field or one of its ancestors is part of a list or map, so that one row can hold several values. */
    public boolean isRepeated(int fieldId) {
        for (Optional<Field> at = parent(fieldId);
                at.isPresent();
                at = parent(at.get().id())) {
            Type type = at.get().type();
            if (type instanceof Type.ListOf || type instanceof Type.MapOf) {
                return true;
            }
        }
        return false;
    }

    /** The highest field id in use, 0 for an empty schema. */
    public int highestFieldId() {
        return byId.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    public Schema withId(int newId) {
        return new Schema(newId, struct, identifierFieldIds);
    }

    /** Whether fields and identifier fields are equal, the schema's own id not counting. */
    public boolean sameFields(Schema other) {
        return struct.equals(other.struct) && identifierFieldIds.equals(other.identifierFieldIds);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Schema schema && id == schema.id && sameFields(schema);
    }

    @Override
    public int hashCode() {
        return 31 * id + struct.hashCode();
    }

    @Override
    public String toString() {
        return "schema " + id + ": " + struct;
    }
}
