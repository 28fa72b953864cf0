package dev.calve.spark.write;

import dev.calve.parquet.ByteSlice;
import dev.calve.parquet.RowReader;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;
import org.jspecify.annotations.Nullable;

/**
 * Gets values out of Spark's rows. {@code SpecializedGetters} is what rows and arrays have in common; no class of
 * Spark is extended, because its getters differ between versions.
 *
 * <p>A byte or short is read as int, a UUID from its text, a time or nanosecond timestamp from its number. Strings are handed over without copying.
 */
public final class InternalRowReader implements RowReader<SpecializedGetters> {

    private static final int UUID_TEXT_LENGTH = 36;

    private static final long MICROS_PER_DAY = 86_400_000_000L;

    /** What a container's values are: a struct's fields, or the one kind of a list. */
    private final List<Field> fields;

    private final DataType[] types;
    private final int[] ordinals;
    private final boolean isList;
    private final boolean hasNarrowInts;
    private final boolean hasTimes;
    private final byte[] uuid = new byte[2 * Long.BYTES];

    private InternalRowReader(List<Field> fields, DataType[] types, int[] ordinals, boolean isList) {
        this.fields = fields;
        this.types = types;
        this.ordinals = ordinals;
        this.isList = isList;
        this.hasNarrowInts = Arrays.stream(types).anyMatch(InternalRowReader::isNarrow);
        this.hasTimes = fields.stream().anyMatch(field -> field.type() == Type.Simple.TIME);
    }

    /**
     * Reads rows that have the schema's columns, in order, with the types Spark sees them with.
     */
    public static InternalRowReader of(Schema schema) {
        return of(schema, SparkTypes.toSpark(schema));
    }

    /**
     * Reads rows whose first columns are the schema's, in order, whatever they are called.
     *
     * @throws IllegalArgumentException if a column's type is not one its column of the schema can be read from
     */
    public static InternalRowReader of(Schema schema, StructType rowType) {
        return of(schema, rowType, IntStream.range(0, schema.fields().size()).toArray());
    }

    /**
     * Reads rows that have the schema's columns at other places.
     *
     * @param ordinals for each column of the schema its place in the row
     * @throws IllegalArgumentException if there is no such place, or the type there is not one to read the column from
     */
    public static InternalRowReader of(Schema schema, StructType rowType, int[] ordinals) {
        var types = new DataType[ordinals.length];
        for (int i = 0; i < ordinals.length; i++) {
            if (ordinals[i] >= rowType.size()) {
                throw new IllegalArgumentException("Rows must have a column at " + ordinals[i] + " for '"
                        + schema.fields().get(i).name() + "', but are " + rowType.simpleString() + ".");
            }
            types[i] = rowType.fields()[ordinals[i]].dataType();
        }
        return ofStruct(schema.fields(), types, ordinals.clone());
    }

    private static InternalRowReader ofStruct(List<Field> fields, DataType[] types, int[] ordinals) {
        if (fields.size() != types.length) {
            throw new IllegalArgumentException(
                    "Rows must have " + fields.size() + " columns, not " + types.length + ": " + fields);
        }
        for (int i = 0; i < types.length; i++) {
            check(fields.get(i), types[i]);
        }
        return new InternalRowReader(fields, types, ordinals, false);
    }

    private static InternalRowReader ofList(Field part, DataType type) {
        check(part, type);
        return new InternalRowReader(List.of(part), new DataType[] {type}, new int[] {0}, true);
    }

