package dev.calve.spark.read;

import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Rules out what either of two filters does; the second is only asked about what the first leaves. */
record BothFilters(RowFilter first, RowFilter second) implements RowFilter {

    /** The filter that is there, or both in one. */
    static Optional<RowFilter> of(Optional<RowFilter> first, Optional<RowFilter> second) {
        if (first.isPresent() && second.isPresent()) {
            return Optional.of(new BothFilters(first.get(), second.get()));
        }
        return first.or(() -> second);
    }

    @Override
    public StructType columns() {
        return MergedColumns.merge(first.columns(), second.columns());
    }

    @Override
    public Rows over(List<ColumnVector> columns, int batchRows) {
        Rows one = first.over(MergedColumns.part(columns, columns(), first.columns()), batchRows);
        Rows other = second.over(MergedColumns.part(columns, columns(), second.columns()), batchRows);
        return (rows, count) -> other.retain(rows, one.retain(rows, count));
    }
}
