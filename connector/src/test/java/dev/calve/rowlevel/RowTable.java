package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitFixture;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.LiveFiles;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.parquet.Placement;
import dev.calve.parquet.PositionDeleteWriter;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.rewrite.PositionMap;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.rowdelete.SurvivorWriter;
import dev.calve.rowlevel.RowChange.Command;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.scan.SnapshotManifests;
import dev.calve.schema.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;

/**
 * A table whose rows live in a map beside its files, and statements that plan, settle and commit on it with the real code.
 * Vectors and position delete files are real; data files are a byte. Safe for use by several threads.
 */
public final class RowTable {

    /**
     * A row.
     *
     * @param name what never changes, by which a test follows the row
     * @param id column {@code id}, by which statements choose rows
     * @param rowId stored with the row, once it was written again
     */
    public record Row(long name, long id, OptionalLong rowId) {

        public static Row of(long name) {
            return new Row(name, name, OptionalLong.empty());
        }

        Row withId(long newId) {
            return new Row(name, newId, rowId);
        }
    }

    /**
     * Rows with an id from {@code from} to {@code to}, both included.
     *
     * @param partition where they all are, if that is known
     */
    public record Range(long from, long to, OptionalInt partition) {

        public Range(long from, long to) {
            this(from, to, OptionalInt.empty());
        }

        public Range in(int onlyPartition) {
            return new Range(from, to, OptionalInt.of(onlyPartition));
        }

        public Expression filter() {
            var id = new Expression.Column(CommitFixture.ID, Type.Simple.LONG, true);
            Expression ids = Expressions.and(
                    Expressions.comparison(id, Expression.Operator.GREATER_OR_EQUAL, from),
                    Expressions.comparison(id, Expression.Operator.LESS_OR_EQUAL, to));
            if (partition.isEmpty()) {
                return ids;
            }
            var part = new Expression.Column(CommitFixture.PART, Type.Simple.INT, false);
            return Expressions.and(Expressions.equal(part, partition.getAsInt()), ids);
        }

        boolean selects(Row row) {
            return row.id() >= from && row.id() <= to;
        }
    }

    public final CommitFixture table;
    private final Map<String, List<Row>> contents = new ConcurrentHashMap<>();
    private final Map<String, Set<Long>> deletedIds = new ConcurrentHashMap<>();
    private final AtomicInteger files = new AtomicInteger();

    public RowTable(CommitFixture table) {
        this.table = table;
    }

    public static RowTable unpartitioned(int formatVersion) {
        return new RowTable(CommitFixture.unpartitioned(formatVersion));
    }

    /** Writes a file of rows with known bounds; not committed. */
    public DataFile file(List<Row> rows, Object... partition) {
        return file("f" + files.incrementAndGet() + ".parquet", rows, partition);
    }

    private DataFile file(String name, List<Row> rows, Object... partition) {
        DataFile file = table.dataFile(name)
                .in(partition)
                .records(rows.size())
                .ids(
                        rows.stream().mapToLong(Row::id).min().orElse(0),
                        rows.stream().mapToLong(Row::id).max().orElse(0))
                .build();
        contents.put(file.path(), List.copyOf(rows));
        return file;
    }

    /** Appends a file of rows named from {@code from} to {@code to}, both included. */
    public DataFile append(long from, long to, Object... partition) {
        var rows = new ArrayList<Row>();
        for (long name = from; name <= to; name++) {
            rows.add(Row.of(name));
        }
        DataFile file = file(rows, partition);
        table.append(file);
        return file;
    }

    /** Commits an equality delete of the ids, as a streaming writer would; unpartitioned tables only. */
    public void deleteByKey(Long... ids) {
        DeleteFile keys = table.equality("keys" + files.incrementAndGet(), 0);
        deletedIds.put(keys.path(), Set.of(ids));
        table.change(Operation.DELETE).delete(keys).commit();
    }

