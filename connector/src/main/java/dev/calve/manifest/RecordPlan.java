package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.jspecify.annotations.Nullable;

/**
 * What to do with each field of a written record, in the order of the file: read it into a draft, or skip it. Fields are
 * found by id; what has no id or one nobody asked for is skipped.
 */
final class RecordPlan<D> {

    /** Reads one written field into the draft. */
    @FunctionalInterface
    interface Step<D> {
        void read(D draft, BlockDecoder in) throws IOException;
    }

    /** Passes over one written value. */
    @FunctionalInterface
    interface Skip {
        void skip(BlockDecoder in) throws IOException;
    }

    private final Step<D>[] steps;

    private RecordPlan(Step<D>[] steps) {
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
        @SuppressWarnings({"unchecked", "rawtypes"})
        Step<D>[] array = steps.toArray(new Step[0]);
        return new RecordPlan<>(array);
    }

    void read(D draft, BlockDecoder in) throws IOException {
        for (Step<D> step : steps) {
            step.read(draft, in);
        }
    }

    static <D> Step<D> skip(Schema written) {
        Skip skip = skipOf(written);
        return (draft, in) -> skip.skip(in);
    }

    /** Made once for a file, because Avro's own looks at the schema again for every value. */
    private static Skip skipOf(Schema written) {
        switch (written.getType()) {
            case NULL -> {
                return in -> {};
            }
            case INT, LONG -> {
                return BlockDecoder::skipLong;
            }
            case STRING, BYTES -> {
                return BlockDecoder::skipBytes;
            }
            case UNION -> {
                Skip[] branches =
                        written.getTypes().stream().map(RecordPlan::skipOf).toArray(Skip[]::new);
                return in -> branches[in.readIndex()].skip(in);
            }
            case ARRAY -> {
                return skipOfArray(written.getElementType());
            }
            default -> {
                return in -> GenericDatumReader.skip(written, in);
            }
        }
    }

    /** Records are looked into only as far as pairs of statistics need it: one that holds itself would have no end. */
    private static Skip skipOfArray(Schema element) {
        List<Schema> parts = element.getType() == Schema.Type.RECORD
                ? element.getFields().stream().map(Schema.Field::schema).toList()
                : List.of(element);
        Skip[] skips = parts.stream()
                .map(part -> isPrimitive(part) ? skipOf(part) : (Skip) in -> GenericDatumReader.skip(part, in))
                .toArray(Skip[]::new);
        return in -> {
            for (long count = in.skipArray(); count > 0; count = in.skipArray()) {
                for (long i = 0; i < count; i++) {
                    for (Skip skip : skips) {
                        skip.skip(in);
                    }
                }
            }
        };
    }

    private static boolean isPrimitive(Schema schema) {
        return switch (schema.getType()) {
            case NULL, BOOLEAN, INT, LONG, FLOAT, DOUBLE, STRING, BYTES, FIXED, ENUM -> true;
            case RECORD, ARRAY, MAP, UNION -> false;
        };
    }

    /** Skips the field for drafts that do not want it. */
    static <D> Step<D> unless(Predicate<D> unwanted, Schema written, Step<D> step) {
        Skip skip = skipOf(written);
        return (draft, in) -> {
            if (unwanted.test(draft)) {
                skip.skip(in);
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
     * Reads a map with int keys, stored as an array of pairs, as an immutable map.
     *
     * @param wanted the keys to keep; empty for all, which are then decoded when they are asked for
     * @param value makes the reader of values that are not null
     */
    static AvroValues.Reader map(
            Schema written, Optional<Set<Integer>> wanted, Function<Schema, AvroValues.Reader> value) {
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
            Skip skip = skipOf(valueSchema);
            AvroValues.Reader decoding = in -> readMap(in, wanted, key, reader, skip);
            return wanted.isPresent() ? decoding : EncodedMap.reader(array).orElse(decoding);
        });
    }

    private static Map<Integer, Object> readMap(
            BlockDecoder in, Optional<Set<Integer>> wanted, AvroValues.Reader keys, AvroValues.Reader values, Skip skip)
            throws IOException {
        var entries = new ArrayList<Map.Entry<Integer, Object>>();
        for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
            for (long i = 0; i < count; i++) {
                Object key = keys.read(in);
                if (!(key instanceof Integer id)) {
                    throw new InvalidTableException("Keys of a map of statistics must not be null.");
                }
                if (wanted.isPresent() && !wanted.get().contains(id)) {
                    skip.skip(in);
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
