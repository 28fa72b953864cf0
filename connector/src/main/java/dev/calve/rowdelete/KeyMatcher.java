package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.scan.FileTask;
import java.io.IOException;

/** Says which rows of a file are deleted by equality deletes. The engine implements it with its own readers. */
public interface KeyMatcher {

    /**
     * Looks up the keys of a file's rows in the equality deletes of its task.
     *
     * @param deleted positions deleted otherwise
     * @return positions deleted by key; none of them is in {@code deleted}
     */
    PositionBitmap deletedByKey(FileTask task, PositionBitmap deleted) throws IOException;
}
