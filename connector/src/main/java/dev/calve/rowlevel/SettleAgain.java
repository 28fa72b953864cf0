package dev.calve.rowlevel;

import dev.calve.commit.Conflict;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.metadata.Snapshot;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.rowlevel.RowChange.Command;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reconciles a {@link RowChange} with what others committed, per row. Holds the change as it stands; one per statement, for
 * one thread.
 *
 * <table>
 * <caption>What a concurrent change means</caption>
 * <tr><th></th><th>DELETE</th><th>UPDATE, MERGE</th></tr>
 * <tr><td>other rows of a touched file deleted</td><td colspan=2>settle again</td></tr>
 * <tr><td>the same rows deleted</td><td>settle the rest, if there is any</td><td>refuse, naming them</td></tr>
 * <tr><td>the same rows updated</td><td>serializable: as deleted, because new data that may match is a conflict of its own;
 *     snapshot: plan anew</td><td>refuse, naming them</td></tr>
 * <tr><td>touched file gone, new data, history unknown</td><td>plan anew</td><td>refuse</td></tr>
 * <tr><td>keys deleted that may be ours</td><td>rows are no longer counted</td><td>refuse</td></tr>
 * <tr><td>row ids assigned</td><td>write again</td><td>refuse</td></tr>
 * <tr><td>table upgraded</td><td colspan=2>settle again what was settled beside the file</td></tr>
 * <tr><td>serializable: rows deleted in a file that was also read</td><td colspan=2>refuse, unless they do not match</td></tr>
 * <tr><td>serializable: a file that was also read replaced, and anything else</td><td colspan=2>refuse</td></tr>
 * </table>
 *
 * <p>Cost: for the files that others touched, their manifests, their deletes, and what settling writes; for files that were
 * also read, their manifests.
 */
public final class SettleAgain implements Resettle {

    private final Storage storage;
    private final Settlement settlement;
    private final Optional<Replan> replan;
    private final Optional<RowMatcher> read;
    private RowChange current;

    /** Runs a DELETE again on the state found. */
    public interface Replan {

        /**
         * Plans and settles anew.
         *
         * @param conflicts why {@code stale} cannot be committed
         * @return a change made for the state found; empty if nothing is left to delete
         */
        Optional<RowChange> against(TableState found, List<Conflict> conflicts, RowChange stale) throws IOException;
    }

    private SettleAgain(
            Storage storage,
            RowChange change,
            Settlement settlement,
            Optional<Replan> replan,
            Optional<RowMatcher> read) {
        this.storage = storage;
        this.current = change;
        this.settlement = settlement;
        this.replan = replan;
        this.read = read;
    }

    public static SettleAgain of(Storage storage, RowChange change, Settlement settlement) {
        return new SettleAgain(storage, change, settlement, Optional.empty(), Optional.empty());
    }

    /** A DELETE that can run again where settling again is not enough. */
    public SettleAgain orElse(Replan anew) {
        return new SettleAgain(storage, current, settlement, Optional.of(anew), read);
    }

    /**
     * A statement that can tell whether rows deleted meanwhile were among those it read.
     *
     * @param reading says for which rows the filter of the scope is TRUE
     */
    public SettleAgain showing(RowMatcher reading) {
        return new SettleAgain(storage, current, settlement, replan, Optional.of(reading));
    }

    /** The change as it stands: what was handed in, or what became of it. */
    public RowChange current() {
        return current;
    }

    /** True if only deletes beside files are to be written, by this thread. */
    @Override
    public boolean isQuick(List<Conflict> conflicts) {
        var news = new News(conflicts);
        return settlement.isQuick()
                && conflicts.stream().allMatch(this::canSettle)
                && current.touched().stream().noneMatch(file -> file.isRewritten() && mustSettle(file, news));
    }

    @Override
    public Optional<SnapshotChange> against(TableState found, List<Conflict> conflicts, SnapshotChange change)
            throws IOException, Refused {
        Optional<RowChange> next = reconciled(found, conflicts).filter(again -> !again.isEmpty());
        if (next.isPresent()) {
            current = next.get();
        }
        return next.map(RowChange::toSnapshotChange);
    }

