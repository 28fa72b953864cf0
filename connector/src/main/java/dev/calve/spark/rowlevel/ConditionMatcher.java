package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.pruning.ResidualFilter;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.scan.FileTask;
import dev.calve.spark.read.ColumnarFileReader;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExpressionBytes;
import java.io.IOException;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Predicate$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Judges rows by a Catalyst condition in Spark's generated code; FALSE and UNKNOWN leave a row alone. Decodes only the
 * condition's columns, and of them only pages and row groups in which the file's indexes let some row match: the task's residual
 * is TRUE wherever the condition is. For one thread.
 */
final class ConditionMatcher implements RowMatcher {

    private final TaskReads reads;
    private final StructType columns;
    private final BasePredicate predicate;

    ConditionMatcher(TaskReads reads, ExpressionBytes condition) {
        this.reads = reads;
        this.columns = condition.columns();
        this.predicate = Predicate$.MODULE$.create(condition.expression());
    }

    @Override
    public PositionBitmap matches(FileTask task, PositionBitmap deleted) throws IOException {
        var matched = new PositionBitmap();
        var read = reads.read(task, columns)
                .rowGroups(ResidualFilter.of(task.residual()))
                .deleted(deleted)
                .build();
        try (var reader = ColumnarFileReader.open(read)) {
            while (reader.next()) {
                ColumnarBatch batch = reader.batch();
                int rows = batch.numRows();
                for (int i = 0; i < rows; i++) {
                    if (predicate.eval(batch.getRow(i))) {
                        matched.add(reader.positionOf(i));
                    }
                }
            }
        }
        return matched;
    }
}
