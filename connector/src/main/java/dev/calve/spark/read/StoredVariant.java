package dev.calve.spark.read;

import dev.calve.io.InvalidTableException;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;

/**
 * The columns a variant is stored in. Spark puts shredded variants together; what it would take for something else is
 * refused before, above all times and nanoseconds, which it would show as plain numbers. Spec: Parquet's Variant Shredding.
 */
final class StoredVariant {

    private static final String METADATA = "metadata";
    private static final String VALUE = "value";
    private static final String TYPED_VALUE = "typed_value";

    private final String column;
    private final String location;

    private StoredVariant(String column, String location) {
        this.column = column;
        this.location = location;
    }

    /**
     * Checks that Spark reads the variant as it was written.
     *
     * @throws InvalidTableException if the group is no variant
     * @throws UnsupportedOperationException if it is shredded into a type that Spark's variants lack
     */
    static void check(GroupType group, String column, String location) {
        var variant = new StoredVariant(column, location);
        if (!group.containsField(METADATA) || !isBytes(group.getType(METADATA))) {
            throw variant.invalid(group);
        }
        variant.checkParts(group, true);
    }

    private void checkParts(Type type, boolean hasMetadata) {
        if (type.isPrimitive() || type.asGroupType().getFieldCount() == (hasMetadata ? 1 : 0)) {
            throw invalid(type);
        }
        for (Type part : type.asGroupType().getFields()) {
            switch (part.getName()) {
                case METADATA -> {
                    if (!hasMetadata) {
                        throw invalid(type);
                    }
                }
                case VALUE -> {
                    if (!isBytes(part)) {
                        throw invalid(type);
                    }
                }
                case TYPED_VALUE -> checkTyped(part);
                default -> throw invalid(type);
            }
        }
    }

    private void checkTyped(Type type) {
        if (type.isPrimitive()) {
            if (!isSparks(type.asPrimitiveType())) {
                throw new UnsupportedOperationException(
                        "Column '%s' of data file '%s' holds variants with values of type %s, which Spark's variants lack. Read it with another engine."
                                .formatted(column, location, StoredTypes.describe(type)));
            }
        } else if (FileFieldIds.isList(type.asGroupType())) {
            Type repeated = type.asGroupType().getType(0);
            if (repeated.isPrimitive() || repeated.asGroupType().getFieldCount() != 1) {
                throw invalid(type);
            }
            checkParts(repeated.asGroupType().getType(0), false);
        } else if (type.getLogicalTypeAnnotation() == null) {
            type.asGroupType().getFields().forEach(field -> checkParts(field, false));
        } else {
            throw invalid(type);
        }
    }

    private static boolean isBytes(Type type) {
        return type.isPrimitive()
                && type.asPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY
                && !type.isRepetition(Type.Repetition.REPEATED)
                && type.getLogicalTypeAnnotation() == null;
    }

    /** Whether a type of the specification of shredding is one that Spark rebuilds as it is. */
    private static boolean isSparks(PrimitiveType type) {
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        boolean isPlain = annotation == null;
        boolean isDecimal = annotation instanceof DecimalLogicalTypeAnnotation;
        boolean isInt = isPlain || (annotation instanceof IntLogicalTypeAnnotation integer && integer.isSigned());
        if (type.isRepetition(Type.Repetition.REPEATED)) {
            return false;
        }
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN, FLOAT, DOUBLE -> isPlain;
            case INT32 -> isInt || isDecimal || annotation instanceof DateLogicalTypeAnnotation;
            case INT64 ->
                isInt
                        || isDecimal
                        || (annotation instanceof TimestampLogicalTypeAnnotation timestamp
                                && timestamp.getUnit() == TimeUnit.MICROS);
            case BINARY -> isPlain || isDecimal || annotation instanceof StringLogicalTypeAnnotation;
            case FIXED_LEN_BYTE_ARRAY -> isDecimal;
            case INT96 -> false;
        };
    }

    private InvalidTableException invalid(Type type) {
        return new InvalidTableException(
                "Column '%s' of data file '%s' must be a variant of metadata, value and typed_value, but is stored as %s."
                        .formatted(column, location, type.toString().replaceAll("\\s+", " ")));
    }
}
