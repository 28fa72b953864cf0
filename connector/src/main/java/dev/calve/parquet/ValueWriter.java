package dev.calve.parquet;

import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Objects;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * Writes the value at an index of a container, with its repetition and definition levels, into the columns below a
 * field. A definition level says how many optional or repeated steps of a column's path exist; a repetition level at
 * which repeated step a value continues a list, 0 for the first of a row.
 *
 * @param <R> the engine's type of rows and lists
 */
abstract class ValueWriter<R> {

    final RowReader<R> reader;
    final Field field;
    /** The definition level at which the value itself exists; for optional fields, one less means null. */
    final int definition;

    ValueWriter(RowReader<R> reader, Field field, int definition) {
        this.reader = reader;
        this.field = field;
        this.definition = definition;
    }

    /** Writes the value, or null. */
    abstract void write(R container, int index, int repetition);

    /** Writes one null into each column below, saying by the level how much of the path exists. */
    abstract void writeNulls(int repetition, int definitionLevel);

    /** Uses the columns of a new row group from now on. */
    abstract void bind(ColumnWriteStore store);

    /** Whether the value is null, which a required one must not be. */
    final boolean isNull(R container, int index) {
        if (!reader.isNull(container, index)) {
            return false;
        }
        if (field.required()) {
            throw new IllegalArgumentException(
                    "Column '" + field.name() + "' (field id " + field.id() + ") is required and must not be null.");
        }
        return true;
    }

    /** The fields of a struct that have columns, each with its index in the container. */
    static final class StructWriter<R> extends ValueWriter<R> {

        private final ValueWriter<R>[] parts;
        private final int[] indexes;

        StructWriter(RowReader<R> reader, Field field, int definition, ValueWriter<R>[] parts, int[] indexes) {
            super(reader, field, definition);
            this.parts = parts;
            this.indexes = indexes;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (isNull(container, index)) {
                writeNulls(repetition, definition - 1);
                return;
            }
            R struct = reader.getStruct(container, index);
            for (int i = 0; i < parts.length; i++) {
                parts[i].write(struct, indexes[i], repetition);
            }
        }

        @Override
        void writeNulls(int repetition, int definitionLevel) {
            for (ValueWriter<R> part : parts) {
                part.writeNulls(repetition, definitionLevel);
            }
        }

        @Override
        void bind(ColumnWriteStore store) {
            for (ValueWriter<R> part : parts) {
                part.bind(store);
            }
        }
    }

    /** A list; its definition level is that of an empty one. */
    static final class ListWriter<R> extends ValueWriter<R> {

        private final ValueWriter<R> element;
        private final int elementRepetition;

        ListWriter(RowReader<R> reader, Field field, int definition, ValueWriter<R> element, int elementRepetition) {
            super(reader, field, definition);
            this.element = element;
            this.elementRepetition = elementRepetition;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (isNull(container, index)) {
                writeNulls(repetition, definition - 1);
                return;
            }
            R list = reader.getList(container, index);
            int size = reader.size(list);
            if (size == 0) {
                writeNulls(repetition, definition);
                return;
            }
            element.write(list, 0, repetition);
            for (int i = 1; i < size; i++) {
                element.write(list, i, elementRepetition);
            }
        }

        @Override
        void writeNulls(int repetition, int definitionLevel) {
            element.writeNulls(repetition, definitionLevel);
        }

        @Override
        void bind(ColumnWriteStore store) {
            element.bind(store);
        }
    }

    /** A map; its definition level is that of an empty one. */
    static final class MapWriter<R> extends ValueWriter<R> {

        private final ValueWriter<R> key;
        private final ValueWriter<R> value;
        private final int entryRepetition;

        MapWriter(
                RowReader<R> reader,
                Field field,
                int definition,
                ValueWriter<R> key,
                ValueWriter<R> value,
                int entryRepetition) {
            super(reader, field, definition);
            this.key = key;
            this.value = value;
            this.entryRepetition = entryRepetition;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (isNull(container, index)) {
                writeNulls(repetition, definition - 1);
                return;
            }
            R keys = reader.getKeys(container, index);
            R values = reader.getValues(container, index);
            int size = reader.size(keys);
            if (size == 0) {
                writeNulls(repetition, definition);
                return;
            }
            for (int i = 0; i < size; i++) {
                int level = i == 0 ? repetition : entryRepetition;
                key.write(keys, i, level);
                value.write(values, i, level);
            }
        }

        @Override
        void writeNulls(int repetition, int definitionLevel) {
            key.writeNulls(repetition, definitionLevel);
            value.writeNulls(repetition, definitionLevel);
        }

        @Override
        void bind(ColumnWriteStore store) {
            key.bind(store);
            value.bind(store);
        }
    }

    /** A column. Each subclass hands over the values of one kind. */
    abstract static class Leaf<R> extends ValueWriter<R> {

        private final ColumnDescriptor descriptor;
        private @Nullable ColumnWriter column;

        Leaf(RowReader<R> reader, Field field, ColumnDescriptor descriptor) {
            super(reader, field, descriptor.getMaxDefinitionLevel());
            this.descriptor = descriptor;
        }

        @Override
        final void writeNulls(int repetition, int definitionLevel) {
            column().writeNull(repetition, definitionLevel);
        }

        @Override
        final void bind(ColumnWriteStore store) {
            column = store.getColumnWriter(descriptor);
        }

        /** Writes null and says so if the value is null. */
        final boolean wroteNull(R container, int index, int repetition) {
            if (!isNull(container, index)) {
                return false;
            }
            column().writeNull(repetition, definition - 1);
            return true;
        }

        final ColumnWriter column() {
            // Bound before the first row of every row group; checked so that a mistake cannot lose a value.
            return Objects.requireNonNull(column);
        }
    }

