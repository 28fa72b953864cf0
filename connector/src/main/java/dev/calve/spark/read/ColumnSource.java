package dev.calve.spark.read;

import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Where the values of one wanted column come from. */
sealed interface ColumnSource {

    /** Makes the column of the batches: one object for all of them. */
    ColumnVector vector(Decoded decoded);

    /**
     * What the columns are made of.
     *
     * @param batch columns decoded from the file; without columns if none is stored
     */
    record Decoded(ColumnarBatch batch, PositionVector positions, DeletedVector deleted, int batchRows) {
        WritableColumnVector column(int ordinal) {
            return (WritableColumnVector) batch.column(ordinal);
        }
    }

    /** The same value in every row; null if empty. */
    record Constant(DataType type, Optional<Object> value) implements ColumnSource {
        @Override
        public ColumnVector vector(Decoded decoded) {
            return ConstantVectors.of(type, value, decoded.batchRows());
        }
    }

    /** A column of the file. */
    record Stored(int ordinal, Shape shape) implements ColumnSource {
        @Override
        public ColumnVector vector(Decoded decoded) {
            return shape.over(decoded.column(ordinal), decoded.batchRows());
        }
    }

    /** {@code _pos}. */
    record Position() implements ColumnSource {
        @Override
        public ColumnVector vector(Decoded decoded) {
            return decoded.positions();
        }
    }

    /** {@code _deleted}. */
    record Deleted() implements ColumnSource {
        @Override
        public ColumnVector vector(Decoded decoded) {
            return decoded.deleted();
        }
    }

    /** {@code _row_id} of a file with lineage: the stored id, else the file's first id plus the position. */
    record RowId(OptionalInt stored, long firstRowId) implements ColumnSource {
        @Override
        public ColumnVector vector(Decoded decoded) {
            return stored.isEmpty()
                    ? new OffsetVector(decoded.positions(), firstRowId)
                    : new FallbackVector(
                            decoded.column(stored.getAsInt()), new OffsetVector(decoded.positions(), firstRowId));
        }
    }

    /** {@code _last_updated_sequence_number} of a file with lineage: the stored number, else the file's own. */
    record LastUpdated(OptionalInt stored, long dataSequenceNumber) implements ColumnSource {
        @Override
        public ColumnVector vector(Decoded decoded) {
            var constant = ConstantVectors.of(DataTypes.LongType, Optional.of(dataSequenceNumber), decoded.batchRows());
            return stored.isEmpty() ? constant : new FallbackVector(decoded.column(stored.getAsInt()), constant);
        }
    }

    /** Positions plus a constant. */
    final class OffsetVector extends ViewVector {
        private final PositionVector positions;
        private final long offset;

        OffsetVector(PositionVector positions, long offset) {
            super(DataTypes.LongType, positions);
            this.positions = positions;
            this.offset = offset;
        }

        @Override
        public long getLong(int row) {
            return offset + positions.getLong(row);
        }
    }

    /** A stored column of longs with another column's values where it is null. */
    final class FallbackVector extends ViewVector {
        private final ColumnVector stored;
        private final ColumnVector fallback;

        FallbackVector(ColumnVector stored, ColumnVector fallback) {
            super(DataTypes.LongType, stored);
            this.stored = stored;
            this.fallback = fallback;
        }

        @Override
        public boolean hasNull() {
            return false;
        }

        @Override
        public int numNulls() {
            return 0;
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }

        @Override
        public long getLong(int row) {
            return stored.isNullAt(row) ? fallback.getLong(row) : stored.getLong(row);
        }
    }
}
