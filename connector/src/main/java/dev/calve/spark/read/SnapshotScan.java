package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.expression.Expression;
import dev.calve.metadata.ReadPoint;
import dev.calve.scan.ScanPlan;
import dev.calve.scan.ScanRange;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkPredicates;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.partitioning.KeyGroupedPartitioning;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A scan of one snapshot, or of what several appended. Planned once, when first needed, on the driver. Two scans are equal if
 * they read the same columns of the same snapshots with the same filter, so that Spark reuses exchanges and caches.
 */
public final class SnapshotScan
        implements Scan,
                SupportsReportStatistics,
                SupportsRuntimeV2Filtering,
                SupportsReportPartitioning,
                ScannedState.Known {

    private final Query query;
    private final ScanFiles files;
    private final SparkSession session;
    private final Optional<PartitionGrouping> grouping;
    private @Nullable RuntimeFilter runtime;
    private @Nullable SnapshotBatch last;

    SnapshotScan(Query query, ScanFiles files, SparkSession session) {
        this.query = query;
        this.files = files;
        this.session = session;
        this.grouping = query.settings().preserveDataGrouping()
                ? PartitionGrouping.of(query.table().metadata(), files.dataManifests(), query.schema(), query.columns())
                : Optional.empty();
    }

    /**
     * What is read.
     *
     * @param schema the table is read with
     * @param point what was asked for, for people to see
     * @param columns wanted columns with their field ids, metadata columns among them
     */
    record Query(
            LoadedTable table,
            ScanRange range,
            Schema schema,
            ReadPoint point,
            StructType columns,
            PushedQuery pushed,
            ReadSettings settings) {

        /** Whether the same rows are asked for: of a table nothing counts but that it is the same one, of a state its snapshot. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Query that
                    && table.name().equals(that.table.name())
                    && table.metadata().uuid().equals(that.table.metadata().uuid())
                    && range.equals(that.range)
                    && schema.equals(that.schema)
                    && columns.equals(that.columns)
                    && pushed.equals(that.pushed)
                    && settings.equals(that.settings);
        }

        @Override
        public int hashCode() {
            return Objects.hash(table.metadata().uuid(), range, columns, pushed.filter());
        }
    }

    Query query() {
        return query;
    }

    /** For messages. */
    public String tableName() {
        return query.table().name();
    }

    /** TRUE for every row the query asks for, as far as Spark said. */
    public dev.calve.expression.Expression filter() {
        return query.pushed().filter();
    }

    /**
     * The files the scan reads, whatever a filter found while the query runs makes superfluous.
     *
     * @throws java.io.UncheckedIOException if a manifest cannot be read
     */
    public ScanPlan plan() {
        return files.plan();
    }

    /** The files the scan reads; empty if they were not needed yet. */
    public Optional<ScanPlan> planned() {
        return files.planned();
    }

    ScanFiles files() {
        return files;
    }

    SparkSession session() {
        return session;
    }

    @Override
    public ScannedState scanned() {
        return ScannedState.of(query.table(), query.range());
    }

    @Override
    public StructType readSchema() {
        return query.columns();
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.SUPPORTED;
    }

    /**
     * A filter that a query finds while it runs. Spark gives it right before it asks for the batch again, and one scan may stand in
     * several places of a query, of which only one is filtered: so it counts for the next batch that the same thread asks for, and
     * the scan remains what it was.
     */
    private record RuntimeFilter(Thread givenBy, Expression filter) {}

    /** Uses up what {@link #filter} was given by this thread. */
    @Override
    public synchronized Batch toBatch() {
        Expression further = Expression.Constant.TRUE;
        if (runtime != null && runtime.givenBy() == Thread.currentThread()) {
            further = runtime.filter();
            runtime = null;
        }
        return new SnapshotBatch(this, further);
    }

    /** The batch of only those rows that have one of some keys. */
    public SnapshotBatch matching(SoughtRows rows) {
        return new SnapshotBatch(this, rows.condition(), Optional.of(rows.keys()));
    }

    /** The batch of all rows. */
    public SnapshotBatch everything() {
        return new SnapshotBatch(this, Expression.Constant.TRUE);
    }

    /**
     * The column a name stands for, if rows can be sought by its values.
     *
     * @param name of a top-level column, as the scan names it
     */
    public Optional<Expression.Column> keyColumn(String name) {
        return Arrays.asList(query.columns().fieldNames()).contains(name)
                ? new SparkPredicates(query.schema(), true)
                        .column(reference(name))
                        .filter(column -> KeyKind.of(column.type()).isPresent())
                : Optional.empty();
    }

    /** Whether the query takes any rows, as long as they are enough. */
    public boolean isLimited() {
        return query.pushed().limit().isPresent();
    }

    /** Every column that may have bounds: partitions are not all that prunes. */
    @Override
    public NamedReference[] filterAttributes() {
        var names = new SparkPredicates(query.schema(), true);
        return Arrays.stream(query.columns().fields())
                .map(StructField::name)
                .map(SnapshotScan::reference)
                .filter(reference -> names.column(reference).isPresent())
                .toArray(NamedReference[]::new);
    }

    private static NamedReference reference(String column) {
        return Expressions.column("`" + column.replace("`", "``") + "`");
    }

    @Override
    public synchronized void filter(Predicate[] predicates) {
        // Names come back as filterAttributes gave them.
        Expression found =
                new SparkPredicates(query.schema(), true).convert(predicates).expression();
        Thread thread = Thread.currentThread();
        Expression before =
                runtime != null && runtime.givenBy() == thread ? runtime.filter() : Expression.Constant.TRUE;
        runtime = new RuntimeFilter(thread, dev.calve.expression.Expressions.and(before, found));
    }

    /** Files are kept apart by partition only where it was asked for: a partition is one task then, however large it is. */
    @Override
    public Partitioning outputPartitioning() {
        // Spark asks for the keys alone; how many partitions there are it learns from the tasks.
        return grouping.<Partitioning>map(found -> new KeyGroupedPartitioning(found.expressions(), 0))
                .orElseGet(() -> new UnknownPartitioning(0));
    }

    Optional<PartitionGrouping> grouping() {
        return grouping;
    }

    /** An unfiltered scan has as many rows as the snapshot counts; to know those of a filtered one it is planned. */
    @Override
    public Statistics estimateStatistics() {
        OptionalLong recorded = files.planned().isPresent() ? OptionalLong.empty() : files.recordedRows();
        long found = recorded.isPresent() ? recorded.getAsLong() : files.plan().recordCount();
        OptionalLong limit = query.pushed().limit().stream().asLongStream().findFirst();
        long rows = Math.min(found, limit.orElse(found));
        long width = query.columns().defaultSize();
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
    public CustomMetric[] supportedCustomMetrics() {
        return ScanMetrics.all();
    }

    /** Tells the scan which batch it is whose tasks run. */
    synchronized void runs(SnapshotBatch batch) {
        last = batch;
    }

    @Override
    public synchronized CustomTaskMetric[] reportDriverMetrics() {
        return last == null ? new CustomTaskMetric[0] : last.driverMetrics();
    }

    /** Plans nothing: what was pruned is shown where Spark itself needed to know already. */
    @Override
    public String description() {
        var parts = new ArrayList<String>();
        parts.add(query.range() + query.point().besidesId());
        parts.addAll(query.pushed().describe());
        grouping.ifPresent(found -> parts.add("grouped by: " + found));
        files.planned().ifPresent(plan -> parts.add(counts(plan)));
        return "Calve scan of " + query.table().name() + " [" + String.join("; ", parts) + "]";
    }

    private static String counts(ScanPlan plan) {
        int manifests = plan.readDataManifests() + plan.prunedDataManifests();
        return "planned: " + plan.tasks().size() + " files, " + plan.prunedDataFiles() + " pruned in "
                + plan.readDataManifests() + " of " + manifests + " manifests"
                + (plan.hasDeletes() ? ", with deletes" : "");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SnapshotScan scan && query.equals(scan.query);
    }

    @Override
    public int hashCode() {
        return query.hashCode();
    }
}
