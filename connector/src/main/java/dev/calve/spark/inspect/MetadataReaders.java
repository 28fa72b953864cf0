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
        try {
            return open(
                    table.storage(),
                    table.metadata(),
                    MetadataTableName.valueOf(name),
                    (StructType) StructType.fromJson(columnsJson),
                    ((MetadataPart) partition).content(),
                    ManifestPart.fromBytes(deletes));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot read a metadata table of " + table.name() + ": " + e.getMessage(), e);
        }
    }

    /** Opens a part of the wanted columns of a metadata table. */
    static PartitionReader<InternalRow> open(
            Storage storage,
            TableMetadata metadata,
            MetadataTableName shown,
            StructType wanted,
            byte[] content,
            ManifestPart deletes)
            throws IOException {
        return switch (shown) {
            case SNAPSHOTS, HISTORY, REFS, METADATA_LOG_ENTRIES, MANIFESTS, PARTITIONS ->
                RowPart.reader(wanted.size(), content);
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
            case FILES, DATA_FILES, DELETE_FILES, ENTRIES, ALL_FILES, ALL_DATA_FILES, ALL_DELETE_FILES, ALL_ENTRIES ->
                FileRows.open(
                        storage,
                        metadata,
                        ManifestPart.fromBytes(content).manifests(),
                        ManifestContents.fileColumns(metadata, shown).select(wanted),
                        !ManifestContents.showsRemoved(shown),
                        deletes.manifests());
        };
    }
}
