package dev.calve.spark;

import dev.calve.catalog.Catalog;
import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.functions.PartitionFunctions;
import dev.calve.spark.inspect.MetadataTable;
import dev.calve.spark.procedure.Procedures;
import dev.calve.spark.read.ColumnarFileReader;
import dev.calve.spark.read.StateOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.ProcedureCatalog;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.StagingTableCatalog;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalogCapability;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableWritePrivilege;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Calve's catalog: {@code spark.sql.catalog.<name> = dev.calve.spark.CalveCatalog}.
 *
 * <p>Options below that key: {@code warehouse}, a directory, is required; {@code type} is {@code warehouse}, the default, or
 * its alias {@code hadoop}; {@code default-namespace}, {@code table-default.*}, {@code table-override.*} and {@code
 * use-nullable-query-schema} as with other catalogs of the format. Nothing is cached: each load reads the newest metadata.
 */
@SuppressWarnings("deprecation") // Spark 4.0 calls the forms that later versions deprecate, and so do these.
public final class CalveCatalog implements StagingTableCatalog, SupportsNamespaces, FunctionCatalog, ProcedureCatalog {

    private String name = "";
    private CatalogOptions options = new CatalogOptions("", List.of(), Map.of(), Map.of(), true);
    private Optional<HadoopStorage> storage = Optional.empty();
    private Optional<Catalog> catalog = Optional.empty();

    /** Called by Spark. */
    public CalveCatalog() {}

    /**
     * @throws IllegalArgumentException if an option is missing or cannot have its value
     * @throws UnsupportedOperationException if Spark is not one that this version can read files with
     */
    @Override
    public void initialize(String catalogName, CaseInsensitiveStringMap catalogOptions) {
        name = catalogName;
        options = CatalogOptions.of(catalogName, catalogOptions);
        ColumnarFileReader.verifySpark();
        var hadoop = new HadoopStorage(SparkSession.active().sessionState().newHadoopConf());
        storage = Optional.of(hadoop);
        catalog = Optional.of(new WarehouseCatalog(options.warehouse(), new HadoopDirectory(hadoop)));
    }

    private Catalog catalog() {
        return catalog.orElseThrow(
                () -> new IllegalStateException("The catalog must be initialized before it is used."));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String[] defaultNamespace() {
        return options.defaultNamespace().toArray(String[]::new);
    }

    /** Columns may have default values; whether a table can is up to its format version. */
    @Override
    public Set<TableCatalogCapability> capabilities() {
        return Set.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE);
    }

    @Override
    public boolean useNullableQuerySchema() {
        return options.nullableQuerySchema();
    }

    private static TableName tableName(Identifier identifier) {
        return new TableName(List.of(identifier.namespace()), identifier.name());
    }

    private String fullName(TableName table) {
        return name + "." + table;
    }

