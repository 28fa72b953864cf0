package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.DistributionMode;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.types.StructType;

/**
 * An append. The distribution is the table's {@code write.distribution-mode}: {@code hash}, the default, clusters the rows
 * of a partitioned table by partition; {@code range} sorts them into tasks by partition; {@code none} takes them as they come.
 */
final class AppendWrite implements RequiresDistributionAndOrdering {

    private final LoadedTable table;
    private final StructType rows;
    private final Map<String, String> summary;
    private final SparkSession session;

    /**
     * @param rows type of the rows
     * @param summary entries the statement adds to the summary
     */
    AppendWrite(LoadedTable table, StructType rows, Map<String, String> summary, SparkSession session) {
        this.table = table;
        this.rows = rows;
        this.summary = Map.copyOf(summary);
        this.session = session;
    }

    @Override
    public BatchWrite toBatch() {
        return new AppendBatch(table, rows, summary, session);
    }

    @Override
    public Distribution requiredDistribution() {
        return RowDistribution.of(
                table, table.properties().get(TableProperties.DISTRIBUTION_MODE).orElse(DistributionMode.HASH));
    }

    @Override
    public boolean distributionStrictlyRequired() {
        return false;
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return new SortOrder[0];
    }

    @Override
    public String description() {
        return "Calve append to " + table.name();
    }
}
