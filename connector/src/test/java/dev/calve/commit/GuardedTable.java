package dev.calve.commit;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** A table partitioned by {@code part}, statements that guard something in it, and what stands in their way. */
final class GuardedTable {

    /** Not partitioned: its equality deletes apply everywhere. */
    static final int GLOBAL_SPEC = 1;

    /** Partitioned by {@code part} too, under another name. */
    static final int OTHER_SPEC = 2;

    final CommitFixture table;

    GuardedTable(int formatVersion) {
        table = CommitFixture.partitionedBy(Type.Simple.INT, formatVersion);
        table.evolve(
                new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(GLOBAL_SPEC)),
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        OTHER_SPEC, List.of(PartitionField.of(CommitFixture.PART, 1001, "p", Transform.IDENTITY)))));
    }

    DataFile file(String name, int part) {
        return table.dataFile(name).in(part).build();
    }

    static Map<String, ConflictRule.Place> places(DataFile... files) {
        return Arrays.stream(files).collect(Collectors.toMap(DataFile::path, GuardedTable::place));
    }

    static ConflictRule.Place place(ContentFile file) {
        return new ConflictRule.Place(file.specId(), file.partition());
    }

    /** A change that reads the table now and cares for these rules. */
    SnapshotChange reading(ConflictRule... rules) {
        var change = table.change(Operation.OVERWRITE).add(file("mine", 1));
        List.of(rules).forEach(change::rule);
        return change.build();
    }

    List<Conflict> check(SnapshotChange change) throws IOException {
        return ConflictCheck.find(table.storage, table.metadata(), change);
    }

    /** The manifests and manifest lists a check opens, each once. */
    List<String> opened(SnapshotChange change) throws IOException {
        table.storage.requests().reset();
        check(change);
        return table.storage.requests().all().stream()
                .filter(request -> request.startsWith("OPEN"))
                .map(request -> request.replaceFirst(".*/(snap)?.*", "$1"))
                .map(name -> name.isEmpty() ? "manifest" : "list")
                .toList();
    }

    void commit(Operation operation, DeleteFile... deletes) {
        var change = table.change(operation);
        Arrays.stream(deletes).forEach(change::delete);
        change.commit();
    }

    /** Replaces files by one of the same rows. */
    void replace(DataFile by, DataFile... old) {
        table.change(Operation.REPLACE).remove(old).addRewritten(by).commit();
    }

    /** Makes {@code part} a long. */
    void promote() {
        table.evolve(
                new MetadataUpdate.AddSchema(
                        new Schema(
                                1,
                                List.of(
                                        Field.required(CommitFixture.ID, "id", Type.Simple.LONG),
                                        Field.optional(CommitFixture.PART, "part", Type.Simple.LONG))),
                        2),
                new MetadataUpdate.SetCurrentSchema(-1));
    }

    /** {@code part = value}. */
    static Expression partIs(int value) {
        return Expressions.comparison(
                new Expression.Column(CommitFixture.PART, Type.Simple.INT, false), Expression.Operator.EQUAL, value);
    }

    /** Statistics of the keys of an equality delete file with 3 keys, none of them null unless said. */
    record Keys(int column, Optional<Long> least, Optional<Long> most, Optional<Long> nulls) {

        static Keys ids(long least, long most) {
            return new Keys(CommitFixture.ID, Optional.of(least), Optional.of(most), Optional.of(0L));
        }

        Metrics metrics() {
            Type type = column == CommitFixture.ID ? Type.Simple.LONG : Type.Simple.INT;
            return new Metrics(
                    3,
                    Map.of(),
                    Map.of(column, 3L),
                    nulls.map(count -> Map.of(column, count)).orElse(Map.of()),
                    Map.of(),
                    bound(type, least),
                    bound(type, most));
        }

        private Map<Integer, Bytes> bound(Type type, Optional<Long> value) {
            return value.map(number -> Map.of(
                            column,
                            type == Type.Simple.LONG
                                    ? ValueCodec.encode(type, number)
                                    : ValueCodec.encode(type, number.intValue())))
                    .orElse(Map.of());
        }
    }

    /** An equality delete file in a partition of the table's own spec. */
    DeleteFile.EqualityDeletes equality(String name, int part, List<Integer> key, Metrics metrics) {
        return equality(name, 0, PartitionTuple.of(part), key, metrics);
    }

    DeleteFile.EqualityDeletes equality(
            String name, int specId, PartitionTuple partition, List<Integer> key, Metrics metrics) {
        String path = "memory:/t/data/" + name;
        table.storage.put(path, new byte[] {1});
        return new DeleteFile.EqualityDeletes(
                new ContentFile.Common(
                        path,
                        FileFormat.PARQUET,
                        specId,
                        partition,
                        metrics,
                        60,
                        List.of(),
                        OptionalInt.empty(),
                        Optional.empty()),
                key);
    }
}
