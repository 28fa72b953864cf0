package dev.calve.puffin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Constants of the container and the JSON of its footer. */
final class PuffinFormat {

    static final int MAGIC_BYTES = 4;

    /** Payload length, flags and magic, at the very end. */
    static final int FOOTER_STRUCT_BYTES = 12;

    static final String ZSTD = "zstd";
    static final String LZ4 = "lz4";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private PuffinFormat() {}

    /** Content of a footer. */
    record Footer(List<BlobMetadata> blobs, Map<String, String> properties) {}

    static byte[] magic() {
        return new byte[] {'P', 'F', 'A', '1'};
    }

    static byte[] toJson(Footer footer) {
        var root = MAPPER.createObjectNode();
        var blobs = root.putArray("blobs");
        for (BlobMetadata blob : footer.blobs()) {
            var node = blobs.addObject().put("type", blob.type());
            var fields = node.putArray("fields");
            blob.fields().forEach(fields::add);
            node.put("snapshot-id", blob.snapshotId())
                    .put("sequence-number", blob.sequenceNumber())
                    .put("offset", blob.offset())
                    .put("length", blob.length());
            blob.compressionCodec().ifPresent(codec -> node.put("compression-codec", codec));
            putProperties(node, blob.properties());
        }
        putProperties(root, footer.properties());
        try {
            return MAPPER.writeValueAsBytes(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A JSON tree must be writable: " + root, e);
        }
    }

    private static void putProperties(ObjectNode node, Map<String, String> properties) {
        if (!properties.isEmpty()) {
            var object = node.putObject("properties");
            properties.forEach(object::put);
        }
    }

    /**
     * Reads the footer's payload.
     *
     * @param location the file, for messages
     * @param blobsEnd offset of the first byte behind the blobs
     * @throws InvalidTableException if it is not JSON, a field is missing or of the wrong type, or a blob lies elsewhere
     */
    static Footer fromJson(byte[] payload, String location, long blobsEnd) {
        JsonNode root;
        try {
            root = MAPPER.readTree(payload);
        } catch (IOException e) {
            throw new InvalidTableException(
                    "Footer of Puffin file " + location + " is corrupt: it must be JSON: " + e.getMessage(), e);
        }
        var blobs = new ArrayList<BlobMetadata>();
        for (JsonNode node : array(root, "blobs", location)) {
            var fields = new ArrayList<Integer>();
            for (JsonNode field : array(node, "fields", location)) {
                if (!field.isIntegralNumber() || !field.canConvertToInt()) {
                    throw corrupt(location, "'fields' must hold field ids, but holds " + field);
                }
                fields.add(field.intValue());
            }
            long offset = number(node, "offset", location);
            long length = number(node, "length", location);
            if (offset < MAGIC_BYTES || length < 0 || length > blobsEnd - offset) {
                throw corrupt(
                        location,
                        "blobs must lie between 4 and " + blobsEnd + ", but one has offset " + offset + " and length "
                                + length);
            }
            var type = text(node, "type", location);
            if (type.isBlank()) {
                throw corrupt(location, "'type' must be a name, but is '" + type + "'");
            }
            blobs.add(new BlobMetadata(
                    type,
                    fields,
                    number(node, "snapshot-id", location),
                    number(node, "sequence-number", location),
                    offset,
                    length,
                    node.hasNonNull("compression-codec")
                            ? Optional.of(text(node, "compression-codec", location))
                            : Optional.empty(),
                    properties(node, location)));
        }
        return new Footer(blobs, properties(root, location));
    }

    private static JsonNode array(JsonNode node, String name, String location) {
        var value = node.path(name);
        if (!value.isArray()) {
            throw corrupt(location, "'" + name + "' must be an array, but is " + shown(value));
        }
        return value;
    }

    private static long number(JsonNode node, String name, String location) {
        var value = node.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw corrupt(location, "'" + name + "' must be a 64-bit number, but is " + shown(value));
        }
        return value.longValue();
    }

    private static String text(JsonNode node, String name, String location) {
        var value = node.path(name);
        if (!value.isTextual()) {
            throw corrupt(location, "'" + name + "' must be a string, but is " + shown(value));
        }
        return value.textValue();
    }

    private static Map<String, String> properties(JsonNode node, String location) {
        var value = node.path("properties");
        if (value.isMissingNode() || value.isNull()) {
            return Map.of();
        }
        if (!value.isObject()) {
            throw corrupt(location, "'properties' must be an object, but is " + value);
        }
        var properties = new LinkedHashMap<String, String>();
        value.fieldNames().forEachRemaining(name -> properties.put(name, text(value, name, location)));
        return properties;
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "missing" : value.toString();
    }

    static InvalidTableException corrupt(String location, String why) {
        return new InvalidTableException("Footer of Puffin file " + location + " is corrupt: " + why + ".");
    }
}
