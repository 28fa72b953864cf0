package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;

/**
 * A write of new rows, whatever becomes of the old ones. The distribution is the table's {@code write.distribution-mode}:
 * {@code hash} clusters the rows of a partitioned table by partition and is the default; {@code range} sorts them into tasks and
 * is the default of a table with a sort order; {@code none} takes them as they come. In each task they come sorted if the table
 * has a sort order.
 */
public final class NewRowsWrite implements RequiresDistributionAndOrdering {

    private final LoadedTable table;
    private final ReportingBatch batch;
    private final RowOrder order;

    /** @param batch what writes and commits; used once */
    public NewRowsWrite(LoadedTable table, ReportingBatch batch) {
        this.table = table;
        this.batch = batch;
        this.order = RowOrder.of(table);
    }

    @Override
    public BatchWrite toBatch() {
        return batch;
    }

    @Override
    public Distribution requiredDistribution() {
        return RowDistribution.of(table, order);
    }

    @Override
    public boolean distributionStrictlyRequired() {
        return false;
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return order.keys().toArray(SortOrder[]::new);
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return WriteMetrics.all();
    }

    @Override
    public CustomTaskMetric[] reportDriverMetrics() {
        return WriteMetrics.of(batch.report());
    }

    @Override
    public String description() {
        return "Calve " + batch;
    }
}
