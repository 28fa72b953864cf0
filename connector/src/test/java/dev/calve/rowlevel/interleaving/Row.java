package dev.calve.rowlevel.interleaving;

import java.util.Collection;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A row as a user thinks of it.
 *
 * @param name tells rows apart for good: an update keeps it, and the copy of a row has another. What row ids are in v3
 */
record Row(String name, long id, long value) {

    Row withValue(long newValue) {
        return new Row(name, id, newValue);
    }

    static NavigableMap<String, Row> byName(Collection<Row> rows) {
        var byName = new TreeMap<String, Row>();
        for (Row row : rows) {
            Row twin = byName.put(row.name(), row);
            if (twin != null) {
                throw new AssertionError("A row must be there once, but is " + twin + " and " + row);
            }
        }
        return byName;
    }
}
