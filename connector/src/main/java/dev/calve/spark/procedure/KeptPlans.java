package dev.calve.spark.procedure;

import dev.calve.spark.rowlevel.DeletePlan;
import java.time.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Plans of DELETEs that wait to be committed, by id. They are kept in the memory of this JVM, not with the table: nothing was
 * written for a plan, so that one that is forgotten leaves nothing to clean up, and who may read the table's folder does not get
 * to commit one. Any session of the JVM can commit one, because the next statement of a client may come in another. For several
 * threads.
 *
 * <p>Bounds: a plan is kept for an hour; beyond 32 plans, or 256 MiB of files and positions, the oldest ones go.
 *
 * @param <P> what a plan is
 */
final class KeptPlans<P> {

    private static final Duration LIFE = Duration.ofHours(1);

    static final KeptPlans<DeletePlan> OF_THIS_JVM = new KeptPlans<>(
            Clock.systemUTC(),
            32,
            256L << 20,
            CompletableFuture.delayedExecutor(LIFE.toMillis() + 1, TimeUnit.MILLISECONDS));

    private final Clock clock;
    private final int mostPlans;
    private final long mostBytes;
    private final Executor later;
    private final Map<String, Kept<P>> plans = new LinkedHashMap<>();

    /** @param later runs what it is given once the life of a plan that is kept now is over */
    KeptPlans(Clock clock, int mostPlans, long mostBytes, Executor later) {
        this.clock = clock;
        this.mostPlans = mostPlans;
        this.mostBytes = mostBytes;
        this.later = later;
    }

    /**
     * A plan.
     *
     * @param table its full name as SQL has it
     */
    record Kept<P>(String table, P plan, long sizeBytes, long sinceMillis) {}

    /**
     * Keeps a plan.
     *
     * @return its id
     * @throws IllegalArgumentException if it is too large to be kept
     */
    synchronized String keep(String table, P plan, long sizeBytes) {
        if (sizeBytes > mostBytes) {
            throw new IllegalArgumentException("Cannot keep the plan of a DELETE from " + table + ": its files and the"
                    + " positions of its rows take " + sizeBytes + " bytes, more than " + mostBytes
                    + ". Delete fewer rows at a time, or run the DELETE itself.");
        }
        String id = UUID.randomUUID().toString();
        plans.put(id, new Kept<>(table, plan, sizeBytes, clock.millis()));
        dropOld();
        later.execute(this::dropOld);
        return id;
    }

    /** The plan of an id, which stays. */
    synchronized Kept<P> find(String id) {
        dropOld();
        Kept<P> kept = plans.get(id);
        if (kept == null) {
            throw new IllegalArgumentException(
                    "There is no plan '" + id + "' to commit: it was committed, or could not be, is older than "
                            + LIFE.toMinutes()
                            + " minutes, had to make room for newer ones, or was made by another driver. Call"
                            + " plan_delete with keep => true again.");
        }
        return kept;
    }

    /** The plan of an id, which is used up. */
    synchronized P take(String id) {
        P plan = find(id).plan();
        plans.remove(id);
        return plan;
    }

    synchronized int count() {
        return plans.size();
    }

    private synchronized void dropOld() {
        long oldest = clock.millis() - LIFE.toMillis();
        plans.values().removeIf(kept -> kept.sinceMillis() < oldest);
        long bytes = plans.values().stream().mapToLong(Kept::sizeBytes).sum();
        for (Iterator<Kept<P>> eldest = plans.values().iterator();
                (plans.size() > mostPlans || bytes > mostBytes) && eldest.hasNext(); ) {
            bytes -= eldest.next().sizeBytes();
            eldest.remove();
        }
    }
}
