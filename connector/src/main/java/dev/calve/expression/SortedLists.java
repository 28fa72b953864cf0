package dev.calve.expression;

import dev.calve.expression.Expression.In;
import dev.calve.schema.Values;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;

/** The lists of an expression in ascending order, since a list of thousands is asked of thousands of files. Immutable. */
final class SortedLists {

    /** By identity: to hash a list costs as much as to search it. */
    private final IdentityHashMap<In, NavigableSet<Object>> lists = new IdentityHashMap<>();

    SortedLists(Expression expression) {
        expression.mapPredicates(predicate -> {
            if (predicate instanceof In in) {
                var ascending = new TreeSet<Object>(Values.comparator(in.term().type()));
                ascending.addAll(in.literals());
                lists.put(in, Collections.unmodifiableNavigableSet(ascending));
            }
            return predicate;
        });
    }

    /** @param in of the expression, the very instance */
    NavigableSet<Object> of(In in) {
        return Objects.requireNonNull(lists.get(in));
    }
}
