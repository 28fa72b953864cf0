package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitReport;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.SettleAgain;
import dev.calve.rowlevel.Touched;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlan;
import dev.calve.scan.ScanPlanner;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.RowsChanged;
import dev.calve.spark.write.HeldRows;
import dev.calve.spark.write.PartitionedWriter;
import dev.calve.spark.write.ReportingBatch;
import dev.calve.spark.write.SnapshotSummaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;

/**
 * The driver's side of a row-level statement: puts together what the tasks found, settles it and commits. Memory: the places of
 * all rows that go, compressed; about two bytes a row, less where neighbours go.
 */
final class PositionDeltaBatch implements DeltaBatchWrite, ReportingBatch {

    /** Stands in the name of the file the driver writes new rows into, where tasks have their number. */
    private static final int NO_TASK = Integer.MAX_VALUE - 1;

    /** So many bytes of new rows all tasks together hand to the driver at most, and one task. */
    private static final int HELD_BYTES = 8 << 20;

    private static final int HELD_BYTES_OF_TASK = 256 << 10;

    private final LoadedTable table;
    private final RowLevelSettings settings;
    private final Map<String, String> summary;
    private final StructType rows;
    private final List<RowLevelScan> scans;
    private final SparkSession session;
    private final UUID statementId = UUID.randomUUID();
    private final FileLedger ledger;
    private final SettleInSpark settlement;
    private Optional<CommitReport> report = Optional.empty();

    PositionDeltaBatch(
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
        this.ledger = new FileLedger(table.storage());
        var job = new SettleJob(table, statementId, ledger, session, statement(), settings.modeSetBy());
        this.settlement =
                new SettleInSpark(table.storage(), ledger, statementId, SnapshotSummaries.createdBy(session), job);
    }

