package dev.calve.spark.wire;

import dev.calve.catalog.LoadedTable;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.io.Storage;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What a task has to know of a table: schemas, specs, properties, location, but no history; and how to reach its files. */
public final class ExecutorTable implements Serializable {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final byte[] metadataJson;
    private final byte[] configuration;

    private transient volatile @Nullable TableMetadata metadata;

    private ExecutorTable(String name, byte[] metadataJson, byte[] configuration) {
        this.name = name;
        this.metadataJson = metadataJson;
        this.configuration = configuration;
    }

    /** Packs a table on the driver, where its storage is always Hadoop's. */
    public static ExecutorTable of(LoadedTable table) {
        return new ExecutorTable(
                table.name(),
                TableMetadataJson.print(withoutHistory(table.metadata()), "metadata.json"),
                ((HadoopStorage) table.storage()).toBytes());
    }

    private static TableMetadata withoutHistory(TableMetadata full) {
        return new TableMetadata(
                full.formatVersion(),
                full.uuid(),
                full.location(),
                full.lastSequenceNumber(),
                full.lastUpdatedMillis(),
                full.lastColumnId(),
                full.currentSchemaId(),
                full.schemas(),
                full.defaultSpecId(),
                full.specs(),
                full.lastPartitionId(),
                full.defaultSortOrderId(),
                full.sortOrders(),
                full.properties(),
                OptionalLong.empty(),
                full.nextRowId(),
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of());
    }

    /** Name for messages. */
    public String name() {
        return name;
    }

    /** The table without snapshots, refs, logs and statistics. Parsed once per copy. */
    public TableMetadata metadata() {
        TableMetadata known = metadata;
        if (known == null) {
            known = TableMetadataJson.parse(metadataJson, name);
            metadata = known;
        }
        return known;
    }

    public Storage storage() {
        return HadoopStorage.fromBytes(configuration);
    }
}
