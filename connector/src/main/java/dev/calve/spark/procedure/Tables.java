package dev.calve.spark.procedure;

import dev.calve.catalog.LoadedTable;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;

/** The tables of the catalog that has the procedures. */
public interface Tables {

    /** The table as it is now. */
    LoadedTable load(Identifier identifier) throws NoSuchTableException;
}
