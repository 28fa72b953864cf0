package dev.calve.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.IndexedRecord;

/**
 * Recounts the live files at the head of every branch of a table in a local directory, and compares them with what the
 * snapshot's summary says in total and with the rules for deletion vectors and row ids. Reads the files with Jackson and Avro
 * alone: an audit by the reader whose writer is audited would share its mistakes.
 *
 * <p>Cost: the metadata file, and all manifests of the heads.
 */
final class TableAudit {

    private static final Pattern METADATA =
            Pattern.compile("v(\\d+)(\\.metadata\\.json|\\.gz\\.metadata\\.json|\\.metadata\\.json\\.gz)");

    private static final int DELETED = 2;
    private static final int EQUALITY_DELETES = 2;

    /** A live entry with what it inherits. */
    private record Live(IndexedRecord file, int specId, long sequenceNumber, Optional<Long> firstRowId) {

        Object get(String field) {
            var schema = file.getSchema().getField(field);
            return schema == null ? null : file.get(schema.pos());
        }

        String path() {
            return String.valueOf(get("file_path"));
        }

        long number(String field) {
            return get(field) instanceof Number number ? number.longValue() : 0;
        }

        long records() {
            return number("record_count");
        }

        boolean isData() {
            return number("content") == 0;
        }

        boolean isVector() {
            return "PUFFIN".equalsIgnoreCase(String.valueOf(get("file_format")));
        }

        long sizeBytes() {
            return number(isVector() ? "content_size_in_bytes" : "file_size_in_bytes");
        }

        String partition() {
            return specId + " " + get("partition");
        }
    }

    private final String branch;
    private final List<Live> data = new ArrayList<>();
    private final List<Live> deletes = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();

    private TableAudit(String branch) {
        this.branch = branch;
    }

