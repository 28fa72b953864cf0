package dev.calve.pruning;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.schema.PrimitiveType;

/**
 * A column of a table in a file: one value, or null, for each row.
 *
 * @param values how its values are stored
 */
record FileColumn(ColumnPath path, ColumnDescriptor descriptor, StoredValues values) {

    PrimitiveType type() {
        return descriptor.getPrimitiveType();
    }

    /** Neither it nor a struct around it can be null. */
    boolean isRequired() {
        return descriptor.getMaxDefinitionLevel() == 0;
    }
}
