package dev.calve.metadata;

import java.util.ArrayList;
import java.util.List;

/**
 * The list of earlier metadata files that the newest one carries. Catalogs that write metadata files themselves keep it.
 *
 * @param metadata the superseding metadata, with the superseded file in its log
 * @param evicted entries that the log has no room for any more, oldest first
 */
public record MetadataLog(TableMetadata metadata, List<TableMetadata.MetadataLogEntry> evicted) {

    public MetadataLog {
        evicted = List.copyOf(evicted);
    }

    /**
     * Enters the file of {@code base} into the log of {@code result} and cuts the log to
     * {@link TableProperties#METADATA_PREVIOUS_VERSIONS_MAX} entries.
     *
     * @param baseLocation where {@code base} was read from
     */
    public static MetadataLog supersede(TableMetadata base, String baseLocation, TableMetadata result) {
        var entries = new ArrayList<>(base.metadataLog());
        entries.add(new TableMetadata.MetadataLogEntry(base.lastUpdatedMillis(), baseLocation));
        int keep = TableProperties.of(result, result.location()).get(TableProperties.METADATA_PREVIOUS_VERSIONS_MAX);
        int excess = Math.max(0, entries.size() - keep);
        var draft = new MetadataDraft(result, result.lastUpdatedMillis());
        draft.metadataLog(entries.subList(excess, entries.size()));
        return new MetadataLog(draft.metadata(), entries.subList(0, excess));
    }
}
