package dev.calve.spark;

import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.catalog.TableCatalog;

/** The properties that {@code DESCRIBE} and {@code SHOW TBLPROPERTIES} show besides the stored ones: they tell the state. */
final class ReportedProperties {

    static final String SORT_ORDER = "sort-order";
    static final String IDENTIFIER_FIELDS = "identifier-fields";

    private static final String FORMAT = "format";
    private static final String CURRENT_SNAPSHOT = "current-snapshot-id";

    /** What Spark hands over with a new table and keeps elsewhere, or what follows from the table's state. */
    private static final Set<String> NOT_STORED = Set.of(
            TableCatalog.PROP_PROVIDER,
            TableCatalog.PROP_LOCATION,
            TableCatalog.PROP_EXTERNAL,
            TableCatalog.PROP_IS_MANAGED_LOCATION,
            "collation",
            "table_type",
            FORMAT);

    private ReportedProperties() {}

    /** Stored and reported properties together, in a stable order. */
    static Map<String, String> of(TableMetadata metadata) {
        var result = new LinkedHashMap<String, String>();
        result.put(
                FORMAT,
                "iceberg/" + metadata.property(TableProperties.FORMAT.name()).orElse("parquet"));
        result.put(TableCatalog.PROP_PROVIDER, "iceberg");
        result.put(TableCatalog.PROP_LOCATION, metadata.location());
        result.put(
                CURRENT_SNAPSHOT,
                metadata.currentSnapshot()
                        .map(snapshot -> String.valueOf(snapshot.id()))
                        .orElse("none"));
        result.put(TableProperties.FORMAT_VERSION.name(), String.valueOf(metadata.formatVersion()));
        metadata.sortOrders().stream()
                .filter(order -> order.id() == metadata.defaultSortOrderId() && !order.isUnsorted())
                .findFirst()
                .ifPresent(order -> result.put(SORT_ORDER, text(order, metadata.schema())));
        Set<Integer> identifiers = metadata.schema().identifierFieldIds();
        if (!identifiers.isEmpty()) {
            result.put(
                    IDENTIFIER_FIELDS,
                    identifiers.stream()
                            .map(id -> metadata.schema().name(id).orElseThrow())
                            .collect(Collectors.joining(",", "[", "]")));
        }
        metadata.properties().forEach((name, value) -> {
            if (!TableProperties.RESERVED.contains(name)) {
                result.putIfAbsent(name, value);
            }
        });
        return result;
    }

    private static String text(SortOrder order, Schema schema) {
        return order.terms().stream()
                .map(term -> {
                    String column = schema.name(term.sourceId()).orElse("column id " + term.sourceId());
                    String key = term.transform().preservesOrder()
                                    && term.transform().toString().equals("identity")
                            ? column
                            : term.transform() + "(" + column + ")";
                    return key + " " + term.direction() + " "
                            + term.nullOrder().name().replace('_', ' ');
                })
                .collect(Collectors.joining(", "));
    }

    /**
     * The properties a new table stores of those it was given: what only tells a table's state is left out, so that what
     * {@code SHOW CREATE TABLE} prints can be run.
     *
     * @throws UnsupportedOperationException if a sort order or identifier fields are asked for by property
     */
    static Map<String, String> withoutReported(Map<String, String> given, String table) {
        for (String name : List.of(SORT_ORDER, IDENTIFIER_FIELDS)) {
            refuseDerived(name, given, table);
        }
        var stored = new LinkedHashMap<String, String>();
        given.forEach((name, value) -> {
            boolean spark = NOT_STORED.contains(name) || name.startsWith(TableCatalog.OPTION_PREFIX);
            if (!spark && !TableProperties.RESERVED.contains(name)) {
                stored.put(name, value);
            }
        });
        return stored;
    }

    private static void refuseDerived(String name, Map<String, String> given, String table) {
        String value = given.get(name);
        if (value != null) {
            throw new UnsupportedOperationException("Cannot set " + name + " = '" + value + "' (table " + table
                    + "): it tells the table's state and is not changed by a property. Leave it out.");
        }
    }

    /** Whether a property tells the state of a table and cannot be set or removed like others. */
    static boolean isState(String name) {
        return NOT_STORED.contains(name)
                || TableProperties.RESERVED.contains(name)
                || name.equals(SORT_ORDER)
                || name.equals(IDENTIFIER_FIELDS);
    }
}
