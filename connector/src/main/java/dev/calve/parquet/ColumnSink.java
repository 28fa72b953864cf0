package dev.calve.parquet;

import dev.calve.parquet.ValueSinks.BinarySink;
import dev.calve.parquet.ValueSinks.BooleanSink;
import dev.calve.parquet.ValueSinks.DoubleBitsSink;
import dev.calve.parquet.ValueSinks.DoubleSink;
import dev.calve.parquet.ValueSinks.FloatBitsSink;
import dev.calve.parquet.ValueSinks.FloatSink;
import dev.calve.parquet.ValueSinks.IntSink;
import dev.calve.parquet.ValueSinks.LongSink;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;

/**
 * Where the values of one column of a row group go while it is encoded: triples of repetition level, definition level and
 * value, bit by bit as they were read.
 */
public abstract class ColumnSink {

    final ColumnWriter writer;
    private final ColumnWriteStore store;
    private final int present;

    ColumnSink(ColumnWriteStore store, ColumnDescriptor column) {
        this.store = store;
        this.writer = store.getColumnWriter(column);
        this.present = column.getMaxDefinitionLevel();
    }

    /** @param inBits whether values of float and double are written as integers of the same bits, into a column of those */
    static ColumnSink of(ColumnWriteStore store, ColumnDescriptor column, FloatingRange range, boolean inBits) {
        return switch (column.getPrimitiveType().getPrimitiveTypeName()) {
            case BOOLEAN -> new BooleanSink(store, column);
            case INT32 -> new IntSink(store, column);
            case INT64 -> new LongSink(store, column);
            case FLOAT -> inBits ? new FloatBitsSink(store, column, range) : new FloatSink(store, column, range);
            case DOUBLE -> inBits ? new DoubleBitsSink(store, column, range) : new DoubleSink(store, column, range);
            case BINARY, FIXED_LEN_BYTE_ARRAY, INT96 -> new BinarySink(store, column);
        };
    }

    /** Takes over what the reader is at: a value, or a null at any level. The reader stays where it is. */
    public final void take(ColumnReader reader) {
        int definition = reader.getCurrentDefinitionLevel();
        if (definition == present) {
            takeValue(reader, reader.getCurrentRepetitionLevel(), definition);
        } else {
            writer.writeNull(reader.getCurrentRepetitionLevel(), definition);
        }
    }

    abstract void takeValue(ColumnReader reader, int repetition, int definition);

    /** Writes a value of a column of longs that does not repeat. */
    public final void put(long value) {
        writer.write(value, 0, present);
    }

    /** Writes a null of an optional column of the table itself. */
    public final void putNull() {
        writer.writeNull(0, 0);
    }

    /** Ends a row, all whose values in this column have been written. */
    public final void endRow() {
        store.endRecord();
    }

    /** Whether some value so far cannot be told apart from others once it is written: a NaN with bits of its own. */
    boolean hasLostBits() {
        return false;
    }
}
