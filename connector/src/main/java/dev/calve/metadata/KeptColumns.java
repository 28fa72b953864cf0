package dev.calve.metadata;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which columns of a schema are those of an earlier one, by their full names.
 *
 * <p>Only a column whose old values could be read as the new one goes on under its id: snapshots, branches and partition
 * specs from before still speak of the id, and would otherwise type their values as something they are not.
 */
final class KeptColumns {

    private final Schema before;
    private final Schema after;
    private final Map<Integer, Integer> kept = new LinkedHashMap<>();

    private KeptColumns(Schema before, Schema after) {
        this.before = before;
        this.after = after;
    }

    /** From ids of {@code after} to ids of {@code before}. */
    static Map<Integer, Integer> of(Schema before, Schema after) {
        var columns = new KeptColumns(before, after);
        // Parents come before their parts.
        after.allFields().forEach(columns::keep);
        return columns.kept;
    }

    private void keep(Field field) {
        Optional<Field> parent = after.parent(field.id());
        if (parent.isPresent() && !kept.containsKey(parent.get().id())) {
            return;
        }
        after.name(field.id())
                .flatMap(before::field)
                .filter(old -> goesOnAs(old, field))
                .ifPresent(old -> kept.put(field.id(), old.id()));
    }

    private static boolean goesOnAs(Field old, Field now) {
        return (old.required() || now.isOptional())
                && old.initialDefault().equals(now.initialDefault())
                && goesOnAs(old.type(), now.type());
    }

    private static boolean goesOnAs(Type old, Type now) {
        if (old instanceof Type.MapOf oldMap && now instanceof Type.MapOf nowMap) {
            // The keys of a map cannot be changed; what a struct consists of would have to be compared at any depth.
            return oldMap.key().isPrimitive() && oldMap.key().equals(nowMap.key());
        }
        if (old instanceof Type.Nested) {
            return old.getClass() == now.getClass();
        }
        return old.equals(now) || isWidened(old, now);
    }

    private static boolean isWidened(Type old, Type now) {
        if (old instanceof Type.Decimal narrow && now instanceof Type.Decimal wide) {
            return narrow.scale() == wide.scale() && narrow.precision() < wide.precision();
        }
        return (old == Type.Simple.INT && now == Type.Simple.LONG)
                || (old == Type.Simple.FLOAT && now == Type.Simple.DOUBLE);
    }
}
