package dev.calve.spark.write;

import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Gives rows whose columns are others than the table's, in another order or of narrower types, the table's shape: columns go by
 * name at every depth; one that rows lack is its write default, or null. For tables that accept any schema, for which Spark does
 * not do it. Cost: an object for each struct, list and map whose parts differ. For one thread.
 */
final class RowShape {

    /** Makes a value of the table's type of one that is not null. */
    private interface Conversion {
        Object apply(Object value);
    }

    private static final Conversion NONE = value -> value;

    private static final int MISSING = -1;

    /** For each field of the table its place in the rows. */
    private final int[] ordinals;

    private final DataType[] types;
    private final Conversion[] conversions;
    private final @Nullable Object[] defaults;
    private final boolean same;

    private RowShape(List<Field> fields, StructType rows, boolean caseSensitive, String path) {
        int count = fields.size();
        ordinals = new int[count];
        types = new DataType[count];
        conversions = new Conversion[count];
        defaults = new @Nullable Object[count];
        boolean alike = rows.size() == count;
        for (int i = 0; i < count; i++) {
            Field field = fields.get(i);
            String name = path + field.name();
            ordinals[i] = find(rows, field.name(), caseSensitive, name);
            if (ordinals[i] == MISSING) {
                defaults[i] = field.writeDefault()
                        .map(value -> SparkValues.toSpark(field.type(), value))
                        .orElse(null);
                if (field.required() && defaults[i] == null) {
                    throw new IllegalArgumentException(
                            "Rows must have column '" + name + "', which must not be null and has no default.");
                }
                conversions[i] = NONE;
                types[i] = SparkTypes.toSpark(field.type(), name);
                alike = false;
                continue;
            }
            types[i] = rows.fields()[ordinals[i]].dataType();
            DataType type = types[i];
            conversions[i] = conversion(field, type, caseSensitive, name)
                    .orElseThrow(() -> new IllegalArgumentException("Column '" + name + "' of type " + field.type()
                            + " cannot hold values of type " + type.simpleString() + "."));
            alike &= ordinals[i] == i && conversions[i] == NONE;
        }
        same = alike;
    }

    /**
     * The shape of a table's rows for rows of the type.
     *
     * @throws IllegalArgumentException if a column the table must have is missing, or has a type it cannot hold
     */
    static RowShape of(List<Field> columns, StructType rows, boolean caseSensitive) {
        return new RowShape(columns, rows, caseSensitive, "");
    }

    /** Whether a field holds values of the type as they are or widened. */
    static boolean holds(Field field, DataType type, boolean caseSensitive) {
        return conversion(field, type, caseSensitive, field.name()).isPresent();
    }

    /**
     * The place of a column; an exact name comes first.
     *
     * @return {@link #MISSING} if there is none
     * @throws IllegalArgumentException if there are several
     */
    private static int find(StructType rows, String name, boolean caseSensitive, String path) {
        int found = MISSING;
        for (int i = 0; i < rows.size(); i++) {
            StructField candidate = rows.fields()[i];
            if (caseSensitive ? candidate.name().equals(name) : candidate.name().equalsIgnoreCase(name)) {
                if (found != MISSING) {
                    throw new IllegalArgumentException(
                            "Rows must have one column '" + path + "', not several: " + rows.simpleString() + ".");
                }
                found = i;
            }
        }
        return found;
    }

    private static Optional<Conversion> conversion(Field field, DataType from, boolean caseSensitive, String path) {
        Type type = field.type();
        if (from instanceof NullType) {
            return Optional.of(NONE);
        }
        if (type instanceof Type.Struct struct) {
            if (!(from instanceof StructType structType)) {
                return Optional.empty();
            }
            var shape = new RowShape(struct.fields(), structType, caseSensitive, path + ".");
            return Optional.of(shape.same ? NONE : value -> shape.apply((InternalRow) value));
        }
        if (type instanceof Type.ListOf list) {
            return from instanceof ArrayType arrayType
                    ? conversion(list.fields().get(0), arrayType.elementType(), caseSensitive, path + ".element")
                            .map(element -> element == NONE
                                    ? NONE
                                    : value -> convert((ArrayData) value, arrayType.elementType(), element))
                    : Optional.empty();
        }
        if (type instanceof Type.MapOf map) {
            return from instanceof MapType mapType ? ofMap(map, mapType, caseSensitive, path) : Optional.empty();
        }
        return ofPrimitive(type, from, path);
    }

    private static Optional<Conversion> ofMap(Type.MapOf map, MapType from, boolean caseSensitive, String path) {
        Optional<Conversion> keys = conversion(map.fields().get(0), from.keyType(), caseSensitive, path + ".key");
        Optional<Conversion> values = conversion(map.fields().get(1), from.valueType(), caseSensitive, path + ".value");
        if (keys.isEmpty() || values.isEmpty()) {
            return Optional.empty();
        }
        if (keys.get() == NONE && values.get() == NONE) {
            return Optional.of(NONE);
        }
        return Optional.of(value -> new ArrayBasedMapData(
                convert(((MapData) value).keyArray(), from.keyType(), keys.get()),
                convert(((MapData) value).valueArray(), from.valueType(), values.get())));
    }

    private static Optional<Conversion> ofPrimitive(Type type, DataType from, String path) {
        DataType to = SparkTypes.toSpark(type, path);
        if (from.equals(to) || (to instanceof StringType && from instanceof StringType)) {
            return Optional.of(NONE);
        }
        boolean narrow = from instanceof ByteType || from instanceof ShortType;
        if (type == Type.Simple.INT && narrow) {
            return Optional.of(value -> ((Number) value).intValue());
        }
        if (type == Type.Simple.LONG && (narrow || from instanceof IntegerType)) {
            return Optional.of(value -> ((Number) value).longValue());
        }
        if (type == Type.Simple.DOUBLE && from instanceof FloatType) {
            return Optional.of(value -> ((Number) value).doubleValue());
        }
        boolean fewerDigits = type instanceof Type.Decimal wide
                && from instanceof DecimalType decimal
                && decimal.scale() == wide.scale()
                && decimal.precision() <= wide.precision();
        // Not left as it is: how a decimal is stored in a row depends on how many digits it may have.
        return fewerDigits ? Optional.of(value -> value) : Optional.empty();
    }

    private static ArrayData convert(ArrayData values, DataType type, Conversion conversion) {
        var converted = new @Nullable Object[values.numElements()];
        for (int i = 0; i < converted.length; i++) {
            converted[i] = values.isNullAt(i) ? null : conversion.apply(values.get(i, type));
        }
        return new GenericArrayData(converted);
    }

    /** The row as the table has it; made of parts of the one given, which may be reused once it is written. */
    InternalRow apply(SpecializedGetters row) {
        if (same && row instanceof InternalRow asItIs) {
            return asItIs;
        }
        @Nullable Object[] values = Arrays.copyOf(defaults, defaults.length);
        for (int i = 0; i < values.length; i++) {
            if (ordinals[i] != MISSING) {
                values[i] = row.isNullAt(ordinals[i]) ? null : conversions[i].apply(row.get(ordinals[i], types[i]));
            }
        }
        return new GenericInternalRow(values);
    }
}
