package dev.calve.metadata;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes a table a new, empty one that remembers what it was: {@code REPLACE TABLE}. It stays the same table, so its
 * snapshots, its other branches and its tags can still be read.
 *
 * @param schema with any ids
 * @param spec, order name their sources by the ids {@code schema} has
 * @param properties set besides those the table has; without {@link TableProperties#RESERVED} ones
 * @param formatVersion empty: the table's
 */
public record Replacement(
        Schema schema,
        PartitionSpec spec,
        SortOrder order,
        Map<String, String> properties,
        Optional<Integer> formatVersion) {

    public Replacement {
        properties = Map.copyOf(properties);
    }

    /**
     * What leads to the replaced table. Columns that have the name of an old one and can hold its values keep its id, others
     * get new ones; partition fields are the old ones where they divide by the same; {@code main} has no snapshot.
     *
     * @throws IllegalArgumentException if a source is not in the schema or a property has a bad value
     */
    public List<MetadataUpdate> of(TableMetadata table) {
        MetadataRules.checkSources(spec, schema);
        MetadataRules.checkSources(order, schema);
        TableProperties.of(properties, table.location()).checkValues();
        int version = formatVersion.orElse(table.formatVersion());
        var ids = FreshIds.replacing(table.schema(), table.lastColumnId(), schema);
        var updates = new ArrayList<MetadataUpdate>();
        if (version != table.formatVersion()) {
            updates.add(new MetadataUpdate.UpgradeFormatVersion(version));
        }
        if (table.currentSnapshotId().isPresent() || table.refs().containsKey(SnapshotRef.MAIN)) {
            updates.add(new MetadataUpdate.RemoveSnapshotRef(SnapshotRef.MAIN));
        }
        updates.add(new MetadataUpdate.AddSchema(ids.schema(), ids.lastId()));
        updates.add(new MetadataUpdate.SetCurrentSchema(-1));
        updates.add(new MetadataUpdate.AddSpec(new PartitionSpec(0, partitionFields(table, ids))));
        updates.add(new MetadataUpdate.SetDefaultSpec(-1));
        updates.add(new MetadataUpdate.AddSortOrder(new SortOrder(
                order.isUnsorted() ? 0 : 1,
                order.terms().stream()
                        .map(term -> new SortOrder.Term(
                                term.transform(), ids.of(term.sourceIds()), term.direction(), term.nullOrder()))
                        .toList())));
        updates.add(new MetadataUpdate.SetDefaultSortOrder(-1));
        var set = new LinkedHashMap<String, String>();
        if (table.property(TableProperties.PARQUET_COMPRESSION.name()).isEmpty()) {
            // Engines differ about what no property means.
            set.put(TableProperties.PARQUET_COMPRESSION.name(), TableProperties.PARQUET_COMPRESSION.defaultText());
        }
        set.putAll(properties);
        if (!set.isEmpty()) {
            updates.add(new MetadataUpdate.SetProperties(set));
        }
        return updates;
    }

    private List<PartitionField> partitionFields(TableMetadata table, FreshIds ids) {
        List<PartitionField> wanted = spec.fields().stream()
                .map(field ->
                        new PartitionField(ids.of(field.sourceIds()), field.fieldId(), field.name(), field.transform()))
                .toList();
        return table.formatVersion() == 1 ? carriedOn(table, wanted) : reused(table, wanted);
    }

    /** What a partition field divides by. */
    private record Division(List<Integer> sourceIds, Transform transform) {
        static Division of(PartitionField field) {
            return new Division(field.sourceIds(), field.transform());
        }
    }

    private static List<PartitionField> reused(TableMetadata table, List<PartitionField> wanted) {
        var known = new HashMap<Division, Integer>();
        for (PartitionSpec old : table.specs()) {
            old.fields().forEach(field -> known.merge(Division.of(field), field.fieldId(), Math::max));
        }
        var fields = new ArrayList<PartitionField>();
        int lastId = table.lastPartitionId();
        for (PartitionField field : wanted) {
            Integer id = known.get(Division.of(field));
            fields.add(withId(field, id == null ? ++lastId : id));
        }
        return fields;
    }

    /** In version 1 fields are told apart by their place: every old one stays, if only as one that holds nothing. */
    private static List<PartitionField> carriedOn(TableMetadata table, List<PartitionField> wanted) {
        var left = new LinkedHashMap<Division, PartitionField>();
        wanted.forEach(field -> left.put(Division.of(field), field));
        Set<String> names = wanted.stream().map(PartitionField::name).collect(Collectors.toSet());
        var fields = new ArrayList<PartitionField>();
        for (PartitionField old : table.spec().fields()) {
            PartitionField same = left.remove(Division.of(old));
            if (same == null) {
                String name = names.contains(old.name()) ? old.name() + "_" + old.fieldId() : old.name();
                fields.add(new PartitionField(old.sourceIds(), old.fieldId(), name, Transform.VOID));
            } else {
                fields.add(withId(same, old.fieldId()));
            }
        }
        int lastId = table.lastPartitionId();
        for (PartitionField field : left.values()) {
            fields.add(withId(field, ++lastId));
        }
        return fields;
    }

    private static PartitionField withId(PartitionField field, int id) {
        return new PartitionField(field.sourceIds(), id, field.name(), field.transform());
    }
}
