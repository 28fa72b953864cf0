package dev.calve.schema;

import dev.calve.io.InvalidTableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a schema must fulfil in a table of some format version, beyond what {@link Schema} itself checks. For schemas that
 * are about to be written: tables of others are read as they are.
 */
public final class SchemaRules {

    private SchemaRules() {}

    /**
     * Checks every rule.
     *
     * @throws IllegalArgumentException naming all the fields that break one
     */
    public static void check(Schema schema, int formatVersion) {
        check(problems(schema, formatVersion), formatVersion);
    }

    static void check(List<String> problems, int formatVersion) {
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("Schema is not valid in a table of format version " + formatVersion
                    + ": " + String.join("; ", problems) + ".");
        }
    }

    /** One sentence for each rule that a field breaks, in schema order; empty if the schema may be written. */
    public static List<String> problems(Schema schema, int formatVersion) {
        var problems = new ArrayList<String>();
        for (Field field : schema.allFields()) {
            String name = "field '" + schema.name(field.id()).orElse(field.name()) + "' ";
            checkId(field, name, problems);
            checkType(field, name, formatVersion, problems);
            checkDefaults(field, name, formatVersion, problems);
        }
        problems.addAll(identifierProblems(schema));
        return problems;
    }

    /** One sentence for each identifier field that cannot be one; empty if all can. */
    public static List<String> identifierProblems(Schema schema) {
        var problems = new ArrayList<String>();
        for (int identifier : schema.identifierFieldIds()) {
            checkIdentifier(schema, identifier, problems);
        }
        return problems;
    }

    private static void checkId(Field field, String name, List<String> problems) {
        if (field.id() < 0 || field.id() >= MetadataFields.FIRST_RESERVED_ID) {
            problems.add(name + "must have an id from 0 to " + (MetadataFields.FIRST_RESERVED_ID - 1) + ", not "
                    + field.id());
        }
    }

    private static void checkType(Field field, String name, int formatVersion, List<String> problems) {
        int needed = field.type().minFormatVersion();
        if (formatVersion < needed) {
            problems.add(name + "of type " + field.type() + " needs format version " + needed);
        }
        if (field.type() == Type.Simple.UNKNOWN && field.required()) {
            problems.add(name + "of type unknown must be optional");
        }
    }

    private static void checkDefaults(Field field, String name, int formatVersion, List<String> problems) {
        if (field.initialDefault().isEmpty() && field.writeDefault().isEmpty()) {
            return;
        }
        if (formatVersion < 3) {
            problems.add(
                    name
                            + "with a default value needs format version 3, to which the property format-version upgrades a table");
        }
        if (field.type() == Type.Simple.UNKNOWN
                || field.type() == Type.Simple.VARIANT
                || field.type() instanceof Type.Geometry
                || field.type() instanceof Type.Geography) {
            problems.add(name + "of type " + field.type() + " must have no default value");
            return;
        }
        field.initialDefault().ifPresent(value -> checkDefault(field, value, name, problems));
        field.writeDefault()
                .filter(value -> !field.initialDefault().equals(Optional.of(value)))
                .ifPresent(value -> checkDefault(field, value, name, problems));
    }

    /** Spec: Default values. Lists, maps and structs are allowed defaults that peers do not read. */
    private static void checkDefault(Field field, Object value, String name, List<String> problems) {
        if (!field.type().isPrimitive()) {
            problems.add(name + "of type " + field.type() + " must have no default value, only its parts may");
            return;
        }
        try {
            Object stored = ValueJson.fromJson(field.type(), ValueJson.toJson(field.type(), value));
            if (!stored.equals(value)) {
                problems.add(name + "must have a default value of type " + field.type() + ", not " + value);
            }
        } catch (IllegalArgumentException | InvalidTableException e) {
            problems.add(name + "must have a default value that can be stored, not " + value + ": " + e.getMessage());
        }
    }

    /** Spec: Identifier Field IDs. */
    private static void checkIdentifier(Schema schema, int id, List<String> problems) {
        Field field = schema.field(id).orElseThrow();
        String name = "identifier field '" + schema.name(id).orElse(field.name()) + "' ";
        if (!field.type().isPrimitive() || field.type().isFloating() || field.type() == Type.Simple.VARIANT) {
            problems.add(
                    name + "must be of a primitive type other than float, double and variant, not " + field.type());
        }
        if (field.isOptional()) {
            problems.add(name + "must be required");
        }
        for (Optional<Field> at = schema.parent(id);
                at.isPresent();
                at = schema.parent(at.get().id())) {
            Field parent = at.get();
            if (!(parent.type() instanceof Type.Struct)) {
                problems.add(name + "must not be in a list or map");
                return;
            }
            if (parent.isOptional()) {
                problems.add(name + "must not be in an optional struct, but '" + parent.name() + "' is optional");
            }
        }
    }
}
