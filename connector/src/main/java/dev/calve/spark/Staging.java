package dev.calve.spark;

import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A table in memory that a statement fills before anybody can see it: commits to it swap metadata in memory. */
final class Staging implements Committer {

    private final List<MetadataUpdate> updates;
    private TableState state;
    private UUID statement = UUID.randomUUID();

    /** @param updates what led to {@code first} from the table it is to replace; none for a new table */
    Staging(TableState first, List<MetadataUpdate> updates) {
        this.state = first;
        this.updates = new ArrayList<>(updates);
    }

    /** Id of the statement that fills the table; an id of its own if it stays empty. */
    synchronized UUID statement() {
        return statement;
    }

    /** What leads to the state as it is now. */
    synchronized List<MetadataUpdate> updates() {
        return List.copyOf(updates);
    }

    @Override
    public synchronized TableState load() {
        return state;
    }

    @Override
    public synchronized SwapOutcome swap(SwapRequest request) {
        if (!request.base().equals(state)) {
            return new SwapOutcome.Rejected("the table being filled was changed by its own statement");
        }
        statement = request.statement();
        updates.addAll(request.updates());
        state = new TableState(request.result(), request.base().metadataLocation());
        return new SwapOutcome.Swapped(state);
    }
}
