package dev.calve.spark;

import dev.calve.catalog.TableName;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Replacement;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.SpecBuilder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaRules;
import dev.calve.spark.convert.SparkTransforms;
import dev.calve.spark.convert.SparkTypes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/** Turns a {@code CREATE TABLE} into the first metadata of the table. Nothing is written. */
final class NewTable {

    /** What {@code USING} may say; {@code parquet} is what DataFrame writers say when nobody said anything. */
    private static final List<String> PROVIDERS = List.of("calve", "iceberg", "parquet");

    private final TableName name;
    private final String defaultLocation;
    private final CatalogOptions options;
    private final UnaryOperator<String> qualify;

    /**
     * @param defaultLocation where the catalog puts a table of that name
     * @param qualify makes the spellings of a location the same
     */
    NewTable(TableName name, String defaultLocation, CatalogOptions options, UnaryOperator<String> qualify) {
        this.name = name;
        this.defaultLocation = defaultLocation;
        this.options = options;
        this.qualify = qualify;
    }

    /**
     * The first metadata.
     *
     * @param given as Spark gives them: the user's properties and Spark's own
     * @throws IllegalArgumentException naming the column, transform or property the table cannot have
     * @throws UnsupportedOperationException naming what is valid and not implemented
     */
    TableMetadata metadata(StructType columns, Transform[] partitions, Map<String, String> given) {
        refuseProvider(given);
        refuseCollation(given);
        var properties = new LinkedHashMap<>(options.tableDefaults());
        properties.putAll(given);
        properties.putAll(options.tableOverrides());
        int formatVersion = formatVersion(properties);
        Map<String, String> stored = stored(properties);
        Schema schema = ColumnDefaults.declared(columns, SparkTypes.fromSpark(columns));
        SchemaRules.check(schema, formatVersion);
        return MetadataUpdates.fresh(
                schema,
                spec(schema, partitions),
                SortOrder.UNSORTED,
                location(given),
                stored,
                formatVersion,
                System.currentTimeMillis());
    }

    /**
     * What makes an existing table this one. Properties it has stay unless they are set anew, also by the catalog's {@code
     * table-override.*}; the catalog's defaults are only for those it lacks.
     *
     * @param given as Spark gives them: the user's properties and Spark's own
     * @throws IllegalArgumentException naming the column, transform or property the table cannot have
     * @throws UnsupportedOperationException naming what is valid and not implemented
     */
    Replacement replacement(
            StructType columns, Transform[] partitions, Map<String, String> given, TableMetadata replaced) {
        refuseProvider(given);
        refuseCollation(given);
        location(given);
        var properties = new LinkedHashMap<>(options.tableDefaults());
        properties.keySet().removeAll(replaced.properties().keySet());
        properties.remove(TableProperties.FORMAT_VERSION.name());
        properties.putAll(given);
        properties.putAll(options.tableOverrides());
        Optional<Integer> formatVersion = properties.containsKey(TableProperties.FORMAT_VERSION.name())
                ? Optional.of(TableProperties.of(properties, name.toString()).get(TableProperties.FORMAT_VERSION))
                : Optional.empty();
        Map<String, String> stored = stored(properties);
        Schema schema = ColumnDefaults.declared(columns, SparkTypes.fromSpark(columns));
        SchemaRules.check(schema, formatVersion.orElse(replaced.formatVersion()));
        return new Replacement(schema, spec(schema, partitions), SortOrder.UNSORTED, stored, formatVersion);
    }

    private void refuseProvider(Map<String, String> given) {
        String provider = given.get(TableCatalog.PROP_PROVIDER);
        if (provider != null && !PROVIDERS.contains(provider.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("Cannot create table " + name + " USING " + provider
                    + ": the provider must be 'calve' or 'iceberg', or left out; data files are Parquet.");
        }
    }

    private void refuseCollation(Map<String, String> given) {
        String collation = given.get("collation");
        if (collation != null && !collation.equalsIgnoreCase("UTF8_BINARY")) {
            throw new IllegalArgumentException("Cannot create table " + name + " with DEFAULT COLLATION " + collation
                    + ": the table format cannot store collations. Leave it out.");
        }
    }

    private int formatVersion(Map<String, String> properties) {
        int version = TableProperties.of(properties, name.toString()).get(TableProperties.FORMAT_VERSION);
        if (version == 1) {
            throw new IllegalArgumentException("format-version must be 2 or 3 for a new table, not '1' (table " + name
                    + "): tables of version 1 can be read and written, but not created.");
        }
        return version;
    }

    private Map<String, String> stored(Map<String, String> properties) {
        Map<String, String> stored = ReportedProperties.withoutReported(properties, name.toString());
        TableProperties.of(stored, name.toString()).checkWritable();
        String key = stored.get(TableProperties.ENCRYPTION_KEY_ID.name());
        if (key != null) {
            throw new UnsupportedOperationException("Cannot create table " + name + ": "
                    + TableProperties.ENCRYPTION_KEY_ID.name() + " = '" + key
                    + "' asks for encryption, which is not supported. Leave the property out.");
        }
        return stored;
    }

    private String location(Map<String, String> given) {
        String location = given.get(TableCatalog.PROP_LOCATION);
        if (location == null) {
            return defaultLocation;
        }
        // Spark hands over a location with its scheme, however the user wrote it.
        if (!qualify.apply(location).equals(qualify.apply(defaultLocation))) {
            throw new IllegalArgumentException("LOCATION of table " + name + " must be '" + defaultLocation
                    + "', where a directory catalog looks for it, or left out, not '" + location + "'.");
        }
        return defaultLocation;
    }

    private PartitionSpec spec(Schema schema, Transform[] partitions) {
        var builder = new SpecBuilder(schema);
        for (Transform partition : partitions) {
            SparkTransforms.OnColumn term = SparkTransforms.fromSpark(partition);
            builder.add(exactName(schema, term.column()), term.transform());
        }
        return builder.build(0);
    }

    /** Spark resolves columns in any letter case and hands on what the user wrote. */
    private static String exactName(Schema schema, String column) {
        Optional<Field> found = schema.field(column, SQLConf.get().caseSensitiveAnalysis());
        return found.flatMap(field -> schema.name(field.id())).orElse(column);
    }
}
