package dev.calve.commit;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.Requirements;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Keeps a table's metadata in memory and answers swaps as a test tells it to. Not for several threads. */
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
    private final List<TableState> history = new ArrayList<>();
    private Interruption always = () -> {};
    private int failingLoads;
    private int loads;
    private int swaps;

    public ScriptedCommitter(TableMetadata first) {
        history.add(new TableState(first, "memory:/metadata-0"));
    }

    /** Answers to the next swaps, honest ones afterwards. */
    public ScriptedCommitter answer(Answer... next) {
        answers.addAll(List.of(next));
        return this;
    }

    /** Runs before the next swap that has no interruption yet, after everything was prepared for it. */
    public ScriptedCommitter beforeSwap(Interruption interruption) {
        beforeSwaps.add(interruption);
        return this;
    }

    /** Runs before every load and every swap. */
    public void beforeAll(Interruption interruption) {
        always = interruption;
    }

    /** The loads after the next {@code good} ones fail. */
    public void failLoadsAfter(int good) {
        failingLoads = loads + good + 1;
    }

    public TableState now() {
        return history.get(history.size() - 1);
    }

    public TableMetadata metadata() {
        return now().metadata();
    }

    public int loads() {
        return loads;
    }

    public int swaps() {
        return swaps;
    }

    /** Changes the table at once, as another client would. */
    public void update(MetadataUpdate... updates) {
        publish(MetadataUpdates.apply(metadata(), List.of(updates), metadata().lastUpdatedMillis() + 1));
    }

    private TableState publish(TableMetadata metadata) {
        history.add(new TableState(metadata, "memory:/metadata-" + history.size()));
        return now();
    }

    @Override
    public TableState load() throws IOException {
        loads++;
        if (failingLoads > 0 && loads >= failingLoads) {
            throw new IOException("Injected: no load");
        }
        always.run();
        return now();
    }

    @Override
    public SwapOutcome swap(
            TableState base, List<MetadataUpdate> updates, List<Requirement> requirements, TableMetadata result) {
        swaps++;
        try {
            always.run();
            if (!beforeSwaps.isEmpty()) {
                beforeSwaps.remove().run();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        Answer answer = answers.isEmpty() ? Answer.HONEST : answers.remove();
        return switch (answer) {
            case HONEST -> honest(base, updates, requirements, result);
            case REJECTED -> new SwapOutcome.Rejected("the script says so");
            case DONE_BUT_REJECTED ->
                isDone(base, updates, requirements, result, new SwapOutcome.Rejected("a lost answer"));
            case DONE_BUT_UNKNOWN ->
                isDone(base, updates, requirements, result, new SwapOutcome.Unknown(new IOException("timeout")));
            case UNKNOWN -> new SwapOutcome.Unknown(new IOException("timeout"));
            case FAILED -> new SwapOutcome.Failed(new UncheckedIOException(new IOException("disk full")));
            case THROWN -> throw new IllegalStateException("a bug in the catalog");
            case DONE_BUT_THROWN -> {
                honest(base, updates, requirements, result);
                throw new IllegalStateException("a bug in the catalog");
            }
            case DONE_BUT_OUT_OF_MEMORY -> {
                honest(base, updates, requirements, result);
                throw new OutOfMemoryError("injected");
            }
        };
    }

    private SwapOutcome isDone(
            TableState base,
            List<MetadataUpdate> updates,
            List<Requirement> requirements,
            TableMetadata result,
            SwapOutcome answer) {
        SwapOutcome honest = honest(base, updates, requirements, result);
        return honest instanceof SwapOutcome.Swapped ? answer : honest;
    }

    private SwapOutcome honest(
            TableState base, List<MetadataUpdate> updates, List<Requirement> requirements, TableMetadata result) {
        Optional<String> unmet = Requirements.check(Optional.of(metadata()), requirements);
        if (!base.metadataLocation().equals(now().metadataLocation())) {
            return new SwapOutcome.Rejected(unmet.orElse("somebody was faster"));
        }
        if (unmet.isPresent()) {
            throw new AssertionError("Requirements must hold on the base: " + unmet.get());
        }
        // The two ways to say what is wanted must agree: a catalog server applies the updates, a directory the result.
        TableMetadata applied = MetadataUpdates.apply(metadata(), updates, result.lastUpdatedMillis());
        if (!applied.equals(result)) {
            throw new AssertionError("Updates must lead to the result, but lead to " + applied + ", not " + result);
        }
        return new SwapOutcome.Swapped(publish(result));
    }
}
