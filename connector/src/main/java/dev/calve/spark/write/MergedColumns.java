package dev.calve.spark.write;

import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Field;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What a table's columns lack to hold rows of other columns: columns and nested fields it has none of come last among their
 * siblings and may be null, those of narrower types are widened. Nothing is dropped, made narrower or allowed to be null. Spec:
 * Schema Evolution.
 *
 * @param rows type of the rows
 * @param caseSensitive whether names that differ only in letter case are two columns
 */
record MergedColumns(StructType rows, boolean caseSensitive) implements Function<TableMetadata, List<MetadataUpdate>> {

    /**
     * What is left to do for a table; nothing if its columns hold the rows.
     *
     * @throws IllegalArgumentException if a column cannot be widened to hold what the rows have
     */
    @Override
    public List<MetadataUpdate> apply(TableMetadata table) {
        var changes = new ArrayList<SchemaChange>();
        addChanges(table.schema().fields(), rows, List.of(), changes);
        return changes.isEmpty()
                ? List.of()
                : ColumnChanges.updates(table, ColumnChanges.evolve(table, new SchemaChanges(changes, caseSensitive)));
    }

    private void addChanges(List<Field> fields, StructType arriving, List<String> parent, List<SchemaChange> changes) {
        for (StructField field : arriving.fields()) {
            Optional<Field> known = fields.stream()
                    .filter(candidate -> caseSensitive
                            ? candidate.name().equals(field.name())
                            : candidate.name().equalsIgnoreCase(field.name()))
                    .findFirst();
            List<String> path = under(parent, known.map(Field::name).orElse(field.name()));
            if (known.isPresent()) {
                addChanges(known.get(), field.dataType(), path, changes);
            } else {
                changes.add(new SchemaChange.Add(
                        parent,
                        field.name(),
                        SparkTypes.fromSpark(field.dataType(), String.join(".", path)),
                        false,
                        field.getComment().isDefined()
                                ? Optional.of(field.getComment().get())
                                : Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
            }
        }
    }

    private void addChanges(Field field, DataType arriving, List<String> path, List<SchemaChange> changes) {
        if (field.type() instanceof Type.Struct struct && arriving instanceof StructType structType) {
            addChanges(struct.fields(), structType, path, changes);
        } else if (field.type() instanceof Type.ListOf list && arriving instanceof ArrayType arrayType) {
            addChanges(list.fields().get(0), arrayType.elementType(), under(path, "element"), changes);
        } else if (field.type() instanceof Type.MapOf map && arriving instanceof MapType mapType) {
            addChanges(map.fields().get(0), mapType.keyType(), under(path, "key"), changes);
            addChanges(map.fields().get(1), mapType.valueType(), under(path, "value"), changes);
        } else if (!(arriving instanceof NullType) && !RowShape.holds(field, arriving, caseSensitive)) {
            changes.add(new SchemaChange.Retype(path, SparkTypes.fromSpark(arriving, String.join(".", path))));
        }
    }

    private static List<String> under(List<String> parent, String name) {
        var path = new ArrayList<>(parent);
        path.add(name);
        return path;
    }
}
