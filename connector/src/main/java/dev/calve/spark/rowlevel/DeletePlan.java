package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.Conflict;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Resettle;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.RewriteFrom;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.SettleAgain;
import dev.calve.rowlevel.Touched;
import dev.calve.rowlevel.WholeFile;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.scan.ScanPlanner;
import dev.calve.spark.read.TaskPacking;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FilesToSettle;
import dev.calve.spark.write.SnapshotSummaries;
import dev.calve.spark.write.WriteAuditPublish;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * The rows a {@code DELETE FROM t WHERE p} would delete, counted but not deleted. To be committed once, as they were counted, or
 * forgotten: nothing was written. Memory: the positions of the rows, compressed. For one thread.
 *
 * <p>Cost: that of a DELETE without its writing. Rows of files the metadata proves to go as a whole are not looked at, unless
 * rows were deleted from them by key, which are then counted for real.
 */
public final class DeletePlan {

    private final LoadedTable table;
    private final ReadPoint base;
    private final Expression filter;
    private final RowLevelSettings settings;
    private final List<Part> parts;
    private boolean committed;

    private DeletePlan(
            LoadedTable table, ReadPoint base, Expression filter, RowLevelSettings settings, List<Part> parts) {
        this.table = table;
        this.base = base;
        this.filter = filter;
        this.settings = settings;
        this.parts = parts;
    }

    /** @param positions empty: all live rows */
    private record Part(FileTask task, Optional<PositionBitmap> positions, long deleted, long live, long matched) {}

    /**
     * A data file that loses rows.
     *
     * @param matchedRows live rows that would go; at least one
     * @param deletedRows rows of the file that were deleted before
     * @param liveRows rows that are in the table now, the matched ones included
     * @param wholeFile whether no row would be left, so that the file leaves the table and nothing is written
     * @param mode how the rows would go: {@code metadata} with the whole file, else {@code merge-on-read} or {@code copy-on-write}
     */
    public record PlannedFile(
            String path, long matchedRows, long deletedRows, long liveRows, boolean wholeFile, String mode) {}

    /**
     * Counts, in one stage, on the newest snapshot of the branch the table is written on.
     *
     * @param predicates all TRUE for a row that goes, as a {@link DeleteStatement} has them
     */
    public static DeletePlan of(LoadedTable table, List<Predicate> predicates, SparkSession session) {
        var selected = new SelectedRows(table, predicates.toArray(new Predicate[0]));
        try {
            TableState newest = table.committer().load();
            LoadedTable now = table.at(newest);
            selected.requireColumnsOf(newest.metadata(), "DELETE");
            RowLevelSettings settings = RowLevelSettings.of(now, RowLevelOperation.Command.DELETE);
            return new DeletePlan(
                    now,
                    ReadPoint.of(newest.metadata(), table.branch()),
                    selected.converted().expression(),
                    settings,
                    parts(now, selected, session));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot plan a DELETE from " + table.name() + ": " + e.getMessage(), e);
        }
    }

    private static List<Part> parts(LoadedTable table, SelectedRows selected, SparkSession session) throws IOException {
        Optional<Snapshot> snapshot = table.head();
        if (snapshot.isEmpty()) {
            return List.of();
        }
        var converted = selected.converted();
        var parts = new ArrayList<Part>();
        var evaluated = new ArrayList<FileTask>();
        for (FileTask task : new ScanPlanner(table.storage(), table.metadata(), snapshot.get())
                .plan(converted.expression())
                .tasks()) {
            if (converted.exact() && task.everyRowMatches() && !hasKeys(task)) {
                long live = WholeFile.of(table.storage(), task).liveRows().orElseThrow();
                parts.add(new Part(task, Optional.empty(), task.file().recordCount() - live, live, live));
            } else {
                evaluated.add(task);
            }
        }
        for (FindStage.Found found : find(table, evaluated, selected, session)) {
            FileTask task = evaluated.get(found.number());
            parts.add(new Part(
                    task,
                    Optional.of(found.positions()),
                    found.deleted(),
                    task.file().recordCount() - found.deleted(),
                    found.positions().cardinality()));
        }
        return parts.stream()
                .filter(part -> part.matched() > 0)
                .sorted(Comparator.comparing(part -> part.task().file().path()))
                .toList();
    }

