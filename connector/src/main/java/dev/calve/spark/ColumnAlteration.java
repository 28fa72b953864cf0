package dev.calve.spark;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/** Spark's changes of columns as changes of a table's schema. */
final class ColumnAlteration {

    private final Schema schema;

    /** @param schema of the table as it was read: some changes mean something by the type a column has */
    ColumnAlteration(Schema schema) {
        this.schema = schema;
    }

    /**
     * The change; empty if the column is as wanted, though the format has another name for its type.
     *
     * @throws IllegalArgumentException if the format has no such type or cannot store the default
     * @throws UnsupportedOperationException for defaults that are no constants, and changes not known
     */
    Optional<SchemaChange> of(TableChange.ColumnChange change) {
        List<String> path = List.of(change.fieldNames());
        if (change instanceof TableChange.AddColumn add) {
            return Optional.of(add(path, add));
        }
        if (change instanceof TableChange.DeleteColumn delete) {
            return Optional.of(new SchemaChange.Drop(path, Boolean.TRUE.equals(delete.ifExists())));
        }
        if (change instanceof TableChange.RenameColumn rename) {
            return Optional.of(new SchemaChange.Rename(path, rename.newName()));
        }
        if (change instanceof TableChange.UpdateColumnType update) {
            return retype(path, update.newDataType());
        }
        if (change instanceof TableChange.UpdateColumnNullability update) {
            return Optional.of(new SchemaChange.SetRequired(path, !update.nullable()));
        }
        if (change instanceof TableChange.UpdateColumnComment update) {
            return Optional.of(new SchemaChange.SetDoc(path, Optional.ofNullable(update.newComment())));
        }
        if (change instanceof TableChange.UpdateColumnPosition update) {
            return Optional.of(
                    new SchemaChange.Move(path, position(update.position()).orElse(SchemaChange.Position.FIRST)));
        }
        if (change instanceof TableChange.UpdateColumnDefaultValue update) {
            return Optional.of(new SchemaChange.SetWriteDefault(path, newDefault(path, update)));
        }
        throw new UnsupportedOperationException("Cannot alter column '" + name(path) + "': "
                + change.getClass().getSimpleName() + " is not supported.");
    }

    private static SchemaChange add(List<String> path, TableChange.AddColumn add) {
        Type type = SparkTypes.fromSpark(add.dataType(), name(path));
        return new SchemaChange.Add(
                path.subList(0, path.size() - 1),
                path.get(path.size() - 1),
                type,
                !add.isNullable(),
                Optional.ofNullable(add.comment()),
                ColumnDefaults.value(name(path), type, add.defaultValue()),
                position(add.position()));
    }

    private static Optional<SchemaChange.Position> position(TableChange.@Nullable ColumnPosition position) {
        if (position instanceof TableChange.After after) {
            return Optional.of(new SchemaChange.Position.After(after.column()));
        }
        return position == null ? Optional.empty() : Optional.of(SchemaChange.Position.FIRST);
    }

    /** Some types of the format look the same to Spark, such as uuid and string: what looks the same is left as it is. */
    private Optional<SchemaChange> retype(List<String> path, DataType wanted) {
        Type type = SparkTypes.fromSpark(wanted, name(path));
        boolean same = field(path)
                .map(field -> SparkTypes.toSpark(field.type(), name(path)))
                .filter(SparkTypes.toSpark(type, name(path))::equals)
                .isPresent();
        return same ? Optional.empty() : Optional.of(new SchemaChange.Retype(path, type));
    }

    /** Spark says an empty text to drop the default. */
    @SuppressWarnings("deprecation") // Spark 4.0 has no other form.
    private Optional<Object> newDefault(List<String> path, TableChange.UpdateColumnDefaultValue update) {
        String sql = update.newDefaultValue();
        if (sql == null || sql.isEmpty()) {
            return Optional.empty();
        }
        Field field = field(path)
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cannot set the default of column '" + name(path) + "': there is no such column."));
        return ColumnDefaults.value(name(path), field.type(), sql);
    }

    private Optional<Field> field(List<String> path) {
        return schema.field(name(path), SQLConf.get().caseSensitiveAnalysis());
    }

    private static String name(List<String> path) {
        return String.join(".", path);
    }
}