    /** The newest metadata file of a table's folder; empty if it is no table. */
    static Optional<Path> newestMetadata(Path folder) throws IOException {
        if (!Files.isDirectory(folder.resolve("metadata"))) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder.resolve("metadata"))) {
            return files.filter(file -> version(file) > 0).max(Comparator.comparingInt(TableAudit::version));
        }
    }

    private static int version(Path file) {
        var matcher = METADATA.matcher(file.getFileName().toString());
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /** What is wrong with a table, a sentence each; nothing if it is sound. */
    static List<String> findings(Path metadataFile) throws IOException {
        JsonNode table = parse(metadataFile);
        Map<String, Long> heads = new TreeMap<>();
        if (table.has("refs")) {
            table.get("refs").properties().forEach(ref -> {
                if (ref.getValue().get("type").asText().equals("branch")) {
                    heads.put(ref.getKey(), ref.getValue().get("snapshot-id").asLong());
                }
            });
        } else if (table.path("current-snapshot-id").asLong(-1) != -1) {
            heads.put("main", table.get("current-snapshot-id").asLong());
        }
        var all = new ArrayList<String>();
        for (JsonNode snapshot : table.path("snapshots")) {
            for (Map.Entry<String, Long> head : heads.entrySet()) {
                if (snapshot.get("snapshot-id").asLong() == head.getValue()) {
                    var audit = new TableAudit(head.getKey());
                    audit.read(snapshot);
                    audit.check(snapshot.path("summary"));
                    all.addAll(audit.findings);
                }
            }
        }
        return all;
    }

    private static JsonNode parse(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new ObjectMapper().readTree(file.toString().contains(".gz") ? new GZIPInputStream(in) : in);
        }
    }

    private void read(JsonNode snapshot) throws IOException {
        var manifests = new ArrayList<IndexedRecord>();
        if (snapshot.has("manifest-list")) {
            try (var list = open(snapshot.get("manifest-list").asText())) {
                list.forEach(manifests::add);
            }
        }
        for (IndexedRecord manifest : manifests) {
            readManifest(manifest);
        }
    }

    private void readManifest(IndexedRecord manifest) throws IOException {
        int specId = ((Number) get(manifest, "partition_spec_id")).intValue();
        long number = get(manifest, "sequence_number") instanceof Number own ? own.longValue() : 0;
        Long nextRowId = (Long) get(manifest, "first_row_id");
        try (var entries = open(get(manifest, "manifest_path").toString())) {
            for (IndexedRecord entry : entries) {
                if (((Number) get(entry, "status")).intValue() == DELETED) {
                    continue;
                }
                var file = (IndexedRecord) get(entry, "data_file");
                var firstRowId = (Long) get(file, "first_row_id");
                long dataNumber = get(entry, "sequence_number") instanceof Number own ? own.longValue() : number;
                if (firstRowId == null && nextRowId != null) {
                    firstRowId = nextRowId;
                    nextRowId += (Long) get(file, "record_count");
                }
                var live = new Live(file, specId, dataNumber, Optional.ofNullable(firstRowId));
                (live.isData() ? data : deletes).add(live);
            }
        }
    }

    private static Object get(IndexedRecord avro, String field) {
        var schema = avro.getSchema().getField(field);
        return schema == null ? null : avro.get(schema.pos());
    }

    private static DataFileReader<IndexedRecord> open(String location) throws IOException {
        // Whatever file system it was written through, it is on the local disk.
        Path file = Path.of(location.replaceFirst("^[a-z0-9]+:(//[^/]*)?", ""));
        return new DataFileReader<>(file.toFile(), new GenericDatumReader<>());
    }

    private void find(String finding) {
        findings.add("branch " + branch + ": " + finding);
    }

    private void check(JsonNode summary) {
        recount().forEach((key, count) -> {
            // A writer before us may not have known it, and then nobody after it does.
            if (summary.has(key) && !summary.get(key).asText().equals("" + count)) {
                find(key + " must be " + count + " by a recount, but is "
                        + summary.get(key).asText());
            }
        });
        var byPath = new HashMap<String, Live>();
        for (Live file : data) {
            if (byPath.put(file.path(), file) != null) {
                find("data file " + file.path() + " is live twice");
            }
        }
        checkVectors(byPath);
        checkRowIds();
    }

    private Map<String, Long> recount() {
        var totals = new LinkedHashMap<String, Long>();
        totals.put("total-data-files", (long) data.size());
        totals.put("total-delete-files", (long) deletes.size());
        totals.put("total-records", data.stream().mapToLong(Live::records).sum());
        totals.put(
                "total-files-size",
                Stream.concat(data.stream(), deletes.stream())
                        .mapToLong(Live::sizeBytes)
                        .sum());
        totals.put("total-position-deletes", deleted(false));
        totals.put("total-equality-deletes", deleted(true));
        return totals;
    }

    private long deleted(boolean byKeys) {
        return deletes.stream()
                .filter(file -> (file.number("content") == EQUALITY_DELETES) == byKeys)
                .mapToLong(Live::records)
                .sum();
    }

    private void checkVectors(Map<String, Live> byPath) {
        var vectors = new HashMap<String, Live>();
        for (Live vector : deletes) {
            if (!vector.isVector()) {
                continue;
            }
            String of = String.valueOf(vector.get("referenced_data_file"));
            Live file = byPath.get(of);
            if (vectors.put(of, vector) != null) {
                find("data file " + of + " has two vectors");
            }
            if (file == null) {
                find("vector " + vector.path() + " is of " + of + ", which is not live");
                continue;
            }
            if (!vector.partition().equals(file.partition())) {
                find("vector " + vector.path() + " is in " + vector.partition() + ", but its data file " + of + " in "
                        + file.partition());
            }
            if (vector.sequenceNumber() < file.sequenceNumber()) {
                find("vector " + vector.path() + " has number " + vector.sequenceNumber() + ", but its data file " + of
                        + " " + file.sequenceNumber());
            }
            if (vector.records() < 1 || vector.records() > file.records()) {
                find("vector " + vector.path() + " deletes " + vector.records() + " of the " + file.records()
                        + " rows of " + of);
            }
        }
    }

    /** No two rows have one id. */
    private void checkRowIds() {
        List<Live> withIds = data.stream()
                .filter(file -> file.firstRowId().isPresent() && file.records() > 0)
                .sorted(Comparator.comparing(file -> file.firstRowId().orElseThrow()))
                .toList();
        long free = 0;
        for (Live file : withIds) {
            long first = file.firstRowId().orElseThrow();
            if (first < free) {
                find("data file " + file.path() + " begins with row id " + first + ", but ids below " + free
                        + " are taken");
            }
            free = first + file.records();
        }
    }
}
