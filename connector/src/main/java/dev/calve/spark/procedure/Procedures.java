package dev.calve.spark.procedure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;

/** The procedures of a catalog by name. */
public final class Procedures {

    static final String NAMESPACE = "system";

    private static final List<Definition> ALL = Stream.of(
                    PartitionFieldProcedures.ALL,
                    LayoutProcedures.ALL,
                    RefProcedures.ALL,
                    BranchProcedures.ALL,
                    PickProcedures.ALL,
                    CompactionProcedures.ALL,
                    DeleteProcedures.ALL)
            .flatMap(List::stream)
            .toList();

    private final TableNames names;
    private final Tables tables;

    public Procedures(String catalog, List<String> defaultNamespace, Tables tables) {
        this.names = new TableNames(catalog, defaultNamespace);
        this.tables = tables;
    }

    /** Those of a namespace: {@code system} has all, and so has the catalog without a namespace, others have none. */
    public Identifier[] list(String[] namespace) {
        return namespace.length == 0 || isSystem(namespace)
                ? ALL.stream()
                        .map(definition -> Identifier.of(new String[] {NAMESPACE}, definition.name()))
                        .toArray(Identifier[]::new)
                : new Identifier[0];
    }

    private static boolean isSystem(String[] namespace) {
        return namespace.length == 1 && namespace[0].equalsIgnoreCase(NAMESPACE);
    }

    /**
     * The procedure of a name; letter case does not count.
     *
     * @throws IllegalArgumentException if there is none, naming those that are there
     */
    public UnboundProcedure load(Identifier identifier) {
        String name = identifier.name().toLowerCase(Locale.ROOT);
        return ALL.stream()
                .filter(definition ->
                        isSystem(identifier.namespace()) && definition.name().equals(name))
                .findFirst()
                .map(definition -> new TableProcedure(definition, names, tables))
                .orElseThrow(() -> new IllegalArgumentException("Catalog " + names.catalog() + " has no procedure "
                        + String.join(".", Arrays.asList(identifier.namespace()))
                        + (identifier.namespace().length == 0 ? "" : ".") + identifier.name() + ", but in " + NAMESPACE
                        + ": "
                        + ALL.stream().map(Definition::name).sorted().toList() + "."));
    }
}
