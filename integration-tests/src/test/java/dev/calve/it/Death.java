package dev.calve.it;

import dev.calve.it.DeathAtStep.Step;
import dev.calve.it.DeathAtStep.Where;
import dev.calve.it.HaltingFiles.Verb;
import java.util.ArrayList;
import java.util.List;

/**
 * The end of a process at one step of a statement.
 *
 * @param steps all steps of the statement, when nobody ends it
 */
record Death(CrashKind kind, int step, Where where, List<Step> steps) {

    /** Where in a statement a process ends. */
    enum Phase {
        DATA_FILES,
        DELETE_FILES,
        MANIFESTS,
        BEFORE_LIST,
        DURING_LIST,
        BEFORE_PUBLICATION,
        AFTER_PUBLICATION,
        CLEAN_UP_OF_FILES,
        CLEAN_UP_OF_METADATA
    }

    Death {
        steps = List.copyOf(steps);
    }

    /** Every way to end a statement: before each step, and, when it makes a file, with the file empty or half written. */
    static List<Death> allOf(CrashKind kind, List<Step> steps) {
        var deaths = new ArrayList<Death>();
        for (int number = 0; number < steps.size(); number++) {
            Step step = steps.get(number);
            deaths.add(new Death(kind, number, Where.BEFORE, steps));
            if (step.verb() == Verb.CREATE) {
                deaths.add(new Death(kind, number, Where.CREATED, steps));
                // A hint has one character.
                if (!step.path().endsWith("-version-hint-text.tmp")) {
                    deaths.add(new Death(kind, number, Where.TORN, steps));
                }
            }
        }
        return deaths;
    }

    /** Whether it is the one to try when a file is to end either empty or half written, in turns from step to step. */
    boolean isOneOfTwo() {
        boolean hint = at().path().endsWith("-version-hint-text.tmp");
        return where == Where.BEFORE || hint || (where == Where.TORN) == (step % 2 == 0);
    }

    Step at() {
        return steps.get(step);
    }

    /** Whether the statement's metadata is published: the last link is. */
    boolean isPublished() {
        return !kind.isRefused()
                && steps.subList(step, steps.size()).stream().noneMatch(later -> later.verb() == Verb.LINK);
    }

    /** Whether somebody else has committed meanwhile: just before the first link. */
    boolean winnerIsPublished() {
        return kind.meetsWinner() && steps.subList(0, step + 1).stream().anyMatch(done -> done.verb() == Verb.LINK);
    }

    Phase phase() {
        String path = at().path();
        if (path.endsWith(".tmp") || path.endsWith("version-hint.text") || at().verb() == Verb.LINK) {
            return isPublished() ? Phase.AFTER_PUBLICATION : Phase.BEFORE_PUBLICATION;
        }
        if (path.endsWith(".metadata.json")) {
            return Phase.CLEAN_UP_OF_METADATA;
        }
        if (at().verb() == Verb.DELETE) {
            return Phase.CLEAN_UP_OF_FILES;
        }
        if (path.contains("/snap-")) {
            return where == Where.BEFORE ? Phase.BEFORE_LIST : Phase.DURING_LIST;
        }
        if (path.endsWith(".avro")) {
            return Phase.MANIFESTS;
        }
        return path.contains("-deletes.") ? Phase.DELETE_FILES : Phase.DATA_FILES;
    }

    @Override
    public String toString() {
        return kind + " ended " + where + " step " + step + " of " + steps.size() + " (" + at() + ")";
    }
}
