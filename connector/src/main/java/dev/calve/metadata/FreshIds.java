package dev.calve.metadata;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * New field ids for a whole schema: all fields of a struct first, then their parts; an element before what is inside it; a
 * key and its value before what is inside them. Columns that go on as what they were in another schema keep its ids.
 */
final class FreshIds {

    private final Map<Integer, Integer> newIds = new HashMap<>();
    private final Map<Integer, Integer> kept;
    private final Schema schema;
    private int lastId;

    private FreshIds(Schema old, Map<Integer, Integer> kept, int lastId) {
        this.kept = kept;
        this.lastId = lastId;
        var struct = struct(old.struct());
        Set<Integer> identifiers =
                old.identifierFieldIds().stream().map(this::of).collect(Collectors.toSet());
        schema = new Schema(0, struct, identifiers);
    }

    /** Ids from 1. */
    static FreshIds of(Schema old) {
        return new FreshIds(old, Map.of(), 0);
    }

    /**
     * Ids for a schema that takes the place of another one.
     *
     * @param lastId the highest id the table ever gave; new ones follow
     */
    static FreshIds replacing(Schema replaced, int lastId, Schema old) {
        return new FreshIds(old, KeptColumns.of(replaced, old), lastId);
    }

    /** The schema with the new ids and id 0. */
    Schema schema() {
        return schema;
    }

    /** The highest id given so far. */
    int lastId() {
        return lastId;
    }

    List<Integer> of(List<Integer> oldIds) {
        return oldIds.stream().map(this::of).toList();
    }

    private int of(int oldId) {
        Integer newId = newIds.get(oldId);
        if (newId == null) {
            throw new IllegalArgumentException(
                    "Column id " + oldId + " must be one of the schema's: " + newIds.keySet());
        }
        return newId;
    }

    private int next(int oldId) {
        Integer keptId = kept.get(oldId);
        int newId = keptId == null ? ++lastId : keptId;
        newIds.put(oldId, newId);
        return newId;
    }

    private Type.Struct struct(Type.Struct old) {
        var ids = old.fields().stream().map(field -> next(field.id())).toList();
        var fields = new ArrayList<Field>();
        for (Field field : old.fields()) {
            fields.add(field.withId(ids.get(fields.size())).withType(type(field.type())));
        }
        return new Type.Struct(fields);
    }

    private Type type(Type old) {
        if (old instanceof Type.Struct struct) {
            return struct(struct);
        }
        if (old instanceof Type.ListOf list) {
            int elementId = next(list.elementId());
            return new Type.ListOf(elementId, list.elementRequired(), type(list.element()));
        }
        if (old instanceof Type.MapOf map) {
            int keyId = next(map.keyId());
            int valueId = next(map.valueId());
            return new Type.MapOf(keyId, type(map.key()), valueId, map.valueRequired(), type(map.value()));
        }
        return old;
    }
}
