package dev.calve.spark.rowlevel;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/** What one task does that writes rows outside of a write of Spark's. One that fails leaves no file behind. */
final class WriteRows extends AbstractFunction2<TaskContext, Iterator<InternalRow>, WriterCommitMessage>
        implements Serializable {

    private static final long serialVersionUID = 1L;

    private final DataWriterFactory factory;

    WriteRows(DataWriterFactory factory) {
        this.factory = factory;
    }

    @Override
    public WriterCommitMessage apply(TaskContext context, Iterator<InternalRow> rows) {
        try (DataWriter<InternalRow> writer = factory.createWriter(context.partitionId(), context.taskAttemptId())) {
            return write(writer, context, rows);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write rows: " + e.getMessage(), e);
        }
    }

    private static WriterCommitMessage write(
            DataWriter<InternalRow> writer, TaskContext context, Iterator<InternalRow> rows) throws IOException {
        try {
            while (rows.hasNext()) {
                context.killTaskIfInterrupted();
                writer.write(rows.next());
            }
            return writer.commit();
        } catch (Throwable e) {
            try {
                writer.abort();
            } catch (IOException later) {
                e.addSuppressed(later);
            }
            throw e;
        }
    }
}
