package dev.calve.spark.convert;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Columns that a table has and Spark 4.0 has no type for: geometry and geography. Spark sees them as BINARY, so that the other
 * columns can be used; statements that need their values are refused.
 */
public final class Placeholders {

    private Placeholders() {}

    static boolean isPlaceholder(Type type) {
        return type instanceof Type.Geometry || type instanceof Type.Geography;
    }

    /**
     * Refuses to read what cannot be read.
     *
     * @param wanted columns of the schema, found by name, structs pruned; other columns are passed over
     * @throws UnsupportedOperationException naming the first column that cannot be read, and those that can
     */
    public static void refuseReading(Schema schema, StructType wanted, String table) {
        for (StructField field : wanted.fields()) {
            Optional<Field> own = find(schema.fields(), field.name());
            own.flatMap(column -> first(column.type(), field.dataType(), column.name()))
                    .ifPresent(found -> {
                        throw new UnsupportedOperationException("Cannot read column '" + found.path + "' of " + table
                                + ": its type " + found.type + " has no form in Spark. Select other columns"
                                + readable(schema) + ".");
                    });
        }
    }

    /**
     * Refuses to copy rows, which needs the values of all columns.
     *
     * @param statement what asks for it and where, for the message
     * @param remedy a sentence
     * @throws UnsupportedOperationException naming a column whose values cannot be copied
     */
    public static void refuseCopying(Schema schema, String statement, String remedy) {
        first(schema.struct(), SparkTypes.toSpark(schema), "").ifPresent(found -> {
            throw new UnsupportedOperationException(
                    "Cannot " + statement + ": rows that stay would be written again, but" + " values of column '"
                            + found.path + "' of type " + found.type + " cannot be copied. " + remedy);
        });
    }

    /**
     * Refuses rows that cannot do without a value nobody can write: in a required column, a list or a map.
     *
     * @throws UnsupportedOperationException naming the column
     */
    public static void refuseWriting(Schema schema, String table) {
        unavoidable(schema.fields(), "").ifPresent(found -> {
            throw new UnsupportedOperationException(
                    "Cannot write to " + table + ": column '" + found.path + "' of type "
                            + found.type + " cannot be left out of rows, and its values have no form in Spark."
                            + " Write the rows with another engine.");
        });
    }

    private record Found(String path, Type type) {}

    private static Optional<Found> first(Type type, DataType wanted, String path) {
        if (isPlaceholder(type)) {
            return Optional.of(new Found(path, type));
        }
        if (type instanceof Type.Struct struct && wanted instanceof StructType pruned) {
            for (StructField field : pruned.fields()) {
                Optional<Found> found = find(struct.fields(), field.name())
                        .flatMap(own -> first(own.type(), field.dataType(), join(path, own.name())));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        if (type instanceof Type.ListOf list && wanted instanceof ArrayType array) {
            return first(list.element(), array.elementType(), join(path, "element"));
        }
        if (type instanceof Type.MapOf map && wanted instanceof MapType entries) {
            return first(map.key(), entries.keyType(), join(path, "key"))
                    .or(() -> first(map.value(), entries.valueType(), join(path, "value")));
        }
        return Optional.empty();
    }

    private static Optional<Found> unavoidable(List<Field> fields, String path) {
        for (Field field : fields) {
            String name = join(path, field.name());
            Optional<Found> found;
            if (isPlaceholder(field.type())) {
                found = field.required() ? Optional.of(new Found(name, field.type())) : Optional.empty();
            } else if (field.type() instanceof Type.Struct struct) {
                found = unavoidable(struct.fields(), name);
            } else {
                found = first(field.type(), SparkTypes.toSpark(field.type(), name), name);
            }
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static String readable(Schema schema) {
        var names = new ArrayList<String>();
        for (Field field : schema.fields()) {
            if (first(field.type(), SparkTypes.toSpark(field.type(), field.name()), field.name())
                    .isEmpty()) {
                names.add(field.name());
            }
        }
        return names.isEmpty() ? "" : ": " + String.join(", ", names);
    }

    private static Optional<Field> find(List<Field> fields, String name) {
        return fields.stream().filter(field -> field.name().equals(name)).findFirst();
    }

    private static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
