package dev.calve.partition;

/** One key of a sort order, by the name of its column. */
public record SortKey(ColumnTransform term, SortOrder.Direction direction, SortOrder.NullOrder nullOrder) {

    @Override
    public String toString() {
        return term + " " + direction + " " + nullOrder.name().replace('_', ' ');
    }
}
