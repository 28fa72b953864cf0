package dev.calve.pruning;

import dev.calve.expression.Metrics;
import dev.calve.schema.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;

/**
 * What the page index says about the pages of one column chunk that has one value for each row. Exists only if it fits the
 * chunk it belongs to.
 */
final class PageIndex {

    private final long[] firstRows;
    private final List<Metrics> pages;

    private PageIndex(long[] firstRows, List<Metrics> pages) {
        this.firstRows = firstRows;
        this.pages = pages;
    }

    /**
     * Joins the two parts of the index.
     *
     * @param fieldId under which the metrics stand
     * @return empty if the parts contradict each other or the footer
     */
    static Optional<PageIndex> of(
            int fieldId,
            FileColumn column,
            ColumnChunkMetaData chunk,
            long rows,
            ColumnIndex bounds,
            OffsetIndex offsets) {
        int count = offsets.getPageCount();
        List<Boolean> nullPages = bounds.getNullPages();
        List<ByteBuffer> min = bounds.getMinValues();
        List<ByteBuffer> max = bounds.getMaxValues();
        List<Long> nulls = bounds.getNullCounts();
        boolean countsNulls = nulls != null && !nulls.isEmpty();
        if (!fits(offsets, chunk, rows)
                || nullPages.size() != count
                || min.size() != count
                || max.size() != count
                || (countsNulls && nulls.size() != count)) {
            return Optional.empty();
        }
        var firstRows = new long[count + 1];
        firstRows[count] = rows;
        var pages = new ArrayList<Metrics>(count);
        long nullSum = 0;
        var range = new ChunkRange(column, chunk);
        for (int i = 0; i < count; i++) {
            firstRows[i] = offsets.getFirstRowIndex(i);
            long pageRows = offsets.getLastRowIndex(i, rows) - firstRows[i] + 1;
            OptionalLong pageNulls = countsNulls ? OptionalLong.of(nulls.get(i)) : OptionalLong.empty();
            if (!isPossible(nullPages.get(i), pageNulls, pageRows, column)) {
                return Optional.empty();
            }
            nullSum += pageNulls.orElse(0);
            pages.add(
                    nullPages.get(i)
                            ? metrics(fieldId, pageRows, OptionalLong.of(pageRows), Optional.empty(), Optional.empty())
                            : metrics(
                                    fieldId,
                                    pageRows,
                                    column.isRequired() ? OptionalLong.of(0) : pageNulls,
                                    range.bound(min.get(i), true),
                                    range.bound(max.get(i), false)));
        }
        boolean sameNulls = !countsNulls || range.nulls.isEmpty() || range.nulls.getAsLong() == nullSum;
        return sameNulls && range.isCovered() ? Optional.of(new PageIndex(firstRows, pages)) : Optional.empty();
    }

    private static boolean isPossible(boolean nullPage, OptionalLong nulls, long rows, FileColumn column) {
        if (nullPage && column.isRequired()) {
            return false;
        }
        if (nulls.isEmpty()) {
            return true;
        }
        long count = nulls.getAsLong();
        return nullPage ? count == rows : count >= 0 && count <= rows && (count == 0 || !column.isRequired());
    }

    private static Metrics metrics(
            int id, long rows, OptionalLong nulls, Optional<Bytes> lower, Optional<Bytes> upper) {
        return new Metrics(
                rows,
                Map.of(),
                Map.of(id, rows),
                nulls.isPresent() ? Map.of(id, nulls.getAsLong()) : Map.of(),
                Map.of(),
                lower.isPresent() ? Map.of(id, lower.get()) : Map.of(),
                upper.isPresent() ? Map.of(id, upper.get()) : Map.of());
    }

    /**
     * Tells whether an offset index can be one of this chunk: pages follow each other within it, and their rows follow each
     * other within the row group, none without rows.
     */
    static boolean fits(OffsetIndex offsets, ColumnChunkMetaData chunk, long rows) {
        int count = offsets.getPageCount();
        long position = chunk.getStartingPos();
        long end = position + chunk.getTotalSize();
        long row = 0;
        for (int i = 0; i < count; i++) {
            long firstRow = offsets.getFirstRowIndex(i);
            boolean follows = i == 0 ? firstRow == 0 : firstRow > row;
            if (!follows || firstRow >= rows || offsets.getOffset(i) < position) {
                return false;
            }
            row = firstRow;
            int size = offsets.getCompressedPageSize(i);
            if (size <= 0 || offsets.getOffset(i) > end - size) {
                return false;
            }
            position = offsets.getOffset(i) + size;
        }
        return count > 0;
    }

    /** The rows of those pages whose metrics pass a test. */
    RowRanges select(Predicate<Metrics> mightMatch) {
        var rows = new RowRanges.Builder();
        for (int i = 0; i < pages.size(); i++) {
            if (mightMatch.test(pages.get(i))) {
                rows.add(firstRows[i], firstRows[i + 1]);
            }
        }
        return rows.build();
    }

    /**
     * Compares the pages' bounds with the chunk's. Numbers are never cut, so that the least of the pages must be the
     * chunk's, or what the chunk says is not of these pages. Texts may be cut in either place.
     */
    private static final class ChunkRange {
        private final FileColumn column;
        private final Optional<Object> chunkMin;
        private final Optional<Object> chunkMax;
        private final OptionalLong nulls;
        private boolean minCovered;
        private boolean maxCovered;
        private boolean unbounded;

        ChunkRange(FileColumn column, ColumnChunkMetaData chunk) {
            this.column = column;
            Statistics<?> statistics = chunk.getStatistics();
            boolean known = statistics != null && statistics.hasNonNullValue();
            boolean isNumber = switch (column.type().getPrimitiveTypeName()) {
                case INT32, INT64, FLOAT, DOUBLE, BOOLEAN -> true;
                case INT96, BINARY, FIXED_LEN_BYTE_ARRAY -> false;
            };
            this.chunkMin = known && isNumber ? Optional.of(statistics.genericGetMin()) : Optional.empty();
            this.chunkMax = known && isNumber ? Optional.of(statistics.genericGetMax()) : Optional.empty();
            this.nulls = statistics != null && statistics.isNumNullsSet()
                    ? OptionalLong.of(statistics.getNumNulls())
                    : OptionalLong.empty();
        }

        Optional<Bytes> bound(ByteBuffer plain, boolean isMin) {
            Object value = StoredValues.plain(column.type(), plain);
            if (value == null) {
                unbounded = true;
                return Optional.empty();
            }
            if (isMin) {
                minCovered |= chunkMin.isPresent() && compare(value, chunkMin.get()) <= 0;
            } else {
                maxCovered |= chunkMax.isPresent() && compare(value, chunkMax.get()) >= 0;
            }
            return column.values().bound(value);
        }

        private int compare(Object left, Object right) {
            return column.type().<Object>comparator().compare(left, right);
        }

        boolean isCovered() {
            return unbounded || ((chunkMin.isEmpty() || minCovered) && (chunkMax.isEmpty() || maxCovered));
        }
    }
}
