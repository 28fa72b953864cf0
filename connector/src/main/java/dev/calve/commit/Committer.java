package dev.calve.commit;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.List;

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
     * Replaces {@code base} by {@code result} if nobody else replaced it first.
     *
     * @param updates what leads from {@code base} to {@code result}; a catalog server is sent these
     * @param requirements what must still hold; a directory catalog needs no more than that {@code base} is the newest
     * @return never throws: what stops the swap before it is sent is {@link SwapOutcome.Failed}, anything unclear after it may
     *     have been sent {@link SwapOutcome.Unknown}
     */
    SwapOutcome swap(
            TableState base, List<MetadataUpdate> updates, List<Requirement> requirements, TableMetadata result);
}
