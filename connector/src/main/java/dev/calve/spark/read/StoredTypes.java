package dev.calve.spark.read;

import java.util.ArrayList;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.BsonLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.EnumLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.JsonLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Which stored types can be read as which Spark type: the same type, and the promotions int to long, float to double, date to
 * timestamp and decimals of the same scale to more digits. Checked before decoding, because Spark's own answer names neither file nor
 * column. Spec: Schema Evolution; Appendix A: Parquet.
 */
final class StoredTypes {

    private static final int UUID_BYTES = 16;

    private StoredTypes() {}

    /**
     * Tells whether the column is a uuid wanted as text. Old writers leave out the annotation, but no other type of the
     * table format is both text in Spark and 16 fixed bytes in Parquet.
     */
    static boolean isUuid(PrimitiveType type, DataType wanted) {
        var annotation = type.getLogicalTypeAnnotation();
        return wanted instanceof StringType
                && type.getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
                && type.getTypeLength() == UUID_BYTES
                && (annotation == null || annotation instanceof UUIDLogicalTypeAnnotation);
    }

    /** Tells whether the column is a time or nanosecond timestamp, which Spark sees as numbers in the unit of their type. */
    static boolean isOnlyNumberInSpark(PrimitiveType type) {
        var annotation = type.getLogicalTypeAnnotation();
        return (annotation instanceof TimeLogicalTypeAnnotation time && time.getUnit() == TimeUnit.MICROS)
                || (annotation instanceof TimestampLogicalTypeAnnotation timestamp
                        && timestamp.getUnit() == TimeUnit.NANOS);
    }

    static boolean canRead(PrimitiveType type, DataType wanted) {
        var annotation = type.getLogicalTypeAnnotation();
        if (wanted instanceof DecimalType decimal) {
            return isSameOrSmaller(type, annotation, decimal);
        }
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> wanted instanceof BooleanType;
            case INT32 ->
                isSignedInt(annotation)
                        ? wanted instanceof IntegerType || wanted instanceof LongType
                        : annotation instanceof DateLogicalTypeAnnotation
                                && (wanted instanceof DateType || wanted instanceof TimestampNTZType);
            case INT64 ->
                (isSignedInt(annotation) || isOnlyNumberInSpark(type))
                        ? wanted instanceof LongType
                        : isMillisOrMicros(annotation)
                                && (wanted instanceof TimestampType || wanted instanceof TimestampNTZType);
            case FLOAT -> wanted instanceof FloatType || wanted instanceof DoubleType;
            case DOUBLE -> wanted instanceof DoubleType;
            case INT96 -> wanted instanceof TimestampType || wanted instanceof TimestampNTZType;
            case BINARY ->
                (isText(annotation) && wanted instanceof StringType)
                        || (isBytes(annotation) && wanted instanceof BinaryType);
            case FIXED_LEN_BYTE_ARRAY -> annotation == null && wanted instanceof BinaryType;
        };
    }

    /**
     * The decimal as Spark decodes it without fault: an int64 that says it has fewer than 10 digits is given 10, because
     * Spark takes its dictionary for one of ints.
     */
    static PrimitiveType decodableDecimal(PrimitiveType type) {
        var decimal = (DecimalLogicalTypeAnnotation) type.getLogicalTypeAnnotation();
        return type.getPrimitiveTypeName() == PrimitiveTypeName.INT64
                        && decimal.getPrecision() <= Decimal.MAX_INT_DIGITS()
                ? type.withLogicalTypeAnnotation(
                        LogicalTypeAnnotation.decimalType(decimal.getScale(), Decimal.MAX_INT_DIGITS() + 1))
                : type;
    }

    /** Fewer digits than these Spark keeps in fewer bytes than the file does, and fails to convert. */
    static int fewestDecodableDigits(PrimitiveType type) {
        return switch (type.getPrimitiveTypeName()) {
            case INT64 -> Decimal.MAX_INT_DIGITS() + 1;
            case BINARY -> Decimal.MAX_LONG_DIGITS() + 1;
            case BOOLEAN, INT32, FLOAT, DOUBLE, INT96, FIXED_LEN_BYTE_ARRAY -> 1;
        };
    }

    /** The physical type alone, which Spark reads whatever it was annotated as. */
    static Type plain(Type type) {
        if (type.isPrimitive()) {
            var primitive = type.asPrimitiveType();
            return Types.primitive(primitive.getPrimitiveTypeName(), primitive.getRepetition())
                    .length(primitive.getTypeLength())
                    .named(primitive.getName());
        }
        var fields = new ArrayList<Type>();
        type.asGroupType().getFields().forEach(field -> fields.add(plain(field)));
        return type.asGroupType().withNewFields(fields);
    }

    /** The field of a struct that costs least to read, to learn where the struct is null. */
    static Type cheapest(GroupType struct) {
        Type best = struct.getType(0);
        for (var field : struct.getFields()) {
            if (cost(field) < cost(best)) {
                best = field;
            }
        }
        if (best.isPrimitive() || isListOrMap(best.asGroupType())) {
            return plain(best);
        }
        // Without the annotation of variants, of which it is no longer one.
        return new GroupType(best.getRepetition(), best.getName(), cheapest(best.asGroupType()));
    }

    private static final int COST_OF_STRUCT = 2;

    private static int cost(Type type) {
        if (type.isRepetition(Type.Repetition.REPEATED)) {
            return COST_OF_STRUCT + 2;
        }
        if (!type.isPrimitive()) {
            return isListOrMap(type.asGroupType()) ? COST_OF_STRUCT + 1 : COST_OF_STRUCT;
        }
        return switch (type.asPrimitiveType().getPrimitiveTypeName()) {
            case BOOLEAN, INT32, INT64, FLOAT, DOUBLE -> 0;
            case INT96, BINARY, FIXED_LEN_BYTE_ARRAY -> 1;
        };
    }

    private static boolean isListOrMap(GroupType group) {
        return FileFieldIds.isList(group) || FileFieldIds.isMap(group);
    }

    /** The type without its name and repetition, for messages. */
    static String describe(Type type) {
        var annotation = type.getLogicalTypeAnnotation();
        String physical = type.isPrimitive()
                ? type.asPrimitiveType().getPrimitiveTypeName().toString()
                : "group";
        return annotation == null ? physical : physical + " (" + annotation + ")";
    }

    private static boolean isSignedInt(@Nullable LogicalTypeAnnotation annotation) {
        return annotation == null || (annotation instanceof IntLogicalTypeAnnotation integer && integer.isSigned());
    }

    private static boolean isMillisOrMicros(@Nullable LogicalTypeAnnotation annotation) {
        return annotation instanceof TimestampLogicalTypeAnnotation timestamp && timestamp.getUnit() != TimeUnit.NANOS;
    }

    private static boolean isText(@Nullable LogicalTypeAnnotation annotation) {
        return annotation == null
                || annotation instanceof StringLogicalTypeAnnotation
                || annotation instanceof EnumLogicalTypeAnnotation
                || annotation instanceof JsonLogicalTypeAnnotation;
    }

    private static boolean isBytes(@Nullable LogicalTypeAnnotation annotation) {
        return isText(annotation) || annotation instanceof BsonLogicalTypeAnnotation;
    }

    private static boolean isSameOrSmaller(
            PrimitiveType type, @Nullable LogicalTypeAnnotation annotation, DecimalType wanted) {
        return annotation instanceof DecimalLogicalTypeAnnotation stored
                && type.getPrimitiveTypeName() != PrimitiveTypeName.INT96
                && stored.getScale() == wanted.scale()
                && stored.getPrecision() <= wanted.precision();
    }
}
