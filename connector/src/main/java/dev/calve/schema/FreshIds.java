package dev.calve.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Gives the fields of new types ids, in the order peers use, so that a table created by either has the same ids: a struct
 * numbers all of its own fields before it descends into the first, a list its element, a map its key and then its value.
 */
public final class FreshIds {

    private FreshIds() {}

    /** The struct with every id replaced; the first new one is {@code lastId + 1}, and none is left out. */
    public static Type.Struct assign(Type.Struct struct, int lastId) {
        var counter = new IntSupplier() {
            private int last = lastId;

            @Override
            public int getAsInt() {
                last = Math.incrementExact(last);
                return last;
            }
        };
        return assignStruct(struct, counter);
    }

    /** The type with the ids of all its parts replaced by the next ones. */
    public static Type assign(Type type, IntSupplier nextId) {
        if (type instanceof Type.Struct struct) {
            return assignStruct(struct, nextId);
        }
        if (type instanceof Type.ListOf list) {
            int elementId = nextId.getAsInt();
            return new Type.ListOf(elementId, list.elementRequired(), assign(list.element(), nextId));
        }
        if (type instanceof Type.MapOf map) {
            int keyId = nextId.getAsInt();
            int valueId = nextId.getAsInt();
            Type key = assign(map.key(), nextId);
            return new Type.MapOf(keyId, key, valueId, map.valueRequired(), assign(map.value(), nextId));
        }
        return type;
    }

    private static Type.Struct assignStruct(Type.Struct struct, IntSupplier nextId) {
        List<Field> numbered = new ArrayList<>();
        for (Field field : struct.fields()) {
            numbered.add(field.withId(nextId.getAsInt()));
        }
        numbered.replaceAll(field -> field.withType(assign(field.type(), nextId)));
        return new Type.Struct(numbered);
    }
}
