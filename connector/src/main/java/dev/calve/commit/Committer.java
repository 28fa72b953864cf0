package dev.calve.commit;

import java.io.IOException;

/** The atomic swap of one table's metadata, as its catalog does it. */
public interface Committer {

    /**
     * Reads the newest state of the table.
     *
     * @throws IOException if the storage fails; a retry may help
     * @throws dev.calve.io.InvalidTableException if the table is gone or corrupt
     */
    TableState load() throws IOException;

    /**
     * Replaces the table's metadata as asked for, if nobody else did first.
     *
     * @return never throws: what stops the swap before it is sent is {@link SwapOutcome.Failed}, anything unclear after it may
     *     have been sent {@link SwapOutcome.Unknown}
     */
    SwapOutcome swap(SwapRequest request);
}
