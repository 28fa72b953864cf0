package dev.calve.spark.read;

import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.schema.MessageType;

/** Decides from the footer alone whether a row group can hold a row that matters. */
@FunctionalInterface
public interface RowGroupFilter {

    /** Keeps every row group. */
    RowGroupFilter ALL = (block, fileSchema) -> true;

    /**
     * Tells whether the row group must be read. When in doubt it must.
     *
     * @param block the row group: row count, statistics of its column chunks
     * @param fileSchema the schema of the file, with the field ids that its columns have or got by the name mapping
     */
    boolean mightMatch(BlockMetaData block, MessageType fileSchema);
}
