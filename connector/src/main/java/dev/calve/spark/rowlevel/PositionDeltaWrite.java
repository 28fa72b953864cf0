package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.rowlevel.RowChange;
import dev.calve.spark.write.RowDistribution;
import dev.calve.spark.write.WriteMetrics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.distributions.UnspecifiedDistribution;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.types.StructType;

/**
 * The write of a row-level statement. Only new rows are distributed, by partition, so that each partition gets few files; rows
 * that go have nothing but a place and stay where they were found.
 */
final class PositionDeltaWrite implements DeltaWrite, RequiresDistributionAndOrdering {

    /** Shuffled bytes of new rows for one task. */
    private static final long TASK_BYTES = 16L << 20;

    private final LoadedTable table;
    private final RowLevelSettings settings;
    private final Map<String, String> summary;
    private final StructType rows;
    private final List<RowLevelScan> scans;
    private final SparkSession session;
    private Optional<PositionDeltaBatch> batch = Optional.empty();

    /**
     * @param summary entries the statement adds to the summary
     * @param rows type of the rows that come; without columns if none do
     * @param scans that find the rows; more may come until the statement runs
     */
    PositionDeltaWrite(
            LoadedTable table,
            RowLevelSettings settings,
            Map<String, String> summary,
            StructType rows,
            List<RowLevelScan> scans,
            SparkSession session) {
        this.table = table;
        this.settings = settings;
        this.summary = summary;
        this.rows = rows;
        this.scans = scans;
        this.session = session;
    }

    @Override
    public DeltaBatchWrite toBatch() {
        var made = new PositionDeltaBatch(table, settings, summary, rows, scans, session);
        batch = Optional.of(made);
        return made;
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return WriteMetrics.all();
    }

    @Override
    public CustomTaskMetric[] reportDriverMetrics() {
        return WriteMetrics.of(batch.flatMap(PositionDeltaBatch::report));
    }

    @Override
    public Distribution requiredDistribution() {
        return settings.command() == RowChange.Command.DELETE
                ? Distributions.unspecified()
                : RowDistribution.of(table, settings.distribution());
    }

    @Override
    public boolean distributionStrictlyRequired() {
        return false;
    }

    /**
     * Where many rows come into one partition, several tasks write them: Spark's own size leaves a million rows of ordinary width
     * to one.
     */
    @Override
    public long advisoryPartitionSizeInBytes() {
        return requiredDistribution() instanceof UnspecifiedDistribution ? 0 : TASK_BYTES;
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return new SortOrder[0];
    }

    @Override
    public String description() {
        return "Calve " + settings.command() + " of " + table.name() + " [" + settings + "]";
    }

    @Override
    public String toString() {
        return description();
    }
}
