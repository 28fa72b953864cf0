package dev.calve.it;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.FileLedger;
import dev.calve.commit.MetadataCommit;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.SurvivorWriter;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.SettleAgain;
import dev.calve.rowlevel.SettleHere;
import dev.calve.rowlevel.Settlement;
import dev.calve.rowlevel.Touched;
import dev.calve.scan.FileTask;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** One statement on a {@link CoreTable}, from the first file it writes to the end of its clean-up. */
final class CoreStatement {

    /** Number of the task that writes new rows; another one settles. */
    private static final int ROWS = 1;

    private final CoreTable table;
    private final LoadedTable read;
    private final UUID id;
    private final FileLedger ledger;
    private final Settlement settlement;

    /** Reads the table. */
    CoreStatement(CoreTable table, UUID id) throws IOException {
        this.table = table;
        this.read = table.load();
        this.id = id;
        this.ledger = new FileLedger(table.storage());
        this.settlement = new SettleHere(
                table.storage(),
                ledger,
                id,
                0,
                (storage, metadata, names) -> (task, gone) -> new SurvivorWriter.Survivors(
                        List.of(table.writeSurvivors(storage, metadata, names, task, gone)), RewriteCounts.NONE),
                "calve-it");
    }

    /** Adds a file of {@code count} rows for each id. */
    CommitOutcome append(int count, long... firstIds) throws IOException {
        List<DataFile> files = write(count, firstIds);
        var change = SnapshotChange.append(SnapshotRef.MAIN, read.metadata().formatVersion(), files, Map.of());
        return commit("INSERT", change, Resettle.never());
    }

    private List<DataFile> write(int count, long... firstIds) throws IOException {
        var names = new FileNames(read.metadata(), id, ROWS, 0);
        var files = new ArrayList<DataFile>();
        for (long firstId : firstIds) {
            DataFile file = table.write(read.metadata(), names, firstId, count);
            ledger.wrote(file.path());
            files.add(file);
        }
        return files;
    }

    /** Deletes the rows that have one of the ids, beside their files. */
    CommitOutcome delete(Set<Long> ids) throws IOException {
        return commit("DELETE", RowChange.delete(base(), scope(), settle(ids, false), List.of(), Map.of()));
    }

    /**
     * Replaces the rows that have one of the ids by a file of {@code count} rows.
     *
     * @param rewrite whether files with rows that stay are written again
     */
    CommitOutcome merge(Set<Long> ids, boolean rewrite, int count, long firstId) throws IOException {
        List<Touched> touched = settle(ids, rewrite);
        List<DataFile> added = write(count, firstId);
        long going =
                touched.stream().mapToLong(file -> file.outcome().deletedRows()).sum();
        var change = new RowChange(
                RowChange.Command.MERGE, base(), scope(), touched, List.of(), added, Math.min(going, count), Map.of());
        return commit("MERGE", change);
    }

    private ReadPoint base() {
        return ReadPoint.of(read.metadata(), SnapshotRef.MAIN);
    }

    private static Scope scope() {
        return Scope.of(Expression.Constant.TRUE, IsolationLevel.SERIALIZABLE);
    }

    private List<Touched> settle(Set<Long> ids, boolean rewrite) throws IOException {
        var tasks = new ArrayList<FileTask>();
        var parts = new ArrayList<Settlement.Part>();
        for (FileTask task : table.plan(read.metadata())) {
            PositionBitmap positions = positions(task.file(), ids);
            PositionBitmap deleted = ExistingDeletes.of(table.storage(), task);
            positions.andNot(deleted);
            if (!positions.isEmpty()) {
                tasks.add(task);
                parts.add(new Settlement.Part(task, deleted, positions, rewrite));
            }
        }
        return Touched.of(tasks, settlement.settle(read.metadata(), parts));
    }

    private static PositionBitmap positions(DataFile file, Set<Long> ids) {
        var positions = new PositionBitmap();
        for (long id : ids) {
            CoreTable.position(file, id).ifPresent(positions::add);
        }
        return positions;
    }

    private CommitOutcome commit(String command, RowChange change) {
        return commit(command, change.toSnapshotChange(), SettleAgain.of(table.storage(), change, settlement));
    }

    private CommitOutcome commit(String command, SnapshotChange change, Resettle resettle) {
        var statement = Statement.of(id, command, ledger);
        return new TableCommit(read.target(), statement, Clock.systemUTC()).commit(change, resettle);
    }

    /** Sets properties; adds no snapshot. */
    void set(Map<String, String> properties) throws IOException {
        new MetadataCommit(id, read.name(), read.metadata().uuid(), read.committer(), Clock.systemUTC())
                .commit(found -> found.properties().entrySet().containsAll(properties.entrySet())
                        ? List.of()
                        : List.of(new MetadataUpdate.SetProperties(properties)));
    }
}
