package dev.calve.flink;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * A value of a type as Flink's writer takes it and as JSON. In Java a value is what its text form would
 * parse to: {@link LocalDate}, {@link LocalDateTime} for times without zone, {@link Instant} for those with, {@code byte[]},
 * a list of the fields' values for a struct.
 */
final class Cell {

    private Cell() {}

    static Object forFlink(Type type, Object value) {
        if (value == null) {
            return null;
        }
        return switch (type.typeId()) {
            case LONG -> ((Number) value).longValue();
            case STRING -> StringData.fromString((String) value);
            case DATE -> (int) ((LocalDate) value).toEpochDay();
            case TIMESTAMP ->
                value instanceof Instant instant
                        ? TimestampData.fromInstant(instant)
                        : TimestampData.fromLocalDateTime((LocalDateTime) value);
            case DECIMAL -> {
                var decimal = (Types.DecimalType) type;
                yield DecimalData.fromBigDecimal((BigDecimal) value, decimal.precision(), decimal.scale());
            }
            case STRUCT -> {
                List<Types.NestedField> fields = type.asStructType().fields();
                var row = new GenericRowData(fields.size());
                for (int i = 0; i < fields.size(); i++) {
                    row.setField(i, forFlink(fields.get(i).type(), ((List<?>) value).get(i)));
                }
                yield row;
            }
            case LIST -> {
                Type element = type.asListType().elementType();
                yield new GenericArrayData(((List<?>) value)
                        .stream().map(item -> forFlink(element, item)).toArray());
            }
            case MAP -> {
                var map = new HashMap<Object, Object>();
                ((Map<?, ?>) value)
                        .forEach((key, item) -> map.put(
                                forFlink(type.asMapType().keyType(), key),
                                forFlink(type.asMapType().valueType(), item)));
                yield new GenericMapData(map);
            }
            default -> value;
        };
    }

    /** The value as Spark reads it from JSON; text has no character that JSON would escape. */
    static String json(Type type, Object value) {
        if (value == null) {
            return "null";
        }
        return switch (type.typeId()) {
            case BOOLEAN, INTEGER, LONG, DECIMAL -> value.toString();
            case FLOAT, DOUBLE -> Double.isFinite(((Number) value).doubleValue()) ? value.toString() : quoted(value);
            case BINARY, FIXED -> quoted(Base64.getEncoder().encodeToString((byte[]) value));
            case STRUCT -> {
                List<Types.NestedField> fields = type.asStructType().fields();
                var parts = new ArrayList<String>();
                for (int i = 0; i < fields.size(); i++) {
                    parts.add(quoted(fields.get(i).name()) + ":"
                            + json(fields.get(i).type(), ((List<?>) value).get(i)));
                }
                yield "{" + String.join(",", parts) + "}";
            }
            case LIST ->
                ((List<?>) value)
                        .stream()
                                .map(item -> json(type.asListType().elementType(), item))
                                .collect(Collectors.joining(",", "[", "]"));
            case MAP ->
                ((Map<?, ?>) value)
                        .entrySet().stream()
                                .map(entry -> quoted(entry.getKey()) + ":"
                                        + json(type.asMapType().valueType(), entry.getValue()))
                                .collect(Collectors.joining(",", "{", "}"));
            default -> quoted(value);
        };
    }

    private static String quoted(Object text) {
        return '"' + text.toString() + '"';
    }

    /** How Spark calls the type. */
    static String sparkType(Type type) {
        return switch (type.typeId()) {
            case BOOLEAN -> "BOOLEAN";
            case INTEGER -> "INT";
            case LONG -> "BIGINT";
            case FLOAT -> "FLOAT";
            case DOUBLE -> "DOUBLE";
            case STRING -> "STRING";
            case BINARY, FIXED -> "BINARY";
            case DATE -> "DATE";
            case TIMESTAMP -> ((Types.TimestampType) type).shouldAdjustToUTC() ? "TIMESTAMP" : "TIMESTAMP_NTZ";
            case DECIMAL -> type.toString();
            case STRUCT ->
                type.asStructType().fields().stream()
                        .map(field -> field.name() + ": " + sparkType(field.type()))
                        .collect(Collectors.joining(", ", "STRUCT<", ">"));
            case LIST -> "ARRAY<" + sparkType(type.asListType().elementType()) + ">";
            case MAP ->
                "MAP<" + sparkType(type.asMapType().keyType()) + ", "
                        + sparkType(type.asMapType().valueType()) + ">";
            default -> throw new IllegalArgumentException("No SQL for " + type);
        };
    }
}
