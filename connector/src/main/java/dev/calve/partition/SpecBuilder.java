package dev.calve.partition;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.List;

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
        FieldRules.checkSource(schema, source, transform);
        FieldRules.checkName(schema, source, transform, name);
        checkUnique(name);
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

    private void checkUnique(String name) {
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
