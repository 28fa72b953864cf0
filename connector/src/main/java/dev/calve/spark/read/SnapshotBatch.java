package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.expression.Expression;
import dev.calve.metadata.TableProperties;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlan;
import dev.calve.schema.SchemaJson;
import dev.calve.spark.convert.Placeholders;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.KeyedFileSplits;
import dev.calve.spark.wire.WantedKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.jspecify.annotations.Nullable;

/** The tasks of a scan, less the files and rows that what is found while the query runs makes superfluous. */
public final class SnapshotBatch implements Batch {

    private final SnapshotScan scan;
    private final Expression further;
    private final Optional<Broadcast<WantedKeys>> wanted;
    private @Nullable ScanPlan plan;
    private int filesRead;

    SnapshotBatch(SnapshotScan scan, Expression further) {
        this(scan, further, Optional.empty());
    }

    /** @param wanted only rows with such a key are read */
    SnapshotBatch(SnapshotScan scan, Expression further, Optional<Broadcast<WantedKeys>> wanted) {
        this.scan = scan;
        this.further = further;
        this.wanted = wanted;
    }

    /** The files whose rows are read. */
    public synchronized ScanPlan plan() {
        if (plan == null) {
            plan = further == Expression.Constant.TRUE
                    ? scan.files().plan()
                    : scan.files().planAlso(further);
        }
        return plan;
    }

    /** @throws UnsupportedOperationException if a column's values cannot be read; not earlier, as Spark scans nothing for a DELETE */
    @Override
    public InputPartition[] planInputPartitions() {
        SnapshotScan.Query query = scan.query();
        Placeholders.refuseReading(
                query.schema(), query.columns(), query.table().name());
        List<FileTask> files = wanted(plan().tasks());
        filesRead = files.size();
        scan.runs(this);
        LoadedTable table = scan.query().table();
        TaskPacking packing = TaskPacking.forReading(
                files,
                table.metadata(),
                table.properties(),
                scan.session(),
                scan.query().settings().splitSize());
        Optional<PartitionGrouping> grouping = scan.grouping();
        if (grouping.isEmpty()) {
            return packing.splitFiles(files).toArray(InputPartition[]::new);
        }
        var partitions = new ArrayList<InputPartition>();
        grouping.get()
                .group(files)
                .forEach((key, group) ->
                        packing.splitFiles(group).forEach(splits -> partitions.add(new KeyedFileSplits(splits, key))));
        return partitions.toArray(InputPartition[]::new);
    }

    private List<FileTask> wanted(List<FileTask> files) {
        OptionalInt limit = scan.query().pushed().limit();
        return limit.isPresent() ? ScanFiles.enoughFor(limit.getAsInt(), files) : files;
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        LoadedTable table = scan.query().table();
        int batchRows = scan.query()
                .settings()
                .batchRows()
                .orElseGet(() -> table.properties().get(TableProperties.READ_BATCH_SIZE));
        return new SplitReaderFactory(
                ExecutorTable.of(table),
                SchemaJson.toJson(scan.query().schema()).toString(),
                scan.readSchema().json(),
                batchRows,
                wanted);
    }

    CustomTaskMetric[] driverMetrics() {
        return ScanMetrics.ofPlan(plan(), filesRead, scan.files().planningTime());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SnapshotBatch batch
                && scan.equals(batch.scan)
                && further.equals(batch.further)
                && wanted.equals(batch.wanted);
    }

    @Override
    public int hashCode() {
        return Objects.hash(scan, further);
    }
}
