package dev.calve.rowlevel.model;

import dev.calve.commit.CommitOutcome;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.Conflict;
import dev.calve.commit.ConflictRule;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Removal;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.parquet.Placement;
import dev.calve.parquet.PositionDeleteWriter;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.rewrite.PositionMap;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.SurvivorWriter;
import dev.calve.rowlevel.Compaction;
import dev.calve.rowlevel.MapAgain;
import dev.calve.rowlevel.Overwrite;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.RowChange;
import dev.calve.rowlevel.Scope;
import dev.calve.rowlevel.SettleAgain;
import dev.calve.rowlevel.SettleHere;
import dev.calve.rowlevel.Settlement;
import dev.calve.rowlevel.Touched;
import dev.calve.rowlevel.WholeFile;
import dev.calve.rowlevel.model.Statement.Delta;
import dev.calve.rowlevel.model.Statement.Kind;
import dev.calve.rowlevel.model.StoredTable.Stored;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Does a {@link Statement} for real: plans with the planner, finds rows by position, settles and commits. */
final class Execution {

    private final StoredTable table;
    private final Statement statement;
    private final Supplier<Map<Long, Row>> rows;
    private final UUID id = UUID.randomUUID();
    private final FileLedger ledger;
    private final Settlement settlement;
    private long attempts;
    private Map<Long, Row> read = Map.of();

    /** @param rows what the table holds while it is read */
    Execution(StoredTable table, Statement statement, Supplier<Map<Long, Row>> rows) {
        this.table = table;
        this.statement = statement;
        this.rows = rows;
        this.ledger = new FileLedger(table.storage);
        this.settlement = new ByKeyToo(new SettleHere(
                table.storage,
                ledger,
                id,
                0,
                (storage, metadata, names) -> (task, gone) -> new SurvivorWriter.Survivors(
                        List.of(write(names, task.file().specId(), task.file().partition(), alive(task, gone))),
                        RewriteCounts.NONE),
                "test"));
    }

    /** Settles with deletes by key, as the engine does. */
    private final class ByKeyToo implements Settlement {
        private final Settlement here;

        ByKeyToo(Settlement here) {
            this.here = here;
        }

        @Override
        public List<Outcome> settle(TableMetadata found, List<Part> parts) throws IOException {
            var all = new ArrayList<Part>();
            for (Part part : parts) {
                PositionBitmap before = part.deletedBefore().copy();
                if (part.rewrite()) {
                    before.or(
                            table.deletedByKey(part.task().entry(), part.task().deletes()));
                }
                PositionBitmap positions = part.positions().copy();
                positions.andNot(before);
                all.add(new Part(part.task(), before, positions, part.rewrite()));
            }
            return here.settle(found, all);
        }

        @Override
        public boolean evaluatesKeys() {
            return true;
        }

        @Override
        public boolean isQuick() {
            return true;
        }
    }

    /** How it ended. */
    enum Ending {
        COMMITTED,
        /** There was nothing to do. */
        NOTHING
    }

    /** A statement that has written its files. */
    interface Prepared {

        /**
         * Commits it.
         *
         * @throws dev.calve.commit.CommitConflictException if another statement stands in the way
         */
        Ending commit() throws IOException;
    }

    /** The rows there were when it read the table last. */
    Map<Long, Row> read() {
        return read;
    }

    /** Does all it does before it commits. */
    Prepared prepare() throws IOException {
        TableState state = table.committer.now();
        return switch (statement.kind()) {
            case APPEND -> commit(append(state), Resettle.never());
            case DELETE, UPDATE, MERGE -> rowLevel(state);
            case OVERWRITE -> overwrite(state);
            case COMPACT, REPARTITION -> compact(state);
            case DELETE_KEYS -> commit(deleteKeys(state, statement.keys().orElseThrow()), this::sameAgain);
            case DELETE_ACROSS -> deleteAcross(state);
        };
    }

    private Prepared nothing() {
        ledger.abort();
        return () -> Ending.NOTHING;
    }

    private Prepared commit(SnapshotChange change, Resettle resettle) {
        return change.isEmpty() ? nothing() : () -> committed(change, resettle);
    }

    private Ending committed(SnapshotChange change, Resettle resettle) {
        var target = new CommitTarget("db.t", table.metadata().uuid(), table.committer, table.storage);
        CommitOutcome outcome = new TableCommit(
                        target,
                        dev.calve.commit.Statement.of(id, statement.kind().toString(), ledger),
                        Clock.systemUTC())
                .commit(change, resettle);
        return outcome.committed().isPresent() ? Ending.COMMITTED : Ending.NOTHING;
    }

