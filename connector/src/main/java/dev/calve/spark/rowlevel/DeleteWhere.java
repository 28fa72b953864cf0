package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Removal;
import dev.calve.commit.Resettle;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.expression.Expression;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.RewriteFrom;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.SettleAgain;
import dev.calve.rowlevel.Touched;
import dev.calve.rowlevel.WholeFile;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlan;
import dev.calve.scan.ScanPlanner;
import dev.calve.spark.wire.FilesToSettle;
import dev.calve.spark.write.SnapshotSummaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.RowLevelOperation;

/**
 * One {@code DELETE FROM t WHERE p}: plans on the newest snapshot, runs one stage for the files that metadata cannot decide,
 * commits. Files others deleted from meanwhile are settled again on the driver; only what that cannot answer is planned anew.
 * Used once, on the driver.
 *
 * <p>Cost: manifests that may list matching files; of those files the condition's columns, or all columns where rows are
 * written again; nothing of a file all or none of whose rows match by its metadata.
 */
public final class DeleteWhere {

    private final LoadedTable table;
    private final SelectedRows selected;
    private final SparkSession session;
    private final UUID statementId = UUID.randomUUID();
    private final FileLedger ledger;

    public DeleteWhere(LoadedTable table, Predicate[] predicates, SparkSession session) {
        this.table = table;
        this.selected = new SelectedRows(table, predicates);
        this.session = session;
        this.ledger = new FileLedger(table.storage());
    }

    /** Whether Spark's predicates can be turned back into Spark's own expression. Free of side effects. */
    public static boolean canDelete(LoadedTable table, Predicate[] predicates) {
        return new SelectedRows(table, predicates).canBeJudged();
    }

    /** Runs the statement. An exception means that the table is unchanged, unless it says that nobody knows. */
    public CommitOutcome run() {
        try {
            TableState newest = table.committer().load();
            return selected.areAll() ? truncate(newest) : delete(newest);
        } catch (IOException e) {
            throw abandoned(new UncheckedIOException("Cannot delete from " + table.name() + ": " + e.getMessage(), e));
        } catch (Throwable e) {
            // Not only unchecked ones: a job that fails throws SparkException, which no method of Spark's declares.
            abandoned(e);
            throw e;
        }
    }

    private CommitOutcome delete(TableState newest) throws IOException {
        Optional<RowChange> change = plan(newest);
        if (change.isEmpty()) {
            return nothing();
        }
        var settlement =
                new SettleInSpark(table.storage(), ledger, statementId, SnapshotSummaries.createdBy(session), job());
        SettleAgain again = SettleAgain.of(table.storage(), change.get(), settlement)
                .orElse((found, conflicts, stale) -> plan(found));
        return commit(change.get().toSnapshotChange(), again);
    }

    private SettleJob job() {
        return new SettleJob(
                table, statementId, ledger, session, "DELETE FROM " + table.name(), TableProperties.DELETE_MODE.name());
    }

    private CommitOutcome truncate(TableState newest) {
        Optional<SnapshotChange> change = everything(newest);
        return change.isEmpty() ? nothing() : commit(change.get(), (found, conflicts, old) -> everything(found));
    }

    private CommitOutcome nothing() {
        ledger.abort();
        return new CommitOutcome.NothingToDo();
    }

    private CommitOutcome commit(SnapshotChange change, Resettle resettle) {
        var statement = new Statement(
                statementId, "DELETE", Optional.of(Statement.Isolation.ofDelete(table.properties())), ledger);
        return new TableCommit(table.target(), statement, Clock.systemUTC()).commit(change, resettle);
    }

    /** Deletes what was written so far; does nothing once a swap was sent without a definite answer. */
    private <E extends Throwable> E abandoned(E failure) {
        try {
            ledger.abort();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    private Optional<RowChange> plan(TableState state) throws IOException {
        TableMetadata metadata = state.metadata();
        Optional<Snapshot> snapshot = table.at(state).head();
        if (snapshot.isEmpty()) {
            return Optional.empty();
        }
        selected.requireColumnsOf(metadata, "DELETE");
        TableProperties properties = TableProperties.of(metadata, table.name());
        var converted = selected.converted();
        ScanPlan plan = new ScanPlanner(table.storage(), metadata, snapshot.get()).plan(converted.expression());
        var whole = new ArrayList<WholeFile>();
        var evaluated = new ArrayList<FileTask>();
        for (FileTask task : plan.tasks()) {
            if (converted.exact() && task.everyRowMatches()) {
                whole.add(WholeFile.of(table.storage(), task));
            } else {
                evaluated.add(task);
            }
        }
        List<Outcome> outcomes = evaluated.isEmpty() ? List.of() : evaluate(state, evaluated);
        var change = RowChange.delete(
                ReadPoint.of(metadata, table.branch()),
                Scope.of(converted.expression(), properties.get(TableProperties.DELETE_ISOLATION)),
                Touched.of(evaluated, outcomes),
                whole,
                SnapshotSummaries.of(session));
        return Optional.of(change).filter(found -> !found.isEmpty());
    }

    /** {@code TRUNCATE} and {@code DELETE WHERE true}: whatever is there when the commit succeeds goes. */
    private Optional<SnapshotChange> everything(TableState state) throws UncheckedIOException {
        Optional<Snapshot> snapshot = table.at(state).head();
        if (snapshot.isEmpty()
                || new ScanPlanner(table.storage(), state.metadata(), snapshot.get())
                        .plan(Expression.Constant.TRUE)
                        .tasks()
                        .isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new SnapshotChange(
                SnapshotChange.Operation.DELETE,
                table.branch(),
                OptionalLong.empty(),
                state.metadata().formatVersion(),
                List.of(),
                List.of(),
                List.of(new Removal.Matching(Expression.Constant.TRUE)),
                List.of(),
                SnapshotSummaries.of(session),
                RowCounts.none().withMatchedDeleted()));
    }

    private List<Outcome> evaluate(TableState state, List<FileTask> tasks) {
        TableMetadata metadata = state.metadata();
        RewriteFrom rewriting = RowLevelSettings.of(table.at(state), RowLevelOperation.Command.DELETE)
                .rewriting();
        var parts = new ArrayList<FilesToSettle.Part>();
        for (int i = 0; i < tasks.size(); i++) {
            parts.add(new FilesToSettle.Part(i, tasks.get(i), Optional.empty(), rewriting));
        }
        return job().run(metadata, parts, Optional.of(selected.condition()));
    }
}
