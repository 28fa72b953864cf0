package dev.calve.spark;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.Arrays;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A table's schema as users see it: names, types, comments and defaults, without the field ids that readers need. */
final class VisibleSchema {

    private static final String COMMENT = "comment";

    private VisibleSchema() {}

    static StructType of(Schema schema) {
        var fields = new ArrayList<StructField>();
        for (StructField field : withoutIds(SparkTypes.toSpark(schema)).fields()) {
            Field own = schema.fields().get(fields.size());
            var metadata = new MetadataBuilder().withMetadata(field.metadata());
            ColumnDefaults.report(own, field.dataType(), metadata);
            fields.add(new StructField(field.name(), field.dataType(), field.nullable(), metadata.build()));
        }
        return new StructType(fields.toArray(StructField[]::new));
    }

    private static StructType withoutIds(StructType struct) {
        return new StructType(Arrays.stream(struct.fields())
                .map(field -> new StructField(
                        field.name(), withoutIds(field.dataType()), field.nullable(), commentOf(field.metadata())))
                .toArray(StructField[]::new));
    }

    private static DataType withoutIds(DataType type) {
        if (type instanceof StructType struct) {
            return withoutIds(struct);
        }
        if (type instanceof ArrayType array) {
            return new ArrayType(withoutIds(array.elementType()), array.containsNull());
        }
        if (type instanceof MapType map) {
            return new MapType(withoutIds(map.keyType()), withoutIds(map.valueType()), map.valueContainsNull());
        }
        return type;
    }

    private static Metadata commentOf(Metadata metadata) {
        return metadata.contains(COMMENT)
                ? new MetadataBuilder()
                        .putString(COMMENT, metadata.getString(COMMENT))
                        .build()
                : Metadata.empty();
    }

    /**
     * The columns of a new table as a struct; comments and defaults are kept as Spark keeps them in structs.
     *
     * @throws UnsupportedOperationException for generated and identity columns, and defaults that are no constants
     */
    static StructType of(Column[] columns) {
        var fields = new ArrayList<StructField>();
        for (Column column : columns) {
            var metadata = new MetadataBuilder();
            if (column.comment() != null) {
                metadata.putString(COMMENT, column.comment());
            }
            refuseComputed(column);
            ColumnDefaults.declare(column.name(), column.dataType(), column.defaultValue(), metadata);
            fields.add(new StructField(column.name(), column.dataType(), column.nullable(), metadata.build()));
        }
        return new StructType(fields.toArray(StructField[]::new));
    }

    private static void refuseComputed(Column column) {
        if (column.generationExpression() != null) {
            throw new UnsupportedOperationException("Cannot create column '" + column.name()
                    + "': the table format has no generated columns. Leave GENERATED ALWAYS AS out.");
        }
        if (column.identityColumnSpec() != null) {
            throw new UnsupportedOperationException("Cannot create column '" + column.name()
                    + "': the table format has no identity columns. Leave GENERATED … AS IDENTITY out.");
        }
    }
}
