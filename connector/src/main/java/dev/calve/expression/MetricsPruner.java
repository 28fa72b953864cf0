package dev.calve.expression;

import dev.calve.expression.Expression.Column;
import java.util.Optional;

/**
 * Decides from a data file's metrics whether a row may match, or every row does. Immutable. Bounds may have been cut and
 * are only trusted to enclose the values. Spec: Manifests, {@code data_file}.
 *
 * <p>A column has no nulls only if every row counts as a value and none as a null: some formats do not count a field of a
 * struct where the struct itself is null. What is not recorded may be anything, as in a file older than its column.
 */
public final class MetricsPruner {

    private final Expression expression;
    private final SortedLists lists;

    public MetricsPruner(Expression expression) {
        this.expression = Expressions.negationNormal(expression);
        this.lists = new SortedLists(this.expression);
    }

    /** Whether a row of the file may be TRUE; an empty file has none. */
    public boolean mightMatch(Metrics metrics) {
        return metrics.recordCount() > 0
                && expression.match(new RangePruner(column -> range(column, metrics), lists, false));
    }

    /** Whether every row of the file is TRUE; vacuously so for an empty file, of which removal loses nothing. */
    public boolean mustMatch(Metrics metrics) {
        return metrics.recordCount() == 0
                || expression.match(new RangePruner(column -> range(column, metrics), lists, true));
    }

    private static ColumnRange range(Column column, Metrics metrics) {
        int id = column.fieldId();
        long rows = metrics.recordCount();
        long values = metrics.valueCounts().getOrDefault(id, -1L);
        long nulls = metrics.nullValueCounts().getOrDefault(id, -1L);
        long nans = metrics.nanValueCounts().getOrDefault(id, -1L);
        boolean noNull = nulls == 0 && values == rows;
        boolean onlyNull = values > 0 && nulls == values;
        boolean mayBeNaN = column.type().isFloating() && nans != 0 && !onlyNull;
        boolean onlyNullOrNaN = values > 0 && nans > 0 && Math.max(nulls, 0) + nans == values;
        return ColumnRange.of(
                column.type(),
                column.type(),
                !noNull,
                mayBeNaN,
                !onlyNull && !onlyNullOrNaN,
                Optional.ofNullable(metrics.lowerBounds().get(id)),
                Optional.ofNullable(metrics.upperBounds().get(id)));
    }
}
