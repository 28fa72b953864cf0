package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.Decoder;
import org.jspecify.annotations.Nullable;

/**
 * What to do with each field of a written record, in the order of the file: read it into a draft, or skip it. Fields are
 * found by id; what has no id or one nobody asked for is skipped.
 */
final class RecordPlan<D> {

    /** Reads one written field into the draft. */
    @FunctionalInterface
    interface Step<D> {
        void read(D draft, Decoder in) throws IOException;
    }

    private final List<Step<D>> steps;

    private RecordPlan(List<Step<D>> steps) {
        this.steps = steps;
    }

    /** @param step makes the step of a written field from its id and schema; null to skip it */
    static <D> RecordPlan<D> of(Schema record, Function<Schema.Field, @Nullable Step<D>> step) {
        if (record.getType() != Schema.Type.RECORD) {
            throw new InvalidTableException("An Avro record is expected, not " + record + ".");
        }
        var steps = new ArrayList<Step<D>>();
        for (Schema.Field field : record.getFields()) {
            Step<D> made = step.apply(field);
            steps.add(made != null ? made : skip(field.schema()));
        }
        return new RecordPlan<>(List.copyOf(steps));
    }

    void read(D draft, Decoder in) throws IOException {
        for (Step<D> step : steps) {
            step.read(draft, in);
        }
    }

    static <D> Step<D> skip(Schema written) {
        return (draft, in) -> GenericDatumReader.skip(written, in);
    }

    /** Skips the field for drafts that do not want it. */
    static <D> Step<D> unless(Predicate<D> unwanted, Schema written, Step<D> step) {
        return (draft, in) -> {
            if (unwanted.test(draft)) {
                GenericDatumReader.skip(written, in);
            } else {
                step.read(draft, in);
            }
        };
    }

    /** The id of a field, -1 if it has none. */
    static int fieldId(Schema.Field field) {
        return field.getObjectProp("field-id") instanceof Number id ? id.intValue() : -1;
    }

    /** Fails unless the record has all the fields: a reader would take a missing one for null. */
    static void require(Schema record, int... ids) {
        for (int id : ids) {
            if (record.getFields().stream().noneMatch(field -> fieldId(field) == id)) {
                throw new InvalidTableException("Avro record '" + record.getName() + "' must have a field of id " + id
                        + ", but has " + record.getFields() + ".");
            }
        }
    }

    /** The branch of a union that is not null, or the schema itself. */
    static Schema notNull(Schema schema) {
        if (schema.getType() != Schema.Type.UNION) {
            return schema;
        }
        return schema.getTypes().stream()
                .filter(branch -> branch.getType() != Schema.Type.NULL)
                .findFirst()
                .orElseThrow(() ->
                        new InvalidTableException("An Avro union must have a branch that is not null: " + schema));
    }

    /** Reads an array as an immutable list of values that are not null. */
    static AvroValues.Reader list(Schema written, Function<Schema, AvroValues.Reader> element) {
        return AvroValues.throughUnion(written, array -> {
            if (array.getType() != Schema.Type.ARRAY) {
                throw new InvalidTableException("An Avro array is expected, not " + array + ".");
            }
            AvroValues.Reader reader = element.apply(array.getElementType());
            return in -> {
                var values = new ArrayList<Object>();
                for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
                    for (long i = 0; i < count; i++) {
                        Object value = reader.read(in);
                        if (value == null) {
                            throw new InvalidTableException("Elements of an Avro array must not be null: " + array);
                        }
                        values.add(value);
                    }
                }
                return values;
            };
        });
    }

    /**
     * Reads a map with int keys, stored as an array of pairs, as an immutable map without the keys that are not wanted.
     *
     * @param value makes the reader of values that are not null
     */
    static AvroValues.Reader map(
            Schema written, IntFunction<Boolean> wanted, Function<Schema, AvroValues.Reader> value) {
        return AvroValues.throughUnion(written, array -> {
            if (array.getType() != Schema.Type.ARRAY || array.getElementType().getType() != Schema.Type.RECORD) {
                throw new InvalidTableException("An Avro array of key and value pairs is expected, not " + array + ".");
            }
            List<Schema.Field> pair = array.getElementType().getFields();
            if (pair.size() != 2 || !pair.get(0).name().equals("key")) {
                throw new InvalidTableException("A pair must be a key and a value, in this order, not " + pair + ".");
            }
            AvroValues.Reader key = AvroValues.reader(pair.get(0).schema(), dev.calve.schema.Type.Simple.INT);
            Schema valueSchema = pair.get(1).schema();
            AvroValues.Reader reader = value.apply(valueSchema);
            return in -> readMap(in, wanted, key, reader, valueSchema);
        });
    }

    private static Map<Integer, Object> readMap(
            Decoder in,
            IntFunction<Boolean> wanted,
            AvroValues.Reader keys,
            AvroValues.Reader values,
            Schema valueSchema)
            throws IOException {
        var entries = new ArrayList<Map.Entry<Integer, Object>>();
        for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
            for (long i = 0; i < count; i++) {
                Object key = keys.read(in);
                if (!(key instanceof Integer id)) {
                    throw new InvalidTableException("Keys of a map of statistics must not be null.");
                }
                if (!wanted.apply(id)) {
                    GenericDatumReader.skip(valueSchema, in);
                    continue;
                }
                Object value = values.read(in);
                if (value != null) {
                    entries.add(Map.entry(id, value));
                }
            }
        }
        @SuppressWarnings({"unchecked", "rawtypes"})
        Map.Entry<Integer, Object>[] array = entries.toArray(new Map.Entry[0]);
        return Map.ofEntries(array);
    }
}
