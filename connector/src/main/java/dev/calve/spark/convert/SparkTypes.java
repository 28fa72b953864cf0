package dev.calve.spark.convert;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CharType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.VarcharType;
import org.apache.spark.sql.types.VariantType;

/** Types of columns in both directions. */
public final class SparkTypes {

    /** Metadata key of a Spark field that holds its field id; Spark's Parquet reader uses the same. */
    public static final String FIELD_ID = "parquet.field.id";

    private SparkTypes() {}

    /**
     * A schema as Spark sees it, each field at any depth of structs with its id. Columns that Spark lacks a type for stand there
     * with another one, which their comment explains; the values of some of them cannot be read, see {@link Placeholders}.
     */
    public static StructType toSpark(Schema schema) {
        return struct(schema.struct(), "");
    }

    /** One field as Spark sees it. */
    public static StructField toSpark(Field field) {
        return field(field, "");
    }

    /** Whether Spark sees the type's values as the number that stores them, for want of a type of its own. */
    public static boolean isNumberOfTime(Type type) {
        return type == Type.Simple.TIME || type == Type.Simple.TIMESTAMP_NS || type == Type.Simple.TIMESTAMPTZ_NS;
    }

    private static StructType struct(Type.Struct struct, String path) {
        var fields = new ArrayList<StructField>();
        for (Field field : struct.fields()) {
            fields.add(field(field, path));
        }
        return new StructType(fields.toArray(StructField[]::new));
    }

    private static StructField field(Field field, String path) {
        var metadata = new MetadataBuilder().putLong(FIELD_ID, field.id());
        comment(field).ifPresent(comment -> metadata.putString("comment", comment));
        return new StructField(
                field.name(), toSpark(field.type(), path + field.name()), field.isOptional(), metadata.build());
    }

    private static Optional<String> comment(Field field) {
        Optional<String> meaning = meaning(field.type());
        return meaning.isPresent() && field.doc().isPresent()
                ? Optional.of(field.doc().get() + " (" + meaning.get() + ")")
                : meaning.or(field::doc);
    }

    /** What the values of a column mean whose type Spark lacks. */
    private static Optional<String> meaning(Type type) {
        if (Placeholders.isPlaceholder(type)) {
            return Optional.of(type + ", which cannot be read");
        }
        if (type instanceof Type.ListOf list) {
            return meaning(list.element()).map(of -> "elements are " + of);
        }
        if (type instanceof Type.MapOf map) {
            return meaning(map.key())
                    .map(of -> "keys are " + of)
                    .or(() -> meaning(map.value()).map(of -> "values are " + of));
        }
        if (!(type instanceof Type.Simple simple)) {
            return Optional.empty();
        }
        return switch (simple) {
            case TIME -> Optional.of("time, as microseconds since midnight");
            case TIMESTAMP_NS -> Optional.of("timestamp_ns, as nanoseconds since 1970-01-01 00:00:00");
            case TIMESTAMPTZ_NS -> Optional.of("timestamptz_ns, as nanoseconds since 1970-01-01 00:00:00 UTC");
            default -> Optional.empty();
        };
    }

