package dev.calve.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What {@link SchemaChanges} make of a schema.
 *
 * @param baseLastColumnId the highest field id in use before
 * @param lastColumnId the highest field id in use now, dropped fields counting
 * @param touched which fields the changes named, one after the other: the ids of fields there were, for new ones the negative
 *     number of fields there were new before. Equal lists mean the same changes to the same columns.
 */
public record EvolvedSchema(Schema base, int baseLastColumnId, Schema schema, int lastColumnId, List<Integer> touched) {

    public EvolvedSchema {
        touched = List.copyOf(touched);
    }

    public boolean isChanged() {
        return !schema.sameFields(base);
    }

    /** Old and new full names of fields whose full name is another now, be it for the name of a struct around them. */
    public Map<String, String> renamed() {
        var result = new LinkedHashMap<String, String>();
        for (Field field : base.allFields()) {
            String before = base.name(field.id()).orElseThrow();
            schema.name(field.id()).filter(now -> !now.equals(before)).ifPresent(now -> result.put(before, now));
        }
        return result;
    }

    /** Full names, before, of fields that are gone. */
    public Set<String> dropped() {
        var result = new LinkedHashSet<String>();
        for (Field field : base.allFields()) {
            if (schema.field(field.id()).isEmpty()) {
                result.add(base.name(field.id()).orElseThrow());
            }
        }
        return result;
    }

    /**
     * The name mapping for files without ids, brought up to date: a renamed field keeps its old names, because old files have
     * them; a new one is added under its name, which is taken from the field that had it. Dropped fields keep theirs.
     */
    public NameMapping mapping(NameMapping old) {
        var names = new HashMap<Integer, String>();
        for (Field field : base.allFields()) {
            schema.field(field.id())
                    .filter(now -> !now.name().equals(field.name()))
                    .ifPresent(now -> names.put(now.id(), now.name()));
        }
        return old.evolved(names, addedByParent());
    }

    /** In the order of their ids; what was added as part of another new field is left out. */
    private Map<Integer, List<Field>> addedByParent() {
        var result = new HashMap<Integer, List<Field>>();
        for (int id = baseLastColumnId + 1; id <= lastColumnId; id++) {
            int parent = schema.parent(id).map(Field::id).orElse(NameMapping.TOP);
            if (parent <= baseLastColumnId) {
                schema.field(id)
                        .ifPresent(field -> result.computeIfAbsent(parent, key -> new ArrayList<>())
                                .add(field));
            }
        }
        return result;
    }
}
