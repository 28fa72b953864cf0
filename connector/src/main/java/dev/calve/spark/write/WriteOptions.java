package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The options of one write. {@code target-file-size-bytes}, {@code compression-codec}, {@code compression-level} and {@code
 * distribution-mode} stand in for the table's properties; {@code snapshot-property.K} becomes entry {@code K} of the
 * snapshot's summary; {@code mergeSchema}, or {@code merge-schema}, lets rows bring new and wider columns to a table that accepts any schema. Options that would change where or whether rows are written are refused, because ignoring them writes
 * the rows somewhere else than asked for. Others have no effect.
 */
record WriteOptions(
        Map<String, String> properties, Map<String, String> summary, Optional<String> branch, boolean evolves) {

    private static final String SUMMARY_PREFIX = "snapshot-property.";

    private static final Map<String, String> PROPERTIES = Map.of(
            "target-file-size-bytes", TableProperties.TARGET_FILE_SIZE.name(),
            "compression-codec", TableProperties.PARQUET_COMPRESSION.name(),
            "compression-level", TableProperties.PARQUET_COMPRESSION_LEVEL.name(),
            "distribution-mode", TableProperties.DISTRIBUTION_MODE.name());

    private static final List<String> REFUSED = List.of("output-spec-id");

    WriteOptions {
        properties = Map.copyOf(properties);
        summary = Map.copyOf(summary);
    }

    /**
     * Reads the options.
     *
     * @param table name for messages
     * @throws UnsupportedOperationException for an option that is not implemented and must not be ignored
     * @throws IllegalArgumentException for a summary entry that the commit counts
     */
    static WriteOptions of(CaseInsensitiveStringMap options, String table) {
        Map<String, String> properties = new LinkedHashMap<>();
        Map<String, String> summary = new LinkedHashMap<>();
        options.asCaseSensitiveMap().forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (REFUSED.contains(lower) || (lower.equals("write-format") && !value.equalsIgnoreCase("parquet"))) {
                throw new UnsupportedOperationException("Cannot write to " + table + " with option '" + name + "' = '"
                        + value + "': it is not supported yet. Leave it out.");
            }
            if (PROPERTIES.containsKey(lower)) {
                properties.put(PROPERTIES.get(lower), value);
            } else if (lower.startsWith(SUMMARY_PREFIX)) {
                String key = name.substring(SUMMARY_PREFIX.length());
                if (SnapshotChange.isCounted(key)) {
                    throw new IllegalArgumentException("Option '" + name + "' of the write to " + table
                            + " must not name the summary's entry '" + key + "': its value is counted.");
                }
                summary.put(key, value);
            }
        });
        boolean merges = options.getBoolean("mergeSchema", options.getBoolean("merge-schema", false));
        return new WriteOptions(properties, summary, Optional.ofNullable(options.get("branch")), merges);
    }

    /** The table with the options in place of its properties; its location, columns and history are the same. */
    LoadedTable applyTo(LoadedTable table) {
        return withProperties(branch.map(other -> onto(table, other)).orElse(table));
    }

    private static LoadedTable onto(LoadedTable table, String branch) {
        if (!table.branch().equals(SnapshotRef.MAIN) && !table.branch().equals(branch)) {
            throw new IllegalArgumentException("Cannot write to branch '" + branch + "' of " + table.name()
                    + ": its name asks for branch '" + table.branch() + "' already. Ask for one of them.");
        }
        SnapshotRef ref = table.metadata().refs().get(branch);
        if (ref != null && ref.kind() == SnapshotRef.Kind.TAG) {
            throw new IllegalArgumentException(
                    "Cannot write to '" + branch + "' of " + table.name() + ": it is a tag. Write to a branch.");
        }
        return table.onBranch(branch);
    }

    private LoadedTable withProperties(LoadedTable table) {
        if (properties.isEmpty()) {
            return table;
        }
        TableMetadata metadata = table.metadata();
        List<MetadataUpdate> overlay = List.of(new MetadataUpdate.SetProperties(properties));
        return table.at(new TableState(
                MetadataUpdates.apply(metadata, overlay, metadata.lastUpdatedMillis()),
                table.state().metadataLocation()));
    }
}
