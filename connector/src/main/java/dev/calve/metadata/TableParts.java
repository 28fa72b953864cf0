package dev.calve.metadata;

import dev.calve.partition.ColumnTransform;
import dev.calve.partition.PartitionField;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a table is made of, as errors and answers name it. */
public final class TableParts {

    /** A list that goes on is of no help in a message. */
    private static final int SHOWN = 20;

    private TableParts() {}

    /** Full names of the columns at any depth. */
    static String columns(Schema schema) {
        var names = new ArrayList<String>();
        for (Field field : schema.allFields()) {
            names.add(schema.name(field.id()).orElse(field.name()));
        }
        return list(names);
    }

    /** The fields of the default partition spec, such as {@code [id_bucket: bucket(16, id)]}; {@code []} if there is none. */
    public static String fields(TableMetadata table) {
        return list(
                table.spec().fields().stream().map(field -> field(table, field)).toList());
    }

    static String field(TableMetadata table, PartitionField field) {
        String column = table.schema().name(field.sourceId()).orElse("column " + field.sourceId());
        return field.name() + ": " + new ColumnTransform(column, field.transform());
    }

    /** The default sort order, such as {@code category ASC NULLS FIRST, bucket(8, id) DESC NULLS LAST}; empty if unsorted. */
    public static String order(TableMetadata table) {
        return table.sortOrders().stream()
                .filter(order -> order.id() == table.defaultSortOrderId())
                .flatMap(order -> order.terms().stream())
                .map(term -> term(table.schema(), term))
                .collect(Collectors.joining(", "));
    }

    private static String term(Schema schema, SortOrder.Term term) {
        String column = schema.name(term.sourceId()).orElse("column " + term.sourceId());
        return new ColumnTransform(column, term.transform()) + " " + term.direction() + " "
                + term.nullOrder().name().replace('_', ' ');
    }

    /** Names of the refs of a kind, {@code main} first. */
    static String refs(TableMetadata table, SnapshotRef.Kind kind) {
        return list(table.refs().entrySet().stream()
                .filter(ref -> ref.getValue().kind() == kind)
                .map(ref -> ref.getKey())
                .sorted((a, b) -> a.equals(SnapshotRef.MAIN) ? -1 : b.equals(SnapshotRef.MAIN) ? 1 : a.compareTo(b))
                .toList());
    }

    /** Ids of snapshots, the newest first. */
    static String snapshots(List<Snapshot> snapshots) {
        return list(snapshots.stream()
                .sorted((a, b) -> Long.compare(b.timestampMillis(), a.timestampMillis()))
                .map(snapshot -> String.valueOf(snapshot.id()))
                .toList());
    }

    private static String list(List<String> names) {
        return names.size() <= SHOWN
                ? names.toString()
                : "[" + String.join(", ", names.subList(0, SHOWN)) + " and " + (names.size() - SHOWN) + " more]";
    }
}
