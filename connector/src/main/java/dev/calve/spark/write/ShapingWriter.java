package dev.calve.spark.write;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Gives rows the table's shape before they are written. */
final class ShapingWriter implements DataWriter<InternalRow> {

    private final RowShape shape;
    private final PartitionedWriter writer;

    ShapingWriter(RowShape shape, PartitionedWriter writer) {
        this.shape = shape;
        this.writer = writer;
    }

    @Override
    public void write(InternalRow row) throws IOException {
        writer.write(shape.apply(row));
    }

    @Override
    public WriterCommitMessage commit() throws IOException {
        return writer.commit();
    }

    @Override
    public void abort() throws IOException {
        writer.abort();
    }

    @Override
    public void close() {
        writer.close();
    }
}
