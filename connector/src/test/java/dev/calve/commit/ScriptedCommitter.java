package dev.calve.commit;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Requirements;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Schema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Keeps a table's metadata in memory and answers swaps as a test tells it to. Safe for use by several threads: each load and
 * swap is one moment, interruptions run before it.
 */
public final class ScriptedCommitter implements Committer {

    /** What becomes of one swap. */
    public enum Answer {
        /** Done if nobody was faster. */
        HONEST,
        REJECTED,
        /** It was done, but the answer got lost and a client's own retry was told that somebody was faster. */
        DONE_BUT_REJECTED,
        DONE_BUT_UNKNOWN,
        UNKNOWN,
        /** Nothing is known and nothing done until the test calls {@link #applyLate}. */
        APPLIED_LATER,
        /** It certainly was not done, and not because somebody was faster. */
        FAILED,
        THROWN,
        DONE_BUT_THROWN,
        DONE_BUT_OUT_OF_MEMORY
    }

    /** Work that runs before a request is answered; another writer's, mostly. */
    public interface Interruption {
        void run() throws IOException;
    }

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final Deque<Interruption> beforeSwaps = new ArrayDeque<>();
    private final Deque<SwapRequest> late = new ArrayDeque<>();
    private final List<TableState> history = new ArrayList<>();
    private Interruption always = () -> {};
    private boolean byRequirement;
    private int failingLoads;
    private int loads;
    private int swaps;

    public ScriptedCommitter(TableMetadata first) {
        history.add(new TableState(first, "memory:/metadata-0"));
    }

    /** From now on swaps as a catalog server does: what is required decides, not whether the base is the newest state. */
    public synchronized ScriptedCommitter byRequirement() {
        byRequirement = true;
        return this;
    }

    /** Answers to the next swaps, honest ones afterwards. */
    public synchronized ScriptedCommitter answer(Answer... next) {
        answers.addAll(List.of(next));
        return this;
    }

    /** Runs before the next swap that has no interruption yet, after everything was prepared for it. */
    public synchronized ScriptedCommitter beforeSwap(Interruption interruption) {
        beforeSwaps.add(interruption);
        return this;
    }

    /** Runs before every load and every swap. */
    public synchronized void beforeAll(Interruption interruption) {
        always = interruption;
    }

    /** The loads after the next {@code good} ones fail. */
    public synchronized void failLoadsAfter(int good) {
        failingLoads = loads + good + 1;
    }

    /**
     * Lets the oldest swap that was answered {@link Answer#APPLIED_LATER} arrive now.
     *
     * @return whether it was done; it is not if it has become too late
     */
    public synchronized boolean applyLate() {
        return honest(late.remove()) instanceof SwapOutcome.Swapped;
    }

    public synchronized TableState now() {
        return history.get(history.size() - 1);
    }

    public TableMetadata metadata() {
        return now().metadata();
    }

    public synchronized int loads() {
        return loads;
    }

    public synchronized int swaps() {
        return swaps;
    }

    /** Changes the table at once, as another client would. */
    public synchronized void update(MetadataUpdate... updates) {
        publish(MetadataUpdates.apply(metadata(), List.of(updates), metadata().lastUpdatedMillis() + 1));
    }

    /** Publishes metadata as another client would that does what {@link MetadataUpdates} cannot yet. */
    public synchronized void replace(UnaryOperator<TableMetadata> change) {
        publish(change.apply(metadata()));
    }

    /** Forgets snapshots, as expiry does; their files stay. */
    public void expire(Long... snapshotIds) {
        Set<Long> gone = Set.of(snapshotIds);
        replace(old -> with(
                old,
                old.schemas(),
                old.snapshots().stream()
                        .filter(snapshot -> !gone.contains(snapshot.id()))
                        .toList(),
                List.of()));
    }

    /** Forgets a schema, as expiry does with {@code clean_expired_metadata}. */
    public void removeSchema(int schemaId) {
        replace(old -> with(
                old,
                old.schemas().stream().filter(schema -> schema.id() != schemaId).toList(),
                old.snapshots(),
                old.snapshotLog()));
    }

