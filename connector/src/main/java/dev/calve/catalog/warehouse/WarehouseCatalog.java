package dev.calve.catalog.warehouse;

import dev.calve.catalog.Catalog;
import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.commit.Committer;
import dev.calve.commit.TableState;
import dev.calve.io.InvalidTableException;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Tables below one directory: a namespace is a folder, a table is a folder with metadata in it.
 *
 * <p>Namespaces come into being with their first table, as in other hadoop catalogs. Safe for use by several threads.
 */
public final class WarehouseCatalog implements Catalog {

    private final String warehouse;
    private final Directory directory;

    /**
     * Makes no request.
     *
     * @param warehouse the directory; need not exist
     */
    public WarehouseCatalog(String warehouse, Directory directory) {
        if (warehouse.isBlank()) {
            throw new IllegalArgumentException("warehouse must be a directory, but is empty.");
        }
        this.warehouse = withoutSlash(warehouse.strip());
        this.directory = directory;
    }

    /**
     * Loads the table whose folder it is, outside any catalog; for reading.
     *
     * @throws InvalidTableException if the metadata is corrupt, or of a catalog that keeps its newest version elsewhere
     */
    public static Optional<TableState> loadPath(String location, Directory directory) throws IOException {
        var folder = new TableFolder(location, withoutSlash(location.strip()), directory);
        Optional<TableState> found = folder.find();
        if (found.isEmpty() && folder.hasMetadata()) {
            throw new InvalidTableException(
                    "Table at " + location + " must have metadata files named v<number>, but has "
                            + "others: its newest version is known to the catalog it belongs to. Load it from there.");
        }
        return found;
    }

    @Override
    public List<List<String>> namespaces(List<String> parent) throws IOException {
        var result = new ArrayList<List<String>>();
        if (!parent.isEmpty() && !namespaceExists(parent)) {
            return result;
        }
        for (String name : folders(parent)) {
            var child = new ArrayList<>(parent);
            child.add(name);
            if (!folder(String.join(".", child), folderOf(child)).hasMetadata()) {
                result.add(List.copyOf(child));
            }
        }
        return result;
    }

    @Override
    public boolean namespaceExists(List<String> namespace) throws IOException {
        checkNames(namespace);
        if (namespace.isEmpty()) {
            return true;
        }
        return directory.isDirectory(folderOf(namespace))
                && tableAbove(namespace).isEmpty();
    }

