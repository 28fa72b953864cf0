package dev.calve.expression;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;

/**
 * Statistics by field id that promise never to change, whoever holds them, so that {@link Metrics} can keep them without a
 * copy. Neither keys nor values are null.
 */
public abstract class StatisticsMap<V> extends AbstractMap<Integer, V> {

    private static final StatisticsMap<?> EMPTY = new StatisticsMap<>() {
        @Override
        public Set<Entry<Integer, Object>> entrySet() {
            return Set.of();
        }
    };

    /** Statistics that somebody wrote down without any in them, which some tell apart from none at all. */
    @SuppressWarnings("unchecked")
    public static <V> Map<Integer, V> empty() {
        return (Map<Integer, V>) EMPTY;
    }
}
