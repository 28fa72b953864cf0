package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Spec: Snapshots; Snapshot References; Point in Time Reads. */
class ReadPointTest {

    private static final Schema OLD = new Schema(0, List.of(Field.optional(1, "id", Type.Simple.LONG)));
    private static final Schema NEW = new Schema(
            1, List.of(Field.optional(1, "key", Type.Simple.LONG), Field.optional(2, "name", Type.Simple.STRING)));

    /**
     * Main: 10 (schema 0, at 1000), 20 (schema 0, at 2000), then back to 10 (at 3000), then 30 (schema 1, at 4000); a branch
     * and a tag at 20, a branch called 777 and one called 10.
     */
    private final TableMetadata table = history();

    private static TableMetadata history() {
        TableMetadata table = MetadataUpdates.fresh(
                OLD, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, "file:/t", Map.of(), 2, 500);
        table = apply(table, 1000, add(10, 1, 1000, OptionalInt.of(0)), main(10));
        table = apply(table, 2000, add(20, 2, 2000, OptionalInt.of(0)), main(20));
        table = apply(table, 3000, main(10));
        table = apply(
                table,
                3500,
                new MetadataUpdate.SetSnapshotRef("audit", SnapshotRef.branch(20)),
                new MetadataUpdate.SetSnapshotRef("777", SnapshotRef.branch(20)),
                new MetadataUpdate.SetSnapshotRef("10", SnapshotRef.branch(20)),
                new MetadataUpdate.SetSnapshotRef(
                        "v1",
                        new SnapshotRef(
                                20,
                                SnapshotRef.Kind.TAG,
                                OptionalInt.empty(),
                                OptionalLong.empty(),
                                OptionalLong.empty())),
                new MetadataUpdate.AddSchema(NEW, 2),
                new MetadataUpdate.SetCurrentSchema(-1));
        return apply(table, 4000, add(30, 3, 4000, OptionalInt.of(1)), main(30));
    }

    private static TableMetadata apply(TableMetadata base, long millis, MetadataUpdate... updates) {
        return MetadataUpdates.apply(base, List.of(updates), millis);
    }