    @Override
    public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        return new PositionDeltaWriterFactory(
                ExecutorTable.of(table), rows.json(), statementId.toString(), heldBytes(info.numPartitions()));
    }

    /** Rows of a partitioned table were brought together by Spark, unless the table asks not to. */
    private int heldBytes(int tasks) {
        return tasks > 1 && table.metadata().spec().fields().isEmpty()
                ? Math.min(HELD_BYTES_OF_TASK, HELD_BYTES / tasks)
                : 0;
    }

    /** Tasks ask by themselves, and later than Spark would. */
    @Override
    public boolean useCommitCoordinator() {
        return false;
    }

    @Override
    public void onDataWriterCommit(WriterCommitMessage message) {
        note(message);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        try {
            RowChange change = change(messages);
            if (change.isEmpty()) {
                return;
            }
            scans.forEach(RowLevelScan::verifySource);
            SettleAgain again = again(change);
            var statement =
                    new Statement(statementId, settings.command().name(), Optional.of(settings.isolation()), ledger);
            report = new TableCommit(table.target(), statement, Clock.systemUTC())
                    .commit(change.toSnapshotChange(), again)
                    .reported();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot run " + statement() + ": " + e.getMessage(), e);
        } finally {
            scans.forEach(RowLevelScan::release);
        }
    }

    @Override
    public Optional<CommitReport> report() {
        return report;
    }

    /** Rows deleted from files that were read do not matter if they are shown to match no row of a MERGE's source. */
    private SettleAgain again(RowChange change) {
        var again = SettleAgain.of(table.storage(), change, settlement);
        List<RowLevelScan> read =
                scans.stream().filter(scan -> scan.read().isPresent()).toList();
        if (readsTwice() || read.size() != 1) {
            return again;
        }
        TableMetadata metadata = table.metadata();
        return read.get(0)
                .matcher(new TaskReads(table.storage(), metadata, metadata.schema()), metadata.schema())
                .map(again::showing)
                .orElse(again);
    }

    private boolean readsTwice() {
        return settings.isolation().level() == IsolationLevel.SERIALIZABLE && OwnReads.areThere(session, table);
    }

    private RowChange change(WriterCommitMessage[] messages) throws IOException {
        var newRows = new ArrayList<DataFile>();
        var held = new ArrayList<byte[]>();
        var changed = new UpdatedOnce();
        for (WriterCommitMessage message : messages) {
            note(message);
            RowsChanged.Content content = ((RowsChanged) message).content(table.metadata());
            newRows.addAll(content.files());
            content.fragments().forEach(changed::add);
            if (content.held().length > 0) {
                held.add(content.held());
            }
        }
        newRows.addAll(written(held));
        Map<String, PositionBitmap> going = changed.going();
        List<FileTask> files = files(going);
        List<Outcome> outcomes = settlement.first(table.metadata(), files, going, settings.rewriting());
        Map<String, String> entries = new LinkedHashMap<>(SnapshotSummaries.of(session));
        entries.putAll(summary);
        return new RowChange(
                settings.command(),
                ReadPoint.of(table.metadata(), table.branch()),
                scope(),
                Touched.of(files, outcomes),
                List.of(),
                newRows,
                changed.updated(),
                entries);
    }

    /** Writes the rows of tasks that had only a few into one file, because a file for each makes every later read slow. */
    private List<DataFile> written(List<byte[]> held) throws IOException {
        if (held.isEmpty()) {
            return List.of();
        }
        var names = new FileNames(table.metadata(), statementId, NO_TASK, 0);
        PartitionedWriter writer = PositionDeltaWriterFactory.rowWriter(table.storage(), table.metadata(), names, rows);
        try {
            for (byte[] some : held) {
                HeldRows.forEach(some, writer.rowType().size(), writer::write);
            }
            List<DataFile> files = writer.finish();
            files.forEach(file -> ledger.wrote(file.path()));
            return files;
        } catch (IOException | RuntimeException e) {
            try {
                writer.abort();
            } catch (IOException later) {
                e.addSuppressed(later);
            }
            throw e;
        }
    }

    private String statement() {
        return switch (settings.command()) {
                    case DELETE -> "DELETE FROM ";
                    case UPDATE -> "UPDATE ";
                    case MERGE -> "MERGE INTO ";
                }
                + table.name();
    }

    /** The files that rows go from, as the scan read them. */
    private List<FileTask> files(Map<String, PositionBitmap> going) {
        Map<String, FileTask> read = new HashMap<>();
        for (ScanPlan plan : plans()) {
            plan.tasks().forEach(task -> read.put(task.file().path(), task));
        }
        var files = new ArrayList<FileTask>();
        for (String path : going.keySet()) {
            FileTask task = read.get(path);
            if (task == null) {
                throw new IllegalStateException(
                        "Rows go from data file " + path + ", which the statement did not read.");
            }
            files.add(task);
        }
        return files;
    }

    private List<ScanPlan> plans() {
        return scans.stream().flatMap(scan -> scan.read().stream()).toList();
    }

    /**
     * What the statement read. A MERGE depends on rows it leaves as they are, because a row that is not there is inserted; any
     * statement does that reads its table a second time, and then on all of it.
     */
    private Scope scope() throws IOException {
        IsolationLevel level = settings.isolation().level();
        TableMetadata metadata = table.metadata();
        if (readsTwice()) {
            List<FileTask> all = table.head().isEmpty()
                    ? List.of()
                    : new ScanPlanner(table.storage(), metadata, table.head().get())
                            .plan(Expression.Constant.TRUE)
                            .tasks();
            return new Scope(Expression.Constant.TRUE, level, all);
        }
        Expression filter = Expressions.or(scans.stream()
                .filter(scan -> scan.read().isPresent())
                .map(RowLevelScan::filter)
                .toList());
        if (settings.command() != RowChange.Command.MERGE) {
            return Scope.of(filter, level);
        }
        List<FileTask> read =
                plans().stream().flatMap(plan -> plan.tasks().stream()).toList();
        return new Scope(filter, level, read);
    }

    /** Called by Spark when the job or the commit failed; the ledger knows whether anything may be deleted. */
    @Override
    public void abort(WriterCommitMessage[] messages) {
        for (WriterCommitMessage message : messages) {
            if (message != null) {
                note(message);
            }
        }
        scans.forEach(RowLevelScan::release);
        ledger.abort();
    }

    private void note(WriterCommitMessage message) {
        ((RowsChanged) message).files(table.metadata()).forEach(file -> ledger.wrote(file.path()));
    }

    @Override
    public String toString() {
        return statement();
    }
}
