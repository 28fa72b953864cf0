package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import dev.calve.partition.PartitionJson;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Json;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaJson;
import dev.calve.schema.Type;

/**
 * What a manifest says of itself. Spec: Manifests, the Avro file's key-value metadata.
 *
 * @param schema the table's schema when the manifest was written
 * @param spec the spec of every tuple in the manifest
 * @param partitionType the type of the tuples by that schema; a field whose source was gone by then is {@code unknown}
 */
public record ManifestHeader(
        int formatVersion, ManifestFile.Content content, Schema schema, PartitionSpec spec, Type.Struct partitionType) {

    static final String SCHEMA = "schema";
    static final String SCHEMA_ID = "schema-id";
    static final String PARTITION_SPEC = "partition-spec";
    static final String PARTITION_SPEC_ID = "partition-spec-id";
    static final String FORMAT_VERSION = "format-version";
    static final String CONTENT = "content";

    /** The texts a header consists of: the same in all manifests of one kind between two changes of the table's schema. */
    private record Texts(String schema, String spec, int specId, int formatVersion, ManifestFile.Content content) {}

    private static final Recent<Texts, ManifestHeader> PARSED = new Recent<>(64);

    static ManifestHeader of(AvroInput<?> file) {
        String schema = file.required(SCHEMA);
        int formatVersion = number(file, FORMAT_VERSION, 1);
        int specId = number(file, PARTITION_SPEC_ID, 0);
        var texts = new Texts(schema, file.required(PARTITION_SPEC), specId, formatVersion, content(file));
        return PARSED.get(texts, ManifestHeader::parse);
    }

    private static ManifestHeader parse(Texts texts) {
        Schema schema = SchemaJson.fromJson(Json.parse(texts.schema));
        PartitionSpec spec = PartitionJson.fieldsFromJson(texts.specId, Json.parse(texts.spec));
        return new ManifestHeader(texts.formatVersion, texts.content, schema, spec, spec.partitionType(schema));
    }

    private static int number(AvroInput<?> file, String key, int otherwise) {
        String text = file.metadata(key).orElse(Integer.toString(otherwise));
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new InvalidTableException("Avro metadata '" + key + "' must be a number, not '" + text + "'.", e);
        }
    }

    private static ManifestFile.Content content(AvroInput<?> file) {
        String text = file.metadata(CONTENT).orElse("data");
        return switch (text) {
            case "data" -> ManifestFile.Content.DATA;
            case "deletes" -> ManifestFile.Content.DELETES;
            default -> throw new InvalidTableException("content must be 'data' or 'deletes', not '" + text + "'.");
        };
    }
}
