package dev.calve.it;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import scala.jdk.javaapi.CollectionConverters;

/** Rows of every type for the peer's Java library, and rows of both engines as equal text. */
final class MatrixValues {

    /** Field id of the column that is renamed and promoted. */
    static final int I = 2;

    static final Schema SCHEMA = new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(I, "i", Types.IntegerType.get()),
            Types.NestedField.optional(3, "f", Types.FloatType.get()),
            Types.NestedField.required(4, "m", Types.DecimalType.of(9, 2)),
            Types.NestedField.optional(5, "m38", Types.DecimalType.of(38, 10)),
            Types.NestedField.optional(6, "d", Types.DateType.get()),
            Types.NestedField.optional(7, "ts", Types.TimestampType.withoutZone()),
            Types.NestedField.required(8, "tz", Types.TimestampType.withZone()),
            Types.NestedField.optional(9, "s", Types.StringType.get()),
            Types.NestedField.optional(10, "u", Types.UUIDType.get()),
            Types.NestedField.optional(11, "x", Types.FixedType.ofLength(3)),
            Types.NestedField.optional(12, "y", Types.BinaryType.get()),
            Types.NestedField.required(13, "b", Types.BooleanType.get()),
            Types.NestedField.optional(14, "g", Types.DoubleType.get()),
            Types.NestedField.optional(15, "e", Types.IntegerType.get()),
            Types.NestedField.optional(
                    16,
                    "st",
                    Types.StructType.of(
                            Types.NestedField.optional(17, "a", Types.IntegerType.get()),
                            Types.NestedField.optional(18, "b", Types.StringType.get()),
                            Types.NestedField.required(19, "c", Types.LongType.get()))),
            Types.NestedField.optional(20, "li", Types.ListType.ofOptional(21, Types.IntegerType.get())),
            Types.NestedField.optional(
                    22, "mp", Types.MapType.ofOptional(23, 24, Types.StringType.get(), Types.FloatType.get())),
            Types.NestedField.required(25, "rs", Types.StringType.get()));

    private MatrixValues() {}

    /** A row of the schema as it is, different for every id; about every fifth optional value is null. */
    static Record row(Types.StructType type, long id) {
        Record row = GenericRecord.create(type);
        for (Types.NestedField field : type.fields()) {
            long seed = id * 31 + field.fieldId() * 7L;
            boolean isNull = field.isOptional() && Math.floorMod((seed * 0x9E3779B9L) >> 8, 5) == 0;
            row.setField(field.name(), field.fieldId() == 1 ? (Object) id : isNull ? null : value(field.type(), seed));
        }
        return row;
    }

    private static Object value(Type type, long seed) {
        return switch (type.typeId()) {
            case BOOLEAN -> seed % 2 == 0;
            case INTEGER -> (int) (seed % 6);
            case LONG -> seed % 6;
            case FLOAT -> seed % 4 == 0 ? Float.NaN : seed % 4 == 1 ? -0.0f : seed / 4f;
            case DOUBLE -> seed % 4 == 0 ? Double.NaN : seed % 4 == 1 ? -0.0 : seed / 4d;
            case DECIMAL -> new BigDecimal(BigInteger.valueOf(seed - 50), ((Types.DecimalType) type).scale());
            case DATE -> LocalDate.of(2021, 1, 1).plusDays(seed % 7 * 130);
            case TIMESTAMP -> {
                LocalDateTime time = LocalDateTime.of(2021, 5, 1, 0, 0)
                        .plusHours(seed % 5 * 3700)
                        .plusNanos(seed * 1000);
                yield ((Types.TimestampType) type).shouldAdjustToUTC() ? time.atOffset(ZoneOffset.UTC) : time;
            }
            case STRING -> "s" + seed % 4;
            // Not negative: the peer compares these signed, and misses deletes for it.
            case UUID -> new UUID(seed, -seed);
            case FIXED -> new byte[] {(byte) seed, 0, -1};
            case BINARY -> ByteBuffer.wrap(new byte[] {(byte) -seed, (byte) seed});
            case STRUCT -> row(type.asStructType(), seed);
            case LIST -> {
                var list = new ArrayList<Object>();
                for (long i = 0; i < seed % 4; i++) {
                    list.add(i == 1 ? null : value(type.asListType().elementType(), seed + i));
                }
                yield list;
            }
            case MAP -> {
                var map = new java.util.LinkedHashMap<Object, Object>();
                for (long i = 0; i < seed % 3; i++) {
                    map.put("k" + i, i == 1 ? null : value(type.asMapType().valueType(), seed + i));
                }
                yield map;
            }
            default -> throw new IllegalArgumentException("No values of type " + type);
        };
    }

    /** Fields of the schema as it is that make a key of a row written before; each is one the row was written with. */
    static List<Types.NestedField> keys(Schema now, Record row, int number) {
        List<Integer> ids = switch (number % 5) {
            case 0 -> List.of(1);
            case 1 -> List.of(I, 9);
            case 2 -> List.of(10, 6);
            case 3 -> List.of(4, 8);
            default -> List.of(12, 11, 7);
        };
        return ids.stream().map(now::findField).toList();
    }

    /** The value of a field in a row that was written before, as its type is now. */
    static Object valueNow(Types.NestedField field, Record row) {
        for (Types.NestedField written : row.struct().fields()) {
            if (written.fieldId() == field.fieldId()) {
                Object value = row.getField(written.name());
                return value instanceof Integer number && field.type().typeId() == Type.TypeID.LONG
                        ? (Object) number.longValue()
                        : value;
            }
        }
        throw new IllegalArgumentException("The row was written without " + field);
    }

    /** Without the columns that the peer reads besides, for its deletes. */
    static String text(Record record, Schema schema) {
        return schema.columns().stream()
                .map(field -> value(record.getField(field.name())))
                .toList()
                .toString();
    }

    /** The rows whose first column is {@code kept}, without it. */
    static List<String> text(List<Row> rows, boolean kept) {
        var result = new ArrayList<String>();
        for (Row row : rows) {
            if (row.getBoolean(0) == kept) {
                var values = new ArrayList<>(CollectionConverters.asJava(row.toSeq()));
                result.add(values.subList(1, values.size()).stream()
                        .map(MatrixValues::value)
                        .toList()
                        .toString());
            }
        }
        return result.stream().sorted().toList();
    }

    /** A value whose text tells it apart from every other, whichever engine it is of. */
    private static Object value(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof Record record) {
            return record.struct().fields().stream()
                    .map(field -> value(record.getField(field.name())))
                    .toList();
        }
        if (value instanceof Row row) {
            return CollectionConverters.asJava(row.toSeq()).stream()
                    .map(MatrixValues::value)
                    .toList();
        }
        if (value instanceof scala.collection.Seq<?> list) {
            return value(CollectionConverters.asJava(list));
        }
        if (value instanceof scala.collection.Map<?, ?> map) {
            return value(CollectionConverters.asJava(map));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(MatrixValues::value).toList();
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> value(entry.getKey()) + "=" + value(entry.getValue()))
                    .sorted()
                    .toList();
        }
        if (value instanceof Float number) {
            return "float " + Integer.toHexString(Float.floatToRawIntBits(number));
        }
        if (value instanceof Double number) {
            return "double " + Long.toHexString(Double.doubleToRawLongBits(number));
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof OffsetDateTime time) {
            return time.toInstant().toString();
        }
        return value.toString();
    }
}