    /** Booleans. */
    static final class BooleanWriter<R> extends Leaf<R> {

        BooleanWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor) {
            super(reader, field, descriptor);
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                column().write(reader.getBoolean(container, index), repetition, definition);
            }
        }
    }

    /** Ints and dates. */
    static final class IntWriter<R> extends Leaf<R> {

        IntWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor) {
            super(reader, field, descriptor);
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                column().write(reader.getInt(container, index), repetition, definition);
            }
        }
    }

    /** Longs, times and timestamps. */
    static final class LongWriter<R> extends Leaf<R> {

        LongWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor) {
            super(reader, field, descriptor);
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                column().write(reader.getLong(container, index), repetition, definition);
            }
        }
    }

    /** Values of type float, whose range is kept. */
    static final class FloatWriter<R> extends Leaf<R> {

        private final FloatingRange range;

        FloatWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, FloatingRange range) {
            super(reader, field, descriptor);
            this.range = range;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                float value = reader.getFloat(container, index);
                range.add(value);
                column().write(value, repetition, definition);
            }
        }
    }

    /** Values of type double, whose range is kept. */
    static final class DoubleWriter<R> extends Leaf<R> {

        private final FloatingRange range;

        DoubleWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, FloatingRange range) {
            super(reader, field, descriptor);
            this.range = range;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                double value = reader.getDouble(container, index);
                range.add(value);
                column().write(value, repetition, definition);
            }
        }
    }

    /** Decimals of 4 bytes. */
    static final class IntDecimalWriter<R> extends Leaf<R> {

        private final Type.Decimal type;

        IntDecimalWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, Type.Decimal type) {
            super(reader, field, descriptor);
            this.type = type;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                long unscaled = reader.getUnscaledLong(container, index, type.precision(), type.scale());
                column().write(Math.toIntExact(unscaled), repetition, definition);
            }
        }
    }

    /** Decimals of 8 bytes. */
    static final class LongDecimalWriter<R> extends Leaf<R> {

        private final Type.Decimal type;

        LongDecimalWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, Type.Decimal type) {
            super(reader, field, descriptor);
            this.type = type;
        }

        @Override
        void write(R container, int index, int repetition) {
            if (!wroteNull(container, index, repetition)) {
                long unscaled = reader.getUnscaledLong(container, index, type.precision(), type.scale());
                column().write(unscaled, repetition, definition);
            }
        }
    }

    /** Decimals of more than 8 bytes: big-endian and of the length the precision asks for. */
    static final class BytesDecimalWriter<R> extends Leaf<R> {

        private final Type.Decimal type;
        private final byte[] buffer;
        private final Binary binary;

        BytesDecimalWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, Type.Decimal type) {
            super(reader, field, descriptor);
            this.type = type;
            this.buffer = new byte[ParquetTypes.decimalBytes(type.precision())];
            this.binary = Binary.fromReusedByteArray(buffer);
        }

        @Override
        void write(R container, int index, int repetition) {
            if (wroteNull(container, index, repetition)) {
                return;
            }
            byte[] unscaled = reader.getUnscaledBytes(container, index, type.precision(), type.scale());
            if (unscaled.length > buffer.length) {
                unscaled = new BigInteger(unscaled).toByteArray();
                if (unscaled.length > buffer.length) {
                    throw new IllegalArgumentException("Column '" + field.name() + "' must have values that fit " + type
                            + ", not the unscaled value " + new BigInteger(unscaled) + ".");
                }
            }
            int sign = buffer.length - unscaled.length;
            Arrays.fill(buffer, 0, sign, unscaled[0] < 0 ? (byte) -1 : 0);
            System.arraycopy(unscaled, 0, buffer, sign, unscaled.length);
            column().write(binary, repetition, definition);
        }
    }

    /** Strings, binary values, UUIDs and values of fixed length. */
    abstract static class BytesWriter<R> extends Leaf<R> {

        private final int fixedLength;
        private final ByteSlice slice = new ByteSlice();

        /** @param fixedLength in bytes; negative for any */
        BytesWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, int fixedLength) {
            super(reader, field, descriptor);
            this.fixedLength = fixedLength;
        }

        abstract void read(R container, int index, ByteSlice target);

        @Override
        final void write(R container, int index, int repetition) {
            if (wroteNull(container, index, repetition)) {
                return;
            }
            read(container, index, slice);
            if (fixedLength >= 0 && slice.length() != fixedLength) {
                throw new IllegalArgumentException("Column '" + field.name() + "' of type " + field.type()
                        + " must have values of " + fixedLength + " bytes, not " + slice.length() + ".");
            }
            // Reused: the engine may overwrite the row's memory; parquet-java copies what it keeps.
            var value = Binary.fromReusedByteArray(slice.array(), slice.offset(), slice.length());
            column().write(value, repetition, definition);
        }
    }

    /** Strings. */
    static final class StringWriter<R> extends BytesWriter<R> {

        StringWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor) {
            super(reader, field, descriptor, -1);
        }

        @Override
        void read(R container, int index, ByteSlice target) {
            reader.getString(container, index, target);
        }
    }

    /** Binary values, of fixed length or not. */
    static final class BinaryWriter<R> extends BytesWriter<R> {

        BinaryWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor, int fixedLength) {
            super(reader, field, descriptor, fixedLength);
        }

        @Override
        void read(R container, int index, ByteSlice target) {
            reader.getBinary(container, index, target);
        }
    }

    /** UUIDs. */
    static final class UuidWriter<R> extends BytesWriter<R> {

        UuidWriter(RowReader<R> reader, Field field, ColumnDescriptor descriptor) {
            super(reader, field, descriptor, 16);
        }

        @Override
        void read(R container, int index, ByteSlice target) {
            reader.getUuid(container, index, target);
        }
    }
}
