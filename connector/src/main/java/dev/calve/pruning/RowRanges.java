package dev.calve.pruning;

import java.util.Arrays;

/**
 * Some rows of a row group, by their 0-based numbers in it: ascending ranges that neither overlap nor touch. Immutable.
 */
public final class RowRanges {

    public static final RowRanges NONE = new RowRanges(new long[0]);

    /** First row and end of each range, end exclusive. */
    private final long[] bounds;

    private final long count;

    private RowRanges(long[] bounds) {
        this.bounds = bounds;
        long sum = 0;
        for (int i = 0; i < bounds.length; i += 2) {
            sum += bounds[i + 1] - bounds[i];
        }
        this.count = sum;
    }

    /** All of so many rows. */
    public static RowRanges all(long rows) {
        return rows == 0 ? NONE : new RowRanges(new long[] {0, rows});
    }

    /** Number of rows. */
    public long count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Number of ranges. */
    public int size() {
        return bounds.length / 2;
    }

    /** First row of a range. */
    public long first(int range) {
        return bounds[2 * range];
    }

    /** The row after the last one of a range. */
    public long end(int range) {
        return bounds[2 * range + 1];
    }

    /** The rows that are in both. */
    public RowRanges and(RowRanges other) {
        var both = new Builder();
        int i = 0;
        int j = 0;
        while (i < size() && j < other.size()) {
            long first = Math.max(first(i), other.first(j));
            long end = Math.min(end(i), other.end(j));
            if (first < end) {
                both.add(first, end);
            }
            if (end(i) < other.end(j)) {
                i++;
            } else {
                j++;
            }
        }
        return both.build();
    }

    /** The rows that are in either. */
    public RowRanges or(RowRanges other) {
        var either = new Builder();
        int i = 0;
        int j = 0;
        while (i < size() || j < other.size()) {
            if (j == other.size() || (i < size() && first(i) <= other.first(j))) {
                either.add(first(i), end(i));
                i++;
            } else {
                either.add(other.first(j), other.end(j));
                j++;
            }
        }
        return either.build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowRanges ranges && Arrays.equals(bounds, ranges.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bounds);
    }

    @Override
    public String toString() {
        var text = new StringBuilder("rows");
        for (int i = 0; i < size(); i++) {
            text.append(" [").append(first(i)).append(", ").append(end(i)).append(')');
        }
        return text.toString();
    }

    /** Collects ranges that begin in ascending order; they may touch or overlap. */
    public static final class Builder {
        private long[] bounds = new long[8];
        private int length;

        /** Adds the rows [first, end), at least one. */
        public void add(long first, long end) {
            if (first < 0 || end <= first || (length > 0 && first < bounds[length - 2])) {
                throw new IllegalArgumentException(
                        "Row ranges must not be empty and must ascend, but [%d, %d) follows %s"
                                .formatted(first, end, build()));
            }
            if (length > 0 && first <= bounds[length - 1]) {
                bounds[length - 1] = Math.max(bounds[length - 1], end);
                return;
            }
            if (length == bounds.length) {
                bounds = Arrays.copyOf(bounds, 2 * length);
            }
            bounds[length++] = first;
            bounds[length++] = end;
        }

        public RowRanges build() {
            return length == 0 ? NONE : new RowRanges(Arrays.copyOf(bounds, length));
        }
    }
}
