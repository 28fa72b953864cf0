package dev.calve.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import java.io.IOException;
import java.util.List;

/** Where positions are settled after a conflict: in this thread, or by tasks of an engine. */
public interface Settlement {

    /**
     * Positions that go from one file.
     *
     * @param task as the snapshot found has it
     * @param deletedBefore what is deleted in that snapshot
     * @param positions what goes now; none of it is in {@code deletedBefore}
     * @param rewrite whether the rows that stay are to be written again, instead of deletes in place
     */
    record Part(FileTask task, PositionBitmap deletedBefore, PositionBitmap positions, boolean rewrite) {}

    /**
     * Settles the parts for the state found. Every file is in the statement's ledger before it is created, so that whatever
     * happens it is found again.
     *
     * @return one outcome per part, numbered as the list is, in any order
     */
    List<Outcome> settle(TableMetadata found, List<Part> parts) throws IOException;

    /** Whether rows can be written again here; if not, a statement whose rewritten files others deleted from plans anew. */
    default boolean canRewrite() {
        return true;
    }

    /** Whether rows deleted by key are found here when rows are written again; if not, {@link Part} names them too. */
    default boolean evaluatesKeys() {
        return false;
    }

    /** Whether deletes beside a few files are written in moments, so that other writers may be kept waiting meanwhile. */
    default boolean isQuick() {
        return false;
    }
}
