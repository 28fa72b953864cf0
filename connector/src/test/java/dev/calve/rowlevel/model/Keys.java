package dev.calve.rowlevel.model;

import dev.calve.expression.Expression;
import dev.calve.partition.PartitionSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a statement deletes: all rows that have the values of one of some rows in some columns, null being equal to null.
 *
 * @param spec by which the delete files are divided; its source columns are among the columns
 */
record Keys(PartitionSpec spec, List<Integer> columns, List<Row> rows) {

    Keys {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }

    Where where() {
        Set<List<@Nullable Long>> deleted = values();
        return new Where(
                "key " + columns + " is that of " + rows,
                schema -> Expression.Constant.TRUE,
                row -> deleted.contains(of(columns, row::value)));
    }

    Set<List<@Nullable Long>> values() {
        var values = new HashSet<List<@Nullable Long>>();
        rows.forEach(row -> values.add(of(columns, row::value)));
        return values;
    }

    static List<@Nullable Long> of(List<Integer> columns, IntFunction<@Nullable Long> value) {
        var key = new ArrayList<@Nullable Long>();
        columns.forEach(column -> key.add(value.apply(column)));
        return key;
    }
}
