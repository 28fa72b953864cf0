package dev.calve.tools;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/** What to tell a user about an exception. */
final class Failures {

    /** What Spark wraps around the exception that says something. */
    private static final List<String> WRAPPERS = List.of("Job aborted", "[WRITING_JOB_ABORTED]", "[TASK_WRITE_FAILED]");

    private Failures() {}

    /** The message that says most, in one line. */
    static String oneLine(Throwable failure) {
        List<Throwable> chain = chain(failure);
        Throwable teller = ours(chain).orElseGet(() -> innermost(chain));
        String message = teller.getMessage();
        if (message == null || message.isBlank()) {
            return teller.getClass().getName();
        }
        // Spark appends the plan, and schedulers append the stack, after the first line; SQLSTATE is for programs.
        String text = message.strip().split("\n", 2)[0].strip();
        return text.replaceAll("\\s*SQLSTATE: \\w{5}", "").replaceAll("[;:]$", "");
    }

    /** The outermost exception that Calve's code wrote the text of. */
    private static Optional<Throwable> ours(List<Throwable> chain) {
        return chain.stream()
                .filter(link -> link.getClass().getName().startsWith("dev.calve."))
                .findFirst();
    }

    /** The first one that does not only wrap another. */
    private static Throwable innermost(List<Throwable> chain) {
        return chain.stream().filter(link -> !onlyWraps(link)).findFirst().orElse(chain.get(chain.size() - 1));
    }

    private static boolean onlyWraps(Throwable link) {
        String message = link.getMessage();
        return link.getCause() != null
                && (message == null
                        || link instanceof ExecutionException
                        || message.equals(link.getCause().toString())
                        || WRAPPERS.stream().anyMatch(message::startsWith));
    }

    private static List<Throwable> chain(Throwable failure) {
        var seen = Collections.newSetFromMap(new IdentityHashMap<Throwable, Boolean>());
        var chain = new ArrayList<Throwable>();
        for (Throwable link = failure; link != null && seen.add(link); link = link.getCause()) {
            chain.add(link);
        }
        return chain;
    }
}