    private Optional<RowChange> reconciled(TableState found, List<Conflict> conflicts) throws IOException, Refused {
        List<Conflict> beyond =
                conflicts.stream().filter(conflict -> !canSettle(conflict)).toList();
        Optional<Snapshot> head = found.metadata().commitParent(current.base().ref());
        if (!beyond.isEmpty() || head.isEmpty()) {
            return planAnew(found, beyond.isEmpty() ? conflicts : beyond);
        }
        var news = new News(conflicts);
        if (!settlement.canRewrite()
                && current.touched().stream().anyMatch(file -> file.isRewritten() && mustSettle(file, news))) {
            return planAnew(found, conflicts);
        }
        Map<String, FileTask> now = new HashMap<>();
        for (FileTask task : new ScanPlanner(storage, found.metadata(), head.get()).lookUp(toLookUp(news))) {
            now.put(task.file().path(), task);
        }
        List<Conflict> gone = new ArrayList<>();
        for (FileTask task : toLookUp(news)) {
            if (!now.containsKey(task.file().path())) {
                gone.add(new Conflict.DataFileRemoved(
                        other(head.get()), task.file().path()));
            }
        }
        if (!gone.isEmpty()) {
            return planAnew(found, gone);
        }
        return judged(found, head.get(), news, now);
    }

    /** What others did, by file. */
    private static final class News {
        private final Map<String, List<Conflict.RowsDeleted>> deleted = new LinkedHashMap<>();
        private final Set<String> rowIds = new LinkedHashSet<>();
        private boolean upgraded;
        private boolean keysDeleted;

        News(List<Conflict> conflicts) {
            for (Conflict conflict : conflicts) {
                if (conflict instanceof Conflict.RowsDeleted rows) {
                    deleted.computeIfAbsent(rows.dataFile(), path -> new ArrayList<>())
                            .add(rows);
                } else if (conflict instanceof Conflict.RowIdsAssigned assigned) {
                    rowIds.add(assigned.dataFile());
                } else if (conflict instanceof Conflict.FormatChanged) {
                    upgraded = true;
                } else if (conflict instanceof Conflict.KeysDeleted) {
                    keysDeleted = true;
                }
            }
        }
    }

    private boolean canSettle(Conflict conflict) {
        if (conflict instanceof Conflict.RowsDeleted rows) {
            // A file unknown here was made, by a compaction, of files that were read.
            return current.scope().alsoRead().isEmpty() || isKnown(rows.dataFile());
        }
        boolean onlyRemoves = current.command() == Command.DELETE;
        return conflict instanceof Conflict.FormatChanged
                || (conflict instanceof Conflict.RowIdsAssigned && onlyRemoves)
                || (conflict instanceof Conflict.KeysDeleted
                        && onlyRemoves
                        && !(current.scope().isSerializable()
                                && !current.scope().alsoRead().isEmpty()));
    }

    private boolean isKnown(String path) {
        return current.touched().stream().anyMatch(file -> file.path().equals(path))
                || current.wholeFiles().stream()
                        .anyMatch(file -> file.task().file().path().equals(path))
                || current.scope().alsoRead().stream()
                        .anyMatch(task -> task.file().path().equals(path));
    }

    private boolean mustSettle(Touched file, News news) {
        return news.deleted.containsKey(file.path())
                || news.rowIds.contains(file.path())
                || (news.upgraded && file.outcome() instanceof Outcome.Deletes);
    }

    private List<FileTask> toLookUp(News news) {
        Map<String, FileTask> tasks = new LinkedHashMap<>();
        for (Touched file : current.touched()) {
            if (mustSettle(file, news)) {
                tasks.put(file.path(), file.task());
            }
        }
        for (WholeFile file : current.wholeFiles()) {
            if (news.deleted.containsKey(file.task().file().path())) {
                tasks.put(file.task().file().path(), file.task());
            }
        }
        if (current.scope().isSerializable()) {
            // All of them: from here on only later snapshots are compared, and those do not tell where the rows of a
            // file
            // went that a compaction replaced before.
            for (FileTask task : current.scope().alsoRead()) {
                tasks.put(task.file().path(), task);
            }
        }
        return List.copyOf(tasks.values());
    }