    private static MetadataUpdate main(long id) {
        return new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(id));
    }

    private static MetadataUpdate add(long id, long sequenceNumber, long millis, OptionalInt schemaId) {
        return new MetadataUpdate.AddSnapshot(new Snapshot(
                id,
                OptionalLong.empty(),
                sequenceNumber,
                millis,
                Optional.of("append"),
                Map.of(),
                Optional.of("list-" + id),
                List.of(),
                schemaId,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Map.of()));
    }

    private void assertReads(ReadPoint point, long snapshot, Schema schema, boolean past) {
        ReadState state = point.in(table, "lake.t");
        assertThat(state.snapshot().map(Snapshot::id)).as("%s", point).contains(snapshot);
        assertThat(state.schema().sameFields(schema)).as("schema %s", point).isTrue();
        assertThat(state.past()).as("past %s", point).isEqualTo(past);
        assertThat(state.point()).isEqualTo(point);
    }

    private void assertRefused(ReadPoint point, String... parts) {
        assertThatThrownBy(() -> point.in(table, "lake.t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lake.t")
                .hasMessageContaining(point.toString())
                .hasMessageContainingAll(parts);
    }

    @Test
    void aSnapshotIsReadWithItsOwnSchemaAndABranchWithTheTables() {
        assertReads(new ReadPoint.Current(), 30, NEW, false);
        assertReads(new ReadPoint.AtSnapshot(20), 20, OLD, true);
        assertReads(new ReadPoint.AtSnapshot(30), 30, NEW, true);
        assertReads(new ReadPoint.AtTag("v1"), 20, OLD, true);
        assertReads(new ReadPoint.OfBranch("audit"), 20, NEW, false);
        assertReads(new ReadPoint.OfBranch("main"), 30, NEW, false);
        assertThat(ReadState.current(table)).isEqualTo(new ReadPoint.Current().in(table, "lake.t"));
    }

    @Test
    void aTimeIsLookedUpInTheSnapshotLog() {
        assertReads(new ReadPoint.AsOf(1000), 10, OLD, true);
        assertReads(new ReadPoint.AsOf(1999), 10, OLD, true);
        assertReads(new ReadPoint.AsOf(2000), 20, OLD, true);
        assertReads(new ReadPoint.AsOf(2999), 20, OLD, true);
        assertReads(new ReadPoint.AsOf(3000), 10, OLD, true);
        assertReads(new ReadPoint.AsOf(Long.MAX_VALUE / 2), 30, NEW, true);
        assertRefused(new ReadPoint.AsOf(999), "oldest", "1970-01-01T00:00:01Z", "(1000 ms)");
    }

    @Test
    void aVersionIsASnapshotIdFirst() {
        assertReads(new ReadPoint.Version("20"), 20, OLD, true);
        assertReads(new ReadPoint.Version("10"), 10, OLD, true);
        assertReads(new ReadPoint.Version("777"), 20, NEW, false);
        assertReads(new ReadPoint.Version("v1"), 20, OLD, true);
        assertReads(new ReadPoint.Version("audit"), 20, NEW, false);
        assertReads(new ReadPoint.Version("main"), 30, NEW, false);
    }

    @Test
    void whatIsUnknownIsRefusedWithWhatIsThere() {
        assertRefused(new ReadPoint.AtSnapshot(5), "10 (1970-01-01T00:00:01Z), 20", "30");
        assertRefused(new ReadPoint.AtTag("audit"), "branches are [10, 777, audit, main]", "tags [v1]");
        assertRefused(new ReadPoint.OfBranch("v1"), "branches are [10, 777, audit, main]", "tags [v1]");
        assertRefused(new ReadPoint.Version("nothing"), "tags [v1]", "20 (1970-01-01T00:00:02Z)");
        assertRefused(new ReadPoint.Version("5"), "tags [v1]", "20 (1970-01-01T00:00:02Z)");
    }

    @Test
    void anErrorNamesTheNewestOfManySnapshots() {
        TableMetadata many = table;
        var updates = new ArrayList<MetadataUpdate>();
        for (int i = 0; i < 100; i++) {
            updates.add(add(1000 + i, 4 + i, 5000 + i, OptionalInt.of(1)));
        }
        TableMetadata all = apply(many, 9000, updates.toArray(MetadataUpdate[]::new));
        assertThatThrownBy(() -> new ReadPoint.AtSnapshot(5).in(all, "lake.t"))
                .hasMessageContaining("[83 older, 1080 (")
                .hasMessageContaining("1099 (");
    }

    @Test
    void aSnapshotThatWasExpiredIsSaidToBe() {
        TableMetadata expired = new TableMetadata(
                table.formatVersion(),
                table.uuid(),
                table.location(),
                table.lastSequenceNumber(),
                table.lastUpdatedMillis(),
                table.lastColumnId(),
                table.currentSchemaId(),
                table.schemas(),
                table.defaultSpecId(),
                table.specs(),
                table.lastPartitionId(),
                table.defaultSortOrderId(),
                table.sortOrders(),
                table.properties(),
                table.currentSnapshotId(),
                table.nextRowId(),
                table.refs(),
                table.snapshots().stream().filter(kept -> kept.id() != 10).toList(),
                table.statistics(),
                table.partitionStatistics(),
                table.snapshotLog(),
                table.metadataLog(),
                table.unknownFields());
        assertThatThrownBy(() -> new ReadPoint.AsOf(1500).in(expired, "lake.t"))
                .hasMessageContaining("snapshot 10, which was current then, was expired");
    }

    @Test
    void anEmptyTableHasACurrentStateAndNoOther() {
        TableMetadata empty = MetadataUpdates.fresh(
                OLD, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, "file:/t", Map.of(), 2, 500);
        assertThat(new ReadPoint.Current().in(empty, "t").snapshot()).isEmpty();
        assertThat(new ReadPoint.OfBranch("main").in(empty, "t").snapshot()).isEmpty();
        assertThatThrownBy(() -> new ReadPoint.AsOf(1500).in(empty, "t"))
                .hasMessageContaining("no snapshot was ever current");
    }

    /** Writers of version 1 need not say which schema a snapshot has. */
    @Test
    void aSnapshotWithoutASchemaIsReadWithTheTables() {
        TableMetadata table = apply(this.table, 6000, add(40, 4, 6000, OptionalInt.empty()));
        assertThat(new ReadPoint.AtSnapshot(40).in(table, "t").schema().sameFields(NEW))
                .isTrue();
    }
}
