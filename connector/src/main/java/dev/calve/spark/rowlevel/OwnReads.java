package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.ConflictRule;
import dev.calve.commit.Statement;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.metadata.Ancestry;
import dev.calve.metadata.Snapshot;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.spark.read.ScannedState;
import dev.calve.spark.read.SnapshotScan;
import dev.calve.spark.write.AppendRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the running statement's own query reads of the table it writes to. Spark does not tell a write its query, but which
 * statement a thread runs, and that has its plan. Scans in subqueries and below cached data are found, those behind a checkpoint
 * are not.
 */
final class OwnReads {

    private OwnReads() {}

    /**
     * The oldest state the statement depends on.
     *
     * @param target as it was loaded to be written to
     * @return empty if it does not read the newest state of its target; inside, empty if that had no snapshot
     */
    static Optional<OptionalLong> of(SparkSession session, LoadedTable target) {
        return oldest(newest(running(session).map(OwnReads::scans).orElse(List.of()), target), target);
    }

    private static Optional<OptionalLong> oldest(List<ScannedState.Known> scans, LoadedTable target) {
        if (scans.isEmpty()) {
            return Optional.empty();
        }
        Set<Optional<Long>> read = new HashSet<>();
        for (ScannedState.Known scan : scans) {
            read.add(scan.scanned().snapshot().map(Snapshot::id));
        }
        // What was scanned after the target was loaded is younger than that, and not among its ancestors.
        OptionalLong oldest = id(target.head());
        if (read.contains(Optional.<Long>empty())) {
            return Optional.of(OptionalLong.empty());
        }
        for (Snapshot ancestor : Ancestry.known(target.metadata(), target.head())) {
            if (read.contains(Optional.of(ancestor.id()))) {
                oldest = OptionalLong.of(ancestor.id());
            }
        }
        return Optional.of(oldest);
    }

    private static OptionalLong id(Optional<Snapshot> snapshot) {
        return snapshot.isPresent() ? OptionalLong.of(snapshot.get().id()) : OptionalLong.empty();
    }

    /**
     * Whether a row-level statement reads the newest state of its target besides looking for the rows it changes. True as well if
     * the plan is not known.
     */
    static boolean areThere(SparkSession session, LoadedTable target) {
        return running(session)
                .map(execution -> !newest(scans(execution), target).isEmpty())
                .orElse(true);
    }

    /**
     * What an append depends on, so that at the isolation level of a MERGE nobody may have changed it. A MERGE that only inserts
     * is an append to Spark: of the rows its target lacks.
     *
     * @return empty if it does not read the newest state of its target
     */
    static Optional<AppendRules> ofAppend(SparkSession session, LoadedTable target) {
        Optional<QueryExecution> running = running(session);
        List<Scan> scans = running.map(OwnReads::scans).orElse(List.of());
        List<ScannedState.Known> own = newest(scans, target);
        var filters = new ArrayList<Expression>();
        Map<String, ConflictRule.Place> files = new HashMap<>();
        boolean merges = false;
        for (ScannedState.Known scan : own) {
            if (scan instanceof RowLevelScan read) {
                merges |= running.flatMap(statement -> read.join(statement.optimizedPlan()))
                        .isPresent();
                read.verifySource();
                filters.add(read.filter());
                add(read.read().orElseGet(() -> read.reads().plan()).tasks(), files);
                read.release();
            } else if (scan instanceof SnapshotScan read) {
                filters.add(read.filter());
                add(read.plan().tasks(), files);
            } else {
                // An answer from metadata does not tell which files it is about.
                filters.add(Expression.Constant.TRUE);
                add(all(scan.scanned(), target), files);
            }
        }
        boolean ofMerge = merges;
        return oldest(own, target).map(oldest -> {
            var isolation = Statement.Isolation.ofMerge(target.properties());
            return new AppendRules(ofMerge, oldest, isolation, isolation.rules(Expressions.or(filters), files));
        });
    }

    private static void add(List<FileTask> tasks, Map<String, ConflictRule.Place> files) {
        for (FileTask task : tasks) {
            files.put(
                    task.file().path(),
                    new ConflictRule.Place(task.file().specId(), task.file().partition()));
        }
    }

    private static List<FileTask> all(ScannedState scanned, LoadedTable target) {
        return scanned.snapshot().isEmpty()
                ? List.of()
                : new ScanPlanner(
                                target.storage(),
                                target.metadata(),
                                scanned.snapshot().get())
                        .planToRead(Expression.Constant.TRUE, Set.of())
                        .tasks();
    }

    /** Without the scan that finds the rows a statement changes. */
    private static List<ScannedState.Known> newest(List<Scan> scans, LoadedTable target) {
        var newest = new ArrayList<ScannedState.Known>();
        for (Scan scan : scans) {
            if (scan instanceof ScannedState.Known known
                    && !(scan instanceof RowLevelScan rows && rows.finds() != RowLevelScan.Finds.READ)
                    && known.scanned().newest()
                    && known.scanned().branch().equals(target.branch())
                    && known.scanned().tableUuid().equals(target.metadata().uuid())) {
                newest.add(known);
            }
        }
        return newest;
    }

    /** The statement this thread runs; empty outside of one, as while it is explained. */
    static Optional<QueryExecution> running(SparkSession session) {
        String id = session.sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
        return id == null ? Optional.empty() : Optional.ofNullable(SQLExecution.getQueryExecution(Long.parseLong(id)));
    }

    private static List<Scan> scans(QueryExecution execution) {
        return scans(execution.optimizedPlan());
    }

    /** All scans of a plan, those of subqueries included. */
    static List<Scan> scans(LogicalPlan plan) {
        var scans = new ArrayList<Scan>();
        addScans(plan, scans);
        return scans;
    }

    private static void addScans(LogicalPlan plan, List<Scan> scans) {
        for (LogicalPlan leaf : CollectionConverters.asJava(plan.collectLeaves())) {
            if (leaf instanceof DataSourceV2ScanRelation relation) {
                scans.add(relation.scan());
            } else if (leaf instanceof InMemoryRelation cached) {
                addScans(cached.cachedPlan(), scans);
            }
        }
        CollectionConverters.asJava(plan.subqueriesAll()).forEach(subquery -> addScans(subquery, scans));
    }

    private static void addScans(SparkPlan plan, List<Scan> scans) {
        for (SparkPlan leaf : CollectionConverters.asJava(plan.collectLeaves())) {
            if (leaf instanceof BatchScanExec batch) {
                scans.add(batch.scan());
            } else if (leaf instanceof AdaptiveSparkPlanExec adaptive) {
                addScans(adaptive.inputPlan(), scans);
            }
        }
        CollectionConverters.asJava(plan.subqueriesAll()).forEach(subquery -> addScans(subquery, scans));
    }
}
