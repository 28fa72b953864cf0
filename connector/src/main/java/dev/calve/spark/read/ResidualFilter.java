package dev.calve.spark.read;

import dev.calve.expression.ColumnIds;
import dev.calve.expression.Expression;
import dev.calve.expression.MetricsPruner;
import java.util.Set;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.schema.MessageType;

/** Leaves out row groups whose footer statistics prove that no row matches what remains of the query's filter. */
final class ResidualFilter implements RowGroupFilter {

    private final Set<Integer> columns;
    private final MetricsPruner pruner;

    private ResidualFilter(Expression residual) {
        this.columns = ColumnIds.of(residual);
        this.pruner = new MetricsPruner(residual);
    }

    static RowGroupFilter of(Expression residual) {
        return residual instanceof Expression.Constant ? RowGroupFilter.ALL : new ResidualFilter(residual);
    }

    @Override
    public boolean mightMatch(BlockMetaData block, MessageType fileSchema) {
        return pruner.mightMatch(RowGroupMetrics.of(block, fileSchema, columns));
    }
}
