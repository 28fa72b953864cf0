package dev.calve.rowlevel.interleaving;

import dev.calve.commit.LiveFiles;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;

/**
 * Where writers begin: a table and its rows.
 *
 * @param rows what is in its newest snapshot, with row ids
 * @param reachable what its snapshots refer to
 */
record Start(Table table, List<Table.Stored> rows, Set<String> reachable) {

    /** What undisturbed writers leave, one after the other. */
    static Start after(Table table, List<Work> works) throws IOException {
        for (Work work : works) {
            var scheduler = new Scheduler(Choosing.nothing());
            var client = new Client(work, table, scheduler);
            scheduler.run();
            if (!(client.ending() instanceof Ending.Committed
                    || client.ending() instanceof Ending.Changed
                    || client.ending() instanceof Ending.Nothing)) {
                throw new AssertionError(work + " must succeed undisturbed, but ends " + client.ending());
            }
        }
        var reachable = new HashSet<String>();
        List<Table.Stored> rows = new ArrayList<>();
        for (Snapshot snapshot : table.metadata().snapshots()) {
            LiveFiles files = LiveFiles.of(table.storage, table.metadata(), snapshot);
            reachable.addAll(files.reachable());
            rows = table.live(files);
        }
        return new Start(table, rows, reachable);
    }

    NavigableMap<String, Row> byName() {
        return Row.byName(rows.stream().map(Table.Stored::row).toList());
    }

    Optional<Snapshot> head() {
        return table.metadata().currentSnapshot();
    }

    /** Runs the writers as the choices say, and checks what they leave. */
    Verdict run(List<Work> works, Scheduler.Choices choices) throws IOException {
        Table copy = table.copy();
        var scheduler = new Scheduler(choices);
        List<Client> clients =
                works.stream().map(work -> new Client(work, copy, scheduler)).toList();
        scheduler.run();
        var verdict = new Verdict(this, copy, clients);
        try {
            verdict.check();
        } catch (Throwable e) {
            throw new AssertionError(
                    "After\n  " + String.join("\n  ", scheduler.steps()) + "\nof " + works + ": " + e.getMessage(), e);
        }
        return verdict;
    }

    /** Row ids by name of the row, of rows that have one. */
    Map<String, Long> rowIds() {
        var ids = new HashMap<String, Long>();
        rows.forEach(
                stored -> stored.rowId().ifPresent(id -> ids.put(stored.row().name(), id)));
        return ids;
    }
}
