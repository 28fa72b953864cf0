package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.ConflictRule;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Removal;
import dev.calve.commit.Resettle;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowlevel.Overwrite;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.Touched;
import dev.calve.rowlevel.WholeFile;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.spark.wire.FilesToSettle;
import dev.calve.spark.write.WriteTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.RowLevelOperation;

/**
 * Replaces part of a table by new rows whose files are written: plans on one snapshot what goes, settles files that are covered
 * in part, commits both as one snapshot. Used once, on the driver.
 *
 * <p>Blind, it plans again on whatever others commit first, so that of two overwrites of the same rows the last one's are left.
 * Compared with a snapshot, it refuses what changed since.
 */
final class Overwriting {

    private final LoadedTable table;
    private final WriteTarget target;
    private final Replaced replaced;
    private final List<DataFile> newRows;
    private final Optional<Since> since;
    private final Map<String, String> summary;
    private final SparkSession session;
    private final UUID statementId;
    private final FileLedger ledger;

    /**
     * What others did is compared with.
     *
     * @param snapshot of the table as it was loaded; empty if it had none
     * @param isolation how much of it matters
     */
    record Since(Optional<Snapshot> snapshot, Statement.Isolation isolation) {}

    /**
     * Nothing is done yet.
     *
     * @param table as it was loaded to be written to
     * @param target what the new rows were written for
     * @param since empty for a blind overwrite
     * @param summary entries that are not counted
     */
    Overwriting(
            LoadedTable table,
            WriteTarget target,
            Replaced replaced,
            List<DataFile> newRows,
            Optional<Since> since,
            Map<String, String> summary,
            SparkSession session,
            UUID statementId,
            FileLedger ledger) {
        this.table = table;
        this.target = target;
        this.replaced = replaced;
        this.newRows = List.copyOf(newRows);
        this.since = since;
        this.summary = summary;
        this.session = session;
        this.statementId = statementId;
        this.ledger = ledger;
    }

    /** @throws dev.calve.commit.CommitConflictException if something changed that must not have */
    CommitOutcome commit() {
        try {
            Optional<SnapshotChange> change;
            Resettle resettle;
            if (since.isPresent()) {
                change = planned(table.state(), since.get().snapshot());
                resettle = Resettle.never();
            } else {
                TableState newest = table.committer().load();
                change = planned(newest);
                resettle = (found, conflicts, stale) -> planned(found);
            }
            if (change.isEmpty()) {
                ledger.abort();
                return new CommitOutcome.NothingToDo();
            }
            var statement = new Statement(statementId, "INSERT OVERWRITE", since.map(Since::isolation), ledger);
            return target.merging(new TableCommit(target.table().target(), statement, Clock.systemUTC()))
                    .commit(change.get(), resettle);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot overwrite rows of " + table.name() + ": " + e.getMessage(), e);
        }
    }

    private Optional<SnapshotChange> planned(TableState state) throws IOException {
        return planned(state, table.at(state).head());
    }

    private Optional<SnapshotChange> planned(TableState state, Optional<Snapshot> snapshot) throws IOException {
        TableMetadata metadata = state.metadata();
        if (replaced instanceof Replaced.Selected selected) {
            selected.rows().requireColumnsOf(metadata, "INSERT OVERWRITE");
        }
        Replaced here = replaced instanceof Replaced.Partitions partitions ? partitions.in(metadata) : replaced;
        var dropped = new Dropped(metadata, snapshot);
        List<FileTask> tasks = snapshot.isEmpty()
                ? List.of()
                : new ScanPlanner(table.storage(), metadata, snapshot.get())
                        .plan(here.filter())
                        .tasks();
        if (here.isEverything() && since.isEmpty()) {
            tasks.forEach(dropped::whole);
            dropped.log(table.name(), newRows);
            return tasks.isEmpty() && newRows.isEmpty() ? Optional.empty() : Optional.of(everything(metadata));
        }
        var whole = new ArrayList<WholeFile>();
        var evaluated = new ArrayList<FileTask>();
        for (FileTask task : tasks) {
            Replaced.Coverage coverage = here.of(task);
            if (coverage == Replaced.Coverage.ALL) {
                whole.add(WholeFile.of(table.storage(), task));
                dropped.whole(task);
            } else if (coverage == Replaced.Coverage.PERHAPS) {
                evaluated.add(task);
            }
        }
        List<Touched> touched = Touched.of(evaluated, settled(state, evaluated, here));
        touched.forEach(dropped::some);
        dropped.log(table.name(), newRows);
        // A later snapshot's deletes apply to rows that are written again.
        var base = new ReadPoint(
                table.branch(),
                snapshot.isPresent() ? OptionalLong.of(snapshot.get().id()) : OptionalLong.empty(),
                snapshot.map(Snapshot::sequenceNumber).orElse(0L),
                metadata.formatVersion());
        var going = RowChange.delete(base, Scope.of(here.filter(), IsolationLevel.SNAPSHOT), touched, whole, summary);
        return Optional.of(new Overwrite(going, newRows, additions(here)))
                .filter(overwrite -> !overwrite.isEmpty())
                .map(Overwrite::toSnapshotChange);
    }

    /** Rows are settled as a DELETE of the table settles them. */
    private List<Outcome> settled(TableState state, List<FileTask> tasks, Replaced here) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        RowLevelSettings settings = RowLevelSettings.of(table.at(state), RowLevelOperation.Command.DELETE);
        var parts = new ArrayList<FilesToSettle.Part>();
        for (int i = 0; i < tasks.size(); i++) {
            parts.add(new FilesToSettle.Part(i, tasks.get(i), Optional.empty(), settings.rewriting()));
        }
        return new SettleJob(
                        table, statementId, ledger, session, "INSERT OVERWRITE " + table.name(), settings.modeSetBy())
                .run(state.metadata(), parts, Optional.of(here.condition(state.metadata())));
    }

    /** Under snapshot isolation rows that others add are not seen, and so stay. */
    private Optional<ConflictRule> additions(Replaced here) {
        boolean seen = since.isEmpty() || since.get().isolation().level() == IsolationLevel.SERIALIZABLE;
        return seen ? Optional.of(here.additions()) : Optional.empty();
    }

    /** Whatever is there when the commit succeeds goes. */
    private SnapshotChange everything(TableMetadata metadata) {
        return new SnapshotChange(
                newRows.isEmpty() ? SnapshotChange.Operation.DELETE : SnapshotChange.Operation.OVERWRITE,
                table.branch(),
                OptionalLong.empty(),
                metadata.formatVersion(),
                newRows.stream().map(SnapshotChange.AddedData::ofNewRows).toList(),
                List.of(),
                List.of(new Removal.Matching(Expression.Constant.TRUE)),
                List.of(),
                summary,
                Overwrite.counts(RowCounts.none().withMatchedDeleted(), newRows));
    }
}
