package dev.calve.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads keys of JSON objects as the type they must have, and text as JSON.
 *
 * <p>A key that is absent and a key whose value is JSON null are the same. Every reader throws
 * {@link InvalidTableException}, naming the key, when a required key is absent or a present one has another type.
 */
public final class Json {

    /** Longest part of a document that an error message quotes, in characters. */
    private static final int MAX_QUOTE = 200;

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    /** Parses one JSON value encoded in UTF-8. */
    public static JsonNode parse(byte[] utf8) {
        try {
            return present(MAPPER.readTree(utf8), "");
        } catch (IOException e) {
            throw notJson(new String(utf8, 0, Math.min(utf8.length, MAX_QUOTE), StandardCharsets.UTF_8), e);
        }
    }

    /** Parses one JSON value. */
    public static JsonNode parse(String text) {
        try {
            return present(MAPPER.readTree(text), text);
        } catch (IOException e) {
            throw notJson(text, e);
        }
    }

    private static JsonNode present(JsonNode node, String text) {
        if (node.isMissingNode()) {
            throw new InvalidTableException("Text must be JSON, but is empty: '" + quote(text) + "'.");
        }
        return node;
    }

    private static InvalidTableException notJson(String text, IOException cause) {
        return new InvalidTableException("Text must be JSON, but is not: '" + quote(text) + "'.", cause);
    }

    /** The value as compact JSON text. */
    public static String write(JsonNode node) {
        try {
            return MAPPER.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Cannot write JSON: " + node, e);
        }
    }

    /** The value as compact JSON text in UTF-8. */
    public static byte[] writeBytes(JsonNode node) {
        return write(node).getBytes(StandardCharsets.UTF_8);
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** The value of a key, empty if the key is absent or null. */
    public static Optional<JsonNode> optional(JsonNode object, String key) {
        if (!object.isObject()) {
            throw new InvalidTableException("JSON with '" + key + "' must be an object, not " + quote(object) + ".");
        }
        JsonNode value = object.get(key);
        return value == null || value.isNull() ? Optional.empty() : Optional.of(value);
    }

    public static JsonNode required(JsonNode object, String key) {
        return optional(object, key)
                .orElseThrow(
                        () -> new InvalidTableException("JSON must have '" + key + "', but is " + quote(object) + "."));
    }

    public static int requiredInt(JsonNode object, String key) {
        return asInt(required(object, key), key);
    }

    public static OptionalInt optionalInt(JsonNode object, String key) {
        Optional<JsonNode> value = optional(object, key);
        return value.isPresent() ? OptionalInt.of(asInt(value.get(), key)) : OptionalInt.empty();
    }

    public static long requiredLong(JsonNode object, String key) {
        return asLong(required(object, key), key);
    }

    public static OptionalLong optionalLong(JsonNode object, String key) {
        Optional<JsonNode> value = optional(object, key);
        return value.isPresent() ? OptionalLong.of(asLong(value.get(), key)) : OptionalLong.empty();
    }

    public static boolean requiredBoolean(JsonNode object, String key) {
        JsonNode value = required(object, key);
        if (!value.isBoolean()) {
            throw unlike(key, "true or false", value);
        }
        return value.booleanValue();
    }

    public static String requiredText(JsonNode object, String key) {
        return asText(required(object, key), key);
    }

    public static Optional<String> optionalText(JsonNode object, String key) {
        return optional(object, key).map(value -> asText(value, key));
    }

    public static ArrayNode requiredArray(JsonNode object, String key) {
        return asArray(required(object, key), key);
    }

    public static Optional<ArrayNode> optionalArray(JsonNode object, String key) {
        return optional(object, key).map(value -> asArray(value, key));
    }

    public static ObjectNode requiredObject(JsonNode object, String key) {
        return asObject(required(object, key), key);
    }

    public static Optional<ObjectNode> optionalObject(JsonNode object, String key) {
        return optional(object, key).map(value -> asObject(value, key));
    }

    /** Text by text in the order of the document; empty if the key is absent. */
    public static Map<String, String> stringMap(JsonNode object, String key) {
        var result = new LinkedHashMap<String, String>();
        optionalObject(object, key)
                .ifPresent(values -> values.properties()
                        .forEach(entry ->
                                result.put(entry.getKey(), asText(entry.getValue(), key + "." + entry.getKey()))));
        return Collections.unmodifiableMap(result);
    }

    /** Integers in order; empty if the key is absent. */
    public static List<Integer> intList(JsonNode object, String key) {
        var result = new ArrayList<Integer>();
        optionalArray(object, key).ifPresent(values -> values.forEach(value -> result.add(asInt(value, key))));
        return Collections.unmodifiableList(result);
    }

    /** Integers in order; empty if the key is absent. */
    public static List<Long> longList(JsonNode object, String key) {
        var result = new ArrayList<Long>();
        optionalArray(object, key).ifPresent(values -> values.forEach(value -> result.add(asLong(value, key))));
        return Collections.unmodifiableList(result);
    }

    /** Texts in order; empty if the key is absent. */
    public static List<String> textList(JsonNode object, String key) {
        var result = new ArrayList<String>();
        optionalArray(object, key).ifPresent(values -> values.forEach(value -> result.add(asText(value, key))));
        return Collections.unmodifiableList(result);
    }

    /** An object of the map's entries, in the map's order. */
    public static ObjectNode toObject(Map<String, String> values) {
        ObjectNode result = object();
        values.forEach(result::put);
        return result;
    }

    private static int asInt(JsonNode value, String key) {
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw unlike(key, "an integer of 32 bits", value);
        }
        return value.intValue();
    }

    private static long asLong(JsonNode value, String key) {
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw unlike(key, "an integer of 64 bits", value);
        }
        return value.longValue();
    }

    private static String asText(JsonNode value, String key) {
        if (!value.isTextual()) {
            throw unlike(key, "text", value);
        }
        return value.textValue();
    }

    private static ArrayNode asArray(JsonNode value, String key) {
        if (!(value instanceof ArrayNode array)) {
            throw unlike(key, "an array", value);
        }
        return array;
    }

    private static ObjectNode asObject(JsonNode value, String key) {
        if (!(value instanceof ObjectNode object)) {
            throw unlike(key, "an object", value);
        }
        return object;
    }

    private static InvalidTableException unlike(String key, String expected, JsonNode actual) {
        return new InvalidTableException(
                "JSON value '" + key + "' must be " + expected + ", not " + quote(actual) + ".");
    }

    /** The beginning of a document, for error messages. */
    static String quote(JsonNode node) {
        return quote(node.toString());
    }

    private static String quote(String text) {
        return text.length() <= MAX_QUOTE ? text : text.substring(0, MAX_QUOTE) + "…";
    }
}
