package dev.calve.parquet;

import dev.calve.schema.Field;
import org.apache.parquet.column.ColumnWriteStore;

/** A column of a type that is not written: has no column in the file, and so no value but null. */
final class NullOnlyWriter<R> extends ValueWriter<R> {

    NullOnlyWriter(RowReader<R> reader, Field field) {
        super(reader, field, 0);
    }

    @Override
    void write(R container, int index, int repetition) {
        if (!reader.isNull(container, index)) {
            throw new UnsupportedOperationException("Column '" + field.name() + "' of type " + field.type()
                    + " must be null in rows written here. Leave it out, or write the rows with another engine.");
        }
    }

    @Override
    void writeNulls(int repetition, int definitionLevel) {}

    @Override
    void bind(ColumnWriteStore store) {}
}
