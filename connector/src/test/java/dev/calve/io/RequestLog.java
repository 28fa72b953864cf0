package dev.calve.io;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts the requests a storage gets, and makes chosen ones fail. Safe for use by several threads. */
public final class RequestLog {

    /** What may be asked of a storage. */
    public enum Request {
        LENGTH,
        OPEN,
        READ,
        CREATE,
        WRITE,
        CLOSE,
        EXISTS,
        DELETE
    }

    private record Fault(Request request, int at, boolean andAllLater, boolean afterwards) {
        boolean hits(Request asked, int number) {
            return asked == request && (number == at || (andAllLater && number > at));
        }
    }

    /** An action that is counted. */
    @FunctionalInterface
    interface Action<T> {
        T run() throws IOException;
    }

    private final Map<Request, Integer> counts = new EnumMap<>(Request.class);
    private final List<Fault> faults = new ArrayList<>();
    private final List<String> locations = new ArrayList<>();
    private final List<Fault> interrupts = new ArrayList<>();
    private boolean minded;

    public synchronized int count(Request request) {
        return counts.getOrDefault(request, 0);
    }

    /** Requests of every kind, in order, as {@code "READ memory:/a"}. */
    public synchronized List<String> all() {
        return List.copyOf(locations);
    }

    /** Forgets counts and faults. */
    public synchronized void reset() {
        counts.clear();
        faults.clear();
        interrupts.clear();
        minded = false;
        locations.clear();
    }

    /** Makes the {@code nth} such request from now on fail without effect; 1 is the next one. */
    public synchronized void failOn(Request request, int nth) {
        faults.add(new Fault(request, count(request) + nth, false, false));
    }

    /** Makes every such request from now on fail without effect. */
    public synchronized void failAll(Request request) {
        faults.add(new Fault(request, count(request) + 1, true, false));
    }

    /** Makes the {@code nth} such request from now on take effect and then fail, as when an answer is lost. */
    public synchronized void failAfter(Request request, int nth) {
        faults.add(new Fault(request, count(request) + nth, false, true));
    }

    /** Makes requests of an interrupted thread fail without effect, as HDFS and local channels do. */
    public synchronized void failWhenInterrupted() {
        minded = true;
    }

    /** Interrupts the thread that makes the {@code nth} such request from now on, before it takes effect. */
    public synchronized void interruptOn(Request request, int nth) {
        interrupts.add(new Fault(request, count(request) + nth, false, false));
    }

    <T> T run(Request request, String location, Action<T> action) throws IOException {
        int number = record(request, location);
        failIf(request, number, false, location);
        T result = action.run();
        failIf(request, number, true, location);
        return result;
    }

    private synchronized int record(Request request, String location) {
        locations.add(request + " " + location);
        return counts.merge(request, 1, Integer::sum);
    }

    private synchronized void failIf(Request request, int number, boolean afterwards, String location)
            throws IOException {
        if (!afterwards && interrupts.stream().anyMatch(interrupt -> interrupt.hits(request, number))) {
            Thread.currentThread().interrupt();
        }
        if (!afterwards && minded && Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
        for (Fault fault : faults) {
            if (fault.afterwards() == afterwards && fault.hits(request, number)) {
                throw new IOException("Injected: " + request + " " + number + " of " + location);
            }
        }
    }
}
