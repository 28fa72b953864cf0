package dev.calve.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An overwrite of part of a table: rows that go as if they were deleted, and rows that come whatever was there.
 *
 * @param going the rows that go, as a DELETE that looks at nothing but the files they are in
 * @param newRows files of the rows that come
 * @param additions which files of others would have held rows to replace as well; empty if those are to stay
 */
public record Overwrite(RowChange going, List<DataFile> newRows, Optional<ConflictRule> additions) {

    public Overwrite {
        newRows = List.copyOf(newRows);
        if (going.command() != RowChange.Command.DELETE) {
            throw new IllegalArgumentException(
                    "Rows that an overwrite replaces must go like deleted ones, not by " + going.command() + ".");
        }
        if (going.scope().isSerializable()) {
            throw new IllegalArgumentException(
                    "Which new files matter to an overwrite must be said by its rule alone.");
        }
    }

    /** Whether nothing goes and nothing comes. */
    public boolean isEmpty() {
        return going.isEmpty() && newRows.isEmpty();
    }

    /** The change to commit: an {@code overwrite} if it brings rows, even where there were none. Pure. */
    public SnapshotChange toSnapshotChange() {
        SnapshotChange removes = going.toSnapshotChange();
        var addedData = new ArrayList<AddedData>();
        newRows.forEach(file -> addedData.add(AddedData.ofNewRows(file)));
        addedData.addAll(removes.addedData());
        var rules = new ArrayList<ConflictRule>(removes.rules());
        additions.ifPresent(rules::add);
        return new SnapshotChange(
                addedData.isEmpty() ? Operation.DELETE : Operation.OVERWRITE,
                removes.ref(),
                removes.readSnapshotId(),
                removes.settledForFormat(),
                addedData,
                removes.addedDeletes(),
                removes.removals(),
                rules,
                removes.summary(),
                counts(going.counts(), newRows),
                removes.copies());
    }

    /** What goes, with the rows of new files as inserted ones. */
    public static RowCounts counts(RowCounts going, List<DataFile> newRows) {
        return going.withInserted(OptionalLong.of(
                newRows.stream().mapToLong(DataFile::recordCount).sum()));
    }
}
