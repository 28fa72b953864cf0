package dev.calve.rowlevel;

import dev.calve.commit.Conflict;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.manifest.DeleteFile;
import dev.calve.rowdelete.ExistingDeletes;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Who deleted which rows of one file. */
final class Blame {

    private Blame() {}

    /**
     * Splits rows by the snapshot that deleted them. Reads nothing if only one snapshot can have done it, else the deletes each of
     * them added.
     *
     * @param deleted conflicts about this data file, newest snapshot first, at least one
     * @param rows positions of rows that are deleted now and were not before these snapshots
     * @return in the order of history. Rows nobody can be found for, because a delete file was cleaned up since, are put on a
     *     snapshot that adds data, if there is one, for that is the worst that can have happened
     */
    static List<Conflict.RowsOverlap> of(
            Storage storage, String dataFile, List<Conflict.RowsDeleted> deleted, PositionBitmap rows)
            throws IOException {
        if (deleted.size() == 1) {
            return List.of(new Conflict.RowsOverlap(deleted.get(0).by(), dataFile, rows));
        }
        var overlaps = new ArrayList<Conflict.RowsOverlap>();
        var left = rows.copy();
        for (int i = deleted.size() - 1; i >= 0 && !left.isEmpty(); i--) {
            PositionBitmap theirs = rowsOf(storage, dataFile, deleted.get(i).deletes());
            theirs.and(left);
            if (!theirs.isEmpty()) {
                overlaps.add(new Conflict.RowsOverlap(deleted.get(i).by(), dataFile, theirs));
                left.andNot(theirs);
            }
        }
        if (!left.isEmpty()) {
            Conflict.Other worst = deleted.stream()
                    .map(Conflict.RowsDeleted::by)
                    .filter(Conflict.Other::addsData)
                    .findFirst()
                    .orElse(deleted.get(0).by());
            overlaps.add(new Conflict.RowsOverlap(worst, dataFile, left));
        }
        return overlaps;
    }

    private static PositionBitmap rowsOf(Storage storage, String dataFile, List<DeleteFile> deletes)
            throws IOException {
        var rows = new PositionBitmap();
        for (DeleteFile file : deletes) {
            rows.or(rowsOf(storage, dataFile, file));
        }
        return rows;
    }

    /** Nothing if the file was superseded and cleaned up since: the caller gets its rows as left over. */
    private static PositionBitmap rowsOf(Storage storage, String dataFile, DeleteFile deletes) throws IOException {
        try {
            return ExistingDeletes.in(storage, deletes, dataFile);
        } catch (FileNotFoundException e) {
            return new PositionBitmap();
        }
    }
}