    /** Commits a position delete file that speaks of several data files: the rows with these ids, wherever they are. */
    public void deleteWidely(Long... ids) {
        try {
            String location = "memory:/t/data/wide" + files.incrementAndGet() + ".parquet";
            var settings = WriteSettings.forPositionDeletes(
                    TableProperties.of(table.metadata(), table.metadata().location()));
            var writer = PositionDeleteWriter.create(
                    table.storage, location, settings, Placement.of(0, PartitionTuple.EMPTY));
            var byPath = new TreeMap<String, PositionBitmap>();
            for (FileTask task : new ScanPlanner(table.storage, table.metadata(), table.head())
                    .plan(Expression.Constant.TRUE)
                    .tasks()) {
                List<Row> rows = contents(task);
                for (int i = 0; i < rows.size(); i++) {
                    if (Set.of(ids).contains(rows.get(i).id())) {
                        byPath.computeIfAbsent(task.file().path(), path -> new PositionBitmap())
                                .add(i);
                    }
                }
            }
            for (var entry : byPath.entrySet()) {
                writer.delete(entry.getKey(), entry.getValue());
            }
            table.change(Operation.DELETE).delete(writer.close()).commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Live rows of the newest snapshot, with the ids they have, by name. Fails if a row is there twice. */
    public Map<Long, Row> rows() {
        return rows(table.head());
    }

    public Map<Long, Row> rows(Snapshot snapshot) {
        var rows = new LinkedHashMap<Long, Row>();
        try {
            for (FileTask task : new ScanPlanner(table.storage, table.metadata(), snapshot)
                    .plan(Expression.Constant.TRUE)
                    .tasks()) {
                for (Row row : alive(task, deleted(task))) {
                    assertThat(rows.put(row.name(), row))
                            .as("row %s, twice", row.name())
                            .isNull();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    /** Ids of live rows, by name. */
    public Map<Long, Long> idsByName() {
        var ids = new LinkedHashMap<Long, Long>();
        rows().forEach((name, row) -> ids.put(name, row.id()));
        return ids;
    }

    /** Every snapshot keeps the rules of the format, and storage holds what snapshots refer to and nothing else. */
    public void check() {
        for (Snapshot snapshot : table.metadata().snapshots()) {
            LiveFiles.of(table.storage, table.metadata(), snapshot);
        }
        checkStorage();
    }

    /** Storage holds what snapshots refer to and nothing else. Reads every manifest once, however many snapshots list it. */
    public void checkStorage() {
        var reachable = new HashSet<String>();
        try {
            for (Snapshot snapshot : table.metadata().snapshots()) {
                reachable.add(snapshot.manifestList().orElseThrow());
                for (ManifestFile manifest : SnapshotManifests.of(table.storage, snapshot)) {
                    if (!reachable.add(manifest.path())) {
                        continue;
                    }
                    if (manifest.content() == ManifestFile.Content.DATA) {
                        ManifestReader.readData(table.storage, manifest, Selection.all())
                                .forEach(entry -> reachable.add(entry.file().path()));
                    } else {
                        ManifestReader.readDeletes(table.storage, manifest, Selection.all())
                                .forEach(entry -> reachable.add(entry.file().path()));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(table.storage.locations()).containsExactlyInAnyOrderElementsOf(reachable);
    }

    private List<Row> contents(FileTask task) {
        return Objects.requireNonNull(contents.get(task.file().path()), task.file()::path);
    }

    /** Positions that are gone, by key too. */
    private PositionBitmap deleted(FileTask task) throws IOException {
        PositionBitmap deleted = ExistingDeletes.of(table.storage, task, -1);
        List<Row> rows = contents(task);
        for (ManifestEntry<DeleteFile> entry : task.deletes()) {
            Set<Long> ids = deletedIds.getOrDefault(entry.file().path(), Set.of());
            for (int i = 0; i < rows.size(); i++) {
                if (ids.contains(rows.get(i).id())) {
                    deleted.add(i);
                }
            }
        }
        return deleted;
    }

    /** The rows of a file that are not gone, with the row ids they have. */
    private List<Row> alive(FileTask task, PositionBitmap gone) {
        var alive = new ArrayList<Row>();
        List<Row> rows = contents(task);
        for (int i = 0; i < rows.size(); i++) {
            if (!gone.contains(i)) {
                alive.add(identified(task, i));
            }
        }
        return alive;
    }

    /** Spec: Row Lineage: a stored id, else the file's first one and the position. */
    private Row identified(FileTask task, int position) {
        Row row = contents(task).get(position);
        OptionalLong first = task.file().firstRowId();
        if (first.isEmpty()) {
            return new Row(row.name(), row.id(), OptionalLong.empty());
        }
        return row.rowId().isPresent()
                ? row
                : new Row(row.name(), row.id(), OptionalLong.of(first.getAsLong() + position));
    }

    /** Which rows of a file have an id in the range. */
    public RowMatcher matcher(Range range) {
        return (task, deleted) -> {
            var matched = new PositionBitmap();
            List<Row> rows = contents(task);
            for (int i = 0; i < rows.size(); i++) {
                if (!deleted.contains(i) && range.selects(rows.get(i))) {
                    matched.add(i);
                }
            }
            return matched;
        };
    }

    public Run run(boolean rewrite, IsolationLevel isolation) {
        return new Run(rewrite, isolation);
    }

    /** One statement: plans on the newest snapshot, then commits whatever happened in between. */
    public final class Run {
        private final boolean rewrite;
        private final IsolationLevel isolation;
        public final CommitFixture.Statement statement = table.statement();
        private final Settlement settlement =
                new SettleHere(table.storage, statement.ledger, statement.id, 0, this::survivors, "test");

        private Run(boolean rewrite, IsolationLevel isolation) {
            this.rewrite = rewrite;
            this.isolation = isolation;
        }

        /** A re-settle for the change, to add a replan or matcher to. */
        public SettleAgain again(RowChange change) {
            return SettleAgain.of(table.storage, change, settlement);
        }

        public CommitOutcome commit(SettleAgain again) {
            return statement.commit(again.current().toSnapshotChange(), again);
        }

        /** DELETE of the rows in the range; its change may be empty. */
        public RowChange delete(Range range) {
            return delete(range, table.committer.now());
        }

        /** DELETE that runs again if it must. */
        public CommitOutcome deleteAndCommit(Range range) {
            return commit(again(delete(range)).orElse(replan(range)));
        }

        public SettleAgain.Replan replan(Range range) {
            return (found, conflicts, stale) ->
                    Optional.of(delete(range, found)).filter(change -> !change.isEmpty());
        }

        private RowChange delete(Range range, TableState state) {
            TableMetadata metadata = state.metadata();
            return RowChange.delete(
                    ReadPoint.of(metadata, "main"),
                    Scope.of(range.filter(), isolation),
                    touched(metadata, range),
                    List.of(),
                    Map.of());
        }

        /** UPDATE of the rows in the range; they stay in their partition. */
        public RowChange update(Range range, LongUnaryOperator newId) {
            return updateInto(range, newId, Optional.empty());
        }

        /** UPDATE of the rows in the range, which moves them to a partition. */
        public RowChange updateInto(Range range, LongUnaryOperator newId, int partition) {
            return updateInto(range, newId, Optional.of(PartitionTuple.of(partition)));
        }

        private RowChange updateInto(Range range, LongUnaryOperator newId, Optional<PartitionTuple> target) {
            TableMetadata metadata = table.metadata();
            List<Touched> touched = touched(metadata, range);
            return RowChange.update(
                    ReadPoint.of(metadata, "main"),
                    Scope.of(range.filter(), isolation),
                    touched,
                    updated(touched, newId, target),
                    Map.of());
        }

        /** MERGE that updates the rows in the range after it read all rows in {@code read}. */
        public RowChange merge(Range read, Range range, LongUnaryOperator newId) {
            TableMetadata metadata = table.metadata();
            List<Touched> touched = touched(metadata, range);
            List<DataFile> files = updated(touched, newId, Optional.empty());
            return new RowChange(
                    Command.MERGE,
                    ReadPoint.of(metadata, "main"),
                    new Scope(read.filter(), isolation, plan(metadata, read)),
                    touched,
                    List.of(),
                    files,
                    files.stream().mapToLong(DataFile::recordCount).sum(),
                    Map.of());
        }

        private List<DataFile> updated(
                List<Touched> touched, LongUnaryOperator newId, Optional<PartitionTuple> target) {
            var byPartition = new LinkedHashMap<PartitionTuple, List<Row>>();
            for (Touched file : touched) {
                file.positions().forEach(position -> {
                    Row row = identified(file.task(), (int) position);
                    byPartition
                            .computeIfAbsent(target.orElse(file.file().partition()), key -> new ArrayList<>())
                            .add(row.withId(newId.applyAsLong(row.id())));
                });
            }
            var files = new ArrayList<DataFile>();
            byPartition.forEach(
                    (partition, rows) -> files.add(file(rows, partition.values().toArray())));
            files.forEach(file -> statement.ledger.wrote(file.path()));
            return files;
        }

        /** Files that may hold rows of the range. */
        public List<FileTask> planned(Range range) {
            return plan(table.metadata(), range);
        }

        private List<FileTask> plan(TableMetadata metadata, Range range) {
            return metadata.currentSnapshot()
                    .map(head -> new ScanPlanner(table.storage, metadata, head)
                            .plan(range.filter())
                            .tasks())
                    .orElse(List.of());
        }

        private List<Touched> touched(TableMetadata metadata, Range range) {
            try {
                var parts = new ArrayList<Settlement.Part>();
                for (FileTask task : plan(metadata, range)) {
                    PositionBitmap deleted = deleted(task);
                    PositionBitmap matched = matcher(range).matches(task, deleted);
                    parts.add(new Settlement.Part(task, deleted, matched, rewrite));
                }
                return Touched.of(
                        parts.stream().map(Settlement.Part::task).toList(), settlement.settle(metadata, parts));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Joins all files that may hold rows of the range into files of {@code size} rows. Keeps one partition only. */
        public Compaction compact(Range range, int size) {
            TableMetadata metadata = table.metadata();
            List<FileTask> sources = plan(metadata, range);
            var map = PositionMap.builder();
            var outputs = new ArrayList<DataFile>();
            var rows = new ArrayList<Row>();
            String name = nextOutput();
            try {
                for (FileTask source : sources) {
                    String path = source.file().path();
                    map.source(path);
                    PositionBitmap deleted = deleted(source);
                    for (int i = 0; i < contents(source).size(); i++) {
                        if (deleted.contains(i)) {
                            continue;
                        }
                        map.add(path, i, "memory:/t/data/" + name, rows.size());
                        rows.add(identified(source, i));
                        if (rows.size() == size) {
                            outputs.add(output(name, rows, source));
                            rows.clear();
                            name = nextOutput();
                        }
                    }
                }
                if (!rows.isEmpty()) {
                    outputs.add(output(name, rows, sources.get(0)));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return Compaction.of(ReadPoint.of(metadata, "main"), sources, outputs, map.build(), Map.of());
        }

        private String nextOutput() {
            return "c" + files.incrementAndGet() + ".parquet";
        }

        private DataFile output(String name, List<Row> rows, FileTask source) {
            DataFile file = file(name, rows, source.file().partition().values().toArray());
            statement.ledger.wrote(file.path());
            return file;
        }

        public MapAgain again(Compaction compaction) {
            return new MapAgain(table.storage, compaction, settlement);
        }

        public CommitOutcome commit(MapAgain again) {
            return statement.commit(again.current().toSnapshotChange(), again);
        }

        /** Commits a change that is not of this package. */
        public CommitOutcome commit(SnapshotChange change) {
            return statement.commit(change);
        }

        private SurvivorWriter survivors(Storage storage, TableMetadata metadata, FileNames names) {
            return (task, gone) -> {
                DataFile source = task.file();
                String location = names.dataFile(source.specId(), source.partition());
                storage.create(location).close();
                return new SurvivorWriter.Survivors(
                        List.of(file(
                                location.substring("memory:/t/data/".length()),
                                alive(task, gone),
                                source.partition().values().toArray())),
                        new RewriteCounts(1, 0, 100, 20));
            };
        }
    }
}
