package dev.calve.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.calve.io.InvalidTableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Schemas and types as JSON. Spec: Appendix C, Schemas. The readers throw {@link InvalidTableException}; names of types
 * are read in any letter case.
 */
public final class SchemaJson {

    private static final Map<String, Type.Simple> SIMPLE =
            Arrays.stream(Type.Simple.values()).collect(Collectors.toMap(Type.Simple::toString, Function.identity()));

    private static final Pattern FIXED = Pattern.compile("fixed\\s*\\[\\s*(\\d+)\\s*\\]", Pattern.CASE_INSENSITIVE);
    private static final Pattern DECIMAL =
            Pattern.compile("decimal\\s*\\(\\s*(\\d+)\\s*,\\s*(\\d+)\\s*\\)", Pattern.CASE_INSENSITIVE);
    private static final Pattern GEOMETRY =
            Pattern.compile("geometry\\s*(?:\\(\\s*([^)]*?)\\s*\\))?", Pattern.CASE_INSENSITIVE);
    private static final Pattern GEOGRAPHY =
            Pattern.compile("geography\\s*(?:\\(\\s*([^,)]*?)\\s*(?:,\\s*(\\w+)\\s*)?\\))?", Pattern.CASE_INSENSITIVE);

    private SchemaJson() {}

    public static ObjectNode toJson(Schema schema) {
        ObjectNode result = Json.object().put("type", "struct").put("schema-id", schema.id());
        if (!schema.identifierFieldIds().isEmpty()) {
            ArrayNode ids = result.putArray("identifier-field-ids");
            schema.identifierFieldIds().forEach(ids::add);
        }
        result.set("fields", fieldsToJson(schema.struct()));
        return result;
    }

    /** Reads a schema; without a {@code schema-id}, as in v1, its id is 0. */
    public static Schema fromJson(JsonNode json) {
        if (!(typeFromJson(json) instanceof Type.Struct struct)) {
            throw new InvalidTableException("Schema must be a struct, not " + Json.quote(json) + ".");
        }
        try {
            return new Schema(
                    Json.optionalInt(json, "schema-id").orElse(0),
                    struct,
                    new HashSet<>(Json.intList(json, "identifier-field-ids")));
        } catch (IllegalArgumentException e) {
            throw new InvalidTableException("Schema is not valid: " + e.getMessage(), e);
        }
    }

    public static JsonNode typeToJson(Type type) {
        if (type instanceof Type.Struct struct) {
            ObjectNode result = Json.object().put("type", "struct");
            result.set("fields", fieldsToJson(struct));
            return result;
        }
        if (type instanceof Type.ListOf list) {
            ObjectNode result = Json.object().put("type", "list").put("element-id", list.elementId());
            result.set("element", typeToJson(list.element()));
            return result.put("element-required", list.elementRequired());
        }
        if (type instanceof Type.MapOf map) {
            ObjectNode result = Json.object().put("type", "map").put("key-id", map.keyId());
            result.set("key", typeToJson(map.key()));
            result.put("value-id", map.valueId()).set("value", typeToJson(map.value()));
            return result.put("value-required", map.valueRequired());
        }
        return TextNode.valueOf(type.toString());
    }

    private static ArrayNode fieldsToJson(Type.Struct struct) {
        ArrayNode result = Json.array();
        for (Field field : struct.fields()) {
            ObjectNode json = result.addObject()
                    .put("id", field.id())
                    .put("name", field.name())
                    .put("required", field.required());
            json.set("type", typeToJson(field.type()));
            field.doc().ifPresent(doc -> json.put("doc", doc));
            field.initialDefault()
                    .ifPresent(value -> json.set("initial-default", ValueJson.toJson(field.type(), value)));
            field.writeDefault().ifPresent(value -> json.set("write-default", ValueJson.toJson(field.type(), value)));
        }
        return result;
    }

    public static Type typeFromJson(JsonNode json) {
        if (json.isTextual()) {
            return primitive(json.textValue());
        }
        if (!json.isObject()) {
            throw new InvalidTableException(
                    "Cannot parse type from json: it must be text or an object, not " + Json.quote(json) + ".");
        }
        String type = Json.requiredText(json, "type");
        return switch (type) {
            case "struct" -> struct(json);
            case "list" ->
                new Type.ListOf(
                        Json.requiredInt(json, "element-id"),
                        Json.requiredBoolean(json, "element-required"),
                        typeFromJson(Json.required(json, "element")));
            case "map" ->
                new Type.MapOf(
                        Json.requiredInt(json, "key-id"),
                        typeFromJson(Json.required(json, "key")),
                        Json.requiredInt(json, "value-id"),
                        Json.requiredBoolean(json, "value-required"),
                        typeFromJson(Json.required(json, "value")));
            default ->
                throw new InvalidTableException(
                        "Cannot parse type from json: 'type' must be 'struct', 'list' or 'map', " + "not '" + type
                                + "', in " + Json.quote(json) + ".");
        };
    }

    private static Type.Struct struct(JsonNode json) {
        List<Field> fields = new ArrayList<>();
        for (JsonNode field : Json.requiredArray(json, "fields")) {
            Type type = typeFromJson(Json.required(field, "type"));
            fields.add(new Field(
                    Json.requiredInt(field, "id"),
                    Json.requiredText(field, "name"),
                    Json.requiredBoolean(field, "required"),
                    type,
                    Json.optionalText(field, "doc"),
                    defaultValue(field, "initial-default", type),
                    defaultValue(field, "write-default", type)));
        }
        return new Type.Struct(fields);
    }

    private static Optional<Object> defaultValue(JsonNode field, String key, Type type) {
        return Json.optional(field, key).map(value -> ValueJson.fromJson(type, value));
    }

    private static Type primitive(String text) {
        Type.Simple simple = SIMPLE.get(text.toLowerCase(Locale.ROOT));
        if (simple != null) {
            return simple;
        }
        try {
            Matcher matcher = FIXED.matcher(text);
            if (matcher.matches()) {
                return new Type.Fixed(Integer.parseInt(matcher.group(1)));
            }
            matcher = DECIMAL.matcher(text);
            if (matcher.matches()) {
                return new Type.Decimal(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            }
            matcher = GEOMETRY.matcher(text);
            if (matcher.matches()) {
                return new Type.Geometry(orEmpty(matcher, 1));
            }
            matcher = GEOGRAPHY.matcher(text);
            if (matcher.matches()) {
                return new Type.Geography(orEmpty(matcher, 1), orEmpty(matcher, 2));
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidTableException("Cannot parse type from json: '" + text + "': " + e.getMessage(), e);
        }
        throw new InvalidTableException("Cannot parse type from json: '" + text + "' is not a type of format versions 1"
                + " to 3. A newer version of this connector may know it.");
    }

    private static String orEmpty(Matcher matcher, int group) {
        String text = matcher.group(group);
        return text == null ? "" : text;
    }
}
