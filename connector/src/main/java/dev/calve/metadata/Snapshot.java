package dev.calve.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The state of a table at one time. Spec: Snapshots.
 *
 * @param sequenceNumber 0 in v1 tables
 * @param operation empty only in snapshots of old v1 writers
 * @param summary the summary's entries without {@code operation}, in order
 * @param manifestList location; empty only for v1 snapshots that list {@code manifests} in place
 * @param manifests v1 only: locations of the manifests
 * @param firstRowId v3: the table's {@code next-row-id} when the snapshot was added
 * @param addedRows v3: row ids the snapshot used up
 */
public record Snapshot(
        long id,
        OptionalLong parentId,
        long sequenceNumber,
        long timestampMillis,
        Optional<String> operation,
        Map<String, String> summary,
        Optional<String> manifestList,
        List<String> manifests,
        OptionalInt schemaId,
        OptionalLong firstRowId,
        OptionalLong addedRows,
        Map<String, JsonNode> unknownFields) {

    public Snapshot {
        summary = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(summary));
        manifests = List.copyOf(manifests);
        unknownFields = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(unknownFields));
    }
}
