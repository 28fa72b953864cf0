package dev.calve.tools;

import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.Committer;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Removal;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.io.InputFile;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.Snapshot;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlan;
import dev.calve.scan.ScanPlanner;
import dev.calve.scan.SnapshotManifests;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/** Calve's own commits: planning, preparing and swapping as a statement does them, without Spark. */
final class CalveCommits implements CommitSide {

    private static final Expression.Column ID = new Expression.Column(ManyFiles.ID, Type.Simple.LONG, true);
    private static final Expression.Column TS = new Expression.Column(ManyFiles.TS, Type.Simple.TIMESTAMP, true);

    private final HadoopStorage files = new HadoopStorage(new Configuration());
    private final CountingStorage storage = new CountingStorage(files);

    @Override
    public String name() {
        return "calve";
    }

    /** A table as a statement finds it. */
    private record Found(Committer committer, TableState state) {
        Snapshot snapshot() {
            return state.metadata().currentSnapshot().orElseThrow();
        }
    }

    private Found load(Path folder) throws IOException {
        var catalog = new WarehouseCatalog(String.valueOf(folder.getParent()), new HadoopDirectory(files));
        var name = new TableName(List.of(), String.valueOf(folder.getFileName()));
        return new Found(catalog.committer(name), catalog.load(name).orElseThrow());
    }

    private ScanPlan plan(Found found, Expression filter) {
        return new ScanPlanner(storage, found.state().metadata(), found.snapshot()).plan(filter);
    }

    @Override
    public void removeFile(ManyFiles table, Path folder, int file) throws IOException {
        Found found = load(folder);
        long lowest = table.lowestId(file);
        Expression ids = Expressions.and(
                Expressions.comparison(ID, Expression.Operator.GREATER_OR_EQUAL, lowest),
                Expressions.comparison(ID, Expression.Operator.LESS, lowest + ManyFiles.ROWS_PER_FILE));
        FileTask task = only(plan(found, onDay(table, file, ids)));
        commit(found, change(found, Operation.DELETE, List.of(), List.of(new Removal.Files(List.of(known(task))))));
    }

    @Override
    public void addVector(ManyFiles table, Path folder, int file) throws IOException {
        Found found = load(folder);
        Expression id = Expressions.equal(ID, table.lowestId(file) + 5);
        addVector(found, folder, only(plan(found, onDay(table, file, id))));
    }

    private void addVector(Found found, Path folder, FileTask task) {
        DataFile file = task.file();
        var common = new ContentFile.Common(
                folder + "/data/00000-1-" + UUID.randomUUID() + "-deletes.puffin",
                FileFormat.PUFFIN,
                file.specId(),
                file.partition(),
                Metrics.ofCount(1),
                400,
                List.of(),
                OptionalInt.empty(),
                Optional.empty());
        var vector = new DeleteFile.DeletionVector(common, file.path(), 4, 44);
        var added = new AddedDelete(vector, Set.of(), Optional.of(known(task)));
        commit(found, change(found, Operation.DELETE, List.of(added), List.of()));
    }

    @Override
    public void append(ManyFiles table, Path folder, int file) throws IOException {
        Found found = load(folder);
        int formatVersion = found.state().metadata().formatVersion();
        commit(found, SnapshotChange.append("main", formatVersion, List.of(dataFile(table, file)), Map.of()));
    }

    @Override
    public void removeDay(ManyFiles table, Path folder, int day) throws IOException {
        Found found = load(folder);
        commit(found, change(found, Operation.DELETE, List.of(), List.of(new Removal.Matching(day(day)))));
    }

    @Override
    public void addVectors(ManyFiles table, Path folder, int count) throws IOException {
        Expression first = Expressions.comparison(ID, Expression.Operator.LESS, table.lowestId(count));
        for (FileTask task : plan(load(folder), first).tasks()) {
            addVector(load(folder), folder, task);
        }
    }

    @Override
    public Object plan(ManyFiles table, Path folder) throws IOException {
        return plan(load(folder), Expression.Constant.TRUE);
    }

