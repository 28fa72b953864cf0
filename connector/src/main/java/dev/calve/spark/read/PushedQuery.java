package dev.calve.spark.read;

import dev.calve.expression.Expression;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * What of a query Spark left to its scan.
 *
 * @param filter TRUE for every row the predicates are TRUE for
 * @param predicates those the filter was made of, as Spark gave them
 * @param remaining those that Spark checks on each row, whether they help to prune or not
 * @param limit rows of which the query takes any
 */
record PushedQuery(Expression filter, List<Predicate> predicates, List<Predicate> remaining, OptionalInt limit) {

    static final PushedQuery NOTHING =
            new PushedQuery(Expression.Constant.TRUE, List.of(), List.of(), OptionalInt.empty());

    PushedQuery {
        predicates = List.copyOf(predicates);
        remaining = List.copyOf(remaining);
    }

    PushedQuery withLimit(int rows) {
        return new PushedQuery(filter, predicates, remaining, OptionalInt.of(rows));
    }

    /** For EXPLAIN. */
    List<String> describe() {
        var parts = new ArrayList<String>();
        List<Predicate> answered = predicates.stream()
                .filter(predicate -> !remaining.contains(predicate))
                .toList();
        if (!answered.isEmpty()) {
            parts.add("answered by partitions: " + join(answered));
        }
        List<Predicate> pruning =
                predicates.stream().filter(remaining::contains).toList();
        if (!pruning.isEmpty()) {
            parts.add("pruning by: " + join(pruning));
        }
        if (!remaining.isEmpty()) {
            parts.add("checked by Spark: " + join(remaining));
        }
        limit.ifPresent(rows -> parts.add("limit: " + rows));
        return parts;
    }

    private static String join(List<Predicate> predicates) {
        return predicates.stream().map(Predicate::toString).collect(Collectors.joining(" AND "));
    }
}
