package dev.calve.spark.read;

import dev.calve.deletes.EncodedKeys;
import dev.calve.deletes.KeyTable;
import dev.calve.deletes.LongKeys;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.spark.sql.types.StructType;

/**
 * The fields that are the key of an equality delete. A field that the schema read with does not have any more is found in
 * another schema of the table: a delete by it still holds. Spec: Equality Delete Files.
 *
 * @param fields in ascending order of their ids, at least one
 */
record KeyFields(List<KeyField> fields) {

    /**
     * One field of a key.
     *
     * @param path the fields from the top-level column down to the key field, each but the last a struct of only the next
     */
    record KeyField(List<Field> path) {
        KeyField {
            path = List.copyOf(path);
        }

        Type type() {
            return path.get(path.size() - 1).type();
        }

        /** The top-level column, reduced to the key field. */
        StructType column() {
            Field column = path.get(path.size() - 1);
            for (int i = path.size() - 2; i >= 0; i--) {
                column = path.get(i).withType(new Type.Struct(List.of(column)));
            }
            return new StructType().add(SparkTypes.toSpark(column));
        }
    }

    KeyFields {
        fields = List.copyOf(fields);
    }

    /**
     * Finds the key fields of a delete file.
     *
     * @param schema the table is read with
     * @throws InvalidTableException naming the delete file if no schema has one of them, or if it cannot be part of a key
     * @throws UnsupportedOperationException naming the delete file if Spark has no type for one of them
     */
    static KeyFields of(TableMetadata table, Schema schema, DeleteFile.EqualityDeletes file) {
        var fields = new ArrayList<KeyField>();
        for (int id : new TreeSet<>(file.equalityIds())) {
            fields.add(field(table, schema, id, file.path()));
        }
        return new KeyFields(fields);
    }

    private static KeyField field(TableMetadata table, Schema schema, int id, String file) {
        Schema home = schemaWith(table, schema, id)
                .orElseThrow(() -> new InvalidTableException("Equality delete file " + file
                        + " has the key field " + id + ", which must be a field of the table, but no schema of "
                        + table.location() + " has it."));
        Field leaf = home.field(id).orElseThrow();
        String name = home.name(id).orElseThrow();
        if (home.isRepeated(id) || !isKeyType(leaf.type())) {
            throw new InvalidTableException(
                    "Equality delete file " + file + " has the key field '" + name + "' (id " + id
                            + "), which must be of a primitive type and not in a list or map, but is " + leaf.type()
                            + (home.isRepeated(id) ? " in a list or map." : "."));
        }
        List<Field> path = new ArrayList<>();
        path.add(asRead(leaf.withType(widest(table, leaf)), schema));
        for (Optional<Field> at = home.parent(id);
                at.isPresent();
                at = home.parent(at.get().id())) {
            path.add(0, asRead(at.get(), schema));
        }
        var field = new KeyField(path);
        try {
            field.column();
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(
                    "Equality delete file " + file + " has the key field '" + name + "': " + e.getMessage(), e);
        }
        return field;
    }

    /** A file may do without a required field once the field is dropped. */
    private static Field asRead(Field field, Schema schema) {
        boolean required = schema.field(field.id()).map(Field::required).orElse(false);
        return new Field(
                field.id(),
                field.name(),
                required,
                field.type(),
                Optional.empty(),
                field.initialDefault(),
                Optional.empty());
    }

    /** The schema read with, else the current one, else the newest that has the field. */
    private static Optional<Schema> schemaWith(TableMetadata table, Schema schema, int id) {
        var candidates = new ArrayList<>(table.schemas());
        candidates.add(table.schema());
        candidates.add(schema);
        Collections.reverse(candidates);
        return candidates.stream().filter(other -> other.field(id).isPresent()).findFirst();
    }

    private static boolean isKeyType(Type type) {
        return type instanceof Type.Primitive
                && type != Type.Simple.VARIANT
                && !(type instanceof Type.Geometry)
                && !(type instanceof Type.Geography);
    }

    /** The type in whichever schema it was promoted furthest: files of any schema can be read as it. Spec: Schema Evolution. */
    private static Type widest(TableMetadata table, Field field) {
        Type widest = field.type();
        for (Schema other : table.schemas()) {
            Type type = other.field(field.id()).map(Field::type).orElse(widest);
            if ((widest == Type.Simple.INT && type == Type.Simple.LONG)
                    || (widest == Type.Simple.FLOAT && type == Type.Simple.DOUBLE)
                    || widest == Type.Simple.UNKNOWN
                    || (widest instanceof Type.Decimal less
                            && type instanceof Type.Decimal more
                            && more.precision() > less.precision())) {
                widest = type;
            }
        }
        return widest;
    }

    /** The columns to read, structs reduced to key fields. */
    StructType columns() {
        var columns = new StructType();
        for (KeyField field : fields) {
            columns = MergedColumns.merge(columns, field.column());
        }
        return columns;
    }

    /** Whether the key is a single value that a long holds. */
    boolean isOneInteger() {
        return fields.size() == 1 && isInteger(fields.get(0).type());
    }

    private static boolean isInteger(Type type) {
        return type == Type.Simple.INT
                || type == Type.Simple.LONG
                || type == Type.Simple.DATE
                || type == Type.Simple.TIMESTAMP
                || type == Type.Simple.TIMESTAMPTZ;
    }

    KeyTable newTable(long expectedKeys) {
        return isOneInteger() ? new LongKeys(expectedKeys) : new EncodedKeys(expectedKeys);
    }
}
