package dev.calve.puffin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a Puffin footer says about one blob.
 *
 * <p>Spec: Puffin, BlobMetadata.
 *
 * @param type names what the bytes mean
 * @param fields ids of the fields the blob was computed for, in order
 * @param snapshotId snapshot the blob was computed from; -1 when it was not known while writing
 * @param sequenceNumber sequence number of that snapshot; -1 when it was not known while writing
 * @param offset first byte of the blob in the file
 * @param length bytes in the file, compressed if there is a codec
 * @param compressionCodec {@code zstd} or {@code lz4}, or empty for bytes as they are
 * @param properties anything else, in the file's order
 */
public record BlobMetadata(
        String type,
        List<Integer> fields,
        long snapshotId,
        long sequenceNumber,
        long offset,
        long length,
        Optional<String> compressionCodec,
        Map<String, String> properties) {

    public BlobMetadata {
        if (type.isBlank()) {
            throw new IllegalArgumentException("Type of a Puffin blob must be a name, not '" + type + "'.");
        }
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "Puffin blob must have an offset and a length from 0 on, not " + offset + " and " + length + ".");
        }
        fields = List.copyOf(fields);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }
}
