package dev.calve.commit;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.TableMetadata;
import java.util.List;
import java.util.UUID;

/**
 * What a {@link Committer} is asked to do: replace {@code base} by {@code result} if nobody else replaced it first.
 *
 * @param statement id of the statement that asks; whatever file the swap leaves behind carries it in its name
 * @param updates what leads from {@code base} to {@code result}; a catalog server is sent these
 * @param requirements what must still hold; a directory catalog needs no more than that {@code base} is the newest
 */
public record SwapRequest(
        UUID statement,
        TableState base,
        List<MetadataUpdate> updates,
        List<Requirement> requirements,
        TableMetadata result) {

    public SwapRequest {
        updates = List.copyOf(updates);
        requirements = List.copyOf(requirements);
    }
}
