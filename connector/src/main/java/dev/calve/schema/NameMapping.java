package dev.calve.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Field ids by name, for data files written without ids. Spec: Column Projection, name mapping; Appendix C, Name Mapping
 * Serialization. A mapping maps the fields of one level; each entry holds the mapping of its own parts.
 */
public final class NameMapping {

    /** The table property that holds the mapping as JSON. */
    public static final String PROPERTY = "schema.name-mapping.default";

    /** Stands for the parent of top-level fields. */
    static final int TOP = -1;

    public static final NameMapping EMPTY = new NameMapping(List.of());

    private final List<Entry> entries;
    private final Map<String, Entry> byName = new HashMap<>();

    /**
     * One field.
     *
     * @param fieldId empty for a field of files that is not in the table
     * @param names what files may call the field; may be none
     * @param parts the fields of a struct, {@code element} of a list, {@code key} and {@code value} of a map
     */
    public record Entry(OptionalInt fieldId, List<String> names, NameMapping parts) {
        public Entry {
            Objects.requireNonNull(fieldId);
            Objects.requireNonNull(parts);
            names = List.copyOf(names);
        }
    }

    /**
     * A mapping of one level.
     *
     * @throws IllegalArgumentException if two entries share a name
     */
    public NameMapping(List<Entry> entries) {
        this.entries = List.copyOf(entries);
        for (Entry entry : this.entries) {
            for (String name : entry.names()) {
                Entry other = byName.put(name, entry);
                if (other != null && !other.equals(entry)) {
                    throw new IllegalArgumentException("Names of a mapping must be unique, but '" + name
                            + "' maps to field " + other.fieldId() + " and " + entry.fieldId() + ".");
                }
            }
        }
    }

    /** Maps every field of the schema from its name. */
    public static NameMapping of(Schema schema) {
        return of(schema.struct());
    }

    private static NameMapping of(Type.Nested type) {
        var entries = new ArrayList<Entry>();
        for (Field field : type.fields()) {
            NameMapping parts = field.type() instanceof Type.Nested nested ? of(nested) : EMPTY;
            entries.add(new Entry(OptionalInt.of(field.id()), List.of(field.name()), parts));
        }
        return new NameMapping(entries);
    }

    /**
     * The mapping with more names. A name that comes to a field is taken from the one of the same level that had it.
     *
     * @param names a further name for each of some field ids
     * @param added new fields by the id of their parent, {@link #TOP} for top-level ones
     */
    NameMapping evolved(Map<Integer, String> names, Map<Integer, List<Field>> added) {
        return evolved(TOP, names, added);
    }

    private NameMapping evolved(int parent, Map<Integer, String> names, Map<Integer, List<Field>> added) {
        List<Field> news = added.getOrDefault(parent, List.of());
        var owners = new HashMap<String, Integer>();
        for (Entry entry : entries) {
            String name =
                    entry.fieldId().isPresent() ? names.get(entry.fieldId().getAsInt()) : null;
            if (name != null) {
                owners.put(name, entry.fieldId().getAsInt());
            }
        }
        news.forEach(field -> owners.put(field.name(), field.id()));
        var result = new ArrayList<Entry>();
        for (Entry entry : entries) {
            result.add(evolved(entry, names, added, owners));
        }
        for (Field field : news) {
            NameMapping parts = field.type() instanceof Type.Nested nested ? of(nested) : EMPTY;
            result.add(new Entry(OptionalInt.of(field.id()), List.of(field.name()), parts));
        }
        return new NameMapping(result);
    }

    private static Entry evolved(
            Entry entry, Map<Integer, String> names, Map<Integer, List<Field>> added, Map<String, Integer> owners) {
        if (entry.fieldId().isEmpty()) {
            List<String> kept = entry.names().stream()
                    .filter(name -> !owners.containsKey(name))
                    .toList();
            return new Entry(entry.fieldId(), kept, entry.parts());
        }
        int id = entry.fieldId().getAsInt();
        var kept = new ArrayList<String>();
        for (String name : entry.names()) {
            if (owners.getOrDefault(name, id) == id) {
                kept.add(name);
            }
        }
        String further = names.get(id);
        if (further != null && !kept.contains(further)) {
            kept.add(further);
        }
        return new Entry(entry.fieldId(), kept, entry.parts().evolved(id, names, added));
    }

    public List<Entry> entries() {
        return entries;
    }

    /** The entry of a name at this level, letter case counting. */
    public Optional<Entry> entry(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The id at a path of names; {@code element}, {@code key} and {@code value} name the parts of lists and maps. */
    public OptionalInt fieldId(List<String> path) {
        NameMapping level = this;
        OptionalInt found = OptionalInt.empty();
        for (String name : path) {
            Entry entry = level.byName.get(name);
            if (entry == null) {
                return OptionalInt.empty();
            }
            found = entry.fieldId();
            level = entry.parts();
        }
        return found;
    }

    /**
     * Reads the text of the property.
     *
     * @throws InvalidTableException if it is not a mapping
     */
    public static NameMapping parse(String json) {
        return fromJson(Json.parse(json));
    }

    private static NameMapping fromJson(JsonNode json) {
        if (!json.isArray()) {
            throw new InvalidTableException("Name mapping must be an array, not " + Json.quote(json) + ".");
        }
        var entries = new ArrayList<Entry>();
        for (JsonNode entry : json) {
            Json.requiredArray(entry, "names");
            entries.add(new Entry(
                    Json.optionalInt(entry, "field-id"),
                    Json.textList(entry, "names"),
                    Json.optional(entry, "fields").map(NameMapping::fromJson).orElse(EMPTY)));
        }
        try {
            return new NameMapping(entries);
        } catch (IllegalArgumentException e) {
            throw new InvalidTableException("Name mapping is not valid: " + e.getMessage(), e);
        }
    }

    /** The text of the property. */
    public String toJson() {
        return Json.write(toNode());
    }

    private ArrayNode toNode() {
        ArrayNode result = Json.array();
        for (Entry entry : entries) {
            ObjectNode json = result.addObject();
            entry.fieldId().ifPresent(id -> json.put("field-id", id));
            ArrayNode names = json.putArray("names");
            entry.names().forEach(names::add);
            if (!entry.parts().entries().isEmpty()) {
                json.set("fields", entry.parts().toNode());
            }
        }
        return result;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NameMapping mapping && entries.equals(mapping.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return toJson();
    }
}
