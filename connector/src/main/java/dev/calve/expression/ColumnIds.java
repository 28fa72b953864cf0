package dev.calve.expression;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** Which columns an expression looks at. */
public final class ColumnIds {

    private ColumnIds() {}

    /** Ids of the referenced columns, ascending. */
    public static Set<Integer> of(Expression expression) {
        var ids = new TreeSet<Integer>();
        expression.mapPredicates(predicate -> {
            ids.add(predicate.term().column().fieldId());
            return predicate;
        });
        return Collections.unmodifiableSet(ids);
    }
}
