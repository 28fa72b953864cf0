package dev.calve.expression;

import dev.calve.expression.Expression.Column;
import dev.calve.partition.FieldSummary;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides from a manifest list's summaries whether a manifest may hold a file of a matching partition. Immutable. Spec:
 * Manifest Lists, {@code field_summary}.
 */
public final class ManifestPruner {

    private final Type.Struct partitionType;
    private final Map<Integer, Integer> positions = new HashMap<>();
    private final Expression projected;
    private final SortedLists lists;

    /**
     * Prepares the expression.
     *
     * @param projected an inclusive projection through the spec that has this partition type
     */
    public ManifestPruner(Type.Struct partitionType, Expression projected) {
        this.partitionType = partitionType;
        for (int i = 0; i < partitionType.fields().size(); i++) {
            positions.put(partitionType.fields().get(i).id(), i);
        }
        this.projected = Expressions.negationNormal(projected);
        this.lists = new SortedLists(this.projected);
    }

    /**
     * Whether a file of the manifest may be in a matching partition.
     *
     * @param summaries of the partition fields in order; empty if the manifest list has none, which excludes nothing
     */
    public boolean mightMatch(Optional<List<FieldSummary>> summaries) {
        return projected.match(new RangePruner(column -> range(column, summaries.orElse(List.of())), lists, false));
    }

    private ColumnRange range(Column column, List<FieldSummary> summaries) {
        Integer position = positions.get(column.fieldId());
        if (position == null || position >= summaries.size()) {
            return ColumnRange.unknown(column.type());
        }
        Field field = partitionType.fields().get(position);
        FieldSummary summary = summaries.get(position);
        boolean floating = column.type().isFloating();
        boolean mayBeNaN = floating && summary.containsNan().orElse(true);
        boolean saidOther =
                summary.containsNull() || (floating && summary.containsNan().orElse(false));
        boolean noBounds =
                summary.lowerBound().isEmpty() && summary.upperBound().isEmpty();
        // No bounds mean that all values are null or NaN. A summary that says neither is believed in nothing.
        boolean mayBeOrdinary = !(noBounds && saidOther);
        return ColumnRange.of(
                column.type(),
                field.type(),
                summary.containsNull(),
                mayBeNaN,
                mayBeOrdinary,
                summary.lowerBound(),
                summary.upperBound());
    }
}
