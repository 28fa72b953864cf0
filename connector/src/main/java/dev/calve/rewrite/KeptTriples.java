package dev.calve.rewrite;

import dev.calve.io.InvalidTableException;
import dev.calve.parquet.ChunkSource;
import dev.calve.parquet.ColumnSink;
import java.util.BitSet;
import org.apache.parquet.column.ColumnReader;

/** The values of a column with their levels: copies those of rows that stay. */
final class KeptTriples {

    private KeptTriples() {}

    /**
     * Copies one row group.
     *
     * @param column at the first value
     * @param gone rows of the row group that do not stay
     * @throws InvalidTableException if the column has not the rows of its row group
     */
    static void copy(ChunkSource.Triples column, int rows, BitSet gone, ColumnSink sink) {
        if (column.reader().getDescriptor().getMaxRepetitionLevel() == 0) {
            copySingle(column.reader(), rows, gone, sink);
        } else {
            copyRepeated(column.reader(), column.count(), rows, gone, sink);
        }
    }

    private static void copySingle(ColumnReader reader, int rows, BitSet gone, ColumnSink sink) {
        int present = reader.getDescriptor().getMaxDefinitionLevel();
        int row = 0;
        while (true) {
            int end = endOfKept(gone, row, rows);
            for (; row < end; row++) {
                sink.take(reader);
                sink.endRow();
                reader.consume();
            }
            end = endOfGone(gone, row, rows);
            if (end == rows) {
                return;
            }
            for (; row < end; row++) {
                pass(reader, present);
            }
        }
    }

    private static void copyRepeated(ColumnReader reader, long count, int rows, BitSet gone, ColumnSink sink) {
        int present = reader.getDescriptor().getMaxDefinitionLevel();
        long left = count;
        for (int row = 0; row < rows; row++) {
            boolean stays = !gone.get(row);
            if (left == 0 || reader.getCurrentRepetitionLevel() != 0) {
                throw new InvalidTableException(
                        "Column " + String.join(".", reader.getDescriptor().getPath())
                                + " must have values for " + rows + " rows of its row group, but has them for " + row
                                + " whole ones. The file is corrupt: restore it.");
            }
            do {
                if (stays) {
                    sink.take(reader);
                    reader.consume();
                } else {
                    pass(reader, present);
                }
                left--;
            } while (left > 0 && reader.getCurrentRepetitionLevel() != 0);
            if (stays) {
                sink.endRow();
            }
        }
    }

    /** Goes on to the next value. */
    private static void pass(ColumnReader reader, int present) {
        if (reader.getCurrentDefinitionLevel() == present) {
            reader.skip();
        }
        reader.consume();
    }

    /** The first row from {@code row} on that is gone, else {@code rows}. */
    static int endOfKept(BitSet gone, int row, int rows) {
        int end = gone.nextSetBit(row);
        return end < 0 ? rows : Math.min(end, rows);
    }

    /** The first row from {@code row} on that stays, else {@code rows}. */
    static int endOfGone(BitSet gone, int row, int rows) {
        return Math.min(gone.nextClearBit(row), rows);
    }
}
