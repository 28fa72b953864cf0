package dev.calve.rowlevel.interleaving;

import dev.calve.commit.Conflict;
import dev.calve.commit.ConflictRule;
import dev.calve.commit.Removal;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.parquet.Placement;
import dev.calve.parquet.PositionDeleteWriter;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.rewrite.PositionMap;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.SurvivorWriter;
import dev.calve.rowlevel.Compaction;
import dev.calve.rowlevel.MapAgain;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.SettleAgain;
import dev.calve.rowlevel.SettleHere;
import dev.calve.rowlevel.Settlement;
import dev.calve.rowlevel.Touched;
import dev.calve.rowlevel.WholeFile;
import dev.calve.rowlevel.interleaving.Table.Stored;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Does a {@link Work} for real: plans with the planner, finds rows by position, settles and commits. The rows it finds are given
 * to the same function that says what the statement means; what it makes of them is files.
 */
final class Execution {

    private final Client client;
    private final Table table;
    private final Work work;
    private final SettleHere settlement;
    private long attempts;

    Execution(Client client, Table table, Work work) {
        this.client = client;
        this.table = table;
        this.work = work;
        this.settlement = new SettleHere(
                table.storage,
                client.ledger,
                client.id,
                0,
                (storage, metadata, names) -> (task, gone) ->
                        new SurvivorWriter.Survivors(List.of(write(names, alive(task, gone))), RewriteCounts.NONE),
                "test");
    }

    Ending run(TableState state) throws IOException {
        return switch (work.kind()) {
            case APPEND -> client.commit(append(state), Resettle.never());
            case DELETE, UPDATE, DERIVE, MERGE -> rowLevel(state);
            case DELETE_ACROSS -> deleteAcross(state);
            case OVERWRITE -> client.commit(overwrite(state), Resettle.never());
            case READ_AND_OVERWRITE -> readAndOverwrite(state);
            case COMPACT -> compact(state);
            case UPSERT -> client.commit(upsert(state), this::upsertAgain);
            case UPGRADE, SET_PROPERTY -> throw new IllegalStateException(work + " adds no snapshot");
        };
    }

    private Ending nothing() {
        client.ledger.abort();
        return new Ending.Nothing();
    }

    // What the statement read

    /** A row and where it is. */
    private record Found(FileTask task, int position, Stored stored) {}

    private List<FileTask> plan(TableState state) {
        client.reads(state);
        Optional<Snapshot> head = state.metadata().currentSnapshot();
        if (head.isEmpty()) {
            return List.of();
        }
        return new ScanPlanner(table.storage, state.metadata(), head.get())
                .plan(work.where().filter())
                .tasks();
    }

    private Map<String, Found> find(List<FileTask> tasks) throws IOException {
        var found = new LinkedHashMap<String, Found>();
        for (FileTask task : tasks) {
            PositionBitmap gone = ExistingDeletes.of(table.storage, task);
            for (int i = 0; i < table.rows(task.file()).size(); i++) {
                if (!gone.contains(i)) {
                    Stored stored = table.at(task.file(), i);
                    found.put(stored.row().name(), new Found(task, i, stored));
                }
            }
        }
        return found;
    }

    private List<Stored> alive(FileTask task, PositionBitmap gone) {
        var alive = new ArrayList<Stored>();
        for (int i = 0; i < table.rows(task.file()).size(); i++) {
            if (!gone.contains(i)) {
                alive.add(table.at(task.file(), i));
            }
        }
        return alive;
    }

    private Delta delta(Map<String, Found> found) {
        return work.effect()
                .on(found.values().stream().map(row -> row.stored().row()).toList());
    }

    // What it writes

    private FileNames names(TableState state) {
        return new FileNames(state.metadata(), client.id, 1, attempts++);
    }

    private DataFile write(FileNames names, List<Stored> rows) {
        PartitionTuple partition = table.partition(rows.get(0).row().id());
        String path = names.dataFile(table.metadata().defaultSpecId(), partition);
        client.ledger.wrote(path);
        return table.write(path, rows);
    }

    /** One file per partition. */
    private List<DataFile> writeAll(FileNames names, List<Stored> rows) {
        var byPart = new TreeMap<Integer, List<Stored>>();
        for (Stored row : rows) {
            int part = table.isPartitioned() ? Table.part(row.row().id()) : 0;
            byPart.computeIfAbsent(part, key -> new ArrayList<>()).add(row);
        }
        return byPart.values().stream().map(part -> write(names, part)).toList();
    }

    private List<DataFile> writeNew(TableState state, List<Row> rows) {
        return writeAll(
                names(state),
                rows.stream().map(row -> new Stored(row, OptionalLong.empty())).toList());
    }

    // Statements that read nothing

    private SnapshotChange append(TableState state) {
        List<DataFile> files = writeNew(state, work.effect().on(List.of()).added());
        return SnapshotChange.append(SnapshotRef.MAIN, state.metadata().formatVersion(), files, client.summary());
    }

