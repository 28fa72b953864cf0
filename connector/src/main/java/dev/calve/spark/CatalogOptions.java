package dev.calve.spark;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The options of a catalog: everything below {@code spark.sql.catalog.<name>.} in Spark's configuration.
 *
 * @param warehouse directory of the tables
 * @param defaultNamespace where names without a namespace are looked for after {@code USE <catalog>}
 * @param tableDefaults properties of new tables that do not set them, from {@code table-default.*}
 * @param tableOverrides properties of new tables whatever they set, from {@code table-override.*}
 * @param nullableQuerySchema whether columns of a table made from a query may be null even if the query's cannot
 */
record CatalogOptions(
        String warehouse,
        List<String> defaultNamespace,
        Map<String, String> tableDefaults,
        Map<String, String> tableOverrides,
        boolean nullableQuerySchema) {

    CatalogOptions {
        defaultNamespace = List.copyOf(defaultNamespace);
        tableDefaults = Map.copyOf(tableDefaults);
        tableOverrides = Map.copyOf(tableOverrides);
    }

    /**
     * Reads the options of a catalog.
     *
     * @throws IllegalArgumentException naming the configuration key that is missing or cannot have its value
     */
    static CatalogOptions of(String catalog, CaseInsensitiveStringMap options) {
        String prefix = "spark.sql.catalog." + catalog + ".";
        String type = Optional.ofNullable(options.get("type")).orElse("warehouse");
        if (!List.of("warehouse", "hadoop").contains(type.strip().toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(prefix + "type must be 'warehouse' or 'hadoop' (the same thing), not '"
                    + type + "': other kinds of catalogs are not supported yet.");
        }
        for (String foreign : List.of("catalog-impl", "io-impl", "uri")) {
            if (options.containsKey(foreign)) {
                throw new IllegalArgumentException(prefix + foreign + " must not be set, but is '"
                        + options.get(foreign) + "': tables are found by directory, below " + prefix + "warehouse.");
            }
        }
        String warehouse = options.get("warehouse");
        if (warehouse == null || warehouse.isBlank()) {
            throw new IllegalArgumentException(
                    prefix + "warehouse must be set to the directory of the tables, but is missing or empty.");
        }
        return new CatalogOptions(
                warehouse,
                namespace(
                        prefix,
                        Optional.ofNullable(options.get("default-namespace")).orElse("default")),
                below(options, "table-default."),
                below(options, "table-override."),
                options.getBoolean("use-nullable-query-schema", true));
    }

    private static List<String> namespace(String prefix, String text) {
        List<String> parts = text.isEmpty() ? List.of() : List.of(text.split("\\.", -1));
        if (parts.contains("")) {
            throw new IllegalArgumentException(
                    prefix + "default-namespace must be names joined by dots, not '" + text + "'.");
        }
        return parts;
    }

    private static Map<String, String> below(CaseInsensitiveStringMap options, String prefix) {
        var found = new LinkedHashMap<String, String>();
        options.asCaseSensitiveMap().forEach((name, value) -> {
            if (name.startsWith(prefix) && name.length() > prefix.length()) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return found;
    }
}
