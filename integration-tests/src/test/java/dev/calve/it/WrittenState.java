package dev.calve.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.IndexedRecord;

/**
 * Everything a table of a directory catalog has written down, field by field: its newest metadata file, the manifest list of
 * each ref, and every entry of the manifests in it. Read with Jackson and Avro alone, so that nothing is inherited, defaulted
 * or corrected on the way, and neither engine's reader can hide what its writer did.
 *
 * <p>What must differ between two tables is named instead: snapshots s1, s2, … in the order they were added, the table's
 * location T, times by what they are the time of. A field that is null is left out, like one that is absent.
 */
final class WrittenState {

    private static final Pattern METADATA = Pattern.compile("v(\\d+)\\.metadata\\.json");
    private static final List<String> AVRO_KEYS = List.of(
            "snapshot-id",
            "parent-snapshot-id",
            "sequence-number",
            "first-row-id",
            "format-version",
            "schema",
            "schema-id",
            "partition-spec",
            "partition-spec-id",
            "content");

    private final String location;
    private final Map<Long, String> snapshotNames = new HashMap<>();
    private final Map<Long, String> timeNames = new HashMap<>();
    private final NavigableMap<String, String> fields = new TreeMap<>(new InNumericOrder());

    private WrittenState(String location) {
        this.location = location;
    }

    /** The fields by their paths, such as {@code list(main)[0].entries[2].data_file.record_count}. */
    static NavigableMap<String, String> of(Path folder) {
        try {
            JsonNode json = new ObjectMapper().readTree(newest(folder).toFile());
            var state = new WrittenState(json.get("location").asText());
            state.readMetadata(json);
            return state.fields;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path newest(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("metadata"))) {
            return files.filter(file ->
                            METADATA.matcher(file.getFileName().toString()).matches())
                    .max(Comparator.comparingInt(WrittenState::version))
                    .orElseThrow();
        }
    }

    private static int version(Path file) {
        var matcher = METADATA.matcher(file.getFileName().toString());
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private void readMetadata(JsonNode json) throws IOException {
        for (JsonNode snapshot : json.get("snapshots")) {
            long id = snapshot.get("snapshot-id").asLong();
            snapshotNames.put(id, "s" + (snapshotNames.size() + 1));
            timeNames.put(snapshot.get("timestamp-ms").asLong(), "time of a snapshot");
        }
        flatten("metadata", json);
        if (json.has("refs")) {
            for (Map.Entry<String, JsonNode> ref : json.get("refs").properties()) {
                for (JsonNode snapshot : json.get("snapshots")) {
                    if (snapshot.get("snapshot-id").equals(ref.getValue().get("snapshot-id"))) {
                        readList("list(" + ref.getKey() + ")", snapshot.get("manifest-list"));
                    }
                }
            }
        }
    }

    private void flatten(String path, JsonNode node) {
        if (node.isObject()) {
            node.properties().forEach(field -> flatten(path + "." + field.getKey(), field.getValue()));
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                flatten(path + "[" + i + "]", node.get(i));
            }
            fields.put(path + ".size", "" + node.size());
        } else if (!node.isNull()) {
            // When a metadata file was written is not always when its snapshot was.
            String key = path.contains("metadata-log") && path.endsWith("timestamp-ms")
                    ? "last-updated-ms"
                    : path.substring(path.lastIndexOf('.') + 1);
            fields.put(path, named(key, node.asText()));
        }
    }

    private String named(String key, String value) {
        return switch (key) {
            case "snapshot-id", "parent-snapshot-id", "current-snapshot-id", "snapshot_id", "added_snapshot_id" ->
                value.matches("\\d+") ? snapshotNames.getOrDefault(Long.parseLong(value), value) : value;
            case "timestamp-ms" -> timeNames.getOrDefault(Long.parseLong(value), "time");
            case "last-updated-ms" -> "time";
            case "table-uuid" -> "uuid";
            case "manifest-list" -> value.replaceAll(".*/snap-\\d+-(\\d+)-.*\\.avro", "list of attempt $1");
            default -> value.replace(location, "T");
        };
    }

    private void readList(String path, JsonNode listLocation) throws IOException {
        if (listLocation == null) {
            fields.put(path, "none");
            return;
        }
        try (var list = open(listLocation.asText())) {
            readKeys(path, list);
            int size = 0;
            for (IndexedRecord manifest : list) {
                String at = path + "[" + size++ + "]";
                String file = manifest.get(0).toString();
                put(at, manifest);
                fields.put(at + ".manifest_path", "a manifest");
                fields.computeIfPresent(
                        at + ".manifest_length",
                        (key, length) -> length.equals("" + size(file)) ? "that of the file" : length);
                readManifest(at, file);
            }
            fields.put(path + ".size", "" + size);
        }
    }

    private static long size(String file) {
        try {
            return Files.size(Path.of(URI.create(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readManifest(String path, String file) throws IOException {
        try (var manifest = open(file)) {
            readKeys(path, manifest);
            int size = 0;
            for (IndexedRecord entry : manifest) {
                put(path + ".entries[" + size++ + "]", entry);
            }
            fields.put(path + ".entries.size", "" + size);
        }
    }

    private static DataFileReader<IndexedRecord> open(String file) throws IOException {
        return new DataFileReader<>(Path.of(URI.create(file)).toFile(), new GenericDatumReader<>());
    }

    private void readKeys(String path, DataFileReader<?> reader) throws IOException {
        for (String key : AVRO_KEYS) {
            byte[] value = reader.getMeta(key);
            if (value == null) {
                continue;
            }
            String text = new String(value, StandardCharsets.UTF_8);
            if (text.startsWith("{") || text.startsWith("[")) {
                flatten(path + ".key(" + key + ")", new ObjectMapper().readTree(text));
            } else {
                fields.put(path + ".key(" + key + ")", named(key, text));
            }
        }
    }

    private void put(String path, IndexedRecord avro) {
        for (Schema.Field field : avro.getSchema().getFields()) {
            Object value = avro.get(field.pos());
            String at = path + "." + field.name();
            if (value instanceof IndexedRecord nested) {
                put(at, nested);
            } else if (value instanceof List<?> list) {
                putAll(at, list);
            } else if (value != null) {
                fields.put(at, named(field.name(), text(value)));
            }
        }
    }

    /** A map with numbers for keys is stored as a list of pairs in any order. */
    private void putAll(String path, List<?> list) {
        fields.put(path + ".size", "" + list.size());
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof IndexedRecord pair && pair.getSchema().getField("key") != null) {
                fields.put(path + "{" + pair.get(0) + "}", text(pair.get(1)));
            } else if (list.get(i) instanceof IndexedRecord nested) {
                put(path + "[" + i + "]", nested);
            } else {
                fields.put(path + "[" + i + "]", text(list.get(i)));
            }
        }
    }

    private static String text(Object value) {
        if (value instanceof ByteBuffer buffer) {
            var bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return "x" + HexFormat.of().formatHex(bytes);
        }
        return value.toString();
    }

    /** Text with the numbers in it by their values, so that [10] comes after [9]. */
    private static final class InNumericOrder implements Comparator<String> {
        private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

        @Override
        public int compare(String one, String other) {
            return padded(one).compareTo(padded(other));
        }

        private static String padded(String text) {
            return NUMBER.matcher(text)
                    .replaceAll(number -> "0".repeat(9 - number.group().length()) + number.group());
        }
    }
}
