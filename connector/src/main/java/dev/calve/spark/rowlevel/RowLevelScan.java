package dev.calve.spark.rowlevel;

import dev.calve.spark.read.SnapshotScan;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;

/**
 * The scan that finds the rows a statement changes. A class of its own that offers Spark no filter at run time and no
 * partitioning, because for the first Spark may read the source of a MERGE twice, which need not give the same rows.
 */
final class RowLevelScan implements Scan, SupportsReportStatistics {

    private final SnapshotScan scan;

    RowLevelScan(SnapshotScan scan) {
        this.scan = scan;
    }

    /** What is read of the table. */
    SnapshotScan reads() {
        return scan;
    }

    @Override
    public StructType readSchema() {
        return scan.readSchema();
    }

    @Override
    public String description() {
        return scan.description();
    }

    @Override
    public Batch toBatch() {
        return scan.toBatch();
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return scan.columnarSupportMode();
    }

    @Override
    public Statistics estimateStatistics() {
        return scan.estimateStatistics();
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return scan.supportedCustomMetrics();
    }

    @Override
    public CustomTaskMetric[] reportDriverMetrics() {
        return scan.reportDriverMetrics();
    }
}
