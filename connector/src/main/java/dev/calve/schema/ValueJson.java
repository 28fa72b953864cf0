package dev.calve.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.FloatNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.calve.io.InvalidTableException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Single values as JSON, the form of default values in schemas. Spec: Appendix D, JSON single-value serialization.
 *
 * <p>Numbers and booleans are themselves; decimals, dates, times and uuids are text; fixed and binary are hexadecimal. A
 * list is a {@link List}, a map a {@link Map}, a struct a map from field id to value; their parts may be null.
 */
public final class ValueJson {

    private ValueJson() {}

    /**
     * The value as JSON.
     *
     * @throws IllegalArgumentException if the value is not of the type, or JSON cannot say it (NaN, infinities)
     */
    public static JsonNode toJson(Type type, Object value) {
        try {
            if (type instanceof Type.Nested nested) {
                return nestedToJson(nested, value);
            }
            return primitiveToJson(type, value);
        } catch (ClassCastException | ArithmeticException e) {
            throw new IllegalArgumentException("Value must be one of type " + type + ", not '" + value + "' of "
                    + value.getClass().getName() + ".");
        }
    }

    private static JsonNode primitiveToJson(Type type, Object value) {
        if (type instanceof Type.Decimal decimal) {
            var fitted = ((BigDecimal) value).setScale(decimal.scale(), RoundingMode.UNNECESSARY);
            return TextNode.valueOf(fitted.toPlainString());
        }
        if (type instanceof Type.Fixed) {
            return TextNode.valueOf(((Bytes) value).toString());
        }
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> BooleanNode.valueOf((Boolean) value);
                case INT -> IntNode.valueOf((Integer) value);
                case LONG -> LongNode.valueOf((Long) value);
                case FLOAT -> FloatNode.valueOf((float) finite((Float) value));
                case DOUBLE -> DoubleNode.valueOf(finite((Double) value));
                case DATE -> TextNode.valueOf(TimeText.date((Integer) value));
                case TIME -> TextNode.valueOf(TimeText.time((Long) value));
                case TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                    TextNode.valueOf(TimeText.timestamp((Long) value, isNanos(simple), isZoned(simple)));
                case STRING -> TextNode.valueOf((String) value);
                case UUID -> TextNode.valueOf(((UUID) value).toString());
                case BINARY -> TextNode.valueOf(((Bytes) value).toString());
                case VARIANT, UNKNOWN -> throw mustBeNull(type, value);
            };
        }
        throw mustBeNull(type, value);
    }

    private static IllegalArgumentException mustBeNull(Type type, Object value) {
        return new IllegalArgumentException("Values of type " + type + " must be null in JSON, not '" + value + "'.");
    }

    private static double finite(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("JSON numbers must be finite, not " + value + ".");
        }
        return value;
    }

    private static JsonNode nestedToJson(Type.Nested type, Object value) {
        if (type instanceof Type.ListOf list) {
            return arrayOf(list.element(), (List<?>) value);
        }
        var entries = (Map<?, ?>) value;
        ObjectNode result = Json.object();
        if (type instanceof Type.MapOf map) {
            result.set("keys", arrayOf(map.key(), entries.keySet()));
            result.set("values", arrayOf(map.value(), entries.values()));
            return result;
        }
        for (Field field : type.fields()) {
            if (entries.containsKey(field.id())) {
                result.set(Integer.toString(field.id()), orNull(field.type(), entries.get(field.id())));
            }
        }
        return result;
    }

    private static ArrayNode arrayOf(Type type, Iterable<?> values) {
        ArrayNode result = Json.array();
        for (Object value : values) {
            result.add(orNull(type, value));
        }
        return result;
    }

    private static JsonNode orNull(Type type, @Nullable Object value) {
        return value == null ? NullNode.getInstance() : toJson(type, value);
    }

    /**
     * Reads a value that is not null.
     *
     * @throws InvalidTableException if the JSON is not a value of the type
     */
    public static Object fromJson(Type type, JsonNode json) {
        try {
            Object value =
                    type instanceof Type.Nested nested ? nestedFromJson(nested, json) : primitiveFromJson(type, json);
            if (value == null) {
                throw new IllegalArgumentException("JSON is of another kind or too large.");
            }
            return value;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new InvalidTableException(
                    "JSON must be a value of type " + type + ", not " + Json.quote(json) + ": " + e.getMessage(), e);
        }
    }

    /** Null if the JSON is not of the kind the type needs. */
    private static @Nullable Object primitiveFromJson(Type type, JsonNode json) {
        if (type instanceof Type.Decimal decimal) {
            return json.isTextual() ? decimal(decimal, json.textValue()) : null;
        }
        if (type instanceof Type.Fixed fixed) {
            Bytes bytes = json.isTextual() ? hex(json.textValue()) : null;
            return bytes != null && bytes.length() == fixed.length() ? bytes : null;
        }
        if (!(type instanceof Type.Simple simple)) {
            return null;
        }
        return switch (simple) {
            case BOOLEAN -> json.isBoolean() ? json.booleanValue() : null;
            case INT -> json.isIntegralNumber() && json.canConvertToInt() ? json.intValue() : null;
            case LONG -> json.isIntegralNumber() && json.canConvertToLong() ? json.longValue() : null;
            case FLOAT -> json.isNumber() ? (float) finite(json.floatValue()) : null;
            case DOUBLE -> json.isNumber() ? finite(json.doubleValue()) : null;
            case DATE, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS, STRING, UUID, BINARY ->
                json.isTextual() ? fromText(simple, json.textValue()) : null;
            case VARIANT, UNKNOWN -> null;
        };
    }

    private static Object fromText(Type.Simple type, String text) {
        return switch (type) {
            case DATE -> TimeText.parseDate(text);
            case TIME -> TimeText.parseTime(text);
            case TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                TimeText.parseTimestamp(text, isNanos(type), isZoned(type));
            case STRING -> text;
            case UUID -> uuid(text);
            case BINARY -> hex(text);
            case BOOLEAN, INT, LONG, FLOAT, DOUBLE, VARIANT, UNKNOWN ->
                throw new IllegalStateException("Not text in JSON: " + type);
        };
    }

    private static @Nullable BigDecimal decimal(Type.Decimal type, String text) {
        var value = new BigDecimal(text).setScale(type.scale(), RoundingMode.UNNECESSARY);
        return value.precision() <= type.precision() ? value : null;
    }

    private static UUID uuid(String text) {
        var uuid = UUID.fromString(text);
        if (!uuid.toString().equalsIgnoreCase(text)) {
            throw new IllegalArgumentException("uuid must have all 36 characters, not '" + text + "'.");
        }
        return uuid;
    }

    private static Bytes hex(String text) {
        return Bytes.wrap(HexFormat.of().parseHex(text));
    }

    private static @Nullable Object nestedFromJson(Type.Nested type, JsonNode json) {
        if (type instanceof Type.ListOf list) {
            return json.isArray() ? listOf(list.element(), json) : null;
        }
        if (!json.isObject()) {
            return null;
        }
        var result = new LinkedHashMap<Object, @Nullable Object>();
        if (type instanceof Type.MapOf map) {
            List<@Nullable Object> keys = listOf(map.key(), Json.requiredArray(json, "keys"));
            List<@Nullable Object> values = listOf(map.value(), Json.requiredArray(json, "values"));
            if (keys.size() != values.size()) {
                return null;
            }
            for (int i = 0; i < keys.size(); i++) {
                result.put(Objects.requireNonNull(keys.get(i)), values.get(i));
            }
        } else {
            for (Field field : type.fields()) {
                JsonNode value = json.get(Integer.toString(field.id()));
                if (value != null) {
                    result.put(field.id(), value.isNull() ? null : fromJson(field.type(), value));
                }
            }
        }
        return Collections.unmodifiableMap(result);
    }

    private static List<@Nullable Object> listOf(Type type, JsonNode array) {
        var result = new ArrayList<@Nullable Object>();
        for (JsonNode value : array) {
            result.add(value.isNull() ? null : fromJson(type, value));
        }
        return Collections.unmodifiableList(result);
    }

    private static boolean isNanos(Type.Simple type) {
        return type == Type.Simple.TIMESTAMP_NS || type == Type.Simple.TIMESTAMPTZ_NS;
    }

    private static boolean isZoned(Type.Simple type) {
        return type == Type.Simple.TIMESTAMPTZ || type == Type.Simple.TIMESTAMPTZ_NS;
    }
}
