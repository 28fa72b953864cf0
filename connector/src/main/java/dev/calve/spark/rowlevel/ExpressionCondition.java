package dev.calve.spark.rowlevel;

import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExpressionBytes;

/** Rows for which Spark's expression is TRUE. */
final class ExpressionCondition implements RowCondition {

    private static final long serialVersionUID = 1L;

    private final ExpressionBytes expression;

    ExpressionCondition(ExpressionBytes expression) {
        this.expression = expression;
    }

    @Override
    public RowMatcher matcher(TaskReads reads, TableMetadata table) {
        return new ConditionMatcher(reads, expression);
    }
}
