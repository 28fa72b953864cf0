package dev.calve.expression;

import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import java.util.HashMap;
import java.util.Map;

/**
 * Evaluates a projected expression on partition tuples. An inclusive projection that is not TRUE proves that no row of the
 * partition is TRUE; a strict one that is TRUE proves that every row is. Immutable.
 */
public final class PartitionMatcher {

    private final Map<Integer, Integer> positions = new HashMap<>();
    private final RowEvaluator evaluator;

    /**
     * Prepares the expression.
     *
     * @param projected an expression over the partition fields of the spec, from {@link Projection}
     */
    public PartitionMatcher(PartitionSpec spec, Expression projected) {
        for (int i = 0; i < spec.fields().size(); i++) {
            positions.put(spec.fields().get(i).fieldId(), i);
        }
        for (int id : ColumnIds.of(projected)) {
            if (!positions.containsKey(id)) {
                throw new IllegalArgumentException("Expression must look only at fields of the partition spec " + spec
                        + ", not at field " + id + ".");
            }
        }
        evaluator = RowEvaluator.of(projected);
    }

    /** Whether the expression is TRUE on the tuple; FALSE and UNKNOWN are no. */
    public boolean matches(PartitionTuple tuple) {
        return evaluator
                .evaluate(fieldId -> tuple.values().get(positions.getOrDefault(fieldId, -1)))
                .isTrue();
    }
}
