package dev.calve.catalog;

import dev.calve.commit.Committer;
import dev.calve.commit.TableState;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Where tables live. Instances are safe for use by several threads. */
public interface Catalog {

    /** Namespaces directly below the parent, which is empty for the root; empty if there is no such parent. */
    List<List<String>> namespaces(List<String> parent) throws IOException;

    boolean namespaceExists(List<String> namespace) throws IOException;

    /**
     * Creates a namespace and the parents that are missing.
     *
     * @throws IllegalArgumentException if it exists, a parent is a table, or it is not a legal name here
     */
    void createNamespace(List<String> namespace) throws IOException;

    /**
     * Drops an empty namespace.
     *
     * @return false if there was none
     * @throws IllegalArgumentException if it still holds tables or namespaces
     */
    boolean dropNamespace(List<String> namespace) throws IOException;

    /** The tables of a namespace in the order of their names; empty if there is no such namespace. */
    List<TableName> tables(List<String> namespace) throws IOException;

    /** The newest state of a table; empty if there is no table of that name. */
    Optional<TableState> load(TableName table) throws IOException;

    /** Where a new table of that name is put when no location is given. */
    String defaultLocation(TableName table);

    /**
     * Creates a table whose first metadata is given; nothing is visible before this call.
     *
     * @param statement id by which a file is known that is left behind
     * @throws TableExistsException if the name is taken, also by somebody who was faster
     * @throws IllegalArgumentException if the location or name is not possible here
     * @throws UnsupportedOperationException if a commit could not be made safely there
     * @throws java.io.UncheckedIOException if the storage failed and the table was certainly not created
     * @throws IOException if the storage failed and the table may have been created
     */
    TableState create(TableName table, TableMetadata metadata, UUID statement) throws IOException;

    /**
     * Drops a table.
     *
     * @return false if there was none
     * @throws IllegalArgumentException if the table forbids it
     */
    boolean drop(TableName table) throws IOException;

    /**
     * Removes what is left of a table that was never created and whose files were deleted, like empty folders, which could
     * be taken for something else. Removes nothing if there is a table of that name.
     */
    void removeTraces(TableName table) throws IOException;

    /** The swap of one table. No request is made. */
    Committer committer(TableName table);
}
