package dev.calve.spark.inspect;

import dev.calve.io.Storage;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.MetadataPart;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;

/** Makes the rows of one task on an executor. */
final class MetadataReaders implements PartitionReaderFactory {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final String name;
    private final String columnsJson;
    private final byte[] deletes;

    /**
     * @param name of the metadata table's constant
     * @param deletes manifests of the snapshot's delete files, if the columns need them
     */
    MetadataReaders(ExecutorTable table, String name, String columnsJson, byte[] deletes) {
        this.table = table;
        this.name = name;
        this.columnsJson = columnsJson;
        this.deletes = deletes;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        var wanted = (StructType) StructType.fromJson(columnsJson);
        byte[] content = ((MetadataPart) partition).content();
        TableMetadata metadata = table.metadata();
        Storage storage = table.storage();
        MetadataTableName shown = MetadataTableName.valueOf(name);
        return switch (shown) {
            case POSITION_DELETES ->
                new PositionDeleteRows(
                        storage,
                        metadata,
                        ManifestPart.fromBytes(content),
                        PositionDeleteRows.columns(metadata).select(wanted));
            case ALL_MANIFESTS ->
                new ManifestListRows(
                        storage,
                        SnapshotPart.fromBytes(content).places(),
                        ManifestColumns.allManifests(metadata).select(wanted));
            default -> files(storage, metadata, shown, wanted, content);
        };
    }

    private PartitionReader<InternalRow> files(
            Storage storage, TableMetadata metadata, MetadataTableName shown, StructType wanted, byte[] content) {
        try {
            return FileRows.open(
                    storage,
                    metadata,
                    ManifestPart.fromBytes(content).manifests(),
                    ManifestContents.fileColumns(metadata, shown).select(wanted),
                    !ManifestContents.showsRemoved(shown),
                    ManifestPart.fromBytes(deletes).manifests());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot read " + table.name() + "." + shown.text() + ": " + e.getMessage(), e);
        }
    }
}
