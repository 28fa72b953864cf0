package dev.calve.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

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

    /**
     * What Spark does with the value when the row is updated: it hands it over with the new row, unless told not to. A row keeps its
     * id, also where Spark deletes and inserts it.
     */
    @Override
    public @Nullable String metadataInJSON() {
        return switch (field.name()) {
            case "_row_id" -> preserved(PRESERVE_ON_REINSERT, true);
            case "_last_updated_sequence_number" -> preserved(PRESERVE_ON_UPDATE, false);
            default -> null;
        };
    }

    private static String preserved(String when, boolean whether) {
        return new MetadataBuilder().putBoolean(when, whether).build().json();
    }
}
