package dev.calve.metadata;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.EvolvedSchema;
import dev.calve.schema.NameMapping;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChanges;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a change of columns means for a whole table: the new schema, the name mapping, and the properties that name columns.
 * Spec: Schema Evolution; Column Projection.
 */
public final class ColumnChanges {

    /** What precedes a column's full name in the names of properties that are about one column. */
    private static final List<String> COLUMN_PROPERTIES = List.of(
            TableProperties.METRICS_COLUMN.name(),
            "write.parquet.bloom-filter-enabled.column.",
            "write.parquet.bloom-filter-fpp.column.",
            "write.parquet.bloom-filter-ndv.column.",
            "write.parquet.stats-enabled.column.",
            "write.parquet.dict-encoding-enabled.column.");

    private ColumnChanges() {}

    /**
     * The table's schema with the changes in it.
     *
     * @throws IllegalArgumentException if a change is not allowed, also because partitions or the sort order of new data are
     *     made from a column that would go; names the column and says what to do
     */
    public static EvolvedSchema evolve(TableMetadata table, SchemaChanges changes) {
        EvolvedSchema evolved = changes.apply(table.schema(), table.lastColumnId(), table.formatVersion());
        requireSources(table, evolved.schema());
        return evolved;
    }

    /** Older specs and orders may lose their columns: they only describe files, whose partition values stay. */
    private static void requireSources(TableMetadata table, Schema schema) {
        PartitionSpec spec = table.spec();
        for (PartitionField field : spec.fields()) {
            if (!(field.transform() instanceof Transform.Void)) {
                for (int source : field.sourceIds()) {
                    requireSource(table, schema, source, "partition field '" + field.name() + "' is made from it");
                }
            }
        }
        for (SortOrder order : table.sortOrders()) {
            if (order.id() == table.defaultSortOrderId()) {
                for (SortOrder.Term term : order.terms()) {
                    for (int source : term.sourceIds()) {
                        requireSource(table, schema, source, "the table's sort order uses it");
                    }
                }
            }
        }
    }

    private static void requireSource(TableMetadata table, Schema schema, int source, String why) {
        Optional<String> before = table.schema().name(source);
        if (before.isPresent() && schema.field(source).isEmpty()) {
            throw new IllegalArgumentException("Cannot drop column '" + before.get() + "' of " + table.location() + ": "
                    + why + ". Change the partitioning or the sort order first.");
        }
    }

    /** What makes the evolved schema the table's current one; nothing if the changes left it as it was. */
    public static List<MetadataUpdate> updates(TableMetadata table, EvolvedSchema evolved) {
        if (!evolved.isChanged()) {
            return List.of();
        }
        var updates = new ArrayList<MetadataUpdate>();
        updates.add(new MetadataUpdate.AddSchema(evolved.schema(), evolved.lastColumnId()));
        updates.add(new MetadataUpdate.SetCurrentSchema(-1));
        Map<String, String> properties = properties(table.properties(), evolved);
        var set = new LinkedHashMap<>(properties);
        set.entrySet().removeIf(entry -> table.property(entry.getKey()).equals(Optional.of(entry.getValue())));
        if (!set.isEmpty()) {
            updates.add(new MetadataUpdate.SetProperties(set));
        }
        var removed = new LinkedHashSet<>(table.properties().keySet());
        removed.removeAll(properties.keySet());
        if (!removed.isEmpty()) {
            updates.add(new MetadataUpdate.RemoveProperties(removed));
        }
        return updates;
    }

    /**
     * The properties with the name mapping brought up to date, those about renamed columns under the new names, and those
     * about dropped columns gone: a property that names no column is refused by peers.
     */
    private static Map<String, String> properties(Map<String, String> old, EvolvedSchema evolved) {
        Map<String, String> renamed = evolved.renamed();
        var dropped = evolved.dropped();
        var result = new LinkedHashMap<String, String>();
        old.forEach((name, value) -> {
            Optional<String> prefix =
                    COLUMN_PROPERTIES.stream().filter(name::startsWith).findFirst();
            String column = prefix.map(text -> name.substring(text.length())).orElse("");
            if (name.equals(NameMapping.PROPERTY)) {
                result.put(name, mapping(value, evolved));
            } else if (prefix.isPresent() && renamed.containsKey(column)) {
                result.put(prefix.get() + renamed.get(column), value);
            } else if (!dropped.contains(column)) {
                result.put(name, value);
            }
        });
        return result;
    }

    private static String mapping(String json, EvolvedSchema evolved) {
        NameMapping old = NameMapping.parse(json);
        NameMapping updated = evolved.mapping(old);
        // The text of a mapping that stays is left as its writer spelled it.
        return updated.equals(old) ? json : updated.toJson();
    }
}
