package dev.calve.partition;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One struct that holds the partition tuples of all specs of a table: the type of metadata column {@code _partition}.
 *
 * <p>It has one optional field for each partition field id, in ascending order, named as in the newest spec that does not
 * leave it void. Fields that every spec leaves void are left out, unless nothing else is left.
 */
public final class UnionPartitionType {

    private final Type.Struct struct;

    /** By spec id: for each field of the struct its position in the spec's tuple, or -1. */
    private final Map<Integer, int[]> positions;

    private UnionPartitionType(Type.Struct struct, Map<Integer, int[]> positions) {
        this.struct = struct;
        this.positions = positions;
    }

    /**
     * The union over the specs.
     *
     * @param partitionType gives a spec's own partition type by the spec's id
     * @throws InvalidTableException if two specs use one field id for different things
     */
    public static UnionPartitionType of(Collection<PartitionSpec> specs, IntFunction<Type.Struct> partitionType) {
        var newestFirst = new ArrayList<>(specs);
        newestFirst.sort(Comparator.comparingInt(PartitionSpec::id).reversed());
        boolean keepVoid = specs.stream().allMatch(PartitionSpec::isUnpartitioned);

        var chosen = new TreeMap<Integer, PartitionField>();
        var types = new HashMap<Integer, Type>();
        for (PartitionSpec spec : newestFirst) {
            List<Field> typed = partitionType.apply(spec.id()).fields();
            for (int i = 0; i < typed.size(); i++) {
                PartitionField field = spec.fields().get(i);
                if (field.transform() instanceof Transform.Void && !keepVoid) {
                    continue;
                }
                PartitionField known = chosen.putIfAbsent(field.fieldId(), field);
                if (known == null) {
                    types.put(field.fieldId(), typed.get(i).type());
                } else {
                    requireSame(known, field);
                }
            }
        }
        return new UnionPartitionType(
                new Type.Struct(fields(chosen.descendingMap().values(), types)),
                positions(specs, new ArrayList<>(chosen.keySet())));
    }

    private static void requireSame(PartitionField known, PartitionField field) {
        if (!known.sourceIds().equals(field.sourceIds()) || !known.transform().equals(field.transform())) {
            throw new InvalidTableException("Partition field id " + field.fieldId()
                    + " must mean the same in all partition specs of the table, but is both " + known + " and " + field
                    + ". Column '_partition' cannot be read.");
        }
    }

    /** A name that an older field shares with a newer one gets the older field's id appended. */
    private static List<Field> fields(Collection<PartitionField> newestFirst, Map<Integer, Type> types) {
        var result = new ArrayList<Field>();
        Set<String> taken = new HashSet<>();
        for (PartitionField field : newestFirst) {
            int id = field.fieldId();
            String unique = taken.add(field.name()) ? field.name() : field.name() + "_" + id;
            taken.add(unique);
            result.add(Field.optional(id, unique, types.getOrDefault(id, Type.Simple.UNKNOWN)));
        }
        Collections.reverse(result);
        return result;
    }

    private static Map<Integer, int[]> positions(Collection<PartitionSpec> specs, List<Integer> fieldIds) {
        var result = new HashMap<Integer, int[]>();
        for (PartitionSpec spec : specs) {
            var bySpec = new int[fieldIds.size()];
            for (int i = 0; i < bySpec.length; i++) {
                bySpec[i] = position(spec, fieldIds.get(i));
            }
            result.put(spec.id(), bySpec);
        }
        return result;
    }

    private static int position(PartitionSpec spec, int fieldId) {
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField field = spec.fields().get(i);
            if (field.fieldId() == fieldId) {
                return i;
            }
        }
        return -1;
    }

    public Type.Struct struct() {
        return struct;
    }

    /**
     * The tuple of one spec as a value of {@link #struct()}; fields the spec lacks are null.
     *
     * @throws IllegalArgumentException if the spec was not part of the union
     */
    public PartitionTuple widen(int specId, PartitionTuple tuple) {
        int[] from = positions.get(specId);
        if (from == null) {
            throw new IllegalArgumentException(
                    "Partition spec " + specId + " must be one of the table's, " + positions.keySet() + ".");
        }
        var values = new ArrayList<@Nullable Object>(from.length);
        for (int position : from) {
            values.add(position < 0 ? null : tuple.values().get(position));
        }
        return PartitionTuple.copyOf(values);
    }
}