    /**
     * A type as Spark sees it.
     *
     * @param column full name for the message
     */
    public static DataType toSpark(Type type, String column) {
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> DataTypes.BooleanType;
                case INT -> DataTypes.IntegerType;
                case LONG, TIME, TIMESTAMP_NS, TIMESTAMPTZ_NS -> DataTypes.LongType;
                case FLOAT -> DataTypes.FloatType;
                case DOUBLE -> DataTypes.DoubleType;
                case DATE -> DataTypes.DateType;
                case TIMESTAMP -> DataTypes.TimestampNTZType;
                case TIMESTAMPTZ -> DataTypes.TimestampType;
                case STRING, UUID -> DataTypes.StringType;
                case BINARY -> DataTypes.BinaryType;
                case UNKNOWN -> DataTypes.NullType;
                case VARIANT -> DataTypes.VariantType;
            };
        }
        if (type instanceof Type.Fixed || type instanceof Type.Geometry || type instanceof Type.Geography) {
            return DataTypes.BinaryType;
        }
        if (type instanceof Type.Decimal decimal) {
            return DataTypes.createDecimalType(decimal.precision(), decimal.scale());
        }
        if (type instanceof Type.Struct struct) {
            return struct(struct, column + ".");
        }
        if (type instanceof Type.ListOf list) {
            return DataTypes.createArrayType(toSpark(list.element(), column + ".element"), !list.elementRequired());
        }
        if (type instanceof Type.MapOf map) {
            return DataTypes.createMapType(
                    toSpark(map.key(), column + ".key"), toSpark(map.value(), column + ".value"), !map.valueRequired());
        }
        throw new IllegalStateException("Column '" + column + "' has type " + type + ", which has no form in Spark.");
    }

    /**
     * The fields of a new table. Ids are 1, 2, … in the order they are met and only distinguish the fields; {@link
     * dev.calve.schema.FreshIds} gives the final ones.
     *
     * @throws IllegalArgumentException if the table format has no such type; names the column
     */
    public static Schema fromSpark(StructType type) {
        var ids = new int[] {0};
        return new Schema(0, fields(type, "", ids));
    }

    /**
     * A type of a new column; its parts have ids that only distinguish them.
     *
     * @param column full name for the message
     * @throws IllegalArgumentException if the table format has no such type
     */
    public static Type fromSpark(DataType type, String column) {
        return fromSpark(type, column, new int[] {0});
    }

    private static List<Field> fields(StructType type, String path, int[] ids) {
        var result = new ArrayList<Field>();
        for (StructField field : type.fields()) {
            String column = path + field.name();
            int id = ++ids[0];
            result.add(new Field(
                    id,
                    field.name(),
                    !field.nullable(),
                    fromSpark(field.dataType(), column, ids),
                    comment(field.metadata()),
                    Optional.empty(),
                    Optional.empty()));
        }
        return result;
    }

    private static Optional<String> comment(Metadata metadata) {
        return metadata.contains("comment") ? Optional.of(metadata.getString("comment")) : Optional.empty();
    }

    private static Type fromSpark(DataType type, String column, int[] ids) {
        if (type instanceof StructType struct) {
            return new Type.Struct(fields(struct, column + ".", ids));
        }
        if (type instanceof ArrayType array) {
            int id = ++ids[0];
            return new Type.ListOf(id, !array.containsNull(), fromSpark(array.elementType(), column + ".element", ids));
        }
        if (type instanceof MapType map) {
            int key = ++ids[0];
            int value = ++ids[0];
            return new Type.MapOf(
                    key,
                    fromSpark(map.keyType(), column + ".key", ids),
                    value,
                    !map.valueContainsNull(),
                    fromSpark(map.valueType(), column + ".value", ids));
        }
        return primitive(type, column);
    }

    private static Type primitive(DataType type, String column) {
        if (type instanceof BooleanType) {
            return Type.Simple.BOOLEAN;
        }
        if (type instanceof ByteType || type instanceof ShortType || type instanceof IntegerType) {
            return Type.Simple.INT;
        }
        if (type instanceof LongType) {
            return Type.Simple.LONG;
        }
        if (type instanceof FloatType) {
            return Type.Simple.FLOAT;
        }
        if (type instanceof DoubleType) {
            return Type.Simple.DOUBLE;
        }
        if (type instanceof DateType) {
            return Type.Simple.DATE;
        }
        if (type instanceof TimestampType) {
            return Type.Simple.TIMESTAMPTZ;
        }
        if (type instanceof TimestampNTZType) {
            return Type.Simple.TIMESTAMP;
        }
        if (type instanceof CharType || type instanceof VarcharType || type.equals(DataTypes.StringType)) {
            return Type.Simple.STRING;
        }
        if (type instanceof StringType) {
            throw new IllegalArgumentException("Column '" + column + "' has the collated type " + type.sql()
                    + ", which the table format cannot store. Use STRING.");
        }
        if (type instanceof BinaryType) {
            return Type.Simple.BINARY;
        }
        if (type instanceof DecimalType decimal) {
            return new Type.Decimal(decimal.precision(), decimal.scale());
        }
        if (type instanceof VariantType) {
            return Type.Simple.VARIANT;
        }
        if (type instanceof NullType) {
            return Type.Simple.UNKNOWN;
        }
        throw new IllegalArgumentException("Column '" + column + "' has type " + type.sql()
                + ", which the table format cannot store yet. Use another type.");
    }
}
