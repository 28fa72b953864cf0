package dev.calve.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.ConflictRule.Place;
import dev.calve.commit.CopyCounts;
import dev.calve.commit.Removal;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a DELETE, UPDATE or MERGE did: the rows that go, by file and position, and the files that come. Holds the positions of
 * all touched files in memory, compressed.
 *
 * @param wholeFiles files all of whose rows go by their metadata; only a DELETE has some
 * @param newRows files of rows that are new or come back with new values; never survivors of a rewritten file
 * @param updatedRows how many of the rows that go come back in {@code newRows}
 * @param summary further entries of the snapshot's summary
 * @param countsRowsThatGo whether the rows that go are counted; false once others deleted keys that may be among them, because
 *     a DELETE does not evaluate keys it need not know
 */
public record RowChange(
        Command command,
        ReadPoint base,
        Scope scope,
        List<Touched> touched,
        List<WholeFile> wholeFiles,
        List<DataFile> newRows,
        long updatedRows,
        Map<String, String> summary,
        boolean countsRowsThatGo) {

    /** What was asked for, which decides what a concurrent change means. */
    public enum Command {
        /** Only removes rows: a row somebody else removed too is no contradiction. */
        DELETE,
        /** Rows that go come back with new values: nobody else may have changed them. */
        UPDATE,
        /** As an update; rows that are not matched are inserted. */
        MERGE
    }

    public RowChange {
        touched = List.copyOf(touched);
        wholeFiles = List.copyOf(wholeFiles);
        newRows = List.copyOf(newRows);
        summary = Collections.unmodifiableMap(new LinkedHashMap<>(summary));
        if (command == Command.DELETE && !newRows.isEmpty()) {
            throw new IllegalArgumentException(
                    "A DELETE must not add rows, but adds " + newRows.get(0).path() + ".");
        }
        if (command != Command.DELETE && !wholeFiles.isEmpty()) {
            throw new IllegalArgumentException(command + " must look at the rows that go, but "
                    + wholeFiles.get(0).task().file().path() + " goes unseen.");
        }
        long coming = newRows.stream().mapToLong(DataFile::recordCount).sum();
        long going =
                touched.stream().mapToLong(file -> file.outcome().deletedRows()).sum();
        if (updatedRows < 0 || updatedRows > coming || updatedRows > going) {
            throw new IllegalArgumentException("Updated rows must be among those that go and those that come, but "
                    + updatedRows + " are updated, " + going + " go and " + coming + " come.");
        }
        long paths = Stream.concat(
                        touched.stream().map(Touched::task), wholeFiles.stream().map(WholeFile::task))
                .map(task -> task.file().path())
                .distinct()
                .count();
        if (paths != touched.size() + wholeFiles.size()) {
            throw new IllegalArgumentException("A data file must be settled once, but of " + touched.size() + " and "
                    + wholeFiles.size() + " files only " + paths + " differ.");
        }
    }

    /** A change as it was settled first. */
    public RowChange(
            Command command,
            ReadPoint base,
            Scope scope,
            List<Touched> touched,
            List<WholeFile> wholeFiles,
            List<DataFile> newRows,
            long updatedRows,
            Map<String, String> summary) {
        this(command, base, scope, touched, wholeFiles, newRows, updatedRows, summary, true);
    }

    /** A DELETE. */
    public static RowChange delete(
            ReadPoint base,
            Scope scope,
            List<Touched> touched,
            List<WholeFile> wholeFiles,
            Map<String, String> summary) {
        return new RowChange(Command.DELETE, base, scope, touched, wholeFiles, List.of(), 0, summary);
    }

    /** An UPDATE: as many rows come as go. */
    public static RowChange update(
            ReadPoint base, Scope scope, List<Touched> touched, List<DataFile> newRows, Map<String, String> summary) {
        long rows = newRows.stream().mapToLong(DataFile::recordCount).sum();
        return new RowChange(Command.UPDATE, base, scope, touched, List.of(), newRows, rows, summary);
    }

    /** Whether nothing goes and nothing comes. */
    public boolean isEmpty() {
        return touched.isEmpty() && wholeFiles.isEmpty() && newRows.isEmpty();
    }

    /** Rows that go, exactly; empty if equality deletes hide how many there are. */
    OptionalLong goingRows() {
        if (!countsRowsThatGo) {
            return OptionalLong.empty();
        }
        long rows = 0;
        for (WholeFile file : wholeFiles) {
            if (file.liveRows().isEmpty()) {
                return OptionalLong.empty();
            }
            rows += file.liveRows().getAsLong();
        }
        for (Touched file : touched) {
            rows += file.outcome().deletedRows();
        }
        return OptionalLong.of(rows);
    }

    /** The change to commit. Pure. */
    public SnapshotChange toSnapshotChange() {
        var removed = new ArrayList<Removal.Known>();
        var addedData = new ArrayList<AddedData>();
        var addedDeletes = new DeletesToAdd();
        newRows.forEach(file -> addedData.add(AddedData.ofNewRows(file)));
        for (Touched file : touched) {
            if (file.outcome() instanceof Outcome.Deletes deletes) {
                addedDeletes.add(
                        new AddedDelete(deletes.file(), file.absorbed(), Optional.of(Touched.known(file.task()))));
                continue;
            }
            removed.add(Touched.known(file.task()));
            if (file.outcome() instanceof Outcome.Rewritten rewritten) {
                // Deletes up to the snapshot read were applied by the rewrite; later equality deletes must still apply.
                rewritten
                        .files()
                        .forEach(written ->
                                addedData.add(new AddedData(written, OptionalLong.of(base.sequenceNumber()))));
            }
        }
        wholeFiles.forEach(file -> removed.add(Touched.known(file.task())));
        return new SnapshotChange(
                        operation(!addedData.isEmpty(), !addedDeletes.all().isEmpty() || !removed.isEmpty()),
                        base.ref(),
                        base.snapshotId(),
                        base.formatVersion(),
                        addedData,
                        addedDeletes.all(),
                        removed.isEmpty() ? List.of() : List.of(new Removal.Files(removed)),
                        rules(),
                        summary)
                .withRowCounts(counts())
                .withCopies(copies());
    }

    /** How many rows the statement touches, once it is committed; what is not exactly known is left open. */
    public RowCounts counts() {
        long comingRows = newRows.stream().mapToLong(DataFile::recordCount).sum();
        long copied = 0;
        for (Touched file : touched) {
            if (file.outcome() instanceof Outcome.Rewritten rewritten) {
                copied += rewritten.files().stream()
                        .mapToLong(DataFile::recordCount)
                        .sum();
            }
        }
        OptionalLong going = goingRows();
        return RowCounts.none()
                .withDeleted(going.isPresent() ? OptionalLong.of(going.getAsLong() - updatedRows) : going)
                .withUpdated(OptionalLong.of(updatedRows))
                .withInserted(OptionalLong.of(comingRows - updatedRows))
                .withCopied(OptionalLong.of(copied));
    }

    private CopyCounts copies() {
        RewriteCounts counts = RewriteCounts.NONE;
        long files = 0;
        for (Touched file : touched) {
            if (file.outcome() instanceof Outcome.Rewritten rewritten) {
                counts = counts.plus(rewritten.counts());
                files++;
            }
        }
        return new CopyCounts(files, counts.bytesCopied(), counts.bytesEncoded());
    }

    private static Operation operation(boolean adds, boolean removes) {
        if (adds) {
            return removes ? Operation.OVERWRITE : Operation.APPEND;
        }
        return Operation.DELETE;
    }

    private List<ConflictRule> rules() {
        var rules = new ArrayList<ConflictRule>();
        Map<String, Place> files = places(Stream.concat(
                touched.stream().map(Touched::task), wholeFiles.stream().map(WholeFile::task)));
        if (!files.isEmpty()) {
            rules.add(new ConflictRule.FilesStillThere(files));
            rules.add(new ConflictRule.DeletesUnchanged(files));
            // For a DELETE only its counters depend on them.
            rules.add(new ConflictRule.NoNewEqualityDeletes(files, scope.filter()));
        }
        Map<String, Place> withoutIds =
                places(touched.stream().filter(this::mustNotGetRowIds).map(Touched::task));
        if (!withoutIds.isEmpty()) {
            rules.add(new ConflictRule.RowIdsStillUnassigned(withoutIds));
        }
        if (scope.isSerializable()) {
            rules.add(new ConflictRule.NoNewDataMatching(scope.filter()));
            if (!scope.alsoRead().isEmpty()) {
                rules.add(new ConflictRule.NoRowsDeletedIn(places(scope.alsoRead().stream()), scope.filter()));
            }
        }
        return rules;
    }

    /** Rows that were written without the ids they had not got yet: an id assigned since would change with this commit. */
    boolean mustNotGetRowIds(Touched file) {
        return file.file().firstRowId().isEmpty() && (file.isRewritten() || command != Command.DELETE);
    }

    private static Map<String, Place> places(Stream<FileTask> tasks) {
        return tasks.collect(Collectors.toMap(task -> task.file().path(), Touched::place));
    }

    /** The same statement with other outcomes, made for a later snapshot. */
    RowChange settledAgain(ReadPoint newBase, Scope newScope, List<Touched> newTouched, List<WholeFile> newWholeFiles) {
        return new RowChange(
                command, newBase, newScope, newTouched, newWholeFiles, newRows, updatedRows, summary, countsRowsThatGo);
    }

    /** The same change, of which it is no longer known how many rows go. */
    RowChange uncounted() {
        return new RowChange(command, base, scope, touched, wholeFiles, newRows, updatedRows, summary, false);
    }
}
