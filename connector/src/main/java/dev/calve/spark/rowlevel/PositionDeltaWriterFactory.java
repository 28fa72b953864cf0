package dev.calve.spark.rowlevel;

import dev.calve.io.Storage;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.write.HeldRows;
import dev.calve.spark.write.PartitionedWriter;
import java.util.UUID;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.types.StructType;

/** Makes the writer of one task attempt. */
final class PositionDeltaWriterFactory implements DeltaWriterFactory {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final String rowsJson;
    private final String statementId;
    private final int heldBytes;

    /**
     * Makes writers for one statement.
     *
     * @param rowsJson type of the rows that come; without columns if none do
     * @param heldBytes so many bytes of rows a task hands to the driver instead of writing a file for them
     */
    PositionDeltaWriterFactory(ExecutorTable table, String rowsJson, String statementId, int heldBytes) {
        this.table = table;
        this.rowsJson = rowsJson;
        this.statementId = statementId;
        this.heldBytes = heldBytes;
    }

    @Override
    public DeltaWriter<InternalRow> createWriter(int partitionId, long taskId) {
        TableMetadata metadata = table.metadata();
        StructType rows = (StructType) StructType.fromJson(rowsJson);
        if (rows.isEmpty()) {
            return new PositionDeltaWriter(metadata, null, null, false);
        }
        TaskContext context = TaskContext.get();
        long attempt = context == null ? taskId : context.taskAttemptId();
        var names = new FileNames(metadata, UUID.fromString(statementId), partitionId, attempt);
        PartitionedWriter writer = rowWriter(table.storage(), metadata, names, rows);
        return new PositionDeltaWriter(
                metadata,
                writer,
                heldBytes == 0 ? null : new HeldRows(writer.rowType(), heldBytes),
                writesRowIds(metadata));
    }

    /** A writer of the rows that come: rows of the table, with the row id of each behind them in format version 3. */
    static PartitionedWriter rowWriter(Storage storage, TableMetadata metadata, FileNames names, StructType rows) {
        return writesRowIds(metadata)
                ? PartitionedWriter.withRowIds(storage, metadata, names, rows)
                : new PartitionedWriter(storage, metadata, names, rows);
    }

    private static boolean writesRowIds(TableMetadata metadata) {
        return metadata.formatVersion() >= 3;
    }
}
