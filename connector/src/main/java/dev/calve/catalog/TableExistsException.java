package dev.calve.catalog;

/** A table of that name is already there. */
public final class TableExistsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TableExistsException(TableName table) {
        super("Cannot create table " + table
                + ": it already exists. Choose another name, or CREATE TABLE IF NOT EXISTS.");
    }
}
