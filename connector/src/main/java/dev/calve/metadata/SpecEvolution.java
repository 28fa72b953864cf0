package dev.calve.metadata;

import dev.calve.partition.ColumnTransform;
import dev.calve.partition.FieldRules;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.TermText;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a table's default partition spec changes by a field. Spec: Partition Evolution. Files that are there keep their spec;
 * what is written later has the new one. Nothing is changed here: each method gives the updates that do.
 *
 * <ul>
 *   <li>In v1 a field that goes stays in its place as {@code void}, because v1 tells fields by their position. Its name is
 *       free: it is called {@code name_id} once another field wants its name.
 *   <li>From v2 on a field that goes is left out, and one that comes back has its old id, and its old name if none is given,
 *       because tuples of both times are read into one column.
 *   <li>A spec with a transform that is not known cannot be changed.
 * </ul>
 *
 * <p>Every method throws {@link IllegalArgumentException} for what cannot be, and leaves nothing to do for what is so already.
 */
public final class SpecEvolution {

    private static final int LAST_ADDED = -1;

    private final TableMetadata table;
    private final Schema schema;
    private final PartitionSpec spec;
    private final boolean caseSensitive;

    /** @param caseSensitive whether letter case counts in names of columns and fields */
    public SpecEvolution(TableMetadata table, boolean caseSensitive) {
        this.table = table;
        this.schema = table.schema();
        this.spec = table.spec();
        this.caseSensitive = caseSensitive;
    }

    /** Adds a field at the end. */
    public List<MetadataUpdate> add(NewPartitionField wanted) {
        String action = "add partition field " + wanted.term();
        requireKnownTransforms(action);
        Field source = source(action, wanted.term());
        FieldRules.checkSource(schema, source, wanted.term().transform());
        find(source, wanted.term().transform()).ifPresent(same -> {
            throw alreadyThere(action, same);
        });
        return updates(plus(action, spec.fields(), source, wanted));
    }

    /**
     * Removes a field.
     *
     * @param field its name, or its transform as SQL writes it
     */
    public List<MetadataUpdate> drop(String field) {
        String action = "drop partition field '" + field + "'";
        requireKnownTransforms(action);
        PartitionField gone = field(action, field);
        if (gone.transform() instanceof Transform.Void && table.formatVersion() == 1) {
            throw cannot(action, "it was dropped before and only keeps the place of what it was");
        }
        return updates(without(gone));
    }

    /**
     * Puts another field in the place of one: at the end, as {@link #drop} and {@link #add} in one step would. If both are the
     * same but for the name, the field is renamed.
     *
     * @param field its name, or its transform as SQL writes it
     */
    public List<MetadataUpdate> replace(String field, NewPartitionField wanted) {
        String action = "replace partition field '" + field + "' with " + wanted.term();
        requireKnownTransforms(action);
        PartitionField gone = field(action, field);
        Field source = source(action, wanted.term());
        Transform transform = wanted.term().transform();
        FieldRules.checkSource(schema, source, transform);
        Optional<PartitionField> same = find(source, transform);
        if (same.isPresent() && same.get().equals(gone)) {
            return renamed(action, gone, source, wanted.name().orElse(gone.name()));
        }
        if (same.isPresent()) {
            throw alreadyThere(action, same.get());
        }
        return updates(plus(action, without(gone), source, wanted));
    }

    private void requireKnownTransforms(String action) {
        for (PartitionField field : spec.fields()) {
            if (field.transform() instanceof Transform.Unknown) {
                throw cannot(
                        action,
                        "field '" + field.name() + "' has transform '" + field.transform()
                                + "', which is not known here");
            }
        }
    }

    private Field source(String action, ColumnTransform term) {
        return schema.field(term.column(), caseSensitive)
                .orElseThrow(() -> cannot(
                        action, "there is no column '" + term.column() + "', but " + TableParts.columns(schema)));
    }

    private Optional<PartitionField> find(Field source, Transform transform) {
        return spec.fields().stream()
                .filter(field -> field.sourceIds().equals(List.of(source.id()))
                        && field.transform().equals(transform))
                .findFirst();
    }

    /** By name first, because a name may look like a transform. */
    private PartitionField field(String action, String text) {
        Optional<PartitionField> named = named(text, true);
        if (named.isEmpty() && !caseSensitive) {
            named = named(text, false);
        }
        return named.or(() -> byTransform(text))
                .orElseThrow(() -> cannot(action, "the table has no such field, but " + TableParts.fields(table)));
    }

    private Optional<PartitionField> named(String name, boolean exactly) {
        return spec.fields().stream()
                .filter(field ->
                        exactly ? field.name().equals(name) : field.name().equalsIgnoreCase(name))
                .findFirst();
    }

