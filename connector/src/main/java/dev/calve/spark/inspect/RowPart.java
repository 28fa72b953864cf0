package dev.calve.spark.inspect;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;

/** Rows that the driver made, as the bytes of Spark's own rows. */
final class RowPart {

    private RowPart() {}

    /** Packs rows of the type: of each its length, and its bytes. */
    static byte[] toBytes(StructType type, List<InternalRow> rows) {
        UnsafeProjection projection = UnsafeProjection.create(type);
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            for (InternalRow row : rows) {
                byte[] content = projection.apply(row).getBytes();
                out.writeInt(content.length);
                out.write(content);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Hands the rows out one after the other, each in the same object. */
    static PartitionReader<InternalRow> reader(int columns, byte[] content) {
        return new Rows(columns, content);
    }

    private static final class Rows implements PartitionReader<InternalRow> {

        private final UnsafeRow row;
        private final ByteBuffer content;

        Rows(int columns, byte[] content) {
            this.row = new UnsafeRow(columns);
            this.content = ByteBuffer.wrap(content);
        }

        @Override
        public boolean next() {
            if (!content.hasRemaining()) {
                return false;
            }
            var bytes = new byte[content.getInt()];
            content.get(bytes);
            row.pointTo(bytes, bytes.length);
            return true;
        }

        @Override
        public InternalRow get() {
            return row;
        }

        @Override
        public void close() {}
    }
}
