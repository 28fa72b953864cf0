package dev.calve.partition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Partition specs and sort orders as JSON. Spec: Appendix C, Partition Specs and Sort Orders. The readers throw
 * {@link InvalidTableException}.
 */
public final class PartitionJson {

    private static final String SOURCE_ID = "source-id";
    private static final String SOURCE_IDS = "source-ids";

    private PartitionJson() {}

    public static ObjectNode specToJson(PartitionSpec spec) {
        ObjectNode result = Json.object().put("spec-id", spec.id());
        result.set("fields", fieldsToJson(spec));
        return result;
    }

    public static PartitionSpec specFromJson(JsonNode json) {
        return fieldsFromJson(Json.requiredInt(json, "spec-id"), Json.requiredArray(json, "fields"));
    }

    /** The spec's fields alone, as v1 metadata and the {@code partition-spec} of manifests have them. */
    public static ArrayNode fieldsToJson(PartitionSpec spec) {
        ArrayNode result = Json.array();
        for (PartitionField field : spec.fields()) {
            ObjectNode json = result.addObject()
                    .put("name", field.name())
                    .put("transform", field.transform().toString());
            putSources(json, field.sourceIds());
            json.put("field-id", field.fieldId());
        }
        return result;
    }

    /** Reads an array of fields. Where v1 leaves {@code field-id} out, fields are numbered from 1000 in order. */
    public static PartitionSpec fieldsFromJson(int specId, JsonNode json) {
        if (!json.isArray()) {
            throw new InvalidTableException(
                    "Fields of partition spec " + specId + " must be an array, not " + json + ".");
        }
        var fields = new ArrayList<PartitionField>();
        int withId = 0;
        try {
            for (JsonNode field : json) {
                var fieldId = Json.optionalInt(field, "field-id");
                withId += fieldId.isPresent() ? 1 : 0;
                fields.add(new PartitionField(
                        sources(field),
                        fieldId.orElse(PartitionSpec.FIRST_FIELD_ID + fields.size()),
                        Json.requiredText(field, "name"),
                        TransformText.parse(Json.requiredText(field, "transform"))));
            }
            if (withId != 0 && withId != fields.size()) {
                throw new IllegalArgumentException("All fields must have a field-id or none, but " + withId + " of "
                        + fields.size() + " have one.");
            }
            return new PartitionSpec(specId, fields);
        } catch (IllegalArgumentException e) {
            throw new InvalidTableException("Partition spec " + specId + " is not valid: " + e.getMessage(), e);
        }
    }

    public static ObjectNode orderToJson(SortOrder order) {
        ObjectNode result = Json.object().put("order-id", order.id());
        ArrayNode terms = result.putArray("fields");
        for (SortOrder.Term term : order.terms()) {
            ObjectNode json =
                    terms.addObject().put("transform", term.transform().toString());
            putSources(json, term.sourceIds());
            json.put("direction", textOf(term.direction())).put("null-order", textOf(term.nullOrder()));
        }
        return result;
    }

    public static SortOrder orderFromJson(JsonNode json) {
        int id = Json.requiredInt(json, "order-id");
        var terms = new ArrayList<SortOrder.Term>();
        for (JsonNode term : Json.requiredArray(json, "fields")) {
            terms.add(new SortOrder.Term(
                    TransformText.parse(Json.requiredText(term, "transform")),
                    sources(term),
                    oneOf(SortOrder.Direction.values(), term, "direction"),
                    oneOf(SortOrder.NullOrder.values(), term, "null-order")));
        }
        return new SortOrder(id, terms);
    }

    /** One source is written as {@code source-id}, so that readers of older versions find it; several as a list. */
    private static void putSources(ObjectNode json, List<Integer> sourceIds) {
        if (sourceIds.size() == 1) {
            json.put(SOURCE_ID, sourceIds.get(0));
            return;
        }
        ArrayNode ids = json.putArray(SOURCE_IDS);
        sourceIds.forEach(ids::add);
    }

    private static List<Integer> sources(JsonNode json) {
        List<Integer> several = Json.intList(json, SOURCE_IDS);
        return several.isEmpty() ? List.of(Json.requiredInt(json, SOURCE_ID)) : several;
    }

    private static String textOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static <E extends Enum<E>> E oneOf(E[] values, JsonNode json, String key) {
        String text = Json.requiredText(json, key);
        for (E value : values) {
            if (textOf(value).equalsIgnoreCase(text)) {
                return value;
            }
        }
        throw new InvalidTableException("JSON value '" + key + "' must be '" + textOf(values[0]) + "' or '"
                + textOf(values[1]) + "', not '" + text + "'.");
    }
}
