package dev.calve.spark.rowlevel;

import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.scan.ScanPlan;
import dev.calve.schema.Schema;
import dev.calve.spark.read.ScannedState;
import dev.calve.spark.read.SnapshotBatch;
import dev.calve.spark.read.SnapshotScan;
import dev.calve.spark.read.SourceFiles;
import dev.calve.spark.read.TaskReads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The scan that finds the rows a statement changes. A class of its own that offers Spark no filter at run time and no
 * partitioning, because for the first Spark may read the source of a MERGE twice, which need not give the same rows.
 *
 * <p>The scan of a MERGE asks the running statement by itself, once Spark wants its tasks, which rows can match: see {@link
 * MergeSource}. Nothing is asked before, so {@code EXPLAIN} runs nothing.
 */
final class RowLevelScan implements Scan, SupportsReportStatistics, ScannedState.Known {

    private final SnapshotScan scan;
    private final Finds finds;
    private final SparkSession session;
    private @Nullable SnapshotBatch batch;
    private Optional<MergeSource.Found> source = Optional.empty();
    private boolean released;

    /** What the rows are for. */
    enum Finds {
        /** An UPDATE or DELETE changes them. */
        CHANGED,
        /** A MERGE changes them. */
        MERGED,
        /**
         * The query of a statement reads its own target: rows that a MERGE lacks which only inserts, or a second reading. Spark
         * has one table for the target and what reads it, so only the plan tells.
         */
        READ
    }

    RowLevelScan(SnapshotScan scan, Finds finds, SparkSession session) {
        this.scan = scan;
        this.finds = finds;
        this.session = session;
    }

    /** What is read of the table, before the source of a MERGE is known. */
    SnapshotScan reads() {
        return scan;
    }

    Finds finds() {
        return finds;
    }

    /**
     * Where it stands in the plan of a statement; empty if all rows are asked for.
     *
     * @param statement optimized
     */
    Optional<MatchingJoin> join(LogicalPlan statement) {
        // Where else it stands, other rows may be asked for.
        if (OwnReads.scans(statement).stream().filter(other -> other == this).count() != 1) {
            return Optional.empty();
        }
        return switch (finds) {
            case CHANGED -> Optional.empty();
            case MERGED -> MatchingJoin.ofChanges(statement, this);
            case READ -> MatchingJoin.ofInserts(statement, this);
        };
    }

    /** TRUE for every row of the table that could have mattered. */
    synchronized Expression filter() {
        return source.isPresent()
                ? Expressions.and(scan.filter(), source.get().rows().condition())
                : scan.filter();
    }

    /** What tells whether a row could have mattered; empty if that is not known of single rows. */
    synchronized Optional<RowMatcher> matcher(TaskReads reads, Schema schema) {
        return source.map(found -> found.rows().matcher(reads, schema));
    }

    /** The files that were read; empty if none were. */
    synchronized Optional<ScanPlan> read() {
        return Optional.ofNullable(batch).map(SnapshotBatch::plan);
    }

    /**
     * Makes sure that the source of a MERGE gave the same rows each time it was read.
     *
     * @throws UncheckedIOException naming a file that changed meanwhile
     */
    synchronized void verifySource() {
        try {
            for (SourceFiles files : source.map(MergeSource.Found::files).orElseGet(List::of)) {
                Optional<String> changed = files.changed();
                if (changed.isPresent()) {
                    throw new IOException(
                            "file " + changed.get() + " of its source changed while it ran. Nothing was changed in the"
                                    + " table. Run the MERGE again, or with " + MergeSourceUse.SETTING + " = off");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot commit a MERGE into " + scan.tableName() + ": " + e.getMessage(), e);
        }
    }

    /** Frees what was kept for the scan's tasks, none of which may come any more. */
    synchronized void release() {
        if (!released) {
            source.ifPresent(found -> found.rows().release());
            released = true;
        }
    }

    private synchronized SnapshotBatch batch() {
        if (batch == null) {
            Optional<QueryExecution> running = finds == Finds.CHANGED ? Optional.empty() : OwnReads.running(session);
            source = running.flatMap(statement -> new MergeSource(session, this).find(statement));
            batch = source.map(found -> scan.matching(found.rows())).orElseGet(scan::everything);
        }
        return batch;
    }

    /** Equal to the other batches of this scan, of which Spark asks for several. */
    private record RowLevelBatch(RowLevelScan scan) implements Batch {
        @Override
        public InputPartition[] planInputPartitions() {
            return scan.batch().planInputPartitions();
        }

        @Override
        public PartitionReaderFactory createReaderFactory() {
            return scan.batch().createReaderFactory();
        }
    }

    @Override
    public ScannedState scanned() {
        return scan.scanned();
    }

    @Override
    public Batch toBatch() {
        return new RowLevelBatch(this);
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

    @Override
    public String toString() {
        return description();
    }
}
