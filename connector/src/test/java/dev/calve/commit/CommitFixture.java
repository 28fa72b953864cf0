package dev.calve.commit;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.io.MemoryStorage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.FileKey;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A table in memory, files that default what does not matter, and statements that commit to it. */
public final class CommitFixture {

    public static final String TABLE = "db.t";
    public static final int ID = 1;
    public static final int PART = 2;

    public final MemoryStorage storage = new MemoryStorage();
    public final ScriptedCommitter committer;

    private CommitFixture(int formatVersion, Type partitionSource, boolean partitioned) {
        var schema = new Schema(
                0, List.of(Field.required(ID, "id", Type.Simple.LONG), Field.optional(PART, "part", partitionSource)));
        PartitionSpec spec = partitioned ? byPart() : PartitionSpec.unpartitioned(0);
        committer = new ScriptedCommitter(MetadataUpdates.fresh(
                schema,
                spec,
                SortOrder.UNSORTED,
                "memory:/t",
                Map.of("commit.retry.min-wait-ms", "1", "commit.retry.max-wait-ms", "1"),
                formatVersion,
                1_000));
    }

    public static PartitionSpec byPart() {
        return new PartitionSpec(0, List.of(PartitionField.of(PART, 1000, "part", Transform.IDENTITY)));
    }

    /** A table {@code (id long, part int)}. */
    public static CommitFixture unpartitioned(int formatVersion) {
        return new CommitFixture(formatVersion, Type.Simple.INT, false);
    }

    /** A table {@code (id long, part type)} partitioned by part. */
    public static CommitFixture partitionedBy(Type type, int formatVersion) {
        return new CommitFixture(formatVersion, type, true);
    }

    /** {@code id <= most}. */
    public static Expression idAtMost(long most) {
        return Expressions.comparison(
                new Expression.Column(ID, Type.Simple.LONG, true), Expression.Operator.LESS_OR_EQUAL, most);
    }

    public TableMetadata metadata() {
        return committer.metadata();
    }

    public Snapshot head() {
        return metadata().currentSnapshot().orElseThrow(() -> new AssertionError("No snapshot yet"));
    }

    /** The live entries of the newest snapshot, checked against all rules of the format. */
    public LiveFiles live() {
        return LiveFiles.of(storage, metadata(), head());
    }

    public void evolve(MetadataUpdate... updates) {
        committer.update(updates);
    }

    /** Raises the format version, as another client would. */
    public void upgradeTo(int formatVersion) {
        evolve(new MetadataUpdate.UpgradeFormatVersion(formatVersion));
    }

    /** A data file of the current spec with 10 rows. */
    public DataFileBuilder dataFile(String name) {
        return new DataFileBuilder(name, metadata().defaultSpecId());
    }

    /** Everything a data file says, defaulted. */
    public final class DataFileBuilder {
        private final String path;
        private int specId;
        private PartitionTuple partition = PartitionTuple.EMPTY;
        private long records = 10;
        private Optional<long[]> ids = Optional.empty();

        private DataFileBuilder(String name, int specId) {
            this.path = "memory:/t/data/" + name;
            this.specId = specId;
        }

        public DataFileBuilder records(long count) {
            records = count;
            return this;
        }

        /** Partition values, in the order of the spec. */
        public DataFileBuilder in(@Nullable Object... values) {
            partition = PartitionTuple.of(values);
            return this;
        }

        public DataFileBuilder spec(int id) {
            specId = id;
            return this;
        }

        /** Known bounds of column {@code id}, both included. */
        public DataFileBuilder ids(long least, long most) {
            ids = Optional.of(new long[] {least, most});
            return this;
        }

        /** The file, which now exists on storage too. */
        public DataFile build() {
            storage.put(path, new byte[] {1});
            return new DataFile(
                    common(path, FileFormat.PARQUET, specId, partition, metrics(), 100), OptionalLong.empty());
        }

        private Metrics metrics() {
            if (ids.isEmpty()) {
                return Metrics.ofCount(records);
            }
            return new Metrics(
                    records,
                    Map.of(),
                    Map.of(ID, records),
                    Map.of(ID, 0L),
                    Map.of(),
                    Map.of(ID, bound(ids.get()[0])),
                    Map.of(ID, bound(ids.get()[1])));
        }

        private static Bytes bound(long value) {
            return ValueCodec.encode(Type.Simple.LONG, value);
        }
    }

    private static ContentFile.Common common(
            String path, FileFormat format, int specId, PartitionTuple partition, Metrics metrics, long size) {
        return new ContentFile.Common(
                path, format, specId, partition, metrics, size, List.of(), OptionalInt.empty(), Optional.empty());
    }

    /** A vector of 2 positions, 40 bytes from offset 4 on. */
    public DeleteFile.DeletionVector vector(String name, DataFile of) {
        return vector(name, of, 4, 2);
    }

    public DeleteFile.DeletionVector vector(String name, DataFile of, long offset, long cardinality) {
        String path = "memory:/t/data/" + name;
        storage.put(path, new byte[] {1});
        var common = common(path, FileFormat.PUFFIN, of.specId(), of.partition(), Metrics.ofCount(cardinality), 1_000);
        return new DeleteFile.DeletionVector(common, of.path(), offset, 40);
    }

    /** A position delete file of 2 positions that says which single file it speaks of. */
    public DeleteFile.PositionDeletes positions(String name, DataFile of) {
        return positions(name, of.specId(), of.partition(), Optional.of(of.path()));
    }

