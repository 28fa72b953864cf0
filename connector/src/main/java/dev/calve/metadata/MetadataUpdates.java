package dev.calve.metadata;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;

/** Applies {@link MetadataUpdate}s to table metadata, by the rules every catalog follows. */
public final class MetadataUpdates {

    private MetadataUpdates() {}

    /**
     * The metadata that {@code updates} lead to, in their order. The metadata log is left as it is: what supersedes a
     * metadata file is the catalog's to say, see {@link MetadataLog}.
     *
     * <p>Schemas, specs and sort orders that are equal to known ones keep the known id, otherwise they get the next free
     * one, whatever id they carry. {@code last-updated-ms} becomes {@code nowMillis} or the time of an added snapshot, but
     * never goes back. Without updates the base itself is returned.
     *
     * @param nowMillis epoch milliseconds
     * @throws IllegalArgumentException if an update contradicts the table, naming both
     */
    public static TableMetadata apply(TableMetadata base, List<MetadataUpdate> updates, long nowMillis) {
        if (updates.isEmpty()) {
            return base;
        }
        var draft = new MetadataDraft(base, nowMillis);
        updates.forEach(update -> update.applyTo(draft));
        return draft.updated();
    }

    /**
     * The first metadata of a new, empty table. Field ids are assigned afresh, a struct's fields before their parts, from 1;
     * partition fields from 1000; {@code spec} and {@code order} name their sources by the ids {@code schema} has now.
     *
     * <p>The data files' compression is stored as a property if it is not given, because engines differ about what no
     * property means.
     *
     * @param properties without {@link TableProperties#RESERVED} ones
     * @throws IllegalArgumentException if a type needs a later format version, a property is reserved or has a bad value, a
     *     source is not in the schema, or the format version is not known
     */
    public static TableMetadata fresh(
            Schema schema,
            PartitionSpec spec,
            SortOrder order,
            String location,
            Map<String, String> properties,
            int formatVersion,
            long nowMillis) {
        if (formatVersion < 1 || formatVersion > TableMetadata.MAX_FORMAT_VERSION) {
            throw new IllegalArgumentException("format-version must be 1 to " + TableMetadata.MAX_FORMAT_VERSION
                    + ", not " + formatVersion + " (table at " + location + ").");
        }
        MetadataRules.checkSources(spec, schema);
        MetadataRules.checkSources(order, schema);
        TableProperties.of(properties, location).checkValues();
        var ids = FreshIds.of(schema);
        var draft = new MetadataDraft(empty(location, formatVersion), nowMillis);
        draft.addSchema(ids.schema(), ids.schema().highestFieldId());
        draft.setCurrentSchema(-1);
        draft.addSpec(fresh(spec, ids));
        draft.setDefaultSpec(-1);
        draft.addSortOrder(fresh(order, ids));
        draft.setDefaultSortOrder(-1);
        draft.setProperties(
                Map.of(TableProperties.PARQUET_COMPRESSION.name(), TableProperties.PARQUET_COMPRESSION.defaultText()));
        draft.setProperties(properties);
        return draft.updated();
    }

    /** A table before its first update: nothing in it yet. */
    private static TableMetadata empty(String location, int formatVersion) {
        return new TableMetadata(
                formatVersion,
                UUID.randomUUID().toString(),
                location,
                0,
                0,
                0,
                0,
                List.of(),
                0,
                List.of(),
                PartitionSpec.FIRST_FIELD_ID - 1,
                SortOrder.UNSORTED.id(),
                List.of(),
                Map.of(),
                OptionalLong.empty(),
                0,
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of());
    }

    private static PartitionSpec fresh(PartitionSpec spec, FreshIds ids) {
        var fields = new ArrayList<PartitionField>();
        for (PartitionField field : spec.fields()) {
            fields.add(new PartitionField(
                    ids.of(field.sourceIds()),
                    PartitionSpec.FIRST_FIELD_ID + fields.size(),
                    field.name(),
                    field.transform()));
        }
        return new PartitionSpec(0, fields);
    }

    private static SortOrder fresh(SortOrder order, FreshIds ids) {
        return new SortOrder(
                order.isUnsorted() ? 0 : 1,
                order.terms().stream()
                        .map(term -> new SortOrder.Term(
                                term.transform(), ids.of(term.sourceIds()), term.direction(), term.nullOrder()))
                        .toList());
    }
}