    private SnapshotChange change(
            Operation operation,
            TableState state,
            List<DataFile> added,
            List<AddedDelete> deletes,
            List<Removal> removals,
            List<ConflictRule> rules,
            OptionalLong read) {
        return new SnapshotChange(
                operation,
                SnapshotRef.MAIN,
                read,
                state.metadata().formatVersion(),
                added.stream().map(AddedData::ofNewRows).toList(),
                deletes,
                removals,
                rules,
                client.summary());
    }

    private SnapshotChange overwrite(TableState state) {
        List<Row> rows = work.effect().on(List.of()).added();
        return change(
                rows.isEmpty() ? Operation.DELETE : Operation.OVERWRITE,
                state,
                writeNew(state, rows),
                List.of(),
                List.of(new Removal.Matching(work.where().filter())),
                List.of(),
                OptionalLong.empty());
    }

    private SnapshotChange upsert(TableState state) {
        List<Row> rows = work.effect().on(List.of()).added();
        FileNames names = names(state);
        var deletes = new ArrayList<AddedDelete>();
        Map<PartitionTuple, Set<Long>> keys = rows.stream()
                .map(Row::id)
                .collect(Collectors.groupingBy(table::partition, Collectors.toCollection(TreeSet::new)));
        keys.forEach((partition, ids) -> {
            String path = names.positionDeletes(state.metadata().defaultSpecId(), partition);
            client.ledger.wrote(path);
            deletes.add(new AddedDelete(table.writeKeys(path, ids), Set.of(), Optional.empty()));
        });
        return change(
                Operation.OVERWRITE, state, writeNew(state, rows), deletes, List.of(), List.of(), OptionalLong.empty());
    }

    /** Deletes by key are the same in every format version. */
    private Optional<SnapshotChange> upsertAgain(TableState found, List<Conflict> conflicts, SnapshotChange change)
            throws Resettle.Refused {
        if (!conflicts.stream().allMatch(Conflict.FormatChanged.class::isInstance)) {
            throw new Resettle.Refused(conflicts);
        }
        return Optional.of(new SnapshotChange(
                change.operation(),
                change.ref(),
                change.readSnapshotId(),
                found.metadata().formatVersion(),
                change.addedData(),
                change.addedDeletes(),
                change.removals(),
                change.rules(),
                change.summary()));
    }

    // Statements that read

    private Ending rowLevel(TableState state) throws IOException {
        RowChange change = rowChange(state);
        if (change.isEmpty()) {
            return nothing();
        }
        SettleAgain resettle = SettleAgain.of(table.storage, change, settlement).showing(this::selects);
        if (work.kind() == Work.Kind.DELETE) {
            resettle = resettle.orElse(
                    (found, conflicts, stale) -> Optional.of(rowChange(found)).filter(again -> !again.isEmpty()));
        }
        return client.commit(change.toSnapshotChange(), resettle);
    }

    private PositionBitmap selects(FileTask task, PositionBitmap deleted) {
        var selected = new PositionBitmap();
        for (int i = 0; i < table.rows(task.file()).size(); i++) {
            if (!deleted.contains(i)
                    && work.where().holds().test(table.rows(task.file()).get(i).row())) {
                selected.add(i);
            }
        }
        return selected;
    }

    private RowChange rowChange(TableState state) throws IOException {
        TableMetadata metadata = state.metadata();
        List<FileTask> tasks = plan(state);
        var whole = new ArrayList<WholeFile>();
        var evaluated = new ArrayList<FileTask>();
        for (FileTask task : tasks) {
            if (work.kind() == Work.Kind.DELETE && task.everyRowMatches()) {
                whole.add(WholeFile.of(table.storage, task));
            } else {
                evaluated.add(task);
            }
        }
        Map<String, Found> found = find(evaluated);
        Delta delta = delta(found);
        List<Touched> touched = settle(metadata, found, delta);
        var comes = new ArrayList<Stored>();
        found.forEach((name, row) -> {
            Long value = delta.changed().get(name);
            if (value != null) {
                comes.add(new Stored(
                        row.stored().row().withValue(value), row.stored().rowId()));
            }
        });
        delta.added().forEach(row -> comes.add(new Stored(row, OptionalLong.empty())));
        boolean readsMore = work.kind() == Work.Kind.MERGE || work.kind() == Work.Kind.DERIVE;
        return new RowChange(
                switch (work.kind()) {
                    case DELETE -> RowChange.Command.DELETE;
                    case MERGE -> RowChange.Command.MERGE;
                    default -> RowChange.Command.UPDATE;
                },
                ReadPoint.of(metadata, SnapshotRef.MAIN),
                new Scope(work.where().filter(), work.isolation(), readsMore ? tasks : List.of()),
                touched,
                whole,
                comes.isEmpty() ? List.of() : writeAll(names(state), comes),
                delta.changed().size(),
                client.summary());
    }

