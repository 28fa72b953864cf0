package dev.calve.parquet;

import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BOOLEAN;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.DOUBLE;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FLOAT;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT64;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/**
 * The Parquet form of a schema, and what a file's schema says about field ids. Spec: Appendix A, Parquet.
 *
 * <p>Lists are {@code name (LIST) { repeated group list { element } }}, maps {@code name (MAP) { repeated group
 * key_value { key; value } }}, variants {@code name (VARIANT) { required binary metadata; required binary value }}, whose
 * parts have no ids. Columns of type {@code unknown} are left out: all their values are null. So are optional ones of the
 * geo types, which are not written: readers take a column that is left out for one of nulls.
 */
public final class ParquetTypes {

    /** Largest precisions of decimals stored as 4 and 8 bytes. */
    static final int MAX_INT_PRECISION = 9;

    static final int MAX_LONG_PRECISION = 18;

    static final String VARIANT_METADATA = "metadata";

    static final String VARIANT_VALUE = "value";

    private ParquetTypes() {}

    /**
     * The schema of new files.
     *
     * @throws UnsupportedOperationException if a column's type cannot be written
     */
    public static MessageType messageType(Schema schema) {
        return new MessageType("table", parts(schema.struct(), "the table"));
    }

    /** Whether any field of a file carries a field id; if none does, ids come from the table's name mapping. */
    public static boolean hasFieldIds(GroupType group) {
        return group.getFields().stream()
                .anyMatch(part -> part.getId() != null || (!part.isPrimitive() && hasFieldIds(part.asGroupType())));
    }

    /** The leaf columns of a file by the field id of the leaf, in file order; leaves without an id are left out. */
    public static Map<Integer, ColumnDescriptor> columnsById(MessageType file) {
        var result = new LinkedHashMap<Integer, ColumnDescriptor>();
        for (ColumnDescriptor column : file.getColumns()) {
            var id = column.getPrimitiveType().getId();
            if (id != null) {
                result.put(id.intValue(), column);
            }
        }
        return result;
    }

    /** The variant columns of a file by field id: groups, thus not among {@link #columnsById}. */
    static Map<Integer, List<String>> variantsById(Schema schema, MessageType file) {
        var result = new LinkedHashMap<Integer, List<String>>();
        addVariants(schema, file, List.of(), result);
        return result;
    }

    private static void addVariants(
            Schema schema, GroupType group, List<String> parents, Map<Integer, List<String>> result) {
        for (org.apache.parquet.schema.Type part : group.getFields()) {
            if (part.isPrimitive()) {
                continue;
            }
            var path = new ArrayList<>(parents);
            path.add(part.getName());
            var id = part.getId();
            boolean isVariant = id != null
                    && schema.field(id.intValue())
                            .filter(field -> field.type() == Type.Simple.VARIANT)
                            .isPresent();
            if (isVariant) {
                result.put(id.intValue(), List.copyOf(path));
            } else {
                addVariants(schema, part.asGroupType(), path, result);
            }
        }
    }

    /** Whether the field has a column in files. */
    static boolean isStored(Field field) {
        return field.type() != Type.Simple.UNKNOWN && (field.required() || !isGeo(field.type()));
    }

    /** Whether values of the type can only be null in files written here. */
    static boolean isGeo(Type type) {
        return type instanceof Type.Geometry || type instanceof Type.Geography;
    }

    /** Bytes that hold the unscaled value of every decimal of the precision. */
    static int decimalBytes(int precision) {
        return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength() / Byte.SIZE + 1;
    }

    private static List<org.apache.parquet.schema.Type> parts(Type.Struct struct, String owner) {
        var parts = new ArrayList<org.apache.parquet.schema.Type>();
        for (Field field : struct.fields()) {
            if (isStored(field)) {
                parts.add(field(field));
            }
        }
        if (parts.isEmpty()) {
            throw new UnsupportedOperationException("Cannot write " + owner
                    + " to Parquet: it has no column that is stored. Add a column of a type other than unknown.");
        }
        return parts;
    }

    private static org.apache.parquet.schema.Type field(Field field) {
        Repetition repetition = field.required() ? Repetition.REQUIRED : Repetition.OPTIONAL;
        if (field.type() == Type.Simple.VARIANT) {
            return variant(field, repetition);
        }
        if (field.type() instanceof Type.Struct struct) {
            return new GroupType(repetition, field.name(), parts(struct, "struct '" + field.name() + "'"))
                    .withId(field.id());
        }
        if (field.type() instanceof Type.ListOf list) {
            return Types.buildGroup(repetition)
                    .as(LogicalTypeAnnotation.listType())
                    .addField(new GroupType(Repetition.REPEATED, "list", nestedParts(field, list)))
                    .id(field.id())
                    .named(field.name());
        }
        if (field.type() instanceof Type.MapOf map) {
            return Types.buildGroup(repetition)
                    .as(LogicalTypeAnnotation.mapType())
                    .addField(new GroupType(Repetition.REPEATED, "key_value", nestedParts(field, map)))
                    .id(field.id())
                    .named(field.name());
        }
        return primitive(field, repetition);
    }