    private static TableMetadata with(
            TableMetadata old,
            List<Schema> schemas,
            List<Snapshot> snapshots,
            List<TableMetadata.SnapshotLogEntry> snapshotLog) {
        return new TableMetadata(
                old.formatVersion(),
                old.uuid(),
                old.location(),
                old.lastSequenceNumber(),
                old.lastUpdatedMillis(),
                old.lastColumnId(),
                old.currentSchemaId(),
                schemas,
                old.defaultSpecId(),
                old.specs(),
                old.lastPartitionId(),
                old.defaultSortOrderId(),
                old.sortOrders(),
                old.properties(),
                old.currentSnapshotId(),
                old.nextRowId(),
                old.refs(),
                snapshots,
                old.statistics(),
                old.partitionStatistics(),
                snapshotLog,
                old.metadataLog(),
                old.unknownFields());
    }

    private TableState publish(TableMetadata metadata) {
        history.add(new TableState(metadata, "memory:/metadata-" + history.size()));
        return now();
    }

    @Override
    public TableState load() throws IOException {
        Interruption before;
        synchronized (this) {
            loads++;
            if (failingLoads > 0 && loads >= failingLoads) {
                throw new IOException("Injected: no load");
            }
            before = always;
        }
        // Not under the lock: it may be another thread's work that is waited for.
        before.run();
        return now();
    }

    @Override
    public SwapOutcome swap(SwapRequest request) {
        Interruption first;
        Interruption second;
        synchronized (this) {
            swaps++;
            first = always;
        }
        try {
            first.run();
            synchronized (this) {
                second = beforeSwaps.isEmpty() ? () -> {} : beforeSwaps.remove();
            }
            second.run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return answered(request);
    }

    private synchronized SwapOutcome answered(SwapRequest request) {
        Answer answer = answers.isEmpty() ? Answer.HONEST : answers.remove();
        return switch (answer) {
            case HONEST -> honest(request);
            case REJECTED -> new SwapOutcome.Rejected("the script says so");
            case DONE_BUT_REJECTED -> isDone(request, new SwapOutcome.Rejected("a lost answer"));
            case DONE_BUT_UNKNOWN -> isDone(request, new SwapOutcome.Unknown(new IOException("timeout")));
            case UNKNOWN -> new SwapOutcome.Unknown(new IOException("timeout"));
            case APPLIED_LATER -> {
                late.add(request);
                yield new SwapOutcome.Unknown(new IOException("timeout"));
            }
            case FAILED -> new SwapOutcome.Failed(new UncheckedIOException(new IOException("disk full")));
            case THROWN -> throw new IllegalStateException("a bug in the catalog");
            case DONE_BUT_THROWN -> {
                honest(request);
                throw new IllegalStateException("a bug in the catalog");
            }
            case DONE_BUT_OUT_OF_MEMORY -> {
                honest(request);
                throw new OutOfMemoryError("injected");
            }
        };
    }

    private SwapOutcome isDone(SwapRequest request, SwapOutcome answer) {
        SwapOutcome honest = honest(request);
        return honest instanceof SwapOutcome.Swapped ? answer : honest;
    }

    private SwapOutcome honest(SwapRequest request) {
        TableMetadata result = request.result();
        Optional<String> unmet = Requirements.check(Optional.of(metadata()), request.requirements());
        boolean isNewest = request.base().metadataLocation().equals(now().metadataLocation());
        if (isNewest && unmet.isPresent()) {
            throw new AssertionError("Requirements must hold on the base: " + unmet.get());
        }
        if (unmet.isPresent() || (!isNewest && !byRequirement)) {
            return new SwapOutcome.Rejected(unmet.orElse("somebody was faster"));
        }
        TableMetadata applied;
        try {
            applied = MetadataUpdates.apply(metadata(), request.updates(), result.lastUpdatedMillis());
        } catch (IllegalArgumentException e) {
            if (isNewest) {
                throw e;
            }
            return new SwapOutcome.Rejected(String.valueOf(e.getMessage()));
        }
        // The two ways to say what is wanted must agree: a catalog server applies the updates, a directory the result.
        if (isNewest && !applied.equals(result)) {
            throw new AssertionError("Updates must lead to the result, but lead to " + applied + ", not " + result);
        }
        return new SwapOutcome.Swapped(publish(applied));
    }
}
