package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.expression.Expression;
import dev.calve.metadata.TableProperties;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlan;
import dev.calve.scan.ScanRange;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaJson;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FileSplits;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;

/**
 * A scan of one snapshot. Planned once, when first needed, on the driver. Two scans are equal if they read the same columns
 * of the same snapshot with the same filter, so that Spark reuses exchanges and caches.
 */
public final class SnapshotScan implements Scan, Batch, SupportsReportStatistics {

    private final LoadedTable table;
    private final ScanRange range;
    private final Schema schema;
    private final StructType columns;
    private final Expression filter;
    private final ReadSettings settings;
    private final SparkSession session;
    private Optional<ScanPlan> plan = Optional.empty();

    SnapshotScan(
            LoadedTable table,
            ScanRange range,
            Schema schema,
            StructType columns,
            Expression filter,
            ReadSettings settings,
            SparkSession session) {
        this.table = table;
        this.range = range;
        this.schema = schema;
        this.columns = columns;
        this.filter = filter;
        this.settings = settings;
        this.session = session;
    }

    @Override
    public StructType readSchema() {
        return columns;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.SUPPORTED;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        List<FileTask> tasks = plan().map(ScanPlan::tasks).orElse(List.of());
        List<FileSplits> partitions =
                TaskPacking.splitFiles(tasks, table.metadata(), table.properties(), session, settings.splitSize());
        return partitions.toArray(InputPartition[]::new);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        int batchRows = settings.batchRows().orElseGet(() -> table.properties().get(TableProperties.READ_BATCH_SIZE));
        return new SplitReaderFactory(
                ExecutorTable.of(table), SchemaJson.toJson(schema).toString(), columns.json(), batchRows);
    }

    /** The plan; empty for a table without a snapshot. */
    private synchronized Optional<ScanPlan> plan() {
        if (plan.isEmpty()) {
            plan = Optional.of(range.plan(table.storage(), table.metadata(), filter));
        }
        return plan;
    }

    @Override
    public Statistics estimateStatistics() {
        long rows = plan().map(ScanPlan::recordCount).orElse(0L);
        long width = columns.defaultSize();
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(
                        Math.max(1, Math.multiplyHigh(rows, width) == 0 ? rows * width : Long.MAX_VALUE));
            }

            @Override
            public OptionalLong numRows() {
                return OptionalLong.of(rows);
            }
        };
    }

    @Override
    public String description() {
        return "Calve scan of " + table.name() + " [" + range + ", filter " + filter + "]";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SnapshotScan scan
                && table.name().equals(scan.table.name())
                && table.metadata().uuid().equals(scan.table.metadata().uuid())
                && range.equals(scan.range)
                && schema.equals(scan.schema)
                && columns.equals(scan.columns)
                && filter.equals(scan.filter)
                && settings.equals(scan.settings);
    }

    @Override
    public int hashCode() {
        return Objects.hash(table.metadata().uuid(), range, columns, filter);
    }
}
