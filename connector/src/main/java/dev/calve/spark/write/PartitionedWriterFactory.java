package dev.calve.spark.write;

import dev.calve.metadata.FileNames;
import dev.calve.spark.wire.ExecutorTable;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Makes the writer of one task attempt. */
final class PartitionedWriterFactory implements DataWriterFactory {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final String rowsJson;
    private final String statementId;
    private final int sortOrderId;
    private final @Nullable String arrivingJson;
    private final boolean caseSensitive;

    /**
     * @param rowsJson type of rows of the table
     * @param arriving type of the rows that come, if it is another
     */
    PartitionedWriterFactory(
            ExecutorTable table,
            String rowsJson,
            String statementId,
            int sortOrderId,
            Optional<WriteTarget.Arriving> arriving) {
        this.table = table;
        this.rowsJson = rowsJson;
        this.statementId = statementId;
        this.sortOrderId = sortOrderId;
        this.arrivingJson = arriving.map(found -> found.rows().json()).orElse(null);
        this.caseSensitive = arriving.map(WriteTarget.Arriving::caseSensitive).orElse(false);
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partitionId, long taskId) {
        TaskContext context = TaskContext.get();
        long attempt = context == null ? taskId : context.taskAttemptId();
        var names = new FileNames(table.metadata(), UUID.fromString(statementId), partitionId, attempt);
        var writer = PartitionedWriter.ofSorted(
                table.storage(), table.metadata(), names, (StructType) StructType.fromJson(rowsJson), sortOrderId);
        if (arrivingJson == null) {
            return writer;
        }
        var shape = RowShape.of(
                table.metadata().schema().fields(), (StructType) StructType.fromJson(arrivingJson), caseSensitive);
        return new ShapingWriter(shape, writer);
    }
}
