package dev.calve.rowlevel.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Runs actors in threads of which exactly one runs at a time: whoever pauses decides, by the {@link Choices}, who goes on.
 * Nothing depends on timing, so that the same choices lead to the same run.
 */
final class Scheduler {

    private static final int MOST_STEPS = 1_000;

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(runnable -> {
        var thread = new Thread(runnable, "writer");
        thread.setDaemon(true);
        return thread;
    });

    /** What an actor does next. */
    enum Step {
        READ,
        LOAD,
        SWAP;

        /** Two steps that leave the table as it is may as well be done in the other order. */
        boolean onlyLooks() {
            return this != SWAP;
        }
    }

    /** Says what happens where more than one thing may. */
    interface Choices {

        /** Which of the actors goes on. */
        int actor(int options);

        /** Which of the answers a request of the actor gets; 0 is the honest one. */
        int answer(String actor, int options);

        /** Whether orders that differ only in what cannot matter are tried once. */
        boolean skipsEqualOrders();
    }

    /** One of those that take turns. */
    final class Actor {
        private final int number;
        private final String name;
        private final Runnable body;
        private final Semaphore go = new Semaphore(0);
        private Step next = Step.READ;
        private boolean started;
        private boolean ended;

        private Actor(int number, String name, Runnable body) {
            this.number = number;
            this.name = name;
            this.body = body;
        }

        /** Lets others go first, for as long as they are chosen. Called by the thread of this actor alone. */
        void pause(Step step) {
            next = step;
            Optional<Actor> chosen = choose();
            if (chosen.isPresent() && chosen.get() != this) {
                chosen.get().resume();
                go.acquireUninterruptibly();
            }
            if (failure.isPresent()) {
                throw new Abandoned();
            }
        }

        private void resume() {
            if (started) {
                go.release();
                return;
            }
            started = true;
            THREADS.execute(() -> {
                try {
                    body.run();
                } catch (Throwable e) {
                    fail(e);
                }
                ended = true;
                choose().ifPresentOrElse(Actor::resume, done::release);
            });
        }
    }

    /** Ends the threads of a run that failed. */
    private static final class Abandoned extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** A request that is still on its way while its sender has given it up. */
    private record Late(String name, Runnable arrival) {}

    private final Choices choices;
    private final List<Actor> actors = new ArrayList<>();
    private final List<Late> late = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private final Semaphore done = new Semaphore(0);
    private Optional<Actor> lastLooked = Optional.empty();
    private Optional<Throwable> failure = Optional.empty();

    Scheduler(Choices choices) {
        this.choices = choices;
    }

    /** An actor that begins when it is chosen; its first step is to read. */
    Actor add(String name, Consumer<Actor> body) {
        var self = new Actor[1];
        self[0] = new Actor(actors.size(), name, () -> body.accept(self[0]));
        actors.add(self[0]);
        return self[0];
    }

    /** Runs something at a time to be chosen, at the latest when all actors have ended. */
    void later(String name, Runnable arrival) {
        late.add(new Late(name, arrival));
    }

    /** Which of the answers the acting actor gets. */
    int answer(String of, List<String> options) {
        int chosen = choices.answer(of, options.size());
        if (chosen > 0) {
            note(of + " gets " + options.get(chosen));
        }
        return chosen;
    }

    void note(String what) {
        steps.add(what);
    }

    /** What happened, in order. */
    List<String> steps() {
        return steps;
    }

    /** Returns when all actors have ended and nothing is on its way. */
    void run() {
        choose().ifPresent(first -> {
            first.resume();
            done.acquireUninterruptibly();
        });
        failure.ifPresent(e -> {
            throw new AssertionError("After " + steps + ": " + e, e);
        });
    }

    private void fail(Throwable e) {
        if (failure.isEmpty() && !(e instanceof Abandoned)) {
            failure = Optional.of(e);
        }
    }

    /** Who goes on; empty if all have ended. */
    private Optional<Actor> choose() {
        try {
            while (failure.isEmpty()) {
                List<Actor> options = options();
                int count = options.size() + late.size();
                if (count == 0) {
                    return Optional.empty();
                }
                if (steps.size() > MOST_STEPS) {
                    throw new AssertionError("Writers must end, but went on for " + MOST_STEPS + " steps");
                }
                int chosen = count == 1 ? 0 : choices.actor(count);
                if (chosen < options.size()) {
                    Actor actor = options.get(chosen);
                    lastLooked = actor.next.onlyLooks() ? Optional.of(actor) : Optional.empty();
                    note(actor.name + " " + actor.next);
                    return Optional.of(actor);
                }
                Late arrived = late.remove(chosen - options.size());
                lastLooked = Optional.empty();
                note(arrived.name() + " arrives");
                arrived.arrival().run();
            }
        } catch (Throwable e) {
            fail(e);
        }
        return actors.stream().filter(actor -> actor.started && !actor.ended).findFirst();
    }

    /**
     * Actors that may go on. Of two neighbouring steps that only look, the one of the actor added first goes first: each order of
     * all steps can be brought into that form by exchanging such neighbours, which changes nothing.
     */
    private List<Actor> options() {
        List<Actor> alive = actors.stream().filter(actor -> !actor.ended).toList();
        if (!choices.skipsEqualOrders() || lastLooked.isEmpty()) {
            return alive;
        }
        List<Actor> canonical = alive.stream()
                .filter(actor -> !actor.next.onlyLooks() || actor.number >= lastLooked.get().number)
                .toList();
        return canonical.isEmpty() && late.isEmpty() ? alive : canonical;
    }
}
