package dev.calve.spark.read;

import dev.calve.deletes.EncodedKeys;
import dev.calve.deletes.KeyTable;
import dev.calve.deletes.LongKeys;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** The keys of the rows of a batch, to be put into a table or looked up in one. Bound to vectors that are filled again. */
final class KeyRows {

    private final KeyCell[] cells;
    private final KeyBytes bytes = new KeyBytes();

    private KeyRows(KeyCell[] cells) {
        this.cells = cells;
    }

    /**
     * Binds key fields to vectors.
     *
     * @param columns types of the vectors' columns, with field ids
     */
    static KeyRows over(KeyFields fields, StructType columns, List<ColumnVector> vectors) {
        return new KeyRows(fields.fields().stream()
                .map(field -> KeyCell.over(field, columns, vectors))
                .toArray(KeyCell[]::new));
    }

    /** Puts the keys of the first rows, with rank 0. */
    void putInto(KeyTable table, int rows) {
        for (int row = 0; row < rows; row++) {
            if (table instanceof LongKeys integers) {
                if (cells[0].isNull(row)) {
                    integers.putNull(0);
                } else {
                    integers.put(cells[0].integer(row), 0);
                }
            } else {
                encode(row);
                ((EncodedKeys) table).put(bytes.array(), bytes.length(), 0);
            }
        }
    }

    /**
     * Keeps the rows whose key is not in a table, or only with a lower rank.
     *
     * @param rows as {@link RowFilter.Rows#retain} has them
     */
    int retain(KeyTable table, int leastRank, int[] rows, int count) {
        return table instanceof LongKeys integers
                ? retain(integers, leastRank, rows, count)
                : retain((EncodedKeys) table, leastRank, rows, count);
    }

    private int retain(LongKeys table, int leastRank, int[] rows, int count) {
        KeyCell cell = cells[0];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            int rank = cell.isNull(row) ? table.rankOfNull() : table.rank(cell.integer(row));
            if (rank < leastRank) {
                rows[kept++] = row;
            }
        }
        return kept;
    }

    private int retain(EncodedKeys table, int leastRank, int[] rows, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            encode(row);
            if (table.rank(bytes.array(), bytes.length()) < leastRank) {
                rows[kept++] = row;
            }
        }
        return kept;
    }

    /**
     * Keeps the rows whose key is in a table.
     *
     * @param rows as {@link RowFilter.Rows#retain} has them
     */
    int retainKnown(KeyTable table, int[] rows, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            if (rank(table, row) != KeyTable.ABSENT) {
                rows[kept++] = row;
            }
        }
        return kept;
    }

    private int rank(KeyTable table, int row) {
        if (table instanceof LongKeys integers) {
            return cells[0].isNull(row) ? integers.rankOfNull() : integers.rank(cells[0].integer(row));
        }
        encode(row);
        return ((EncodedKeys) table).rank(bytes.array(), bytes.length());
    }

    private void encode(int row) {
        bytes.clear();
        for (KeyCell cell : cells) {
            cell.write(row, bytes);
        }
    }
}
