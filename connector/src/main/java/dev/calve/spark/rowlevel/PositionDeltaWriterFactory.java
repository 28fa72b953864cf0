package dev.calve.spark.rowlevel;

import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.wire.ExecutorTable;
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

    /** @param rowsJson type of the rows that come; without columns if none do */
    PositionDeltaWriterFactory(ExecutorTable table, String rowsJson, String statementId) {
        this.table = table;
        this.rowsJson = rowsJson;
        this.statementId = statementId;
    }

    @Override
    public DeltaWriter<InternalRow> createWriter(int partitionId, long taskId) {
        TableMetadata metadata = table.metadata();
        StructType rows = (StructType) StructType.fromJson(rowsJson);
        if (rows.isEmpty()) {
            return new PositionDeltaWriter(metadata, null, false);
        }
        TaskContext context = TaskContext.get();
        long attempt = context == null ? taskId : context.taskAttemptId();
        var names = new FileNames(metadata, UUID.fromString(statementId), partitionId, attempt);
        boolean rowIds = metadata.formatVersion() >= 3;
        return new PositionDeltaWriter(
                metadata,
                rowIds
                        ? PartitionedWriter.withRowIds(table.storage(), metadata, names, rows)
                        : new PartitionedWriter(table.storage(), metadata, names, rows),
                rowIds);
    }
}
