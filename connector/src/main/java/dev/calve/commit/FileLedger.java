package dev.calve.commit;

import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files one statement wrote, and which of them may be deleted. Only files recorded here are ever deleted. Safe for use
 * by several threads.
 */
public final class FileLedger {

    private static final Logger LOG = LoggerFactory.getLogger(FileLedger.class);

    private enum Fate {
        OPEN,
        SENT,
        COMMITTED,
        ABORTED
    }

    private final Storage storage;
    private final Set<String> written = new LinkedHashSet<>();
    private Fate fate = Fate.OPEN;

    public FileLedger(Storage storage) {
        this.storage = storage;
    }

    public synchronized void wrote(String location) {
        written.add(location);
    }

    public synchronized void wroteAll(Collection<String> locations) {
        written.addAll(locations);
    }

    public synchronized List<String> written() {
        return List.copyOf(written);
    }

    /**
     * A swap is about to be sent: from here on nothing may be deleted until its answer is definite.
     *
     * @throws IllegalStateException if the files were deleted: a snapshot must not refer to them
     */
    synchronized void swapSent() {
        if (fate == Fate.ABORTED) {
            throw new IllegalStateException("A swap must not be sent once the files of the statement were deleted.");
        }
        fate = Fate.SENT;
    }

    /** The swap certainly did not happen. */
    synchronized void swapRejected() {
        fate = Fate.OPEN;
    }

    /** The snapshot is in the table: nothing it reaches may be deleted any more. */
    synchronized void committed() {
        fate = Fate.COMMITTED;
    }

    /** Deletes what the committed snapshot does not reach: leftovers of earlier attempts. */
    void deleteAllBut(Set<String> reached) {
        List<String> leftovers;
        synchronized (this) {
            if (fate != Fate.COMMITTED) {
                throw new IllegalStateException("The snapshot must be committed, but the ledger is " + fate + ".");
            }
            leftovers = written.stream()
                    .filter(location -> !reached.contains(location))
                    .toList();
            written.retainAll(reached);
        }
        deleteAll(leftovers);
    }

    /**
     * The statement failed or was given up. Deletes every file it wrote, unless a swap was sent without a definite answer or
     * the snapshot is committed: then this does nothing.
     *
     * @return whether the files were deleted
     */
    public boolean abort() {
        List<String> all;
        synchronized (this) {
            if (fate == Fate.SENT || fate == Fate.COMMITTED) {
                return false;
            }
            fate = Fate.ABORTED;
            all = List.copyOf(written);
            written.clear();
        }
        deleteAll(all);
        return true;
    }

    /**
     * Never throws, because it runs after a commit that succeeded or beside a failure that says more. Works in an interrupted
     * thread too: a cancelled statement has the most to clean.
     */
    private void deleteAll(List<String> locations) {
        var failed = new ArrayList<String>();
        for (String location : locations) {
            var cleanUp = new CleanUp();
            if (!cleanUp.delete(storage, location)) {
                failed.add(location);
                cleanUp.failure().ifPresent(failure -> LOG.debug("Could not delete {}", location, failure));
            }
        }
        if (!failed.isEmpty()) {
            LOG.warn("Could not delete {} unused files; no snapshot refers to them: {}", failed.size(), failed);
        }
    }
}
