package dev.calve.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;

/** A column that says where a row is stored or when it was made. */
record TableMetadataColumn(StructField field) implements MetadataColumn {

    private static final Map<String, String> COMMENTS = Map.of(
            "_file", "location of the data file",
            "_pos", "position of the row in the data file, from 0",
            "_spec_id", "partition spec of the data file",
            "_partition", "partition of the data file",
            "_row_id", "identity of the row, kept when the row is updated",
            "_last_updated_sequence_number", "sequence number of the commit that added or last updated the row");

    @Override
    public String name() {
        return field.name();
    }

    @Override
    public DataType dataType() {
        return field.dataType();
    }

    @Override
    public boolean isNullable() {
        return field.nullable();
    }

    @Override
    public String comment() {
        return COMMENTS.getOrDefault(field.name(), "");
    }
}
