package dev.calve.rowlevel.interleaving;

import dev.calve.metadata.TableProperties.IsolationLevel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one writer is to do: its meaning as a function on rows, and how it is to be done.
 *
 * @param where TRUE for every row the statement depends on
 * @param rewrite whether files that lose rows are written again
 */
record Work(
        String name,
        Kind kind,
        Where where,
        boolean rewrite,
        IsolationLevel isolation,
        String text,
        Delta.Effect effect) {

    /** How a writer goes about it. */
    enum Kind {
        APPEND,
        DELETE,
        /** A DELETE whose position delete files speak of all files of a partition, as other writers' do in v2. */
        DELETE_ACROSS,
        UPDATE,
        /** An UPDATE whose new values come from other rows of the table. */
        DERIVE,
        MERGE,
        /** Replaces what it finds at its commit without having read it. */
        OVERWRITE,
        /** Replaces a partition by what it made of its rows. */
        READ_AND_OVERWRITE,
        COMPACT,
        /** Deletes by key and adds rows, reading nothing, as streaming writers do. */
        UPSERT,
        /** Raises the format version to 3. */
        UPGRADE,
        /** Changes metadata that no other writer cares about. */
        SET_PROPERTY;

        /** Whether positions are settled, so that the ways to settle differ. */
        boolean isRowLevel() {
            return this == DELETE || this == UPDATE || this == DERIVE || this == MERGE;
        }

        boolean addsNoSnapshot() {
            return this == UPGRADE || this == SET_PROPERTY;
        }
    }

    private Work(String name, Kind kind, Where where, String text, Delta.Effect effect) {
        this(name, kind, where, false, IsolationLevel.SERIALIZABLE, text, effect);
    }

    Work rewriting() {
        return new Work(name, kind, where, true, isolation, text, effect);
    }

    /** The same under an isolation level, if statements of its kind are under any. */
    Work at(IsolationLevel level) {
        return !kind.isRowLevel() ? this : new Work(name, kind, where, rewrite, level, text, effect);
    }

    private static Row row(String writer, long id, long value) {
        return new Row(writer + ":" + id, id, value);
    }

    private static List<Row> rows(String writer, Map<Long, Long> values) {
        return new TreeMap<>(values)
                .entrySet().stream()
                        .map(entry -> row(writer, entry.getKey(), entry.getValue()))
                        .toList();
    }

    static Work append(String name, Map<Long, Long> values) {
        List<Row> added = rows(name, values);
        return new Work(
                name,
                Kind.APPEND,
                Where.everything(),
                "append " + values,
                rows -> new Delta(Set.of(), Map.of(), added));
    }

    static Work delete(String name, Where where) {
        return new Work(
                name,
                Kind.DELETE,
                where,
                "delete where " + where,
                rows -> new Delta(names(where, rows), Map.of(), List.of()));
    }

    static Work deleteAcross(String name, Where where) {
        return new Work(
                name,
                Kind.DELETE_ACROSS,
                where,
                "delete across files where " + where,
                rows -> new Delta(names(where, rows), Map.of(), List.of()));
    }

    private static Set<String> names(Where where, Collection<Row> rows) {
        var names = new TreeSet<String>();
        rows.stream().filter(where.holds()).map(Row::name).forEach(names::add);
        return names;
    }

    /** {@code UPDATE SET value = value + plus}. */
    static Work update(String name, Where where, long plus) {
        return new Work(name, Kind.UPDATE, where, "update value + " + plus + " where " + where, rows -> {
            var changed = new HashMap<String, Long>();
            rows.stream().filter(where.holds()).forEach(row -> changed.put(row.name(), row.value() + plus));
            return new Delta(Set.of(), changed, List.of());
        });
    }

    /** {@code UPDATE SET value = 1000 + (SELECT sum(value) WHERE source)}. */
    static Work derive(String name, Where where, Where source) {
        return new Work(
                name,
                Kind.DERIVE,
                where.or(source),
                "update value = 1000 + sum(" + source + ") where " + where,
                rows -> {
                    long sum = rows.stream()
                            .filter(source.holds())
                            .mapToLong(Row::value)
                            .sum();
                    var changed = new HashMap<String, Long>();
                    rows.stream().filter(where.holds()).forEach(row -> changed.put(row.name(), 1000 + sum));
                    return new Delta(Set.of(), changed, List.of());
                });
    }

    /**
     * {@code MERGE ON t.id = s.id WHEN MATCHED AND t.value < limit THEN UPDATE SET value = s.value WHEN NOT MATCHED THEN INSERT}:
     * a row at or above the limit keeps the source row from being inserted without being touched.
     */
    static Work merge(String name, Map<Long, Long> source, long limit) {
        Where where = Where.ids(source.keySet());
        return new Work(name, Kind.MERGE, where, "merge " + source + " below " + limit, rows -> {
            var changed = new HashMap<String, Long>();
            var missing = new HashMap<>(source);
            for (Row row : rows) {
                Long value = source.get(row.id());
                if (value != null) {
                    missing.remove(row.id());
                    if (row.value() < limit) {
                        changed.put(row.name(), value);
                    }
                }
            }
            return new Delta(Set.of(), changed, rows(name, missing));
        });
    }

    /**
     * @param where a whole partition, or everything
     * @param values none to truncate it
     */
    static Work overwrite(String name, Where where, Map<Long, Long> values) {
        return new Work(
                name,
                Kind.OVERWRITE,
                where,
                "overwrite where " + where + " by " + values,
                rows -> new Delta(names(where, rows), Map.of(), rows(name, values)));
    }

    /** Replaces each row of the partition by one whose value is greater by one. */
    static Work readAndOverwrite(String name, Where where) {
        return new Work(name, Kind.READ_AND_OVERWRITE, where, "overwrite by value + 1 where " + where, rows -> {
            var added = new ArrayList<Row>();
            for (Row row : rows) {
                if (where.holds().test(row)) {
                    added.add(new Row(name + "<" + row.name(), row.id(), row.value() + 1));
                }
            }
            return new Delta(names(where, rows), Map.of(), added);
        });
    }

    /** @param where a whole partition, or everything */
    static Work compact(String name, Where where) {
        return new Work(name, Kind.COMPACT, where, "compact where " + where, rows -> Delta.NONE);
    }

    static Work upsert(String name, Map<Long, Long> values) {
        Where where = Where.ids(new HashSet<>(values.keySet()));
        return new Work(
                name,
                Kind.UPSERT,
                where,
                "upsert " + values,
                rows -> new Delta(names(where, rows), Map.of(), rows(name, values)));
    }

    static Work upgrade(String name) {
        return new Work(name, Kind.UPGRADE, Where.everything(), "upgrade to v3", rows -> Delta.NONE);
    }

    static Work setProperty(String name) {
        return new Work(name, Kind.SET_PROPERTY, Where.everything(), "set a property", rows -> Delta.NONE);
    }

    /**
     * The rows after this statement.
     *
     * <p>At {@code serializable}, and for statements under no isolation level: as if it had run at once on the rows before. At
     * {@code snapshot}: what it made of the rows it read is written over the rows before, row by row. So the only anomaly allowed
     * is write skew: a statement does not see what others did between its read and its commit to rows it does not write: rows
     * added or updated that its condition selects, and rows deleted that kept it from doing something. A row that it updates and
     * others changed meanwhile is never allowed ({@link Delta#on}).
     *
     * @param read the rows it read last
     */
    NavigableMap<String, Row> applied(NavigableMap<String, Row> read, NavigableMap<String, Row> before) {
        return seen(read, before).on(before);
    }

    /** What it does to the rows before, given what it read. */
    Delta seen(NavigableMap<String, Row> read, NavigableMap<String, Row> before) {
        boolean asRead = kind.isRowLevel() && isolation == IsolationLevel.SNAPSHOT;
        return effect.on((asRead ? read : before).values());
    }

    @Override
    public String toString() {
        String how = kind.isRowLevel() ? (rewrite ? ", rewriting" : ", in place") + ", " + isolation : "";
        return name + ": " + text + how;
    }
}