    @Override
    public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        return ask(
                "list the tables of " + name,
                () -> catalog().tables(List.of(namespace)).stream()
                        .map(table -> Identifier.of(table.namespace().toArray(String[]::new), table.name()))
                        .toArray(Identifier[]::new));
    }

    @Override
    public Table loadTable(Identifier identifier) throws NoSuchTableException {
        return tables().named(identifier, Optional.empty());
    }

    /** Called for the target of a statement that writes. */
    @Override
    public Table loadTable(Identifier identifier, Set<TableWritePrivilege> privileges) throws NoSuchTableException {
        Table table = loadTable(identifier);
        return table instanceof CalveTable own ? own.asTarget() : table;
    }

    /** {@code VERSION AS OF}. */
    @Override
    public Table loadTable(Identifier identifier, String version) throws NoSuchTableException {
        return tables().named(identifier, Optional.of(new ReadPoint.Version(version)));
    }

    /** {@code TIMESTAMP AS OF}. */
    @Override
    public Table loadTable(Identifier identifier, long timestampMicros) throws NoSuchTableException {
        return tables().named(identifier, Optional.of(StateOptions.atMicros(timestampMicros)));
    }

    private NamedTables tables() {
        return new NamedTables(this::find);
    }

    private Optional<LoadedTable> find(Identifier identifier) {
        TableName table = tableName(identifier);
        return ask("load table " + fullName(table), () -> catalog().load(table)).map(state -> loaded(table, state));
    }

    private LoadedTable load(Identifier identifier) throws NoSuchTableException {
        return find(identifier).orElseThrow(() -> new NoSuchTableException(identifier));
    }

    private LoadedTable loaded(TableName table, TableState state) {
        return new LoadedTable(
                fullName(table), state, storage.orElseThrow(), catalog().committer(table));
    }

    /** Nothing is cached that could be stale. */
    @Override
    public void invalidateTable(Identifier identifier) {}

    @Override
    public Table createTable(
            Identifier identifier, Column[] columns, Transform[] partitions, Map<String, String> properties)
            throws TableAlreadyExistsException {
        return createTable(identifier, VisibleSchema.of(columns), partitions, properties);
    }

    @Override
    public Table createTable(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties)
            throws TableAlreadyExistsException {
        TableName table = tableName(identifier);
        TableMetadata first = newTable(table).metadata(schema, partitions, properties);
        try {
            TableState state =
                    ask("create table " + fullName(table), () -> catalog().create(table, first, UUID.randomUUID()));
            return new CalveTable(loaded(table, state));
        } catch (TableExistsException e) {
            throw new TableAlreadyExistsException(identifier);
        }
    }

    private NewTable newTable(TableName table) {
        return new NewTable(table, catalog().defaultLocation(table), options, storage.orElseThrow()::qualify);
    }

    /** For {@code CREATE TABLE … AS SELECT}, which declares no columns: defaults are those of the tables it selects from. */
    @Override
    public StagedTable stageCreate(
            Identifier identifier, Column[] columns, Transform[] partitions, Map<String, String> properties)
            throws TableAlreadyExistsException {
        return stageCreate(identifier, VisibleSchema.of(ColumnDefaults.removedFrom(columns)), partitions, properties);
    }

    @Override
    public StagedTable stageCreate(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties)
            throws TableAlreadyExistsException {
        if (tableExists(identifier)) {
            throw new TableAlreadyExistsException(identifier);
        }
        TableName table = tableName(identifier);
        TableMetadata first = newTable(table).metadata(schema, partitions, properties);
        return StagedChange.creation(fullName(table), table, first, catalog(), storage.orElseThrow());
    }

    @Override
    public StagedTable stageReplace(
            Identifier identifier, Column[] columns, Transform[] partitions, Map<String, String> properties)
            throws NoSuchTableException {
        return stageReplace(identifier, VisibleSchema.of(columns), partitions, properties);
    }

    @Override
    public StagedTable stageReplace(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties)
            throws NoSuchTableException {
        return replacing(load(identifier), tableName(identifier), schema, partitions, properties);
    }

    private StagedTable replacing(
            LoadedTable replaced,
            TableName table,
            StructType schema,
            Transform[] partitions,
            Map<String, String> properties) {
        TableMetadata metadata = replaced.metadata();
        return StagedChange.replacement(
                replaced,
                newTable(table)
                        .replacement(schema, partitions, properties, metadata)
                        .of(metadata));
    }

    @Override
    public StagedTable stageCreateOrReplace(
            Identifier identifier, Column[] columns, Transform[] partitions, Map<String, String> properties) {
        return stageCreateOrReplace(identifier, VisibleSchema.of(columns), partitions, properties);
    }

    @Override
    public StagedTable stageCreateOrReplace(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties) {
        TableName table = tableName(identifier);
        Optional<LoadedTable> replaced = find(identifier);
        if (replaced.isPresent()) {
            return replacing(replaced.get(), table, schema, partitions, properties);
        }
        TableMetadata first = newTable(table).metadata(schema, partitions, properties);
        return StagedChange.creation(fullName(table), table, first, catalog(), storage.orElseThrow());
    }

    @Override
    public Table alterTable(Identifier identifier, TableChange... changes) throws NoSuchTableException {
        LoadedTable table = load(identifier);
        var alteration = TableAlteration.of(table, changes);
        TableState state = ask("alter table " + table.name(), alteration::commit);
        return new CalveTable(table.at(state));
    }

    /** Deletes the table's folder with all its files, as every directory catalog of the format does. */
    @Override
    public boolean dropTable(Identifier identifier) {
        TableName table = tableName(identifier);
        boolean dropped = ask("drop table " + fullName(table), () -> catalog().drop(table));
        // Spark asks whether there is such a table, which there is, and would take this for done.
        if (!dropped && MetadataTable.isName(identifier.name()) && tableExists(identifier)) {
            throw new UnsupportedOperationException("Cannot drop " + fullName(table)
                    + ": it only shows what another table consists of. Drop that table, or nothing.");
        }
        return dropped;
    }

    /** The same as dropping it. */
    @Override
    public boolean purgeTable(Identifier identifier) {
        return dropTable(identifier);
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw new UnsupportedOperationException(
                "Cannot rename table " + fullName(tableName(from)) + " to " + fullName(tableName(to))
                        + ": a directory catalog finds tables by their folder. Create a new table from it.");
    }

    private void requireNamespace(String[] namespace) throws NoSuchNamespaceException {
        if (!namespaceExists(namespace)) {
            throw new NoSuchNamespaceException(namespace);
        }
    }

    @Override
    public boolean namespaceExists(String[] namespace) {
        return ask(
                "look for namespace " + name + "." + String.join(".", namespace),
                () -> catalog().namespaceExists(List.of(namespace)));
    }

    @Override
    public String[][] listNamespaces() {
        return children(new String[0]);
    }

    @Override
    public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        return children(namespace);
    }

    private String[][] children(String[] namespace) {
        return ask(
                "list namespaces of " + name,
                () -> catalog().namespaces(List.of(namespace)).stream()
                        .map(child -> child.toArray(String[]::new))
                        .toArray(String[][]::new));
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        return Map.of();
    }

    /** @throws UnsupportedOperationException if properties are given: a folder has none */
    @Override
    public void createNamespace(String[] namespace, Map<String, String> properties)
            throws NamespaceAlreadyExistsException {
        // Spark adds the owner by itself.
        properties.keySet().stream()
                .filter(property -> !property.equals(SupportsNamespaces.PROP_OWNER))
                .sorted()
                .findFirst()
                .ifPresent(property -> {
                    throw new UnsupportedOperationException("Cannot create namespace " + name + "."
                            + String.join(".", namespace) + " with '" + property + "' = '" + properties.get(property)
                            + "': namespaces of a directory catalog have no properties, comments or locations.");
                });
        if (namespaceExists(namespace)) {
            throw new NamespaceAlreadyExistsException(namespace);
        }
        ask("create namespace " + name + "." + String.join(".", namespace), () -> {
            catalog().createNamespace(List.of(namespace));
            return true;
        });
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        throw new UnsupportedOperationException("Cannot alter namespace " + name + "." + String.join(".", namespace)
                + ": namespaces of a directory catalog have no properties.");
    }

    /** With {@code cascade}, tables go first, each as by {@link #dropTable}. */
    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade)
            throws NoSuchNamespaceException, NonEmptyNamespaceException {
        requireNamespace(namespace);
        boolean empty = listTables(namespace).length == 0 && listNamespaces(namespace).length == 0;
        if (!empty && !cascade) {
            throw new NonEmptyNamespaceException(namespace);
        }
        for (Identifier table : listTables(namespace)) {
            dropTable(table);
        }
        for (String[] child : listNamespaces(namespace)) {
            dropNamespace(child, true);
        }
        return ask(
                "drop namespace " + name + "." + String.join(".", namespace),
                () -> catalog().dropNamespace(List.of(namespace)));
    }

    @Override
    public Identifier[] listFunctions(String[] namespace) throws NoSuchNamespaceException {
        if (PartitionFunctions.areIn(namespace)) {
            return PartitionFunctions.names().stream()
                    .map(function -> Identifier.of(namespace, function))
                    .toArray(Identifier[]::new);
        }
        requireNamespace(namespace);
        return new Identifier[0];
    }

    @Override
    public UnboundFunction loadFunction(Identifier identifier) throws NoSuchFunctionException {
        Optional<UnboundFunction> function = PartitionFunctions.areIn(identifier.namespace())
                ? PartitionFunctions.named(identifier.name())
                : Optional.empty();
        return function.orElseThrow(() -> new NoSuchFunctionException(identifier));
    }

    private Procedures procedures() {
        return new Procedures(name, options.defaultNamespace(), this::load);
    }

    @Override
    public Identifier[] listProcedures(String[] namespace) {
        return procedures().list(namespace);
    }

    @Override
    public UnboundProcedure loadProcedure(Identifier identifier) {
        return procedures().load(identifier);
    }

    @Override
    public String toString() {
        return "CalveCatalog " + name + Arrays.toString(defaultNamespace());
    }

    /** Work that reads or changes the storage. */
    private interface Request<R> {
        R run() throws IOException;
    }

    private static <R> R ask(String what, Request<R> request) {
        try {
            return request.run();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot " + what + ": " + e.getMessage(), e);
        }
    }
}
