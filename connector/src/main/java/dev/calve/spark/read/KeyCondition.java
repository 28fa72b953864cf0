package dev.calve.spark.read;

import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expressions;
import dev.calve.schema.Type;
import dev.calve.schema.Values;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * A condition that is TRUE for every row that has one of some keys, and short enough to prune files, row groups and pages by: of
 * each column the values, if they are few; else where they lie, with the widest gaps left out; else the least and the greatest.
 */
final class KeyCondition {

    /** As many values as travel to tasks one by one. */
    private static final int MOST_VALUES = 200;

    private static final int MOST_RANGES = 64;

    private KeyCondition() {}

    /**
     * The condition for distinct keys.
     *
     * @param columns the parts of a key
     * @param keys as {@link KeyList} has them
     */
    static Expression of(List<Column> columns, byte[] keys) {
        List<KeyKind> kinds = columns.stream()
                .map(column -> KeyKind.of(column.type()).orElseThrow())
                .toList();
        if (KeyList.isOneInteger(kinds)) {
            long[] values = new long[keys.length / Long.BYTES];
            KeyList.buffer(keys).asLongBuffer().get(values);
            return integers(columns.get(0), values);
        }
        var parts = new ArrayList<Expression>();
        for (int i = 0; i < columns.size(); i++) {
            parts.add(of(columns, kinds, keys, i));
        }
        return Expressions.and(parts);
    }

    /** The condition for one column of several; TRUE if a value is none that can be compared. */
    private static Expression of(List<Column> columns, List<KeyKind> kinds, byte[] keys, int which) {
        Set<Object> values = new HashSet<>();
        ByteBuffer buffer = KeyList.buffer(keys);
        while (buffer.hasRemaining()) {
            buffer.getInt();
            for (int i = 0; i < kinds.size(); i++) {
                Optional<Object> value =
                        kinds.get(i).read(buffer, columns.get(i).type());
                if (i == which && value.isPresent()) {
                    values.add(value.get());
                } else if (i == which && kinds.get(i) != KeyKind.INTEGER) {
                    return Expression.Constant.TRUE;
                }
            }
        }
        Column column = columns.get(which);
        if (kinds.get(which) == KeyKind.INTEGER) {
            return integers(
                    column,
                    values.stream()
                            .mapToLong(value -> ((Number) value).longValue())
                            .toArray());
        }
        if (values.size() <= MOST_VALUES) {
            return Expressions.in(column, values);
        }
        Comparator<Object> order = Values.comparator(column.type());
        return between(column, Collections.min(values, order), Collections.max(values, order));
    }

    private static Expression between(Column column, Object least, Object greatest) {
        return Expressions.and(
                Expressions.comparison(column, Operator.GREATER_OR_EQUAL, least),
                Expressions.comparison(column, Operator.LESS_OR_EQUAL, greatest));
    }

    /** @param found in any order; those the column cannot have do not count */
    private static Expression integers(Column column, long[] found) {
        long[] values = Arrays.stream(found)
                .filter(value -> KeyKind.integer(value, column.type()).isPresent())
                .sorted()
                .toArray();
        if (values.length <= MOST_VALUES) {
            return Expressions.in(
                    column,
                    Arrays.stream(values)
                            .mapToObj(value -> literal(value, column.type()))
                            .toList());
        }
        var ranges = new ArrayList<Expression>();
        int first = 0;
        for (int end : ends(values)) {
            ranges.add(between(column, literal(values[first], column.type()), literal(values[end], column.type())));
            first = end + 1;
        }
        return Expressions.or(ranges);
    }

    /** Ordinals of the values before the widest gaps, ascending, and of the last one. */
    private static int[] ends(long[] values) {
        // Gaps have no sign, because they may exceed a long.
        Comparator<Integer> byGap = (a, b) -> Long.compareUnsigned(gap(values, a), gap(values, b));
        var widest = new PriorityQueue<Integer>(MOST_RANGES, byGap);
        for (int i = 0; i < values.length - 1; i++) {
            if (widest.size() < MOST_RANGES - 1) {
                widest.add(i);
            } else if (byGap.compare(i, widest.element()) > 0) {
                widest.remove();
                widest.add(i);
            }
        }
        widest.add(values.length - 1);
        return widest.stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    private static long gap(long[] values, int before) {
        return before == values.length - 1 ? 0 : values[before + 1] - values[before];
    }

    private static Object literal(long value, Type type) {
        return KeyKind.integer(value, type).orElseThrow();
    }
}
