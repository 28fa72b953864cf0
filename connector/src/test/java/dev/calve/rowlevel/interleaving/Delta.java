package dev.calve.rowlevel.interleaving;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/**
 * What a statement does to the rows it sees, by name of the row.
 *
 * @param gone rows that are deleted
 * @param changed new values of rows that are updated
 */
record Delta(Set<String> gone, Map<String, Long> changed, List<Row> added) {

    Delta {
        gone = Set.copyOf(gone);
        changed = Map.copyOf(changed);
        added = List.copyOf(added);
    }

    static final Delta NONE = new Delta(Set.of(), Map.of(), List.of());

    boolean touches(Row row) {
        return gone.contains(row.name()) || changed.containsKey(row.name());
    }

    /**
     * The rows afterwards. Rows it was not made for stay; those it deletes that are gone already are no contradiction.
     *
     * @throws AssertionError if a row it updates is gone: such a statement must not be committed
     */
    NavigableMap<String, Row> on(NavigableMap<String, Row> rows) {
        var after = new ArrayList<Row>(added);
        for (Row row : rows.values()) {
            Long value = changed.get(row.name());
            if (value != null) {
                after.add(row.withValue(value));
            } else if (!gone.contains(row.name())) {
                after.add(row);
            }
        }
        for (String name : changed.keySet()) {
            if (!rows.containsKey(name)) {
                throw new AssertionError("Row " + name + " was updated after it was gone from " + rows);
            }
        }
        return Row.byName(after);
    }

    /** A function on rows: what a statement means. */
    interface Effect {
        Delta on(Collection<Row> rows);
    }
}
