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
 * New field ids for a whole schema, from 1: all fields of a struct first, then their parts; an element before what is
 * inside it; a key and its value before what is inside them.
 */
final class FreshIds {

    private final Map<Integer, Integer> newIds = new HashMap<>();
    private final Schema schema;

    private FreshIds(Schema old) {
        var struct = struct(old.struct());
        Set<Integer> identifiers =
                old.identifierFieldIds().stream().map(this::of).collect(Collectors.toSet());
        schema = new Schema(0, struct, identifiers);
    }

    static FreshIds of(Schema old) {
        return new FreshIds(old);
    }

    /** The schema with the new ids and id 0. */
    Schema schema() {
        return schema;
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
        int newId = newIds.size() + 1;
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
