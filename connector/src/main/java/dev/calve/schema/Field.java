package dev.calve.schema;

import java.util.Objects;
import java.util.Optional;

/**
 * A field of a struct, or the element, key or value of a list or map.
 *
 * @param id unique in the table, never reused; ids above {@link MetadataFields#FIRST_RESERVED_ID} are the format's own
 * @param initialDefault value, as the package names it, for rows written before the field existed (v3)
 * @param writeDefault value for rows whose writer does not give one (v3)
 */
public record Field(
        int id,
        String name,
        boolean required,
        Type type,
        Optional<String> doc,
        Optional<Object> initialDefault,
        Optional<Object> writeDefault) {

    public Field {
        Objects.requireNonNull(name);
        Objects.requireNonNull(type);
        Objects.requireNonNull(doc);
        Objects.requireNonNull(initialDefault);
        Objects.requireNonNull(writeDefault);
    }

    public static Field of(int id, String name, boolean required, Type type) {
        return new Field(id, name, required, type, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public static Field required(int id, String name, Type type) {
        return of(id, name, true, type);
    }

    public static Field optional(int id, String name, Type type) {
        return of(id, name, false, type);
    }

    public boolean isOptional() {
        return !required;
    }

    public Field withType(Type newType) {
        return new Field(id, name, required, newType, doc, initialDefault, writeDefault);
    }

    public Field withId(int newId) {
        return new Field(newId, name, required, type, doc, initialDefault, writeDefault);
    }

    public Field withName(String newName) {
        return new Field(id, newName, required, type, doc, initialDefault, writeDefault);
    }

    public Field withRequired(boolean newRequired) {
        return new Field(id, name, newRequired, type, doc, initialDefault, writeDefault);
    }

    public Field withDoc(String newDoc) {
        return withDoc(Optional.of(newDoc));
    }

    public Field withDoc(Optional<String> newDoc) {
        return new Field(id, name, required, type, newDoc, initialDefault, writeDefault);
    }

    public Field withWriteDefault(Optional<Object> newDefault) {
        return new Field(id, name, required, type, doc, initialDefault, newDefault);
    }

    @Override
    public String toString() {
        return id + ": " + name + ": " + (required ? "required " : "optional ") + type;
    }
}
