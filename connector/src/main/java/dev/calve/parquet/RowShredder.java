package dev.calve.parquet;

import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.schema.MessageType;

/** Takes rows apart into columns: a tree of {@link ValueWriter}s, built once a file. */
final class RowShredder<R> {

    private final MessageType messageType;
    private final Deque<String> path = new ArrayDeque<>();
    private final Map<Integer, FloatingRange> floating = new HashMap<>();
    private final ValueWriter<R>[] columns;
    private final int[] indexes;

    RowShredder(FileLayout layout, RowReader<R> reader) {
        messageType = layout.messageType();
        List<Field> fields = layout.schema().fields();
        indexes = indexesWithValues(fields);
        columns = parts(fields, reader, indexes, 0, 0);
    }

    /** Uses the columns of a new row group from now on. */
    void bind(ColumnWriteStore store) {
        for (ValueWriter<R> column : columns) {
            column.bind(store);
        }
    }

    void write(R row) {
        for (int i = 0; i < columns.length; i++) {
            columns[i].write(row, indexes[i], 0);
        }
    }

    /** Ranges of the float and double columns so far, by field id; only meaningful for columns that do not repeat. */
    Map<Integer, FloatingRange> floating() {
        return Collections.unmodifiableMap(floating);
    }

    private static int[] indexesWithValues(List<Field> fields) {
        var indexes = new ArrayList<Integer>();
        for (int i = 0; i < fields.size(); i++) {
            // A column that is not written is looked at all the same, so that no value is lost in silence.
            if (fields.get(i).type() != Type.Simple.UNKNOWN) {
                indexes.add(i);
            }
        }
        return indexes.stream().mapToInt(Integer::intValue).toArray();
    }

    private ValueWriter<R>[] parts(
            List<Field> fields, RowReader<R> reader, int[] stored, int definition, int repetition) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        ValueWriter<R>[] parts = new ValueWriter[stored.length];
        for (int i = 0; i < stored.length; i++) {
            parts[i] = writer(fields.get(stored[i]), stored[i], reader, definition, repetition);
        }
        return parts;
    }

    /**
     * @param index of the value in its container, 0 in lists
     * @param definition level at which the container exists
     * @param repetition level of values that continue the innermost list around
     */
    private ValueWriter<R> writer(Field field, int index, RowReader<R> reader, int definition, int repetition) {
        path.addLast(field.name());
        try {
            int present = definition + (field.required() ? 0 : 1);
            if (field.type() instanceof Type.Struct struct) {
                int[] stored = indexesWithValues(struct.fields());
                var parts =
                        parts(struct.fields(), reader.child(index, RowReader.Part.STRUCT), stored, present, repetition);
                return new ValueWriter.StructWriter<>(reader, field, present, parts, stored);
            }
            if (field.type() instanceof Type.ListOf list) {
                path.addLast("list");
                var element = writer(
                        list.fields().get(0),
                        0,
                        reader.child(index, RowReader.Part.LIST_ELEMENT),
                        present + 1,
                        repetition + 1);
                path.removeLast();
                return new ValueWriter.ListWriter<>(reader, field, present, element, repetition + 1);
            }
            if (field.type() instanceof Type.MapOf map) {
                path.addLast("key_value");
                var key = writer(
                        map.fields().get(0),
                        0,
                        reader.child(index, RowReader.Part.MAP_KEY),
                        present + 1,
                        repetition + 1);
                var value = writer(
                        map.fields().get(1),
                        0,
                        reader.child(index, RowReader.Part.MAP_VALUE),
                        present + 1,
                        repetition + 1);
                path.removeLast();
                return new ValueWriter.MapWriter<>(reader, field, present, key, value, repetition + 1);
            }
            if (field.type() == Type.Simple.VARIANT) {
                return new VariantWriter<>(
                        reader, field, part(ParquetTypes.VARIANT_METADATA), part(ParquetTypes.VARIANT_VALUE));
            }
            return ParquetTypes.isStored(field) ? leaf(field, reader) : new NullOnlyWriter<>(reader, field);
        } finally {
            path.removeLast();
        }
    }

    private ColumnDescriptor part(String name) {
        path.addLast(name);
        try {
            return messageType.getColumnDescription(path.toArray(String[]::new));
        } finally {
            path.removeLast();
        }
    }

    private ValueWriter<R> leaf(Field field, RowReader<R> reader) {
        ColumnDescriptor descriptor = messageType.getColumnDescription(path.toArray(String[]::new));
        if (field.type() instanceof Type.Decimal decimal) {
            if (decimal.precision() <= ParquetTypes.MAX_INT_PRECISION) {
                return new ValueWriter.IntDecimalWriter<>(reader, field, descriptor, decimal);
            }
            return decimal.precision() <= ParquetTypes.MAX_LONG_PRECISION
                    ? new ValueWriter.LongDecimalWriter<>(reader, field, descriptor, decimal)
                    : new ValueWriter.BytesDecimalWriter<>(reader, field, descriptor, decimal);
        }
        if (field.type() instanceof Type.Fixed fixed) {
            return new ValueWriter.BinaryWriter<>(reader, field, descriptor, fixed.length());
        }
        if (!(field.type() instanceof Type.Simple simple)) {
            throw neverInLayout(field);
        }
        return switch (simple) {
            case BOOLEAN -> new ValueWriter.BooleanWriter<>(reader, field, descriptor);
            case INT, DATE -> new ValueWriter.IntWriter<>(reader, field, descriptor);
            case LONG, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                new ValueWriter.LongWriter<>(reader, field, descriptor);
            case FLOAT -> new ValueWriter.FloatWriter<>(reader, field, descriptor, range(field));
            case DOUBLE -> new ValueWriter.DoubleWriter<>(reader, field, descriptor, range(field));
            case STRING -> new ValueWriter.StringWriter<>(reader, field, descriptor);
            case UUID -> new ValueWriter.UuidWriter<>(reader, field, descriptor);
            case BINARY -> new ValueWriter.BinaryWriter<>(reader, field, descriptor, -1);
            case VARIANT, UNKNOWN -> throw neverInLayout(field);
        };
    }

    private FloatingRange range(Field field) {
        var range = new FloatingRange();
        floating.put(field.id(), range);
        return range;
    }

    private static IllegalStateException neverInLayout(Field field) {
        return new IllegalStateException("Field " + field + " should have been refused with its layout.");
    }
}