    private static boolean hasKeys(FileTask task) {
        return task.deletes().stream().anyMatch(entry -> entry.file() instanceof DeleteFile.EqualityDeletes);
    }

    private static List<FindStage.Found> find(
            LoadedTable table, List<FileTask> tasks, SelectedRows selected, SparkSession session) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        TableMetadata metadata = table.metadata();
        var codec = new FileTaskCodec(metadata);
        List<FilesToSettle> partitions = TaskPacking.wholeFiles(tasks, metadata, table.properties(), session).stream()
                .map(numbers -> FilesToSettle.of(
                        numbers.stream()
                                .map(number -> new FilesToSettle.Part(
                                        number, tasks.get(number), Optional.empty(), RewriteFrom.NEVER))
                                .toList(),
                        codec))
                .toList();
        var found = new ArrayList<FindStage.Found>();
        var collect = new AbstractFunction2<Object, byte[], BoxedUnit>() {
            @Override
            public BoxedUnit apply(Object partition, byte[] bytes) {
                synchronized (found) {
                    found.addAll(FindStage.found(bytes));
                }
                return BoxedUnit.UNIT;
            }
        };
        var context = JavaSparkContext.fromSparkContext(session.sparkContext());
        String before = context.getLocalProperty("spark.job.description");
        context.setJobDescription(
                "DELETE FROM " + table.name() + ": count rows in " + tasks.size() + " file(s), delete none");
        try {
            session.sparkContext()
                    .runJob(
                            context.parallelize(partitions, partitions.size()).rdd(),
                            new FindStage(ExecutorTable.of(table), selected.condition()),
                            collect,
                            ClassTag$.MODULE$.apply(byte[].class));
        } finally {
            context.setJobDescription(before);
        }
        return found;
    }

    /** Name of the table for messages. */
    public String table() {
        return table.name();
    }

    /** Where the table is. */
    public String location() {
        return table.metadata().location();
    }

    /** The files that would lose rows, by path. */
    public List<PlannedFile> files() {
        return parts.stream()
                .map(part -> {
                    boolean whole = part.matched() == part.live();
                    boolean rewritten = settings.rewriting()
                            .covers(
                                    part.deleted() + part.matched(),
                                    part.task().file().recordCount());
                    String mode = rewritten ? "copy-on-write" : "merge-on-read";
                    return new PlannedFile(
                            part.task().file().path(),
                            part.matched(),
                            part.deleted(),
                            part.live(),
                            whole,
                            whole ? "metadata" : mode);
                })
                .toList();
    }

    /** How many rows would go. */
    public long matchedRows() {
        return parts.stream().mapToLong(Part::matched).sum();
    }

    /** Bytes that files and positions take when written down. */
    public long sizeBytes() {
        var codec = new FileTaskCodec(table.metadata());
        return parts.stream()
                .map(part -> new FilesToSettle.Part(0, part.task(), part.positions(), settings.rewriting()))
                .mapToLong(part -> FilesToSettle.of(List.of(part), codec).sizeBytes())
                .sum();
    }

    /**
     * Deletes exactly the rows that were counted, and compares with what was committed since, by the isolation level of DELETE. Rows
     * that others deleted from the same files do not matter, rows that are among the counted ones do.
     *
     * @throws dev.calve.commit.CommitConflictException if a counted row is gone or may have been changed, or, at {@code
     *     serializable}, a row may have been added that would have been counted
     * @throws IllegalStateException if it was called before
     */
    public CommitOutcome commit(SparkSession session) {
        if (committed) {
            throw new IllegalStateException(
                    "A plan must be committed once, but this one of " + table.name() + " was before.");
        }
        committed = true;
        if (parts.isEmpty()) {
            return new CommitOutcome.NothingToDo();
        }
        UUID statementId = UUID.randomUUID();
        var ledger = new FileLedger(table.storage());
        var statement = new Statement(statementId, "DELETE", Optional.of(settings.isolation()), ledger)
                .orInstead("plan the DELETE again");
        var commit = new TableCommit(WriteAuditPublish.staged(table).target(), statement, Clock.systemUTC());
        var job =
                new SettleJob(table, statementId, ledger, session, "DELETE FROM " + table.name(), settings.modeSetBy());
        try {
            TableState newest = table.committer().load();
            List<Conflict> since = foreseen(commit, newest.metadata());
            RowChange change = settled(job, session, since.isEmpty() ? parts : as(newest.metadata()));
            if (!isExact(change.counts())) {
                throw commit.refused(since);
            }
            var settlement =
                    new SettleInSpark(table.storage(), ledger, statementId, SnapshotSummaries.createdBy(session), job);
            return commit.commit(
                    change.toSnapshotChange(), exactly(SettleAgain.of(table.storage(), change, settlement)));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot commit the plan of a DELETE from " + table.name() + ": " + e.getMessage(), e);
        } catch (Throwable e) {
            // Not only unchecked ones: a job that fails throws SparkException, which no method of Spark's declares.
            abandon(ledger, e);
            throw e;
        }
    }

    /**
     * What was done to the plan's files since, before any of them is read again: they may be gone.
     *
     * @return deletes of rows; whatever else there is, is refused
     */
    private List<Conflict> foreseen(TableCommit commit, TableMetadata found) throws IOException {
        List<WholeFile> files = parts.stream()
                .map(part -> new WholeFile(part.task(), OptionalLong.of(part.live())))
                .toList();
        RowChange preview = RowChange.delete(base, scope(), List.of(), files, Map.of());
        List<Conflict> since = commit.foresee(preview.toSnapshotChange(), found);
        List<Conflict> others = since.stream()
                .filter(conflict -> !(conflict instanceof Conflict.RowsDeleted))
                .toList();
        if (!others.isEmpty()) {
            throw commit.refused(others);
        }
        return since;
    }

    /** The parts with the deletes their files have by now: those they had may be gone. */
    private List<Part> as(TableMetadata found) throws IOException {
        Snapshot head = found.commitParent(base.ref()).orElseThrow();
        List<FileTask> planned = parts.stream().map(Part::task).toList();
        Map<String, FileTask> now = new ScanPlanner(table.storage(), found, head)
                .lookUp(planned).stream()
                        .collect(Collectors.toMap(task -> task.file().path(), task -> task));
        return parts.stream()
                .map(part -> {
                    FileTask task = part.task();
                    FileTask current =
                            Objects.requireNonNull(now.get(task.file().path()));
                    return new Part(
                            new FileTask(
                                    task.entry(),
                                    task.manifest(),
                                    current.deletes(),
                                    task.residual(),
                                    task.everyRowMatches()),
                            part.positions(),
                            part.deleted(),
                            part.live(),
                            part.matched());
                })
                .toList();
    }

    private Scope scope() {
        return Scope.of(filter, settings.isolation().level());
    }

    private static void abandon(FileLedger ledger, Throwable failure) {
        try {
            ledger.abort();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private RowChange settled(SettleJob job, SparkSession session, List<Part> planned) {
        var whole = new ArrayList<WholeFile>();
        var tasks = new ArrayList<FileTask>();
        var files = new ArrayList<FilesToSettle.Part>();
        for (Part part : planned) {
            if (part.positions().isEmpty()) {
                whole.add(new WholeFile(part.task(), OptionalLong.of(part.live())));
            } else {
                files.add(new FilesToSettle.Part(tasks.size(), part.task(), part.positions(), settings.rewriting()));
                tasks.add(part.task());
            }
        }
        List<Outcome> outcomes = job.run(table.metadata(), files, Optional.empty());
        return RowChange.delete(base, scope(), Touched.of(tasks, outcomes), whole, SnapshotSummaries.of(session));
    }

    /** A change settled again for what others committed counts only if it deletes as many rows as were counted. */
    private Resettle exactly(SettleAgain again) {
        return (found, conflicts, change) -> {
            Optional<SnapshotChange> next = again.against(found, conflicts, change);
            if (next.isEmpty() || !isExact(next.get().rowCounts())) {
                throw new Resettle.Refused(conflicts);
            }
            return next;
        };
    }

    private boolean isExact(RowCounts counts) {
        return counts.deleted().equals(OptionalLong.of(matchedRows()));
    }
}
