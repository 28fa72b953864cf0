package dev.calve.partition;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the partition spec of a new table, with the names and ids peers give its fields: ids from 1000 in order, names
 * {@code col}, {@code col_bucket}, {@code col_trunc}, {@code col_year}, …
 *
 * <p>Every {@code add} throws {@link IllegalArgumentException} for a field the table could not have.
 */
public final class SpecBuilder {

    private final Schema schema;
    private final List<PartitionField> fields = new ArrayList<>();

    public SpecBuilder(Schema schema) {
        this.schema = schema;
    }

    /** Adds a field under its default name. The source is named by its full name, letter case counting. */
    public SpecBuilder add(String sourceName, Transform transform) {
        return add(sourceName, transform, defaultName(sourceName, transform));
    }

    public SpecBuilder add(String sourceName, Transform transform, String name) {
        Field source = schema.field(sourceName)
                .orElseThrow(() -> new IllegalArgumentException("Cannot partition by " + transform + " of '"
                        + sourceName + "': the table has no such column, but " + schema.struct() + "."));
        checkSource(source, sourceName, transform);
        checkName(name, source, sourceName, transform);
        checkRedundancy(source, sourceName, transform);
        fields.add(PartitionField.of(source.id(), PartitionSpec.FIRST_FIELD_ID + fields.size(), name, transform));
        return this;
    }

    public PartitionSpec build(int specId) {
        return new PartitionSpec(specId, fields);
    }

    /** The name a field gets at CREATE when none is given. */
    public static String defaultName(String sourceName, Transform transform) {
        return sourceName + suffix(transform);
    }

    private static String suffix(Transform transform) {
        if (transform instanceof Transform.Identity) {
            return "";
        }
        if (transform instanceof Transform.Bucket) {
            return "_bucket";
        }
        if (transform instanceof Transform.Truncate) {
            return "_trunc";
        }
        return transform instanceof Transform.Void ? "_null" : "_" + transform;
    }

    private void checkSource(Field source, String sourceName, Transform transform) {
        if (transform instanceof Transform.Unknown) {
            throw new IllegalArgumentException(
                    "Cannot partition by transform '" + transform + "' of '" + sourceName + "': it is not known.");
        }
        if (!source.type().isPrimitive() || !Transforms.canApply(transform, source.type())) {
            throw new IllegalArgumentException("Cannot partition by " + transform + " of '" + sourceName
                    + "': the transform is not defined for type " + source.type() + ".");
        }
        if (schema.isRepeated(source.id())) {
            throw new IllegalArgumentException("Cannot partition by '" + sourceName
                    + "': a row has one partition, but a field in a list or map has many values.");
        }
    }

    /** A partition field may share a column's name only where both always hold the same value. */
    private void checkName(String name, Field source, String sourceName, Transform transform) {
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
        for (PartitionField other : fields) {
            if (other.name().equals(name)) {
                throw new IllegalArgumentException(
                        "Partition field names must be unique, but '" + name + "' is used twice. Give another name.");
            }
        }
    }

    private void checkRedundancy(Field source, String sourceName, Transform transform) {
        for (PartitionField other : fields) {
            boolean same = other.transform().equals(transform)
                    || (other.transform() instanceof Transform.Time && transform instanceof Transform.Time);
            if (other.sourceId() == source.id() && same) {
                throw new IllegalArgumentException("Cannot partition by " + transform + " of '" + sourceName
                        + "': field '" + other.name() + "' already partitions by " + other.transform() + " of it.");
            }
        }
    }
}
