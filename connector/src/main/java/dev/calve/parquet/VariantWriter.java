package dev.calve.parquet;

import dev.calve.schema.Field;
import java.util.Objects;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** Variants: two columns that are null together. */
final class VariantWriter<R> extends ValueWriter<R> {

    private final Part metadata;
    private final Part value;

    VariantWriter(RowReader<R> reader, Field field, ColumnDescriptor metadata, ColumnDescriptor value) {
        super(reader, field, metadata.getMaxDefinitionLevel());
        this.metadata = new Part(metadata);
        this.value = new Part(value);
    }

    private static final class Part {
        private final ColumnDescriptor descriptor;
        private final ByteSlice slice = new ByteSlice();
        private @Nullable ColumnWriter column;

        Part(ColumnDescriptor descriptor) {
            this.descriptor = descriptor;
        }

        ColumnWriter column() {
            return Objects.requireNonNull(column);
        }

        void write(int repetition, int definition) {
            // Not copied, as with other bytes.
            var binary = Binary.fromReusedByteArray(slice.array(), slice.offset(), slice.length());
            column().write(binary, repetition, definition);
        }
    }

    @Override
    void write(R container, int index, int repetition) {
        if (isNull(container, index)) {
            writeNulls(repetition, definition - 1);
            return;
        }
        reader.getVariant(container, index, metadata.slice, value.slice);
        metadata.write(repetition, definition);
        value.write(repetition, definition);
    }

    @Override
    void writeNulls(int repetition, int definitionLevel) {
        metadata.column().writeNull(repetition, definitionLevel);
        value.column().writeNull(repetition, definitionLevel);
    }

    @Override
    void bind(ColumnWriteStore store) {
        metadata.column = store.getColumnWriter(metadata.descriptor);
        value.column = store.getColumnWriter(value.descriptor);
    }
}
