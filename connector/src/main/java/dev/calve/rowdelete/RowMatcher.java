package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.scan.FileTask;
import java.io.IOException;

/** Says which rows of a file a statement's predicate is TRUE for. The engine implements it with its own expression code. */
public interface RowMatcher {

    /**
     * Evaluates the predicate on the rows that are not deleted.
     *
     * @param deleted positions of rows that do not exist any more; the predicate must not be evaluated on them, since it could
     *     fail there
     * @return positions for which the predicate is TRUE; none of them is in {@code deleted}
     */
    PositionBitmap matches(FileTask task, PositionBitmap deleted) throws IOException;
}
