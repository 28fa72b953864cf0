package dev.calve.catalog.warehouse;

import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Metadata files that were parsed lately, so that the same content is parsed once: Spark loads a table twice and more often
 * for one statement, and parsing a history of 1,000 snapshots costs more than reading its file. Every load still reads the
 * file: a table that is dropped and created again has other content under the same name.
 *
 * <p>Keeps files of up to {@link #MAX_BYTES} in all, those used last; some three times as much on the heap. Safe for use by
 * several threads.
 */
final class ParsedMetadata {

    /** Sum of the sizes of the files. */
    static final long MAX_BYTES = 16L << 20;

    private record Parsed(TableMetadata metadata, int size) {}

    private final Map<String, Parsed> byContent = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** @throws dev.calve.io.InvalidTableException if the content is corrupt */
    TableMetadata of(byte[] content, String location) {
        // The name tells whether it is compressed, and is part of messages about the table.
        String key = digest(content) + location;
        Optional<TableMetadata> known = known(key);
        if (known.isPresent()) {
            return known.get();
        }
        TableMetadata metadata = TableMetadataJson.parse(content, location);
        keep(key, new Parsed(metadata, content.length));
        return metadata;
    }

    private synchronized Optional<TableMetadata> known(String key) {
        return Optional.ofNullable(byContent.get(key)).map(Parsed::metadata);
    }

    private synchronized void keep(String key, Parsed parsed) {
        if (parsed.size() > MAX_BYTES || byContent.put(key, parsed) != null) {
            return;
        }
        bytes += parsed.size();
        var eldest = byContent.entrySet().iterator();
        while (bytes > MAX_BYTES) {
            bytes -= eldest.next().getValue().size();
            eldest.remove();
        }
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
