package dev.calve.expression;

import dev.calve.schema.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Statistics of one file, by field id. A missing key means unknown, never zero. Spec: Manifests, {@code data_file}.
 *
 * @param recordCount rows in the file, deleted ones included
 * @param columnSizes stored bytes
 * @param valueCounts values, nulls and NaNs included
 * @param lowerBounds no value that is neither null nor NaN is lower; single-value serialization, possibly truncated
 */
public record Metrics(
        long recordCount,
        Map<Integer, Long> columnSizes,
        Map<Integer, Long> valueCounts,
        Map<Integer, Long> nullValueCounts,
        Map<Integer, Long> nanValueCounts,
        Map<Integer, Bytes> lowerBounds,
        Map<Integer, Bytes> upperBounds) {

    public Metrics {
        if (recordCount < 0) {
            throw new IllegalArgumentException("record_count must be 0 or more, not " + recordCount + ".");
        }
        columnSizes = immutable(columnSizes);
        valueCounts = immutable(valueCounts);
        nullValueCounts = immutable(nullValueCounts);
        nanValueCounts = immutable(nanValueCounts);
        lowerBounds = immutable(lowerBounds);
        upperBounds = immutable(upperBounds);
    }

    private static <V> Map<Integer, V> immutable(Map<Integer, V> map) {
        return map instanceof StatisticsMap<V> ? map : Map.copyOf(map);
    }

    /** The same of some columns only, without their sizes. */
    public Metrics of(Set<Integer> fieldIds) {
        return new Metrics(
                recordCount,
                Map.of(),
                of(valueCounts, fieldIds),
                of(nullValueCounts, fieldIds),
                of(nanValueCounts, fieldIds),
                of(lowerBounds, fieldIds),
                of(upperBounds, fieldIds));
    }

    private static <V> Map<Integer, V> of(Map<Integer, V> map, Set<Integer> fieldIds) {
        var some = new HashMap<Integer, V>();
        for (Integer id : fieldIds) {
            V value = map.get(id);
            if (value != null) {
                some.put(id, value);
            }
        }
        return some;
    }

    /** A file of which only the number of rows is known. */
    public static Metrics ofCount(long recordCount) {
        return new Metrics(recordCount, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of());
    }
}