    /** Compares positions; only when nothing speaks against it is anything written. */
    private Optional<RowChange> judged(TableState found, Snapshot head, News news, Map<String, FileTask> now)
            throws IOException, Refused {
        var overlaps = new ArrayList<Conflict>();
        var kept = new ArrayList<Touched>();
        var parts = new ArrayList<Settlement.Part>();
        for (Touched file : current.touched()) {
            if (!mustSettle(file, news)) {
                kept.add(file);
                continue;
            }
            FileTask task = Objects.requireNonNull(now.get(file.path()));
            PositionBitmap gone = gone(file, task);
            overlaps.addAll(overlaps(file, gone, news, head));
            var left = file.positions().copy();
            left.andNot(gone);
            if (!left.isEmpty()) {
                parts.add(new Settlement.Part(task, gone, left, file.isRewritten()));
            }
        }
        var wholeFiles = new ArrayList<WholeFile>();
        for (WholeFile file : current.wholeFiles()) {
            String path = file.task().file().path();
            overlaps.addAll(movedFrom(path, news));
            FileTask task = now.get(path);
            wholeFiles.add(task == null ? file : WholeFile.of(storage, task));
        }
        if (!overlaps.isEmpty()) {
            return planAnew(found, overlaps);
        }
        Scope scope = reread(news, now);
        if (!parts.isEmpty()) {
            kept.addAll(Touched.of(
                    parts.stream().map(Settlement.Part::task).toList(), settlement.settle(found.metadata(), parts)));
        }
        RowChange again = current.settledAgain(current.base().at(found.metadata(), head), scope, kept, wholeFiles);
        return Optional.of(news.keysDeleted ? again.uncounted() : again);
    }

    /**
     * What is deleted in a file by now. Rows that are to be written again must not include such as are deleted by key; beside a
     * file those need not be known, because none of them is among the rows the statement deleted.
     */
    private PositionBitmap gone(Touched file, FileTask task) throws IOException {
        return file.isRewritten() && !settlement.evaluatesKeys()
                ? ExistingDeletes.of(storage, task, current.base().sequenceNumber())
                : ExistingDeletes.byPosition(storage, task);
    }

    /** Rows of a file that others changed too and that stand in the way. */
    private List<Conflict> overlaps(Touched file, PositionBitmap gone, News news, Snapshot head) throws IOException {
        var both = file.positions().copy();
        both.and(gone);
        // At serializable, data added that may hold the row under its new values has been reported as such.
        if (both.isEmpty()
                || (current.command() == Command.DELETE && current.scope().isSerializable())) {
            return List.of();
        }
        List<Conflict.RowsDeleted> deleted = news.deleted.getOrDefault(file.path(), List.of());
        if (deleted.isEmpty()) {
            return List.of(new Conflict.RowsOverlap(other(head), file.path(), both));
        }
        List<Conflict.RowsOverlap> overlaps = Blame.of(storage, file.path(), deleted, both);
        return overlaps.stream()
                .filter(overlap ->
                        current.command() != Command.DELETE || overlap.by().addsData())
                .map(overlap -> (Conflict) overlap)
                .toList();
    }

    /** Rows of a whole file that may live on elsewhere. */
    private List<Conflict> movedFrom(String path, News news) {
        if (current.scope().isSerializable()) {
            return List.of();
        }
        return news.deleted.getOrDefault(path, List.of()).stream()
                .filter(rows -> rows.by().addsData())
                .map(rows -> (Conflict) rows)
                .toList();
    }

    /** The scope once it is shown that rows deleted in files that were also read had not been among those read. */
    private Scope reread(News news, Map<String, FileTask> now) throws IOException, Refused {
        Scope scope = current.scope();
        if (!scope.isSerializable() || scope.alsoRead().isEmpty()) {
            return scope;
        }
        var reread = new ArrayList<FileTask>();
        for (FileTask before : scope.alsoRead()) {
            List<Conflict.RowsDeleted> deleted =
                    news.deleted.getOrDefault(before.file().path(), List.of());
            FileTask task = Objects.requireNonNull(now.get(before.file().path()));
            if (!deleted.isEmpty() && (read.isEmpty() || readAny(read.get(), before, task))) {
                throw new Refused(List.copyOf(deleted));
            }
            reread.add(task);
        }
        return new Scope(scope.filter(), scope.isolation(), reread);
    }

    private boolean readAny(RowMatcher reading, FileTask before, FileTask task) throws IOException {
        PositionBitmap old = ExistingDeletes.byPosition(storage, before);
        PositionBitmap since = ExistingDeletes.byPosition(storage, task);
        since.andNot(old);
        var others = new PositionBitmap();
        others.addRange(0, task.file().recordCount());
        others.andNot(since);
        return !reading.matches(task, others).isEmpty();
    }

    private Optional<RowChange> planAnew(TableState found, List<Conflict> conflicts) throws IOException, Refused {
        if (replan.isEmpty() || current.command() != Command.DELETE) {
            throw new Refused(conflicts);
        }
        return replan.get().against(found, conflicts, current);
    }

    /** Somebody before the head did it; who, nobody said. */
    private Conflict.Other other(Snapshot head) {
        return new Conflict.Other(head.id(), head.operation(), current.base().snapshotId(), true);
    }
}
