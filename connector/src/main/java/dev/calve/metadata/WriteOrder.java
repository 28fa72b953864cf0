package dev.calve.metadata;

import dev.calve.partition.SortKey;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transforms;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.List;

/** How a table's default sort order changes. Spec: Sorting. Files that are there stay as they are. */
public final class WriteOrder {

    private static final int LAST_ADDED = -1;

    private WriteOrder() {}

    /**
     * The updates that make the keys the default order; none if they are.
     *
     * @param keys empty for no order
     * @throws IllegalArgumentException if a key cannot be sorted by, or is there twice
     */
    public static List<MetadataUpdate> set(TableMetadata table, List<SortKey> keys, boolean caseSensitive) {
        var terms = new ArrayList<SortOrder.Term>();
        for (SortKey key : keys) {
            SortOrder.Term term = term(table, key, caseSensitive);
            if (terms.stream()
                    .anyMatch(other -> other.transform().equals(term.transform())
                            && other.sourceIds().equals(term.sourceIds()))) {
                throw cannot(table, key, "rows are sorted by it already");
            }
            terms.add(term);
        }
        boolean isSo = table.sortOrders().stream()
                .anyMatch(order -> order.id() == table.defaultSortOrderId()
                        && order.terms().equals(terms));
        return isSo
                ? List.of()
                : List.of(
                        new MetadataUpdate.AddSortOrder(new SortOrder(LAST_ADDED, terms)),
                        new MetadataUpdate.SetDefaultSortOrder(LAST_ADDED));
    }

    private static SortOrder.Term term(TableMetadata table, SortKey key, boolean caseSensitive) {
        Schema schema = table.schema();
        Field source = schema.field(key.term().column(), caseSensitive)
                .orElseThrow(() -> cannot(
                        table,
                        key,
                        "there is no column '" + key.term().column() + "', but " + TableParts.columns(schema)));
        if (!source.type().isPrimitive() || !Transforms.canApply(key.term().transform(), source.type())) {
            throw cannot(table, key, "that is not defined for type " + source.type());
        }
        if (schema.isRepeated(source.id())) {
            throw cannot(table, key, "a row has one place, but a field in a list or map has many values");
        }
        return new SortOrder.Term(key.term().transform(), List.of(source.id()), key.direction(), key.nullOrder());
    }

    private static IllegalArgumentException cannot(TableMetadata table, SortKey key, String why) {
        return new IllegalArgumentException(
                "Cannot sort by " + key.term() + " (table at " + table.location() + "): " + why + ".");
    }
}
