package dev.calve.spark.read;

import dev.calve.io.InvalidTableException;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.function.Function;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.jspecify.annotations.Nullable;

/**
 * Pages that were found by the offset index, with a check that they hold as many values as it says. Whole row groups are
 * checked by parquet-java; without this one, a wrong index would move the values of one column against the others'.
 */
final class CheckedPages implements PageReadStore {

    private final PageReadStore pages;
    private final Function<ColumnPath, OffsetIndex> offsets;
    private final long rowsOfGroup;

    /** @param offsets the index of all pages of a column, read or not */
    CheckedPages(PageReadStore pages, Function<ColumnPath, OffsetIndex> offsets, long rowsOfGroup) {
        this.pages = pages;
        this.offsets = offsets;
        this.rowsOfGroup = rowsOfGroup;
    }

    @Override
    public PageReader getPageReader(ColumnDescriptor column) {
        PageReader reader = pages.getPageReader(column);
        return column.getMaxRepetitionLevel() > 0
                ? reader
                : new CheckedReader(column, reader, offsets.apply(ColumnPath.get(column.getPath())));
    }

    @Override
    public long getRowCount() {
        return pages.getRowCount();
    }

    @Override
    public Optional<Long> getRowIndexOffset() {
        return pages.getRowIndexOffset();
    }

    @Override
    public Optional<PrimitiveIterator.OfLong> getRowIndexes() {
        return pages.getRowIndexes();
    }

    @Override
    public void close() {
        pages.close();
    }

    private final class CheckedReader implements PageReader {
        private final ColumnDescriptor column;
        private final PageReader reader;
        private final OffsetIndex index;
        private int ordinal;

        CheckedReader(ColumnDescriptor column, PageReader reader, OffsetIndex index) {
            this.column = column;
            this.reader = reader;
            this.index = index;
        }

        @Override
        public @Nullable DictionaryPage readDictionaryPage() {
            return reader.readDictionaryPage();
        }

        @Override
        public long getTotalValueCount() {
            return reader.getTotalValueCount();
        }

        @Override
        public @Nullable DataPage readPage() {
            DataPage page = reader.readPage();
            if (page == null) {
                return null;
            }
            long first = page.getFirstRowIndex().orElseThrow();
            while (index.getFirstRowIndex(ordinal) < first) {
                ordinal++;
            }
            long rows = index.getLastRowIndex(ordinal, rowsOfGroup) - first + 1;
            if (page.getValueCount() != rows) {
                throw new InvalidTableException(
                        "The page of column '%s' from row %d on must hold %d values, as the offset index says, not %d"
                                .formatted(String.join(".", column.getPath()), first, rows, page.getValueCount()));
            }
            return page;
        }
    }
}
