package dev.calve.puffin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a writer says about a blob before it is written.
 *
 * <p>Spec: Puffin, BlobMetadata.
 *
 * @param type names what the bytes mean, such as {@code deletion-vector-v1}
 * @param fields ids of the fields the blob was computed for, in order
 * @param snapshotId snapshot the blob was computed from; -1 when it is not known while writing
 * @param sequenceNumber sequence number of that snapshot; -1 when it is not known while writing
 * @param compressionCodec {@code zstd}, or empty for bytes as they are
 * @param properties anything else, kept in order
 */
public record BlobSpec(
        String type,
        List<Integer> fields,
        long snapshotId,
        long sequenceNumber,
        Optional<String> compressionCodec,
        Map<String, String> properties) {

    public BlobSpec {
        if (type.isBlank()) {
            throw new IllegalArgumentException("Type of a Puffin blob must be a name, not '" + type + "'.");
        }
        fields = List.copyOf(fields);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }
}