    /** Nested types are looked into when their own reader is made. */
    private static void check(Field field, DataType type) {
        boolean fits;
        if (field.type() instanceof Type.Struct struct) {
            fits = type instanceof StructType structType
                    && structType.size() == struct.fields().size();
        } else if (field.type() instanceof Type.ListOf) {
            fits = type instanceof ArrayType;
        } else if (field.type() instanceof Type.MapOf) {
            fits = type instanceof MapType;
        } else if (field.type() == Type.Simple.STRING || field.type() == Type.Simple.UUID) {
            fits = type instanceof StringType;
        } else {
            fits = type.equals(SparkTypes.toSpark(field.type(), field.name()))
                    || (field.type() == Type.Simple.INT && isNarrow(type));
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    "Column '" + field.name() + "' must be written from Spark's form of type " + field.type()
                            + ", not from " + type.simpleString() + ".");
        }
    }

    private static boolean isNarrow(DataType type) {
        return type instanceof ByteType || type instanceof ShortType;
    }

    private int ordinal(int index) {
        return isList ? index : ordinals[index];
    }

    private int kind(int index) {
        return isList ? 0 : index;
    }

    @Override
    public boolean isNull(SpecializedGetters container, int index) {
        return container.isNullAt(ordinal(index));
    }

    @Override
    public boolean getBoolean(SpecializedGetters container, int index) {
        return container.getBoolean(ordinal(index));
    }

    @Override
    public int getInt(SpecializedGetters container, int index) {
        int ordinal = ordinal(index);
        if (hasNarrowInts) {
            DataType type = types[kind(index)];
            if (type instanceof ByteType) {
                return container.getByte(ordinal);
            }
            if (type instanceof ShortType) {
                return container.getShort(ordinal);
            }
        }
        return container.getInt(ordinal);
    }

    @Override
    public long getLong(SpecializedGetters container, int index) {
        long value = container.getLong(ordinal(index));
        if (hasTimes && (value < 0 || value >= MICROS_PER_DAY)) {
            refuseTime(fields.get(kind(index)), value);
        }
        return value;
    }

    /** A time is a number to Spark, any number. */
    private static void refuseTime(Field field, long value) {
        if (field.type() == Type.Simple.TIME) {
            throw new IllegalArgumentException("Column '" + field.name() + "' of type time must have values from 0 to "
                    + (MICROS_PER_DAY - 1) + " microseconds, not " + value + ".");
        }
    }

    @Override
    public float getFloat(SpecializedGetters container, int index) {
        return container.getFloat(ordinal(index));
    }

    @Override
    public double getDouble(SpecializedGetters container, int index) {
        return container.getDouble(ordinal(index));
    }

    @Override
    public long getUnscaledLong(SpecializedGetters container, int index, int precision, int scale) {
        Decimal decimal = container.getDecimal(ordinal(index), precision, scale);
        return decimal.scale() == scale
                ? decimal.toUnscaledLong()
                : scaled(decimal, scale).unscaledValue().longValueExact();
    }

    @Override
    public byte[] getUnscaledBytes(SpecializedGetters container, int index, int precision, int scale) {
        return scaled(container.getDecimal(ordinal(index), precision, scale), scale)
                .unscaledValue()
                .toByteArray();
    }

    private static BigDecimal scaled(Decimal decimal, int scale) {
        return decimal.toJavaBigDecimal().setScale(scale, RoundingMode.UNNECESSARY);
    }

    @Override
    public void getString(SpecializedGetters container, int index, ByteSlice target) {
        ByteBuffer utf8 = container.getUTF8String(ordinal(index)).getByteBuffer();
        target.set(utf8.array(), utf8.arrayOffset() + utf8.position(), utf8.remaining());
    }

    @Override
    public void getBinary(SpecializedGetters container, int index, ByteSlice target) {
        target.set(container.getBinary(ordinal(index)));
    }

    @Override
    public void getUuid(SpecializedGetters container, int index, ByteSlice target) {
        UTF8String text = container.getUTF8String(ordinal(index));
        UUID value = parse(text, fields.get(kind(index)));
        ByteBuffer.wrap(uuid).putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
        target.set(uuid);
    }

    private static UUID parse(UTF8String text, Field field) {
        if (text.numBytes() == UUID_TEXT_LENGTH) {
            try {
                return UUID.fromString(text.toString());
            } catch (IllegalArgumentException e) {
                throw notUuid(text, field, e);
            }
        }
        throw notUuid(text, field, null);
    }

    private static IllegalArgumentException notUuid(UTF8String text, Field field, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "Column '" + field.name() + "' of type uuid must have values like"
                        + " 'f79c3e09-677c-4bbd-a479-3f349cb785e7', not '" + text + "'.",
                cause);
    }

    @Override
    public void getVariant(SpecializedGetters container, int index, ByteSlice metadata, ByteSlice value) {
        VariantVal variant = container.getVariant(ordinal(index));
        metadata.set(variant.getMetadata());
        value.set(variant.getValue());
    }

    @Override
    public SpecializedGetters getStruct(SpecializedGetters container, int index) {
        return container.getStruct(ordinal(index), ((StructType) types[kind(index)]).size());
    }

    @Override
    public SpecializedGetters getList(SpecializedGetters container, int index) {
        return container.getArray(ordinal(index));
    }

    @Override
    public SpecializedGetters getKeys(SpecializedGetters container, int index) {
        return container.getMap(ordinal(index)).keyArray();
    }

    @Override
    public SpecializedGetters getValues(SpecializedGetters container, int index) {
        return container.getMap(ordinal(index)).valueArray();
    }

    @Override
    public int size(SpecializedGetters container) {
        return ((ArrayData) container).numElements();
    }

    @Override
    public RowReader<SpecializedGetters> child(int index, Part part) {
        Type type = fields.get(kind(index)).type();
        DataType sparkType = types[kind(index)];
        return switch (part) {
            case STRUCT -> {
                var struct = ((Type.Struct) type).fields();
                var parts = Arrays.stream(((StructType) sparkType).fields())
                        .map(field -> field.dataType())
                        .toArray(DataType[]::new);
                yield ofStruct(struct, parts, IntStream.range(0, parts.length).toArray());
            }
            case LIST_ELEMENT -> ofList(((Type.ListOf) type).fields().get(0), ((ArrayType) sparkType).elementType());
            case MAP_KEY -> ofList(((Type.MapOf) type).fields().get(0), ((MapType) sparkType).keyType());
            case MAP_VALUE -> ofList(((Type.MapOf) type).fields().get(1), ((MapType) sparkType).valueType());
        };
    }
}