    /** The first of the namespace and its parents that is a table instead. */
    private Optional<String> tableAbove(List<String> namespace) throws IOException {
        for (int length = 1; length <= namespace.size(); length++) {
            List<String> parent = namespace.subList(0, length);
            String name = String.join(".", parent);
            if (folder(name, folderOf(parent)).hasMetadata()) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    @Override
    public void createNamespace(List<String> namespace) throws IOException {
        checkNames(namespace);
        String name = String.join(".", namespace);
        if (namespace.isEmpty()) {
            throw new IllegalArgumentException("Cannot create the root namespace: it always exists.");
        }
        refuseTableAbove("create namespace " + name, namespace);
        if (directory.isDirectory(folderOf(namespace))) {
            throw new IllegalArgumentException("Cannot create namespace " + name + ": it already exists.");
        }
        directory.makeDirectories(folderOf(namespace));
    }

    private void refuseTableAbove(String action, List<String> namespace) throws IOException {
        Optional<String> table = tableAbove(namespace);
        if (table.isPresent()) {
            throw new IllegalArgumentException("Cannot " + action + ": " + table.get() + " is a table.");
        }
    }

    @Override
    public boolean dropNamespace(List<String> namespace) throws IOException {
        String name = String.join(".", namespace);
        if (namespace.isEmpty()) {
            throw new IllegalArgumentException("Cannot drop the root namespace.");
        }
        if (!namespaceExists(namespace)) {
            return false;
        }
        List<Directory.Entry> entries = directory.list(folderOf(namespace));
        if (!entries.isEmpty()) {
            throw new IllegalArgumentException("Cannot drop namespace " + name + ": it must be empty, but holds "
                    + entries.stream()
                            .map(Directory.Entry::name)
                            .sorted()
                            .limit(5)
                            .toList() + ".");
        }
        directory.deleteRecursively(folderOf(namespace));
        return true;
    }

    @Override
    public List<TableName> tables(List<String> namespace) throws IOException {
        var result = new ArrayList<TableName>();
        if (!namespaceExists(namespace)) {
            return result;
        }
        for (String name : folders(namespace)) {
            var table = new TableName(namespace, name);
            if (folder(table).isTable()) {
                result.add(table);
            }
        }
        return result;
    }

    /** Names of the folders in a namespace that could be tables or namespaces, in order. */
    private List<String> folders(List<String> namespace) throws IOException {
        return directory.list(folderOf(namespace)).stream()
                .filter(entry -> entry.isDirectory() && !entry.name().startsWith("."))
                .map(Directory.Entry::name)
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    @Override
    public Optional<TableState> load(TableName table) throws IOException {
        checkName(table);
        return folder(table).find();
    }

    @Override
    public String defaultLocation(TableName table) {
        checkName(table);
        var parts = new ArrayList<>(table.namespace());
        parts.add(table.name());
        return folderOf(parts);
    }

    @Override
    public TableState create(TableName table, TableMetadata metadata, UUID statement) throws IOException {
        String location = defaultLocation(table);
        if (!withoutSlash(metadata.location()).equals(location)) {
            throw new IllegalArgumentException("Location of table " + table + " must be " + location
                    + ", where a directory catalog looks for it, not " + metadata.location() + ".");
        }
        refuseTableAbove("create table " + table, table.namespace());
        return folder(table).create(metadata, statement).orElseThrow(() -> new TableExistsException(table));
    }

    /**
     * Removes the table's folder, metadata first, so that what a crash leaves is not a table.
     *
     * @throws IllegalArgumentException if {@code gc.enabled} is false
     */
    @Override
    public boolean drop(TableName table) throws IOException {
        Optional<TableState> found = load(table);
        if (found.isEmpty()) {
            return false;
        }
        if (!TableProperties.of(found.get().metadata(), table.toString()).get(TableProperties.GC)) {
            throw new IllegalArgumentException("Cannot drop table " + table + ": its folder would be deleted, but "
                    + "gc.enabled is false. Set it to true if no other table shares the files.");
        }
        directory.deleteRecursively(folder(table).metadataFolder());
        directory.deleteRecursively(defaultLocation(table));
        return true;
    }

    /** An empty folder would be listed as a namespace. */
    @Override
    public void removeTraces(TableName table) throws IOException {
        if (!folder(table).hasMetadata()) {
            removeEmptyFolders(defaultLocation(table));
        }
    }

    private boolean removeEmptyFolders(String location) throws IOException {
        boolean empty = true;
        for (Directory.Entry entry : directory.list(location)) {
            empty &= entry.isDirectory() && removeEmptyFolders(location + "/" + entry.name());
        }
        return empty && directory.deleteIfEmpty(location);
    }

    @Override
    public Committer committer(TableName table) {
        checkName(table);
        return folder(table);
    }

    private TableFolder folder(TableName table) {
        return folder(table.toString(), defaultLocation(table));
    }

    private TableFolder folder(String name, String location) {
        return new TableFolder(name, location, directory);
    }

    private String folderOf(List<String> parts) {
        return parts.isEmpty() ? warehouse : warehouse + "/" + String.join("/", parts);
    }

    private static void checkName(TableName table) {
        checkNames(table.namespace());
        checkNames(List.of(table.name()));
    }

    /** A name becomes the name of a folder, so it must not be able to point anywhere else. */
    private static void checkNames(List<String> parts) {
        for (String part : parts) {
            boolean usable = !part.isBlank()
                    && !part.startsWith(".")
                    && part.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || c < ' ' || c == 0x7f);
            if (!usable) {
                throw new IllegalArgumentException(
                        "A name in a directory catalog must be a folder's name, not empty, not "
                                + "beginning with a dot and without '/', '\\', ':' or control characters, not '" + part
                                + "'.");
            }
        }
    }

    private static String withoutSlash(String location) {
        String result = location;
        while (result.length() > 1 && result.endsWith("/") && !result.endsWith("//")) {
            result = result.substring(0, result.length() - 1);
        }
        return result;
    }
}
