package dev.calve.rowlevel.model;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row as a user thinks of it.
 *
 * @param name tells rows apart for good: an update keeps it
 * @param values by id of the column; null where there is none
 */
record Row(long name, Map<Integer, Long> values) {

    Row {
        values = Map.copyOf(values);
    }

    @Nullable Long value(int column) {
        return values.get(column);
    }

    Row with(int column, @Nullable Long value) {
        var changed = new HashMap<>(values);
        changed.remove(column);
        if (value != null) {
            changed.put(column, value);
        }
        return new Row(name, changed);
    }
}
