package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.MetadataColumns;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Gives the fields that Spark asks for by name their field ids back. */
final class WantedColumns {

    private final List<StructField> available;

    WantedColumns(LoadedTable table, Schema schema) {
        this.available = new ArrayList<>(List.of(SparkTypes.toSpark(schema).fields()));
        this.available.addAll(MetadataColumns.of(table.metadata()));
    }

    /** The wanted columns, pruned as Spark pruned them, in its order. A table's own column hides a metadata column. */
    StructType withIds(StructType wanted) {
        return withIds(available, wanted);
    }

    private static StructType withIds(List<StructField> available, StructType wanted) {
        var fields = new ArrayList<StructField>();
        for (StructField field : wanted.fields()) {
            StructField own = find(available, field.name())
                    .orElseThrow(() -> new IllegalArgumentException(
                            "Column '" + field.name() + "' must be one of the table's: " + available));
            fields.add(new StructField(
                    own.name(), pruned(own.dataType(), field.dataType()), own.nullable(), own.metadata()));
        }
        return new StructType(fields.toArray(StructField[]::new));
    }

    private static Optional<StructField> find(List<StructField> fields, String name) {
        return fields.stream().filter(field -> field.name().equals(name)).findFirst();
    }

    private static DataType pruned(DataType own, DataType wanted) {
        if (own instanceof StructType struct && wanted instanceof StructType wantedStruct) {
            return withIds(List.of(struct.fields()), wantedStruct);
        }
        if (own instanceof ArrayType array && wanted instanceof ArrayType wantedArray) {
            return new ArrayType(pruned(array.elementType(), wantedArray.elementType()), array.containsNull());
        }
        if (own instanceof MapType map && wanted instanceof MapType wantedMap) {
            return new MapType(
                    pruned(map.keyType(), wantedMap.keyType()),
                    pruned(map.valueType(), wantedMap.valueType()),
                    map.valueContainsNull());
        }
        return own;
    }
}
