package dev.calve.rowlevel.model;

import dev.calve.metadata.TableProperties.IsolationLevel;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A statement: its meaning as a function on rows, and how it is to be done.
 *
 * @param where TRUE for every row the statement depends on
 * @param effect what it does to rows it sees
 * @param rewrite whether files that lose rows are written again
 * @param keys what it deletes, if it deletes by key
 */
record Statement(
        Kind kind,
        String branch,
        Where where,
        boolean rewrite,
        IsolationLevel isolation,
        String text,
        Function<Collection<Row>, Delta> effect,
        Optional<Keys> keys) {

    enum Kind {
        APPEND,
        DELETE,
        UPDATE,
        MERGE,
        /** Replaces the rows that a condition selects, without having read them. */
        OVERWRITE,
        COMPACT,
        /** Writes files again as the current schema and partitioning would have them. */
        REPARTITION,
        DELETE_KEYS,
        /** A position delete file that speaks of several data files, as other writers' do in v2. */
        DELETE_ACROSS;

        boolean isRowLevel() {
            return this == DELETE || this == UPDATE || this == MERGE;
        }
    }

    /** What a statement does to rows, by name. */
    record Delta(Set<Long> gone, Map<Long, Row> changed, List<Row> added) {

        Delta {
            gone = Set.copyOf(gone);
            changed = Map.copyOf(changed);
            added = List.copyOf(added);
        }

        static final Delta NONE = new Delta(Set.of(), Map.of(), List.of());

        static Delta adding(List<Row> rows) {
            return new Delta(Set.of(), Map.of(), rows);
        }
    }

    Statement by(Keys deleted) {
        return new Statement(kind, branch, where, rewrite, isolation, text, effect, Optional.of(deleted));
    }

    static Function<Collection<Row>, Delta> delete(Where where, List<Row> added) {
        return rows -> {
            var gone = new HashSet<Long>();
            rows.stream().filter(where::selects).forEach(row -> gone.add(row.name()));
            return new Delta(gone, Map.of(), added);
        };
    }

    /** Adds a number to a column, where it is not null, and puts it in place of null. */
    static Function<Collection<Row>, Delta> update(Where where, int column, long plus, boolean clears) {
        return rows -> {
            var changed = new HashMap<Long, Row>();
            rows.stream().filter(where::selects).forEach(row -> {
                Long value = row.value(column);
                Long next = clears ? null : value == null ? (Long) plus : (Long) (value + plus);
                changed.put(row.name(), row.with(column, next));
            });
            return new Delta(Set.of(), changed, List.of());
        };
    }

    /**
     * {@code ON t.id = s.id WHEN MATCHED AND t.column < limit THEN UPDATE SET column = s.column WHEN MATCHED AND t.column IS NULL
     * THEN DELETE WHEN NOT MATCHED THEN INSERT}.
     */
    static Function<Collection<Row>, Delta> merge(Map<Long, Row> source, int column, long limit) {
        return rows -> {
            var gone = new HashSet<Long>();
            var changed = new HashMap<Long, Row>();
            var missing = new HashMap<>(source);
            for (Row row : rows) {
                Row by = source.get(row.value(StoredTable.ID));
                if (by == null) {
                    continue;
                }
                missing.remove(row.value(StoredTable.ID));
                @Nullable Long value = row.value(column);
                if (value == null) {
                    gone.add(row.name());
                } else if (value < limit) {
                    changed.put(row.name(), row.with(column, by.value(column)));
                }
            }
            return new Delta(gone, changed, List.copyOf(missing.values()));
        };
    }

    @Override
    public String toString() {
        String how = kind.isRowLevel() ? (rewrite ? ", rewriting" : ", in place") + ", " + isolation : "";
        return text + (branch.equals("main") ? "" : " on " + branch) + how;
    }
}