    @Override
    public int manifests(Path folder) throws IOException {
        return SnapshotManifests.of(files, load(folder).snapshot()).size();
    }

    @Override
    public int manifestsOpened() {
        return storage.manifests.getAndSet(0);
    }

    private static SnapshotChange change(
            Found found, Operation operation, List<AddedDelete> deletes, List<Removal> removals) {
        return new SnapshotChange(
                operation,
                "main",
                OptionalLong.of(found.snapshot().id()),
                found.state().metadata().formatVersion(),
                List.of(),
                deletes,
                removals,
                List.of(),
                Map.of());
    }

    private void commit(Found found, SnapshotChange change) {
        var target = new CommitTarget("bench", found.state().metadata().uuid(), found.committer(), storage);
        var statement = Statement.of(UUID.randomUUID(), "BENCH", new FileLedger(storage));
        CommitOutcome outcome = new TableCommit(target, statement, Clock.systemUTC())
                .commit(change, (state, conflicts, current) -> {
                    throw new IllegalStateException("Nobody else must write, but there are " + conflicts);
                });
        if (outcome.committed().isEmpty()) {
            throw new IllegalStateException("Something must be committed, not " + outcome + ".");
        }
    }

    private static Removal.Known known(FileTask task) {
        return Removal.Known.of(task.file(), task.manifest());
    }

    private static FileTask only(ScanPlan plan) {
        if (plan.tasks().size() != 1) {
            throw new IllegalStateException(
                    "One file must be found, not " + plan.tasks().size() + ".");
        }
        return plan.tasks().get(0);
    }

    private static Expression onDay(ManyFiles table, int file, Expression ids) {
        return table.partitioned() ? Expressions.and(day(table.dayOf(file)), ids) : ids;
    }

    private static Expression day(int day) {
        return Expressions.and(
                Expressions.comparison(TS, Expression.Operator.GREATER_OR_EQUAL, day * ManyFiles.MICROS_PER_DAY),
                Expressions.comparison(TS, Expression.Operator.LESS, (day + 1) * ManyFiles.MICROS_PER_DAY));
    }

    /** The peer's description of a file as ours. */
    private static DataFile dataFile(ManyFiles table, int file) {
        org.apache.iceberg.DataFile described = table.dataFile(file);
        var metrics = new Metrics(
                described.recordCount(),
                described.columnSizes(),
                described.valueCounts(),
                described.nullValueCounts(),
                described.nanValueCounts(),
                bytes(described.lowerBounds()),
                bytes(described.upperBounds()));
        var common = new ContentFile.Common(
                described.location(),
                FileFormat.PARQUET,
                0,
                table.partitioned() ? PartitionTuple.of(table.dayOf(file)) : PartitionTuple.EMPTY,
                metrics,
                described.fileSizeInBytes(),
                described.splitOffsets(),
                OptionalInt.of(0),
                Optional.empty());
        return new DataFile(common, OptionalLong.empty());
    }

    private static Map<Integer, Bytes> bytes(Map<Integer, ByteBuffer> bounds) {
        return bounds.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, bound -> Bytes.copyOf(bound.getValue())));
    }

    /** Counts the manifests that are opened. */
    private static final class CountingStorage implements Storage {

        private final Storage target;
        private final AtomicInteger manifests = new AtomicInteger();

        CountingStorage(Storage target) {
            this.target = target;
        }

        @Override
        public InputFile input(String location) {
            return counted(target.input(location));
        }

        @Override
        public InputFile input(String location, long length) {
            return counted(target.input(location, length));
        }

        private InputFile counted(InputFile input) {
            if (LocalFilesWithoutFork.isManifest(input.location())) {
                manifests.incrementAndGet();
            }
            return input;
        }

        @Override
        public PositionOutput create(String location) throws IOException {
            return target.create(location);
        }

        @Override
        public boolean exists(String location) throws IOException {
            return target.exists(location);
        }

        @Override
        public void delete(String location) throws IOException {
            target.delete(location);
        }
    }
}
