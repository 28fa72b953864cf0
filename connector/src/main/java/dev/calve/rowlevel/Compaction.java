package dev.calve.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.ConflictRule.Place;
import dev.calve.commit.Removal;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.rewrite.PositionMap;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Data files written again without changing a row, and what others deleted from them since.
 *
 * @param sources what leaves, with the deletes that applied
 * @param outputs what comes: the rows of the sources that were alive, each once
 * @param map where each row went
 * @param deleted what is deleted by now in sources others deleted from, by path; what the rewrite had dropped is not told apart
 * @param carried how deletes were carried over to an output, by path; outputs all of whose rows others deleted are not added
 * @param summary further entries of the snapshot's summary
 */
public record Compaction(
        ReadPoint base,
        List<FileTask> sources,
        List<DataFile> outputs,
        PositionMap map,
        Map<String, PositionBitmap> deleted,
        Map<String, Outcome> carried,
        Map<String, String> summary) {

    public Compaction {
        sources = List.copyOf(sources);
        outputs = List.copyOf(outputs);
        deleted = Map.copyOf(deleted);
        carried = Map.copyOf(carried);
        summary = Collections.unmodifiableMap(new LinkedHashMap<>(summary));
        Set<String> known = map.sources();
        Set<String> coming = outputs.stream().map(DataFile::path).collect(Collectors.toSet());
        for (FileTask source : sources) {
            String path = source.file().path();
            if (!known.contains(path)) {
                throw new IllegalArgumentException("A position map must know all sources, but not " + path + ".");
            }
            for (String output : map.outputsOf(path)) {
                if (!coming.contains(output)) {
                    throw new IllegalArgumentException("Every file that rows went to must be an output, but " + output
                            + ", with rows of " + path + ", is none.");
                }
            }
        }
        for (DataFile output : outputs) {
            if (map.rowsOf(output.path()) != output.recordCount()) {
                throw new IllegalArgumentException(
                        "Each row of " + output.path() + " must have a source, but the map has "
                                + map.rowsOf(output.path()) + " for " + output.recordCount() + " rows.");
            }
        }
    }

    /** What a rewrite made of files planned on the newest snapshot. */
    public static Compaction of(
            ReadPoint base,
            List<FileTask> sources,
            List<DataFile> outputs,
            PositionMap map,
            Map<String, String> summary) {
        return new Compaction(base, sources, outputs, map, Map.of(), Map.of(), summary);
    }

    /** The change to commit. Pure. */
    public SnapshotChange toSnapshotChange() {
        var addedData = new ArrayList<AddedData>();
        var addedDeletes = new DeletesToAdd();
        for (DataFile output : outputs) {
            Optional<Outcome> deletes = Optional.ofNullable(carried.get(output.path()));
            if (deletes.filter(Outcome.WholeFile.class::isInstance).isPresent()) {
                continue;
            }
            addedData.add(new AddedData(output, OptionalLong.of(base.sequenceNumber())));
            if (deletes.isPresent() && deletes.get() instanceof Outcome.Deletes written) {
                addedDeletes.add(new AddedDelete(written.file(), Set.of(), Optional.empty()));
            }
        }
        List<Removal.Known> removed = sources.stream().map(Touched::known).toList();
        return new SnapshotChange(
                        Operation.REPLACE,
                        base.ref(),
                        base.snapshotId(),
                        base.formatVersion(),
                        addedData,
                        addedDeletes.all(),
                        removed.isEmpty() ? List.of() : List.of(new Removal.Files(removed)),
                        rules(),
                        summary)
                .withRowCounts(RowCounts.none());
    }

    private List<ConflictRule> rules() {
        Map<String, Place> files = places(sources);
        Map<String, Place> withoutIds = places(sources.stream()
                .filter(task -> task.file().firstRowId().isEmpty())
                .toList());
        return List.of(
                new ConflictRule.FilesStillThere(files),
                new ConflictRule.DeletesUnchanged(files),
                new ConflictRule.RowIdsStillUnassigned(withoutIds),
                new ConflictRule.NoNewEqualityDeletes(moved(), Expression.Constant.TRUE));
    }

    /**
     * Sources whose rows leave their partition or its spec, and the outputs they come to. A key deleted meanwhile where such a
     * row was no longer reaches it, and one deleted where it comes to would delete it: equality deletes apply to one place.
     */
    private Map<String, Place> moved() {
        var outputPlaces = new HashMap<String, Place>();
        outputs.forEach(file -> outputPlaces.put(file.path(), new Place(file.specId(), file.partition())));
        var moved = new HashMap<String, Place>();
        for (FileTask source : sources) {
            String path = source.file().path();
            Place from = Touched.place(source);
            for (String output : map.outputsOf(path)) {
                Place to = Objects.requireNonNull(outputPlaces.get(output));
                if (!to.equals(from)) {
                    moved.put(path, from);
                    moved.put(output, to);
                }
            }
        }
        return moved;
    }

    private static Map<String, Place> places(List<FileTask> tasks) {
        return tasks.stream().collect(Collectors.toMap(task -> task.file().path(), Touched::place));
    }

    /** Positions of the outputs that others deleted, by path. */
    static Map<String, PositionBitmap> carriedOver(PositionMap map, Map<String, PositionBitmap> deleted) {
        var byOutput = new LinkedHashMap<String, PositionBitmap>();
        deleted.forEach((source, positions) -> map.map(source, positions)
                .forEach((output, mapped) -> byOutput.computeIfAbsent(output, path -> new PositionBitmap())
                        .or(mapped)));
        return byOutput;
    }
}
