package dev.calve.spark.write;

import dev.calve.metadata.FileNames;
import dev.calve.spark.wire.ExecutorTable;
import java.util.UUID;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.types.StructType;

/** Makes the writer of one task attempt. */
final class PartitionedWriterFactory implements DataWriterFactory {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final String rowsJson;
    private final String statementId;
    private final int sortOrderId;

    PartitionedWriterFactory(ExecutorTable table, String rowsJson, String statementId, int sortOrderId) {
        this.table = table;
        this.rowsJson = rowsJson;
        this.statementId = statementId;
        this.sortOrderId = sortOrderId;
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partitionId, long taskId) {
        TaskContext context = TaskContext.get();
        long attempt = context == null ? taskId : context.taskAttemptId();
        var names = new FileNames(table.metadata(), UUID.fromString(statementId), partitionId, attempt);
        return PartitionedWriter.ofSorted(
                table.storage(), table.metadata(), names, (StructType) StructType.fromJson(rowsJson), sortOrderId);
    }
}