    private static List<org.apache.parquet.schema.Type> nestedParts(Field owner, Type.Nested type) {
        for (Field part : type.fields()) {
            if (!isStored(part)) {
                throw new UnsupportedOperationException("Cannot write column '" + owner.name() + "' of type " + type
                        + " to Parquet: a " + part.name() + " of type " + part.type() + " is not supported.");
            }
        }
        return type.fields().stream().map(ParquetTypes::field).toList();
    }

    private static GroupType variant(Field field, Repetition repetition) {
        var parts = Types.buildGroup(repetition)
                .required(BINARY)
                .named(VARIANT_METADATA)
                .required(BINARY)
                .named(VARIANT_VALUE)
                .id(field.id());
        VariantAnnotation.ofVersion1().ifPresent(parts::as);
        return parts.named(field.name());
    }

    private static PrimitiveType primitive(Field field, Repetition repetition) {
        if (field.type() instanceof Type.Decimal decimal) {
            return decimal(field, decimal, repetition);
        }
        if (field.type() instanceof Type.Fixed fixed) {
            return Types.primitive(FIXED_LEN_BYTE_ARRAY, repetition)
                    .length(fixed.length())
                    .id(field.id())
                    .named(field.name());
        }
        if (!(field.type() instanceof Type.Simple simple)) {
            throw unsupported(field);
        }
        return switch (simple) {
            case BOOLEAN -> plain(field, BOOLEAN, repetition);
            case INT -> plain(field, INT32, repetition);
            case LONG -> plain(field, INT64, repetition);
            case FLOAT -> plain(field, FLOAT, repetition);
            case DOUBLE -> plain(field, DOUBLE, repetition);
            case BINARY -> plain(field, BINARY, repetition);
            case DATE -> annotated(field, INT32, repetition, LogicalTypeAnnotation.dateType());
            case TIME -> annotated(field, INT64, repetition, LogicalTypeAnnotation.timeType(false, TimeUnit.MICROS));
            case TIMESTAMP -> timestamp(field, repetition, false, TimeUnit.MICROS);
            case TIMESTAMPTZ -> timestamp(field, repetition, true, TimeUnit.MICROS);
            case TIMESTAMP_NS -> timestamp(field, repetition, false, TimeUnit.NANOS);
            case TIMESTAMPTZ_NS -> timestamp(field, repetition, true, TimeUnit.NANOS);
            case STRING -> annotated(field, BINARY, repetition, LogicalTypeAnnotation.stringType());
            case UUID ->
                Types.primitive(FIXED_LEN_BYTE_ARRAY, repetition)
                        .length(16)
                        .as(LogicalTypeAnnotation.uuidType())
                        .id(field.id())
                        .named(field.name());
            case VARIANT, UNKNOWN -> throw unsupported(field);
        };
    }

    private static UnsupportedOperationException unsupported(Field field) {
        return new UnsupportedOperationException("Cannot write column '" + field.name() + "' to Parquet: type "
                + field.type() + " is not supported. Write the table with another engine.");
    }

    private static PrimitiveType plain(Field field, PrimitiveTypeName type, Repetition repetition) {
        return Types.primitive(type, repetition).id(field.id()).named(field.name());
    }

    private static PrimitiveType annotated(
            Field field, PrimitiveTypeName type, Repetition repetition, LogicalTypeAnnotation annotation) {
        return Types.primitive(type, repetition).as(annotation).id(field.id()).named(field.name());
    }

    private static PrimitiveType timestamp(Field field, Repetition repetition, boolean adjusted, TimeUnit unit) {
        return annotated(field, INT64, repetition, LogicalTypeAnnotation.timestampType(adjusted, unit));
    }

    private static PrimitiveType decimal(Field field, Type.Decimal decimal, Repetition repetition) {
        var annotation = LogicalTypeAnnotation.decimalType(decimal.scale(), decimal.precision());
        if (decimal.precision() <= MAX_INT_PRECISION) {
            return annotated(field, INT32, repetition, annotation);
        }
        if (decimal.precision() <= MAX_LONG_PRECISION) {
            return annotated(field, INT64, repetition, annotation);
        }
        return Types.primitive(FIXED_LEN_BYTE_ARRAY, repetition)
                .length(decimalBytes(decimal.precision()))
                .as(annotation)
                .id(field.id())
                .named(field.name());
    }
}
