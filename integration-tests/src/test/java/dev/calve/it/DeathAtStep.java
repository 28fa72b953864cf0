package dev.calve.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the steps of a statement in one folder, and ends the JVM at one of them. Several threads may write at a time. */
final class DeathAtStep implements HaltingFiles.Witness {

    /** The exit code of a JVM that ended here. */
    static final int EXIT = 42;

    /** Where in a step the JVM ends. */
    enum Where {
        BEFORE,
        /** The file is created, and empty. */
        CREATED,
        /** Half of what is first written is written. */
        TORN
    }

    /**
     * A step that changes the folder.
     *
     * @param path of what appears or disappears, below the folder
     */
    record Step(HaltingFiles.Verb verb, String path) {

        static Step parse(String line) {
            String[] parts = line.split(" ", 2);
            return new Step(HaltingFiles.Verb.valueOf(parts[0]), parts[1]);
        }

        @Override
        public String toString() {
            return verb + " " + path;
        }
    }

    /** Something that happens in between, and whose steps are not counted. */
    interface Interlude {
        void run() throws IOException;
    }

    private final Path folder;
    private final int last;
    private final Where where;
    private final List<Step> steps = new ArrayList<>();
    private final Map<Path, Integer> created = new ConcurrentHashMap<>();
    private Interlude interlude;
    private volatile boolean deaf;

    /**
     * @param last number of the step the JVM does not survive, from 0; -1 for none
     * @param interlude what happens just before metadata is published for the first time
     */
    DeathAtStep(Path folder, int last, Where where, Interlude interlude) {
        this.folder = folder;
        this.last = last;
        this.where = where;
        this.interlude = interlude;
    }

    List<Step> steps() {
        synchronized (steps) {
            return List.copyOf(steps);
        }
    }

    @Override
    public void before(HaltingFiles.Verb verb, Path target) throws IOException {
        if (deaf || !target.startsWith(folder.toString())) {
            return;
        }
        if (verb == HaltingFiles.Verb.LINK) {
            Interlude now = interlude;
            interlude = () -> {};
            deaf = true;
            now.run();
            deaf = false;
        }
        synchronized (steps) {
            int number = steps.size();
            if (verb == HaltingFiles.Verb.CREATE) {
                created.put(target, number);
            }
            steps.add(
                    new Step(verb, target.toString().substring(folder.toString().length() + 1)));
            halt(number, Where.BEFORE);
        }
    }

    @Override
    public void created(Path target) {
        halt(number(target), Where.CREATED);
    }

    @Override
    public int beforeFirstWrite(Path target, int length) {
        return number(target) == last && where == Where.TORN ? length / 2 : -1;
    }

    @Override
    public void torn(Path target) {
        halt(number(target), Where.TORN);
    }

    private int number(Path target) {
        return deaf ? -2 : created.getOrDefault(target, -2);
    }

    private void halt(int number, Where now) {
        if (number == last && now == where) {
            System.out.println("Ended " + now + " step " + number + ": " + steps().get(number));
            System.out.flush();
            Runtime.getRuntime().halt(EXIT);
        }
    }
}