    private List<Touched> settle(TableMetadata metadata, Map<String, Found> found, Delta delta) throws IOException {
        var going = new LinkedHashMap<FileTask, PositionBitmap>();
        for (Found row : found.values()) {
            if (delta.touches(row.stored().row())) {
                going.computeIfAbsent(row.task(), task -> new PositionBitmap()).add(row.position());
            }
        }
        var parts = new ArrayList<Settlement.Part>();
        for (Map.Entry<FileTask, PositionBitmap> entry : going.entrySet()) {
            PositionBitmap before = ExistingDeletes.of(table.storage, entry.getKey());
            parts.add(new Settlement.Part(entry.getKey(), before, entry.getValue(), work.rewrite()));
        }
        return parts.isEmpty()
                ? List.of()
                : Touched.of(List.copyOf(going.keySet()), settlement.settle(metadata, parts));
    }

    private Ending deleteAcross(TableState state) throws IOException {
        if (state.metadata().formatVersion() > 2) {
            throw new UnsupportedOperationException("Position delete files may not be added in v3.");
        }
        List<FileTask> tasks = plan(state);
        Map<String, Found> found = find(tasks);
        Delta delta = delta(found);
        Map<PartitionTuple, TreeMap<String, PositionBitmap>> going = new HashMap<>();
        Map<String, ConflictRule.Place> files = new HashMap<>();
        for (Found row : found.values()) {
            if (delta.touches(row.stored().row())) {
                DataFile file = row.task().file();
                files.put(file.path(), place(row.task()));
                going.computeIfAbsent(file.partition(), key -> new TreeMap<>())
                        .computeIfAbsent(file.path(), path -> new PositionBitmap())
                        .add(row.position());
            }
        }
        FileNames names = names(state);
        var deletes = new ArrayList<AddedDelete>();
        for (Map.Entry<PartitionTuple, TreeMap<String, PositionBitmap>> part : going.entrySet()) {
            int specId = state.metadata().defaultSpecId();
            String path = names.positionDeletes(specId, part.getKey());
            client.ledger.wrote(path);
            var writer = PositionDeleteWriter.create(
                    table.storage,
                    path,
                    WriteSettings.forPositionDeletes(TableProperties.of(state.metadata(), "db.t")),
                    Placement.of(specId, part.getKey()));
            for (Map.Entry<String, PositionBitmap> file : part.getValue().entrySet()) {
                writer.delete(file.getKey(), file.getValue());
            }
            deletes.add(new AddedDelete(writer.close(), Set.of(), Optional.empty()));
        }
        SnapshotChange change = change(
                Operation.DELETE,
                state,
                List.of(),
                deletes,
                List.of(),
                List.of(
                        new ConflictRule.FilesStillThere(files),
                        new ConflictRule.NoNewDataMatching(work.where().filter())),
                Client.optionalId(client.read()));
        return change.isEmpty() ? nothing() : client.commit(change, Resettle.never());
    }

    private Ending readAndOverwrite(TableState state) throws IOException {
        List<FileTask> tasks = plan(state);
        List<Row> added = delta(find(tasks)).added();
        Map<String, ConflictRule.Place> files =
                tasks.stream().collect(Collectors.toMap(task -> task.file().path(), Execution::place));
        List<Removal> removals = tasks.isEmpty()
                ? List.of()
                : List.of(new Removal.Files(tasks.stream()
                        .map(task -> Removal.Known.of(task.file(), task.manifest()))
                        .toList()));
        SnapshotChange change = change(
                Operation.OVERWRITE,
                state,
                writeNew(state, added),
                List.of(),
                removals,
                List.of(
                        new ConflictRule.FilesStillThere(files),
                        new ConflictRule.NoChangeIn(Set.copyOf(files.values()))),
                Client.optionalId(client.read()));
        return change.isEmpty() ? nothing() : client.commit(change, Resettle.never());
    }

    private static ConflictRule.Place place(FileTask task) {
        return new ConflictRule.Place(task.file().specId(), task.file().partition());
    }

    /** Joins the files of each partition into one, or two halves if there are many rows. */
    private Ending compact(TableState state) throws IOException {
        List<FileTask> tasks = plan(state);
        Map<PartitionTuple, List<Found>> byPartition = new HashMap<>();
        for (Found row : find(tasks).values()) {
            byPartition
                    .computeIfAbsent(row.task().file().partition(), key -> new ArrayList<>())
                    .add(row);
        }
        if (tasks.isEmpty()) {
            return nothing();
        }
        PositionMap.Builder map = PositionMap.builder();
        tasks.forEach(task -> map.source(task.file().path()));
        var outputs = new ArrayList<DataFile>();
        FileNames names = names(state);
        for (List<Found> rows : byPartition.values()) {
            int half = rows.size() > 5 ? rows.size() / 2 : rows.size();
            for (int from = 0; from < rows.size(); from += half) {
                List<Found> part = rows.subList(from, Math.min(rows.size(), from + half));
                DataFile output = write(names, part.stream().map(Found::stored).toList());
                for (int i = 0; i < part.size(); i++) {
                    map.add(part.get(i).task().file().path(), part.get(i).position(), output.path(), i);
                }
                outputs.add(output);
            }
        }
        Compaction compaction = Compaction.of(
                ReadPoint.of(state.metadata(), SnapshotRef.MAIN), tasks, outputs, map.build(), client.summary());
        return client.commit(compaction.toSnapshotChange(), new MapAgain(table.storage, compaction, settlement));
    }
}