    // What it reads

    /** A row and where it is. */
    private record Found(FileTask task, int position, Stored stored) {}

    /** Where a row comes to. */
    private record Place(String path, int position) {}

    private List<FileTask> plan(TableState state) {
        read = rows.get();
        TableMetadata metadata = state.metadata();
        return metadata.commitParent(statement.branch())
                .map(head -> new ScanPlanner(table.storage, metadata, head)
                        .plan(statement.where().filter().apply(metadata.schema()))
                        .tasks())
                .orElse(List.of());
    }

    private PositionBitmap deleted(FileTask task) throws IOException {
        PositionBitmap deleted = ExistingDeletes.byPosition(table.storage, task);
        deleted.or(table.deletedByKey(task.entry(), task.deletes()));
        return deleted;
    }

    private Map<Long, Found> find(List<FileTask> tasks) throws IOException {
        var found = new LinkedHashMap<Long, Found>();
        for (FileTask task : tasks) {
            PositionBitmap gone = deleted(task);
            for (int i = 0; i < table.size(task.file()); i++) {
                if (!gone.contains(i)) {
                    Stored stored = table.at(task.entry(), i);
                    found.put(stored.row().name(), new Found(task, i, stored));
                }
            }
        }
        return found;
    }

    private List<Stored> alive(FileTask task, PositionBitmap gone) {
        var alive = new ArrayList<Stored>();
        for (int i = 0; i < table.size(task.file()); i++) {
            if (!gone.contains(i)) {
                alive.add(table.at(task.entry(), i));
            }
        }
        return alive;
    }

    private Delta delta(Map<Long, Found> found) {
        return statement
                .effect()
                .apply(found.values().stream().map(row -> row.stored().row()).toList());
    }

    // What it writes

    private FileNames names(TableState state) {
        return new FileNames(state.metadata(), id, 1, attempts++);
    }

    private DataFile write(FileNames names, int specId, PartitionTuple partition, List<Stored> rows) {
        String path = names.dataFile(specId, partition);
        ledger.wrote(path);
        return table.write(path, specId, partition, rows);
    }

    /** One file per partition. */
    private List<DataFile> writeAll(FileNames names, List<Stored> rows) {
        PartitionSpec spec = table.metadata().spec();
        var byPartition = new LinkedHashMap<PartitionTuple, List<Stored>>();
        rows.forEach(row -> byPartition
                .computeIfAbsent(table.partition(spec, row.row()), tuple -> new ArrayList<>())
                .add(row));
        var files = new ArrayList<DataFile>();
        byPartition.forEach((partition, part) -> files.add(write(names, spec.id(), partition, part)));
        return files;
    }

    private List<DataFile> writeNew(TableState state, List<Row> rows) {
        return writeAll(
                names(state),
                rows.stream()
                        .map(row -> new Stored(row, OptionalLong.empty(), OptionalLong.empty()))
                        .toList());
    }

    private SnapshotChange append(TableState state) {
        List<DataFile> files =
                writeNew(state, statement.effect().apply(List.of()).added());
        return SnapshotChange.append(statement.branch(), state.metadata().formatVersion(), files, Map.of());
    }

    private Prepared rowLevel(TableState state) throws IOException {
        RowChange change = rowChange(state);
        if (change.isEmpty()) {
            return nothing();
        }
        SettleAgain resettle = SettleAgain.of(table.storage, change, settlement).showing(this::selects);
        if (statement.kind() == Kind.DELETE) {
            resettle = resettle.orElse(
                    (found, conflicts, stale) -> Optional.of(rowChange(found)).filter(again -> !again.isEmpty()));
        }
        return commit(change.toSnapshotChange(), resettle);
    }

