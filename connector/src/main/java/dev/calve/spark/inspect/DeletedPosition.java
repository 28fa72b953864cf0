package dev.calve.spark.inspect;

import dev.calve.deletes.PositionCursor;
import dev.calve.manifest.DeleteFile;
import dev.calve.spark.read.ColumnarFileReader;
import java.io.Closeable;
import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * A position that a delete file names.
 *
 * @param path of the data file
 * @param row the deleted row, where a writer kept it
 */
record DeletedPosition(
        DeleteFile file,
        UTF8String path,
        long position,
        @Nullable InternalRow row) {

    /** The positions of one delete file, one after the other. */
    sealed interface Source extends Closeable {
        boolean next() throws IOException;

        DeletedPosition get();
    }

    static Source inVector(DeleteFile.DeletionVector vector, PositionCursor positions) {
        return new OfVector(vector, positions);
    }

    /** @param reader of the columns {@code file_path}, {@code pos} and, if it is wanted, {@code row}; closed with the source */
    static Source inFile(DeleteFile deletes, ColumnarFileReader reader) {
        return new OfFile(deletes, reader);
    }

    private static final class OfVector implements Source {

        private final DeleteFile.DeletionVector vector;
        private final UTF8String path;
        private final PositionCursor cursor;
        private long position = -1;

        OfVector(DeleteFile.DeletionVector vector, PositionCursor cursor) {
            this.vector = vector;
            this.path = UTF8String.fromString(vector.referencedDataFile());
            this.cursor = cursor;
        }

        @Override
        public boolean next() {
            position = cursor.seek(position + 1);
            return position != PositionCursor.NONE;
        }

        @Override
        public DeletedPosition get() {
            return new DeletedPosition(vector, path, position, null);
        }

        @Override
        public void close() {}
    }

    private static final class OfFile implements Source {

        private final DeleteFile deletes;
        private final ColumnarFileReader reader;
        private int index;
        private int rows;

        OfFile(DeleteFile deletes, ColumnarFileReader reader) {
            this.deletes = deletes;
            this.reader = reader;
        }

        @Override
        public boolean next() throws IOException {
            index++;
            while (index >= rows) {
                if (!reader.next()) {
                    return false;
                }
                index = 0;
                rows = reader.batch().numRows();
            }
            return true;
        }

        @Override
        public DeletedPosition get() {
            InternalRow row = reader.batch().getRow(index);
            boolean hasRow = reader.columns().size() > 2 && !row.isNullAt(2);
            return new DeletedPosition(
                    deletes,
                    row.getUTF8String(0),
                    row.getLong(1),
                    hasRow
                            ? row.getStruct(
                                    2,
                                    ((StructType) reader.columns().fields()[2].dataType()).size())
                            : null);
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
