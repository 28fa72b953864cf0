package dev.calve.spark.read;

import dev.calve.pruning.RowRanges;

/**
 * Where the rows of batches stand in the file, when some rows of a row group are not read. A batch takes the next rows
 * that are; mostly they are consecutive, and then nothing is written per row.
 */
final class BatchPositions {

    private final PositionVector vector = new PositionVector();
    private final int batchRows;
    private long[] each = new long[0];

    private RowRanges rows = RowRanges.NONE;
    private long firstOfGroup;
    private int range;
    private long next;
    private long left;

    private long first;
    private long last;
    private boolean consecutive = true;

    BatchPositions(int batchRows) {
        this.batchRows = batchRows;
    }

    /** The column {@code _pos}: positions of the current batch. */
    PositionVector vector() {
        return vector;
    }

    /** Goes on to a row group whose first row stands at a position and of which these rows are read. */
    void startRowGroup(long firstPosition, RowRanges rowsRead) {
        firstOfGroup = firstPosition;
        rows = rowsRead;
        range = 0;
        left = rowsRead.count();
        next = left == 0 ? 0 : rowsRead.first(0);
    }

    /** Rows of the row group that are still to be read. */
    long left() {
        return left;
    }

    /** Rows that are to be read next and stand one after the other. */
    long consecutive() {
        return rows.end(range) - next;
    }

    /** Number, within the row group, of the row that is read next. */
    long nextInRowGroup() {
        return next;
    }

    /** Rows of the row group read so far. */
    long taken() {
        return rows.count() - left;
    }

    /** Position of the row that is read next. */
    long next() {
        return firstOfGroup + next;
    }

    /** Gives the next so many rows, at least one, to the current batch. */
    void take(int count) {
        first = firstOfGroup + next;
        consecutive = next + count <= rows.end(range);
        if (consecutive) {
            last = first + count - 1;
            next += count;
            vector.startAt(first);
        } else {
            fill(count);
        }
        left -= count;
        if (left > 0 && next == rows.end(range)) {
            next = rows.first(++range);
        }
    }

    private void fill(int count) {
        if (each.length == 0) {
            each = new long[batchRows];
        }
        int filled = 0;
        while (true) {
            long stop = Math.min(rows.end(range), next + count - filled);
            while (next < stop) {
                each[filled++] = firstOfGroup + next++;
            }
            if (filled == count) {
                break;
            }
            next = rows.first(++range);
        }
        last = each[count - 1];
        vector.standAt(each);
    }

    /** Whether the rows of the current batch stand one after the other. */
    boolean areConsecutive() {
        return consecutive;
    }

    /** Position of the current batch's first row. */
    long first() {
        return first;
    }

    /** Position of the current batch's last row. */
    long last() {
        return last;
    }

    /** Position of a row of the current batch. */
    long of(int row) {
        return vector.getLong(row);
    }
}