    private PositionBitmap selects(FileTask task, PositionBitmap deleted) {
        var selected = new PositionBitmap();
        for (int i = 0; i < table.size(task.file()); i++) {
            if (!deleted.contains(i)
                    && statement.where().selects(table.at(task.entry(), i).row())) {
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
            if (statement.kind() == Kind.DELETE && task.everyRowMatches()) {
                whole.add(WholeFile.of(table.storage, task));
            } else {
                evaluated.add(task);
            }
        }
        Map<Long, Found> found = find(evaluated);
        Delta delta = delta(found);
        List<Touched> touched = settle(metadata, found, delta, statement.rewrite());
        var comes = new ArrayList<Stored>();
        found.forEach((name, row) -> {
            Row changed = delta.changed().get(name);
            if (changed != null) {
                comes.add(new Stored(changed, row.stored().rowId(), OptionalLong.empty()));
            }
        });
        delta.added().forEach(row -> comes.add(new Stored(row, OptionalLong.empty(), OptionalLong.empty())));
        return new RowChange(
                RowChange.Command.valueOf(statement.kind().name()),
                ReadPoint.of(metadata, statement.branch()),
                new Scope(
                        statement.where().filter().apply(metadata.schema()),
                        statement.isolation(),
                        statement.kind() == Kind.MERGE ? tasks : List.of()),
                touched,
                whole,
                comes.isEmpty() ? List.of() : writeAll(names(state), comes),
                delta.changed().size(),
                Map.of());
    }

    private List<Touched> settle(TableMetadata metadata, Map<Long, Found> found, Delta delta, boolean rewrite)
            throws IOException {
        var going = new LinkedHashMap<FileTask, PositionBitmap>();
        for (Found row : found.values()) {
            long name = row.stored().row().name();
            if (delta.gone().contains(name) || delta.changed().containsKey(name)) {
                going.computeIfAbsent(row.task(), task -> new PositionBitmap()).add(row.position());
            }
        }
        var parts = new ArrayList<Settlement.Part>();
        for (Map.Entry<FileTask, PositionBitmap> entry : going.entrySet()) {
            parts.add(new Settlement.Part(
                    entry.getKey(),
                    ExistingDeletes.byPosition(table.storage, entry.getKey()),
                    entry.getValue(),
                    rewrite));
        }
        return parts.isEmpty()
                ? List.of()
                : Touched.of(List.copyOf(going.keySet()), settlement.settle(metadata, parts));
    }

    /** Plans again on whatever is there when it commits. */
    private Prepared overwrite(TableState state) throws IOException {
        List<DataFile> rows =
                writeNew(state, statement.effect().apply(List.of()).added());
        return commit(overwriting(state, rows), (found, conflicts, stale) -> Optional.of(overwriting(found, rows)));
    }

    private SnapshotChange overwriting(TableState state, List<DataFile> rows) throws IOException {
        TableMetadata metadata = state.metadata();
        var whole = new ArrayList<WholeFile>();
        var evaluated = new ArrayList<FileTask>();
        for (FileTask task : plan(state)) {
            if (task.everyRowMatches()) {
                whole.add(WholeFile.of(table.storage, task));
            } else {
                evaluated.add(task);
            }
        }
        Map<Long, Found> found = find(evaluated);
        List<Touched> touched = settle(metadata, found, delta(found), statement.rewrite());
        var filter = statement.where().filter().apply(metadata.schema());
        var going = RowChange.delete(
                ReadPoint.of(metadata, statement.branch()),
                Scope.of(filter, IsolationLevel.SNAPSHOT),
                touched,
                whole,
                Map.of());
        return new Overwrite(going, rows, Optional.of(new ConflictRule.NoNewDataMatching(filter))).toSnapshotChange();
    }

    private SnapshotChange deleteKeys(TableState state, Keys keys) {
        var deletes = new ArrayList<AddedDelete>();
        FileNames names = names(state);
        keys.rows().stream()
                .collect(Collectors.groupingBy(row -> table.partition(keys.spec(), row)))
                .forEach((partition, rows) -> {
                    String path = names.positionDeletes(keys.spec().id(), partition);
                    ledger.wrote(path);
                    var here = new Keys(keys.spec(), keys.columns(), rows);
                    deletes.add(new AddedDelete(table.writeKeys(path, partition, here), Set.of(), Optional.empty()));
                });
        return change(Operation.DELETE, state, deletes, List.of(), OptionalLong.empty());
    }

    private SnapshotChange change(
            Operation operation,
            TableState state,
            List<AddedDelete> deletes,
            List<ConflictRule> rules,
            OptionalLong read) {
        return new SnapshotChange(
                operation,
                statement.branch(),
                read,
                state.metadata().formatVersion(),
                List.<AddedData>of(),
                deletes,
                List.<Removal>of(),
                rules,
                Map.of());
    }

    /** Deletes by key are the same in every format version. */
    private Optional<SnapshotChange> sameAgain(TableState found, List<Conflict> conflicts, SnapshotChange change)
            throws Resettle.Refused {
        if (!conflicts.stream().allMatch(Conflict.FormatChanged.class::isInstance)) {
            throw new Resettle.Refused(conflicts);
        }
        return Optional.of(change(change.operation(), found, change.addedDeletes(), List.of(), OptionalLong.empty()));
    }

    private Prepared deleteAcross(TableState state) throws IOException {
        Map<Long, Found> found = find(plan(state));
        Delta delta = delta(found);
        Map<ConflictRule.Place, TreeMap<String, PositionBitmap>> going = new HashMap<>();
        Map<String, ConflictRule.Place> files = new HashMap<>();
        for (Found row : found.values()) {
            if (delta.gone().contains(row.stored().row().name())) {
                DataFile file = row.task().file();
                var place = new ConflictRule.Place(file.specId(), file.partition());
                files.put(file.path(), place);
                going.computeIfAbsent(place, key -> new TreeMap<>())
                        .computeIfAbsent(file.path(), path -> new PositionBitmap())
                        .add(row.position());
            }
        }
        FileNames names = names(state);
        var deletes = new ArrayList<AddedDelete>();
        for (Map.Entry<ConflictRule.Place, TreeMap<String, PositionBitmap>> part : going.entrySet()) {
            ConflictRule.Place place = part.getKey();
            String path = names.positionDeletes(place.specId(), place.partition());
            ledger.wrote(path);
            var writer = PositionDeleteWriter.create(
                    table.storage,
                    path,
                    WriteSettings.forPositionDeletes(TableProperties.of(state.metadata(), "db.t")),
                    Placement.of(place.specId(), place.partition()));
            for (Map.Entry<String, PositionBitmap> file : part.getValue().entrySet()) {
                writer.delete(file.getKey(), file.getValue());
            }
            deletes.add(new AddedDelete(writer.close(), Set.of(), Optional.empty()));
        }
        ReadPoint read = ReadPoint.of(state.metadata(), statement.branch());
        return commit(
                change(
                        Operation.DELETE,
                        state,
                        deletes,
                        List.of(
                                new ConflictRule.FilesStillThere(files),
                                new ConflictRule.NoNewDataMatching(statement
                                        .where()
                                        .filter()
                                        .apply(state.metadata().schema()))),
                        read.snapshotId()),
                Resettle.never());
    }

    /** Joins the files of each place into one, or two halves if there are many rows. */
    private Prepared compact(TableState state) throws IOException {
        List<FileTask> tasks = plan(state);
        PartitionSpec spec = state.metadata().spec();
        var byPlace = new LinkedHashMap<ConflictRule.Place, List<Found>>();
        Map<Long, Found> found = find(tasks);
        for (Found row : found.values()) {
            DataFile file = row.task().file();
            var place = statement.kind() == Kind.COMPACT
                    ? new ConflictRule.Place(file.specId(), file.partition())
                    : new ConflictRule.Place(
                            spec.id(), table.partition(spec, row.stored().row()));
            byPlace.computeIfAbsent(place, key -> new ArrayList<>()).add(row);
        }
        if (tasks.isEmpty()) {
            return nothing();
        }
        var places = new HashMap<Found, Place>();
        var outputs = new ArrayList<DataFile>();
        FileNames names = names(state);
        for (Map.Entry<ConflictRule.Place, List<Found>> entry : byPlace.entrySet()) {
            List<Found> rows = entry.getValue();
            int half = rows.size() > 5 ? rows.size() / 2 : rows.size();
            for (int from = 0; from < rows.size(); from += half) {
                List<Found> part = rows.subList(from, Math.min(rows.size(), from + half));
                DataFile output = write(
                        names,
                        entry.getKey().specId(),
                        entry.getKey().partition(),
                        part.stream().map(Found::stored).toList());
                for (int i = 0; i < part.size(); i++) {
                    places.put(part.get(i), new Place(output.path(), i));
                }
                outputs.add(output);
            }
        }
        PositionMap.Builder map = PositionMap.builder();
        tasks.forEach(task -> map.source(task.file().path()));
        found.values().forEach(row -> {
            Place place = Objects.requireNonNull(places.get(row));
            map.add(row.task().file().path(), row.position(), place.path(), place.position());
        });
        Compaction compaction = Compaction.of(
                ReadPoint.of(state.metadata(), statement.branch()), tasks, outputs, map.build(), Map.of());
        return commit(compaction.toSnapshotChange(), new MapAgain(table.storage, compaction, settlement));
    }
}
