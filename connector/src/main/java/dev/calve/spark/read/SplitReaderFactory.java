package dev.calve.spark.read;

import dev.calve.metadata.TableMetadata;
import dev.calve.scan.FileTaskCodec;
import dev.calve.schema.Json;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaJson;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FileSplits;
import dev.calve.spark.wire.WantedKeys;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** Opens the splits of one task, always as columnar batches. */
final class SplitReaderFactory implements PartitionReaderFactory {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final String schemaJson;
    private final String columnsJson;
    private final int batchRows;
    private final @Nullable Broadcast<WantedKeys> wanted;

    /** @param wanted only rows with such a key are read, as far as deleted rows are not shown */
    SplitReaderFactory(
            ExecutorTable table,
            String schemaJson,
            String columnsJson,
            int batchRows,
            Optional<Broadcast<WantedKeys>> wanted) {
        this.table = table;
        this.schemaJson = schemaJson;
        this.columnsJson = columnsJson;
        this.batchRows = batchRows;
        this.wanted = wanted.orElse(null);
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
        TableMetadata metadata = table.metadata();
        Schema schema = SchemaJson.fromJson(Json.parse(schemaJson.getBytes(StandardCharsets.UTF_8)));
        return new SplitReader(
                table.storage(),
                new TaskReads(table.storage(), metadata, schema),
                ((FileSplits) partition).splits(new FileTaskCodec(metadata)),
                (StructType) StructType.fromJson(columnsJson),
                batchRows,
                Optional.ofNullable(wanted).map(keys -> WantedRows.of(keys.value(), schema)));
    }

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
        return true;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        throw new IllegalStateException("Scans of " + table.name() + " must be read as columnar batches.");
    }
}
