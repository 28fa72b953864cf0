package dev.calve.io;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Steps that are taken after a failure, or to be rid of what is not needed any more. Every step is tried, whatever became of the
 * ones before it, and in an interrupted thread too: work that is cancelled has the most to clean, and many file systems refuse
 * everything to a thread that is interrupted. The thread is interrupted afterwards if it was before, or meanwhile. Not for
 * several threads.
 */
public final class CleanUp {

    private @Nullable Throwable failure;

    /** One step. */
    public interface Step {
        void run() throws IOException;
    }

    /** Takes a step; its failure, of whatever kind, is kept for the end. */
    public void run(Step step) {
        boolean interrupted = Thread.interrupted();
        Throwable failed = attempt(step);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        note(failed);
    }

    /** Deletes a file: once more if an interrupt came in between, which is no reason to leave it. Returns whether it is gone. */
    public boolean delete(Storage storage, String location) {
        boolean interrupted = false;
        Throwable failed;
        do {
            interrupted |= Thread.interrupted();
            failed = attempt(() -> storage.delete(location));
        } while (failed != null && Thread.currentThread().isInterrupted());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        note(failed);
        return failed == null;
    }

    public void deleteAll(Storage storage, Collection<String> locations) {
        locations.forEach(location -> delete(storage, location));
    }

    /** What went wrong first, the later failures with it. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** Ends with what went wrong, as something that came after another failure. */
    public void after(Throwable cause) {
        if (failure != null && failure != cause) {
            cause.addSuppressed(failure);
        }
    }

    /**
     * Ends.
     *
     * @throws IOException if a step failed: the first failure, the later ones with it; errors and unchecked exceptions as they
     *     were
     */
    public void end() throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    private static @Nullable Throwable attempt(Step step) {
        try {
            step.run();
            return null;
        } catch (Throwable e) {
            // Whatever it was, the steps that follow are to be taken.
            return e;
        }
    }

    private void note(@Nullable Throwable failed) {
        if (failed == null) {
            return;
        }
        if (failure == null) {
            failure = failed;
        } else if (failure != failed) {
            failure.addSuppressed(failed);
        }
    }
}
