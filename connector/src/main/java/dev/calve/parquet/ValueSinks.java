package dev.calve.parquet;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.ColumnWriteStore;

/** The sinks of columns, one for each way of storing values. */
final class ValueSinks {

    private ValueSinks() {}

    /** Columns of booleans. */
    static final class BooleanSink extends ColumnSink {
        BooleanSink(ColumnWriteStore store, ColumnDescriptor column) {
            super(store, column);
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            writer.write(reader.getBoolean(), repetition, definition);
        }
    }

    /** Columns of 4-byte integers, whatever they stand for. */
    static final class IntSink extends ColumnSink {
        IntSink(ColumnWriteStore store, ColumnDescriptor column) {
            super(store, column);
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            writer.write(reader.getInteger(), repetition, definition);
        }
    }

    /** Columns of 8-byte integers, whatever they stand for. */
    static final class LongSink extends ColumnSink {
        LongSink(ColumnWriteStore store, ColumnDescriptor column) {
            super(store, column);
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            writer.write(reader.getLong(), repetition, definition);
        }
    }

    /** Columns of bytes. */
    static final class BinarySink extends ColumnSink {
        BinarySink(ColumnWriteStore store, ColumnDescriptor column) {
            super(store, column);
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            writer.write(reader.getBinary(), repetition, definition);
        }
    }

    /** Columns of floats; parquet-java writes every NaN as the same one. */
    static final class FloatSink extends ColumnSink {
        private static final int NAN = Float.floatToIntBits(Float.NaN);

        private final FloatingRange range;
        private boolean lostBits;

        FloatSink(ColumnWriteStore store, ColumnDescriptor column, FloatingRange range) {
            super(store, column);
            this.range = range;
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            float value = reader.getFloat();
            range.add(value);
            lostBits |= Float.isNaN(value) && Float.floatToRawIntBits(value) != NAN;
            writer.write(value, repetition, definition);
        }

        @Override
        boolean hasLostBits() {
            return lostBits;
        }
    }

    /** Columns of doubles; parquet-java writes every NaN as the same one. */
    static final class DoubleSink extends ColumnSink {
        private static final long NAN = Double.doubleToLongBits(Double.NaN);

        private final FloatingRange range;
        private boolean lostBits;

        DoubleSink(ColumnWriteStore store, ColumnDescriptor column, FloatingRange range) {
            super(store, column);
            this.range = range;
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            double value = reader.getDouble();
            range.add(value);
            lostBits |= Double.isNaN(value) && Double.doubleToRawLongBits(value) != NAN;
            writer.write(value, repetition, definition);
        }

        @Override
        boolean hasLostBits() {
            return lostBits;
        }
    }

    /** Columns of floats that are written as integers of the same bits. */
    static final class FloatBitsSink extends ColumnSink {
        private final FloatingRange range;

        FloatBitsSink(ColumnWriteStore store, ColumnDescriptor column, FloatingRange range) {
            super(store, column);
            this.range = range;
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            float value = reader.getFloat();
            range.add(value);
            writer.write(Float.floatToRawIntBits(value), repetition, definition);
        }
    }

    /** Columns of doubles that are written as integers of the same bits. */
    static final class DoubleBitsSink extends ColumnSink {
        private final FloatingRange range;

        DoubleBitsSink(ColumnWriteStore store, ColumnDescriptor column, FloatingRange range) {
            super(store, column);
            this.range = range;
        }

        @Override
        void takeValue(ColumnReader reader, int repetition, int definition) {
            double value = reader.getDouble();
            range.add(value);
            writer.write(Double.doubleToRawLongBits(value), repetition, definition);
        }
    }
}