    private Optional<PartitionField> byTransform(String text) {
        ColumnTransform term;
        try {
            term = TermText.transform(text);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return schema.field(term.column(), caseSensitive).flatMap(source -> find(source, term.transform()));
    }

    private List<PartitionField> without(PartitionField gone) {
        if (table.formatVersion() > 1) {
            return spec.fields().stream().filter(field -> !field.equals(gone)).toList();
        }
        return spec.fields().stream()
                .map(field -> field.equals(gone) ? with(field, field.name(), Transform.VOID) : field)
                .toList();
    }

    private static PartitionField with(PartitionField field, String name, Transform transform) {
        return new PartitionField(field.sourceIds(), field.fieldId(), name, transform);
    }

    private List<PartitionField> plus(
            String action, List<PartitionField> fields, Field source, NewPartitionField wanted) {
        Transform transform = wanted.term().transform();
        PartitionField added = earlier(source, transform, wanted.name())
                .orElseGet(() -> PartitionField.of(
                        source.id(),
                        table.lastPartitionId() + 1,
                        wanted.name().orElseGet(() -> defaultName(source, transform)),
                        transform));
        FieldRules.checkName(schema, source, transform, added.name());
        var result = new ArrayList<>(nameFreed(action, fields, added.name()));
        result.add(added);
        requireSequence(action, result);
        return result;
    }

    /** The field as a spec of the past had it, the newest first; v1 has none, because its fields never go. */
    private Optional<PartitionField> earlier(Field source, Transform transform, Optional<String> name) {
        if (table.formatVersion() == 1) {
            return Optional.empty();
        }
        List<PartitionSpec> specs = table.specs();
        return Stream.iterate(specs.size() - 1, i -> i >= 0, i -> i - 1)
                .flatMap(i -> specs.get(i).fields().stream())
                .filter(field -> field.sourceIds().equals(List.of(source.id()))
                        && field.transform().equals(transform)
                        && name.map(field.name()::equals).orElse(true))
                .findFirst();
    }

    /** The name a field gets in a table that exists when none is given; at CREATE, numbers are left out. */
    private String defaultName(Field source, Transform transform) {
        String column = schema.name(source.id()).orElseThrow();
        if (transform instanceof Transform.Bucket bucket) {
            return column + "_bucket_" + bucket.count();
        }
        if (transform instanceof Transform.Truncate truncate) {
            return column + "_trunc_" + truncate.width();
        }
        return transform instanceof Transform.Identity ? column : column + "_" + transform;
    }

    /** A void field gives its name to a new one. */
    private List<PartitionField> nameFreed(String action, List<PartitionField> fields, String name) {
        var result = new ArrayList<PartitionField>();
        for (PartitionField field : fields) {
            if (!field.name().equals(name)) {
                result.add(field);
            } else if (field.transform() instanceof Transform.Void) {
                result.add(with(field, name + "_" + field.fieldId(), field.transform()));
            } else {
                throw cannot(
                        action,
                        "name '" + name + "' is that of partition field " + TableParts.field(table, field)
                                + ". Give another name");
            }
        }
        return result;
    }

    private List<MetadataUpdate> renamed(String action, PartitionField field, Field source, String name) {
        if (field.name().equals(name)) {
            return List.of();
        }
        FieldRules.checkName(schema, source, field.transform(), name);
        return updates(nameFreed(action, spec.fields(), name).stream()
                .map(other -> other.equals(field) ? with(field, name, field.transform()) : other)
                .toList());
    }

    /** Spec: v1 readers number the fields of a spec from 1000 in their order, whatever the metadata says. */
    private void requireSequence(String action, List<PartitionField> fields) {
        for (int i = 0; table.formatVersion() == 1 && i < fields.size(); i++) {
            if (fields.get(i).fieldId() != PartitionSpec.FIRST_FIELD_ID + i) {
                throw cannot(
                        action,
                        "the ids of its fields would not be in sequence, which format version 1 demands."
                                + " Upgrade the table to version 2 first");
            }
        }
    }

    private List<MetadataUpdate> updates(List<PartitionField> fields) {
        return fields.equals(spec.fields())
                ? List.of()
                : List.of(
                        new MetadataUpdate.AddSpec(new PartitionSpec(LAST_ADDED, fields)),
                        new MetadataUpdate.SetDefaultSpec(LAST_ADDED));
    }

    private IllegalArgumentException alreadyThere(String action, PartitionField same) {
        return cannot(action, "the table is partitioned by it already: " + TableParts.field(table, same));
    }

    private IllegalArgumentException cannot(String action, String why) {
        return new IllegalArgumentException("Cannot " + action + " (table at " + table.location() + "): " + why + ".");
    }
}