    /** A position delete file of 2 positions that may speak of any file of the partition. */
    public DeleteFile.PositionDeletes positionsIn(String name, DataFile anyOf) {
        return positions(name, anyOf.specId(), anyOf.partition(), Optional.empty());
    }

    private DeleteFile.PositionDeletes positions(
            String name, int specId, PartitionTuple partition, Optional<String> of) {
        String path = "memory:/t/data/" + name;
        storage.put(path, new byte[] {1});
        return new DeleteFile.PositionDeletes(
                common(path, FileFormat.PARQUET, specId, partition, Metrics.ofCount(2), 50), of);
    }

    /** An equality delete file of 3 keys. */
    public DeleteFile.EqualityDeletes equality(String name, int specId, @Nullable Object... partition) {
        String path = "memory:/t/data/" + name;
        storage.put(path, new byte[] {1});
        return new DeleteFile.EqualityDeletes(
                common(path, FileFormat.PARQUET, specId, PartitionTuple.of(partition), Metrics.ofCount(3), 60),
                List.of(ID));
    }

    /** One statement on its way: what it wrote and how it commits. */
    public final class Statement {
        public final UUID id = UUID.randomUUID();
        public final FileLedger ledger = new FileLedger(storage);

        public CommitOutcome commit(SnapshotChange change) {
            return commit(change, Resettle.never());
        }

        public CommitOutcome commit(SnapshotChange change, Resettle resettle) {
            wrote(change);
            return new TableCommit(target(), statement(), Clock.systemUTC()).commit(change, resettle);
        }

        public dev.calve.commit.Statement statement() {
            return dev.calve.commit.Statement.of(id, "TEST", ledger);
        }

        public SnapshotChange wrote(SnapshotChange change) {
            change.addedData().forEach(added -> ledger.wrote(added.file().path()));
            change.addedDeletes().forEach(added -> ledger.wrote(added.file().path()));
            return change;
        }
    }

    public CommitTarget target() {
        return new CommitTarget(
                TABLE, metadata().uuid(), Optional.empty(), Branches.of(metadata()), committer, storage);
    }

    public Statement statement() {
        return new Statement();
    }

    /** Commits undisturbed. */
    public Committed commit(SnapshotChange change) {
        return statement()
                .commit(change)
                .committed()
                .orElseThrow(() -> new AssertionError("Nothing was committed for " + change));
    }

    public Committed append(DataFile... files) {
        return commit(appending(files));
    }

    public SnapshotChange appending(DataFile... files) {
        return SnapshotChange.append(SnapshotRef.MAIN, metadata().formatVersion(), List.of(files), Map.of());
    }

    /** A change of the newest snapshot that is filled bit by bit. */
    public ChangeBuilder change(Operation operation) {
        return new ChangeBuilder(operation);
    }

    /** Everything a change says, defaulted: read from the newest snapshot, settled for the table's format version. */
    public final class ChangeBuilder {
        private final Operation operation;
        private final OptionalLong read;
        private final int formatVersion = metadata().formatVersion();
        private final List<AddedData> data = new ArrayList<>();
        private final List<AddedDelete> deletes = new ArrayList<>();
        private final List<Removal> removals = new ArrayList<>();
        private final List<ConflictRule> rules = new ArrayList<>();
        private String ref = SnapshotRef.MAIN;

        private ChangeBuilder(Operation operation) {
            this.operation = operation;
            this.read = metadata()
                    .currentSnapshot()
                    .map(snapshot -> OptionalLong.of(snapshot.id()))
                    .orElse(OptionalLong.empty());
        }

        public ChangeBuilder add(DataFile... files) {
            Arrays.stream(files).map(AddedData::ofNewRows).forEach(data::add);
            return this;
        }

        /** A file of older rows, read at the newest snapshot. */
        public ChangeBuilder addRewritten(DataFile file) {
            data.add(new AddedData(file, OptionalLong.of(head().sequenceNumber())));
            return this;
        }

        public ChangeBuilder delete(DeleteFile file, DeleteFile... absorbed) {
            return delete(file, Optional.empty(), absorbed);
        }

        public ChangeBuilder delete(DeleteFile file, Optional<Removal.Known> dataFile, DeleteFile... absorbed) {
            Set<FileKey> keys =
                    Set.copyOf(Arrays.stream(absorbed).map(DeleteFile::key).toList());
            deletes.add(new AddedDelete(file, keys, dataFile));
            return this;
        }

        /** Removes data files where they are live now. */
        public ChangeBuilder remove(DataFile... files) {
            LiveFiles live = live();
            removals.add(new Removal.Files(Arrays.stream(files)
                    .map(file -> Removal.Known.of(file, live.manifestOf(file.path())))
                    .toList()));
            return this;
        }

        public ChangeBuilder removeMatching(Expression filter) {
            removals.add(new Removal.Matching(filter));
            return this;
        }

        public ChangeBuilder rule(ConflictRule rule) {
            rules.add(rule);
            return this;
        }

        public ChangeBuilder on(String branch) {
            ref = branch;
            return this;
        }

        public SnapshotChange build() {
            return new SnapshotChange(
                    operation, ref, read, formatVersion, data, deletes, removals, rules, Map.of("engine-name", "test"));
        }

        public Committed commit() {
            return CommitFixture.this.commit(build());
        }
    }
}
