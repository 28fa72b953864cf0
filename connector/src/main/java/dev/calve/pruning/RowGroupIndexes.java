package dev.calve.pruning;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Metrics;
import dev.calve.schema.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.EncodingStats;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the values of one row group without reading them, by the table's columns. Statistics come with the
 * footer; the rest is read when it is asked for.
 */
public final class RowGroupIndexes {

    private final BlockMetaData block;
    private final FileColumns columns;
    private final IndexSource source;
    private final Map<ColumnPath, ColumnChunkMetaData> chunks = new HashMap<>();

    RowGroupIndexes(BlockMetaData block, FileColumns columns, IndexSource source) {
        this.block = block;
        this.columns = columns;
        this.source = source;
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            chunks.put(chunk.getPath(), chunk);
        }
    }

    /** Number of rows of the row group. */
    public long rows() {
        return block.getRowCount();
    }

    /** The row group's entry in the footer. */
    public BlockMetaData block() {
        return block;
    }

    /**
     * Tells whether the rows of every one of these columns can be read by ranges: each page's place is known. Costs the
     * offset indexes, which the read needs anyway.
     */
    public boolean canReadRanges(Collection<ColumnPath> paths) {
        source.readOffsetIndexes(
                paths.stream().map(chunks::get).filter(chunk -> chunk != null).toList());
        return paths.stream().allMatch(path -> {
            ColumnChunkMetaData chunk = chunks.get(path);
            return chunk != null && source.offsetIndex(chunk, rows()) != null;
        });
    }

    /**
     * The footer's statistics as column metrics, so that one pruning algorithm serves files, row groups and pages; and what is known
     * of columns that the file lacks.
     */
    Metrics statistics(Collection<Column> wanted) {
        Map<Integer, Long> values = new HashMap<>();
        Map<Integer, Long> nulls = new HashMap<>();
        Map<Integer, Bytes> lower = new HashMap<>();
        Map<Integer, Bytes> upper = new HashMap<>();
        for (Column column : wanted) {
            if (columns.lacks(column.fieldId())) {
                AbsentColumn absent = source.absent(column);
                if (absent instanceof AbsentColumn.Null) {
                    values.put(column.fieldId(), rows());
                    nulls.put(column.fieldId(), rows());
                } else if (absent instanceof AbsentColumn.Value value) {
                    lower.put(column.fieldId(), value.bound());
                    upper.put(column.fieldId(), value.bound());
                }
                continue;
            }
            FileColumn stored = columns.find(column).orElse(null);
            ColumnChunkMetaData chunk = stored == null ? null : chunks.get(stored.path());
            if (stored == null || chunk == null) {
                continue;
            }
            int id = column.fieldId();
            values.put(id, chunk.getValueCount());
            Statistics<?> statistics = chunk.getStatistics();
            if (stored.isRequired()) {
                nulls.put(id, 0L);
            } else if (statistics != null && statistics.isNumNullsSet()) {
                nulls.put(id, statistics.getNumNulls());
            }
            if (statistics != null && statistics.hasNonNullValue()) {
                stored.values().bound(statistics.genericGetMin()).ifPresent(bytes -> lower.put(id, bytes));
                stored.values().bound(statistics.genericGetMax()).ifPresent(bytes -> upper.put(id, bytes));
            }
        }
        return new Metrics(rows(), Map.of(), values, nulls, Map.of(), lower, upper);
    }

    /** Bounds of the column's pages; empty if the file has none that can be trusted. */
    Optional<PageIndex> pages(Column column) {
        FileColumn stored = columns.find(column).orElse(null);
        ColumnChunkMetaData chunk = stored == null ? null : chunks.get(stored.path());
        if (stored == null || chunk == null || chunk.getColumnIndexReference() == null) {
            return Optional.empty();
        }
        OffsetIndex offsets = source.offsetIndex(chunk, rows());
        ColumnIndex bounds = offsets == null ? null : source.columnIndex(chunk);
        return offsets == null || bounds == null
                ? Optional.empty()
                : PageIndex.of(column.fieldId(), stored, chunk, rows(), bounds, offsets);
    }

    /**
     * Every value that rows of the row group can have in the column.
     *
     * @param values distinct, as the table's type has them
     * @param hasNull whether null may be among them
     */
    record ValueSet(List<Object> values, boolean hasNull) {}

    /** Empty if not all pages of the column are encoded by a dictionary, or it holds what is no value of the type. */
    Optional<ValueSet> values(Column column) {
        FileColumn stored = columns.find(column).orElse(null);
        ColumnChunkMetaData chunk = stored == null ? null : chunks.get(stored.path());
        if (stored == null || chunk == null || !isAllDictionary(chunk)) {
            return Optional.empty();
        }
        DictionaryPage page = source.dictionary(chunk);
        if (page == null) {
            return Optional.empty();
        }
        Statistics<?> statistics = chunk.getStatistics();
        boolean hasNull = !stored.isRequired()
                && !(statistics != null && statistics.isNumNullsSet() && statistics.getNumNulls() == 0);
        return decode(stored, page).map(values -> new ValueSet(values, hasNull));
    }

    private static Optional<List<Object>> decode(FileColumn column, DictionaryPage page) {
        Dictionary dictionary;
        var values = new ArrayList<Object>();
        try {
            dictionary = page.getEncoding().initDictionary(column.descriptor(), page);
            for (int i = 0; i <= dictionary.getMaxId(); i++) {
                Object value = column.values().value(entry(column, dictionary, i));
                if (value == null) {
                    return Optional.empty();
                }
                values.add(value);
            }
        } catch (IOException | RuntimeException e) {
            // A corrupt dictionary is told by the read of the column, with the file's name.
            return Optional.empty();
        }
        return Optional.of(values);
    }

    private static Object entry(FileColumn column, Dictionary dictionary, int id) {
        return switch (column.type().getPrimitiveTypeName()) {
            case INT32 -> dictionary.decodeToInt(id);
            case INT64 -> dictionary.decodeToLong(id);
            case FLOAT -> dictionary.decodeToFloat(id);
            case DOUBLE -> dictionary.decodeToDouble(id);
            case BOOLEAN -> dictionary.decodeToBoolean(id);
            case BINARY, FIXED_LEN_BYTE_ARRAY, INT96 -> dictionary.decodeToBinary(id);
        };
    }

    @SuppressWarnings("deprecation")
    private static boolean isAllDictionary(ColumnChunkMetaData chunk) {
        EncodingStats stats = chunk.getEncodingStats();
        if (stats != null) {
            return stats.hasDictionaryEncodedPages() && !stats.hasNonDictionaryEncodedPages();
        }
        // Without counts the old names are needed: RLE_DICTIONARY writers list PLAIN for the dictionary page itself.
        return chunk.getEncodings().contains(Encoding.PLAIN_DICTIONARY)
                && chunk.getEncodings().stream()
                        .allMatch(encoding -> encoding == Encoding.PLAIN_DICTIONARY
                                || encoding == Encoding.RLE
                                || encoding == Encoding.BIT_PACKED);
    }

    /** Tells whether the column's bloom filter, if there is one, lets one of the values be in the row group. */
    boolean mightContain(Column column, Collection<Object> literals) {
        FileColumn stored = columns.find(column).orElse(null);
        ColumnChunkMetaData chunk = stored == null ? null : chunks.get(stored.path());
        if (stored == null || chunk == null || chunk.getBloomFilterOffset() <= 0) {
            return true;
        }
        var forms = new ArrayList<Object>();
        for (Object literal : literals) {
            Optional<List<Object>> storedForms = stored.values().stored(literal);
            if (storedForms.isEmpty()) {
                return true;
            }
            forms.addAll(storedForms.get());
        }
        @Nullable BloomFilter filter = source.bloomFilter(chunk);
        return filter == null || forms.stream().anyMatch(form -> filter.findHash(filter.hash(form)));
    }
}
