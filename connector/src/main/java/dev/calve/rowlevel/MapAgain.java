package dev.calve.rowlevel;

import dev.calve.commit.Conflict;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.Snapshot;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Carries what others deleted from the sources of a {@link Compaction} over to its outputs, in the same commit. Everything else
 * that changes a source is refused: removed files, row ids assigned meanwhile. One per compaction, for one thread.
 *
 * <p>Cost: for sources others deleted from, their manifests and deletes; a vector or position delete file per output that holds
 * such rows.
 */
public final class MapAgain implements Resettle {

    private final Storage storage;
    private final Settlement settlement;
    private Compaction current;

    public MapAgain(Storage storage, Compaction compaction, Settlement settlement) {
        this.storage = storage;
        this.settlement = settlement;
        this.current = compaction;
    }

    /** The compaction as it stands: what was handed in, or what became of it. */
    public Compaction current() {
        return current;
    }

    @Override
    public boolean isQuick(List<Conflict> conflicts) {
        return settlement.isQuick();
    }

    @Override
    public Optional<SnapshotChange> against(TableState found, List<Conflict> conflicts, SnapshotChange change)
            throws IOException, Refused {
        List<Conflict> beyond = conflicts.stream()
                .filter(conflict ->
                        !(conflict instanceof Conflict.RowsDeleted) && !(conflict instanceof Conflict.FormatChanged))
                .toList();
        Optional<Snapshot> head = found.metadata().commitParent(current.base().ref());
        if (!beyond.isEmpty() || head.isEmpty()) {
            throw new Refused(beyond.isEmpty() ? conflicts : beyond);
        }
        var deletedFrom = new HashSet<String>();
        for (Conflict conflict : conflicts) {
            if (conflict instanceof Conflict.RowsDeleted rows) {
                deletedFrom.add(rows.dataFile());
            }
        }
        Map<String, FileTask> now = lookUp(found, head.get(), deletedFrom);
        Map<String, PositionBitmap> deleted = new HashMap<>(current.deleted());
        for (FileTask task : now.values()) {
            // Rows deleted by key before were not written again, and keys deleted since apply to the outputs.
            deleted.put(task.file().path(), ExistingDeletes.byPosition(storage, task));
        }
        List<FileTask> sources = current.sources().stream()
                .map(task -> now.getOrDefault(task.file().path(), task))
                .toList();
        current = new Compaction(
                current.base().at(found.metadata(), head.get()),
                sources,
                current.outputs(),
                current.map(),
                deleted,
                carriedOver(found, deleted),
                current.summary());
        return Optional.of(current.toSnapshotChange());
    }

    private Map<String, FileTask> lookUp(TableState found, Snapshot head, Set<String> paths)
            throws IOException, Refused {
        List<FileTask> sought = current.sources().stream()
                .filter(task -> paths.contains(task.file().path()))
                .toList();
        var now = new HashMap<String, FileTask>();
        for (FileTask task : new ScanPlanner(storage, found.metadata(), head).lookUp(sought)) {
            now.put(task.file().path(), task);
        }
        var gone = new ArrayList<Conflict>();
        for (FileTask task : sought) {
            if (!now.containsKey(task.file().path())) {
                var by = new Conflict.Other(
                        head.id(), head.operation(), current.base().snapshotId(), true);
                gone.add(new Conflict.DataFileRemoved(by, task.file().path()));
            }
        }
        if (!gone.isEmpty()) {
            throw new Refused(gone);
        }
        return now;
    }

    /** Settles outputs that lost further rows, or whose deletes were written for another format version. */
    private Map<String, Outcome> carriedOver(TableState found, Map<String, PositionBitmap> deleted) throws IOException {
        Map<String, PositionBitmap> positions = Compaction.carriedOver(current.map(), deleted);
        boolean upgraded = found.metadata().formatVersion() != current.base().formatVersion();
        var carried = new HashMap<String, Outcome>();
        var parts = new ArrayList<Settlement.Part>();
        for (DataFile output : current.outputs()) {
            PositionBitmap gone = positions.get(output.path());
            if (gone == null) {
                continue;
            }
            Outcome before = current.carried().get(output.path());
            boolean holds = before != null && before.positions().equals(gone);
            if (holds && !(upgraded && before instanceof Outcome.Deletes)) {
                carried.put(output.path(), Objects.requireNonNull(before));
            } else {
                parts.add(new Settlement.Part(taskOf(output), new PositionBitmap(), gone, false));
            }
        }
        if (!parts.isEmpty()) {
            for (Outcome outcome : settlement.settle(found.metadata(), parts)) {
                carried.put(parts.get(outcome.task()).task().file().path(), outcome);
            }
        }
        return carried;
    }

    /** An output as a file to settle: not in any manifest yet, nothing deleted from it. */
    private FileTask taskOf(DataFile output) {
        long number = current.base().sequenceNumber();
        var entry = new ManifestEntry<>(
                ManifestEntry.Status.ADDED, current.base().snapshotId().orElse(0), number, number, output);
        return new FileTask(entry, "", List.of(), Expression.Constant.TRUE, false);
    }
}
