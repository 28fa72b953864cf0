package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataUpdatesTest {

    private static final Schema ID_AND_NAME = new Schema(
            7, List.of(Field.required(5, "id", Type.Simple.LONG), Field.optional(9, "name", Type.Simple.STRING)));

    private static TableMetadata table(int version) {
        return table(version, Map.of());
    }

    private static TableMetadata table(int version, Map<String, String> properties) {
        return MetadataUpdates.fresh(
                ID_AND_NAME, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, "file:/t", properties, version, 1000);
    }

    private static TableMetadata apply(TableMetadata base, MetadataUpdate... updates) {
        return MetadataUpdates.apply(base, List.of(updates), 2000);
    }

    private static Snapshot snapshot(long id, long sequenceNumber, long millis) {
        return snapshot(id, sequenceNumber, millis, OptionalLong.empty(), OptionalLong.empty());
    }

    private static Snapshot snapshot(
            long id, long sequenceNumber, long millis, OptionalLong firstRowId, OptionalLong addedRows) {
        return new Snapshot(
                id,
                OptionalLong.empty(),
                sequenceNumber,
                millis,
                Optional.of("append"),
                Map.of(),
                Optional.of("list-" + id),
                List.of(),
                OptionalInt.of(0),
                firstRowId,
                addedRows,
                Map.of());
    }

    private static MetadataUpdate add(Snapshot snapshot) {
        return new MetadataUpdate.AddSnapshot(snapshot);
    }

    private static MetadataUpdate main(long id) {
        return new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(id));
    }

    @Test
    void aNewTableHasFreshIdsAndTheUsualStart() {
        var struct = new Type.Struct(List.of(
                Field.required(40, "a", new Type.ListOf(41, true, Type.Simple.INT)),
                Field.optional(
                        50,
                        "m",
                        new Type.MapOf(
                                51,
                                Type.Simple.STRING,
                                52,
                                false,
                                new Type.Struct(List.of(Field.required(53, "p", Type.Simple.INT))))),
                Field.required(60, "z", Type.Simple.DATE)));
        var spec = new PartitionSpec(3, List.of(PartitionField.of(60, 5000, "z_day", Transform.Time.DAY)));
        var order = new SortOrder(
                9,
                List.of(new SortOrder.Term(
                        new Transform.Identity(),
                        List.of(60),
                        SortOrder.Direction.ASC,
                        SortOrder.NullOrder.NULLS_FIRST)));

        TableMetadata table = MetadataUpdates.fresh(
                new Schema(4, struct, Set.of(60)), spec, order, "file:/t", Map.of("k", "v"), 2, 1234);

        // A struct's fields first, then inside each: a 1, m 2, z 3; a.element 4; m.key 5, m.value 6, p 7.
        assertThat(table.schema().id()).isZero();
        assertThat(table.schema().struct())
                .isEqualTo(new Type.Struct(List.of(
                        Field.required(1, "a", new Type.ListOf(4, true, Type.Simple.INT)),
                        Field.optional(
                                2,
                                "m",
                                new Type.MapOf(
                                        5,
                                        Type.Simple.STRING,
                                        6,
                                        false,
                                        new Type.Struct(List.of(Field.required(7, "p", Type.Simple.INT))))),
                        Field.required(3, "z", Type.Simple.DATE))));
        assertThat(table.schema().identifierFieldIds()).containsExactly(3);
        assertThat(table.lastColumnId()).isEqualTo(7);
        assertThat(table.spec())
                .isEqualTo(new PartitionSpec(0, List.of(PartitionField.of(3, 1000, "z_day", Transform.Time.DAY))));
        assertThat(table.lastPartitionId()).isEqualTo(1000);
        assertThat(table.defaultSortOrderId()).isEqualTo(1);
        assertThat(table.sortOrders().get(0).terms().get(0).sourceId()).isEqualTo(3);
        assertThat(table.lastSequenceNumber()).isZero();
        assertThat(table.lastUpdatedMillis()).isEqualTo(1234);
        assertThat(table.currentSnapshotId()).isEmpty();
        assertThat(table.uuid()).hasSize(36);
        assertThat(table.properties()).isEqualTo(Map.of("k", "v", "write.parquet.compression-codec", "zstd"));
    }

    @Test
    void anUnpartitionedUnsortedTableStartsBelowTheFirstPartitionId() {
        TableMetadata table = table(2);
        assertThat(table.lastPartitionId()).isEqualTo(999);
        assertThat(table.defaultSortOrderId()).isZero();
        assertThat(table.sortOrders()).containsExactly(SortOrder.UNSORTED);
    }

    @Test
    void aNewTableIsRefusedForABadValueReservedNameOrType() {
        assertThatThrownBy(() -> table(2, Map.of("write.delete.mode", "mor")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write.delete.mode");
        assertThatThrownBy(() -> table(2, Map.of("format-version", "2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("format-version");
        assertThatThrownBy(() -> table(4)).isInstanceOf(IllegalArgumentException.class);
        var nanos = new Schema(0, List.of(Field.required(1, "t", Type.Simple.TIMESTAMP_NS)));
        assertThatThrownBy(() -> MetadataUpdates.fresh(
                        nanos, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, "l", Map.of(), 2, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'t'")
                .hasMessageContaining("version 3");
    }

    @Test
    void anAppendMovesMainAndIsLogged() {
        TableMetadata table = apply(table(2), add(snapshot(11, 1, 1500)), main(11));

        assertThat(table.currentSnapshotId()).hasValue(11);
        assertThat(table.refs()).isEqualTo(Map.of("main", SnapshotRef.branch(11)));
        assertThat(table.lastSequenceNumber()).isEqualTo(1);
        assertThat(table.snapshotLog()).containsExactly(new TableMetadata.SnapshotLogEntry(1500, 11));
        assertThat(table.lastUpdatedMillis()).isEqualTo(2000);
    }

    @Test
    void aStagedSnapshotIsNeitherCurrentNorLogged() {
        TableMetadata table = apply(table(2), add(snapshot(11, 1, 1500)));
        assertThat(table.currentSnapshotId()).isEmpty();
        assertThat(table.snapshotLog()).isEmpty();
        assertThat(table.snapshots()).hasSize(1);
    }

    @Test
    void goingBackToAnOldSnapshotIsLoggedAtTheTimeItHappens() {
        TableMetadata table = apply(table(2), add(snapshot(11, 1, 1500)), main(11));
        table = MetadataUpdates.apply(table, List.of(add(snapshot(12, 2, 2500)), main(12)), 2500);
        table = MetadataUpdates.apply(table, List.of(main(11)), 3000);
        assertThat(table.snapshotLog())
                .containsExactly(
                        new TableMetadata.SnapshotLogEntry(1500, 11),
                        new TableMetadata.SnapshotLogEntry(2500, 12),
                        new TableMetadata.SnapshotLogEntry(3000, 11));
    }

    @Test
    void whatWasCurrentOnlyBetweenUpdatesIsNotLogged() {
        TableMetadata table =
                apply(table(2), add(snapshot(11, 1, 1500)), main(11), add(snapshot(12, 2, 1600)), main(12));
        assertThat(table.snapshotLog()).containsExactly(new TableMetadata.SnapshotLogEntry(1600, 12));
    }

    @Test
    void timeNeverGoesBackWhenAClockIsBehind() {
        TableMetadata table = apply(table(2), add(snapshot(11, 1, 900_000)), main(11));
        table = MetadataUpdates.apply(table, List.of(add(snapshot(12, 2, 5_000)), main(12)), 5_000);
        assertThat(table.lastUpdatedMillis()).isEqualTo(900_000);
        assertThat(table.snapshotLog())
                .extracting(TableMetadata.SnapshotLogEntry::timestampMillis)
                .containsExactly(900_000L, 900_000L);
    }

    @Test
    void sequenceNumbersOnlyRise() {
        TableMetadata table = apply(table(2), add(snapshot(11, 3, 1500)));
        assertThatThrownBy(() -> apply(table, add(snapshot(12, 3, 1600))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sequence number must be above 3, but is 3");
        assertThatThrownBy(() -> apply(table, add(snapshot(11, 4, 1600))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its id must be new");
    }

    @Test
    void version1HasNoSequenceNumbers() {
        TableMetadata table = apply(table(1), add(snapshot(11, 0, 1500)), main(11), add(snapshot(12, 0, 1600)));
        assertThat(table.lastSequenceNumber()).isZero();
        assertThatThrownBy(() -> apply(table, add(snapshot(13, 1, 1600))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("v1");
    }

    @Test
    void version3SpendsRowIds() {
        TableMetadata table =
                apply(table(3), add(snapshot(11, 1, 1500, OptionalLong.of(0), OptionalLong.of(30))), main(11));
        assertThat(table.nextRowId()).isEqualTo(30);
        table = apply(table, add(snapshot(12, 2, 1500, OptionalLong.of(30), OptionalLong.of(0))));
        assertThat(table.nextRowId()).isEqualTo(30);

        TableMetadata base = table;
        assertThatThrownBy(() -> apply(base, add(snapshot(13, 3, 1, OptionalLong.of(29), OptionalLong.of(1)))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("first-row-id must be the table's next-row-id 30, but is 29");
        assertThatThrownBy(() -> apply(base, add(snapshot(13, 3, 1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("first-row-id and added-rows");
    }

    @Test
    void formatVersionsOnlyRise() {
        TableMetadata table = table(1);
        for (int version = 2; version <= 3; version++) {
            table = apply(table, new MetadataUpdate.UpgradeFormatVersion(version));
            assertThat(table.formatVersion()).isEqualTo(version);
        }
        assertThat(table.nextRowId()).isZero();
        TableMetadata newest = table;
        assertThatThrownBy(() -> apply(newest, new MetadataUpdate.UpgradeFormatVersion(2)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> apply(newest, new MetadataUpdate.UpgradeFormatVersion(4)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEqualSchemaIsReusedAndAnotherGetsTheNextId() {
        TableMetadata table = table(2);
        var wider = new ArrayList<>(table.schema().fields());
        wider.add(Field.optional(3, "more", Type.Simple.INT));
        TableMetadata two = apply(
                table, new MetadataUpdate.AddSchema(new Schema(77, wider), 3), new MetadataUpdate.SetCurrentSchema(-1));
        assertThat(two.currentSchemaId()).isEqualTo(1);
        assertThat(two.lastColumnId()).isEqualTo(3);

        TableMetadata back = apply(
                two,
                new MetadataUpdate.AddSchema(table.schema().withId(55), 2),
                new MetadataUpdate.SetCurrentSchema(-1));
        assertThat(back.schemas()).hasSize(2);
        assertThat(back.currentSchemaId()).isZero();
        assertThat(back.lastColumnId()).isEqualTo(3);
    }

    @Test
    void aSchemaMustKeepWhatTheTableIsPartitionedBy() {
        var spec = new PartitionSpec(0, List.of(PartitionField.of(9, 1000, "name", new Transform.Identity())));
        TableMetadata table =
                MetadataUpdates.fresh(ID_AND_NAME, spec, SortOrder.UNSORTED, "file:/t", Map.of(), 2, 1000);
        var narrower = new Schema(0, List.of(table.schema().fields().get(0)));
        assertThatThrownBy(() -> apply(
                        table, new MetadataUpdate.AddSchema(narrower, 2), new MetadataUpdate.SetCurrentSchema(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'name'");
    }

    @Test
    void anEqualSpecOrOrderIsReused() {
        var spec = new PartitionSpec(0, List.of(PartitionField.of(1, 1000, "id_bucket", new Transform.Bucket(4))));
        var order = new SortOrder(
                0,
                List.of(new SortOrder.Term(
                        new Transform.Identity(),
                        List.of(2),
                        SortOrder.Direction.DESC,
                        SortOrder.NullOrder.NULLS_LAST)));
        TableMetadata table = apply(
                table(2),
                new MetadataUpdate.AddSpec(spec),
                new MetadataUpdate.SetDefaultSpec(-1),
                new MetadataUpdate.AddSortOrder(order),
                new MetadataUpdate.SetDefaultSortOrder(-1));
        assertThat(table.defaultSpecId()).isEqualTo(1);
        assertThat(table.lastPartitionId()).isEqualTo(1000);
        assertThat(table.defaultSortOrderId()).isEqualTo(1);

        TableMetadata again = apply(
                table,
                new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(6)),
                new MetadataUpdate.SetDefaultSpec(-1),
                new MetadataUpdate.AddSortOrder(SortOrder.UNSORTED),
                new MetadataUpdate.SetDefaultSortOrder(-1));
        assertThat(again.specs()).hasSize(2);
        assertThat(again.defaultSpecId()).isZero();
        assertThat(again.sortOrders()).hasSize(2);
        assertThat(again.defaultSortOrderId()).isZero();
    }

    @Test
    void propertiesAreSetAndRemoved() {
        TableMetadata table = apply(
                table(2, Map.of("a", "1", "b", "2")),
                new MetadataUpdate.SetProperties(Map.of("b", "3", "c", "4")),
                new MetadataUpdate.RemoveProperties(Set.of("a", "nothing")));
        assertThat(table.properties())
                .containsEntry("b", "3")
                .containsEntry("c", "4")
                .doesNotContainKey("a");
        assertThatThrownBy(() -> apply(table, new MetadataUpdate.SetProperties(Map.of("uuid", "x"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refsMustPointToASnapshotAndMainIsABranch() {
        TableMetadata table = apply(table(2), add(snapshot(11, 1, 1500)), main(11));
        assertThatThrownBy(() -> apply(table, main(12)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no snapshot with id 12");
        var tag = new SnapshotRef(
                11, SnapshotRef.Kind.TAG, OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty());
        assertThatThrownBy(() -> apply(table, new MetadataUpdate.SetSnapshotRef("main", tag)))
                .isInstanceOf(IllegalArgumentException.class);
        TableMetadata tagged = apply(table, new MetadataUpdate.SetSnapshotRef("t", tag));
        assertThat(tagged.refs()).containsKeys("main", "t");
        assertThat(apply(tagged, new MetadataUpdate.RemoveSnapshotRef("t")).refs())
                .containsOnlyKeys("main");
    }

    @Test
    void removingMainLeavesNoCurrentSnapshot() {
        TableMetadata table =
                apply(table(2), add(snapshot(11, 1, 1500)), main(11), new MetadataUpdate.RemoveSnapshotRef("main"));
        assertThat(table.currentSnapshotId()).isEmpty();
        assertThat(table.snapshotLog())
                .as("what was current can still be asked for by time")
                .containsExactly(new TableMetadata.SnapshotLogEntry(1500, 11));
        assertThat(table.snapshots()).hasSize(1);
    }

    @Test
    void nothingToApplyChangesNothing() {
        TableMetadata table = table(2);
        assertThat(apply(table)).isSameAs(table);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void theLogRemembersAsManyFilesAsThePropertySays(int most) {
        TableMetadata table = table(2, Map.of("write.metadata.previous-versions-max", String.valueOf(most)));
        var evicted = new ArrayList<TableMetadata.MetadataLogEntry>();
        for (int version = 1; version <= 8; version++) {
            TableMetadata next = MetadataUpdates.apply(
                    table, List.of(new MetadataUpdate.SetProperties(Map.of("n", "" + version))), 1000L + version);
            MetadataLog log = MetadataLog.supersede(table, "v" + version, next);
            evicted.addAll(log.evicted());
            table = log.metadata();
        }
        assertThat(table.metadataLog()).hasSize(most);
        assertThat(table.metadataLog().get(most - 1)).isEqualTo(new TableMetadata.MetadataLogEntry(1007, "v8"));
        assertThat(evicted).hasSize(8 - most);
        assertThat(evicted.get(0)).isEqualTo(new TableMetadata.MetadataLogEntry(1000, "v1"));
        assertThat(table.lastUpdatedMillis()).isEqualTo(1008);
    }

    @Test
    void requirementsSayWhatIsNotMet() {
        TableMetadata table = apply(table(2), add(snapshot(11, 1, 1500)), main(11));
        List<Requirement> met = List.of(
                new Requirement.TableUuid(table.uuid()),
                new Requirement.RefSnapshotId("main", OptionalLong.of(11)),
                new Requirement.RefSnapshotId("other", OptionalLong.empty()),
                new Requirement.LastAssignedFieldId(2),
                new Requirement.CurrentSchemaId(0),
                new Requirement.LastAssignedPartitionId(999),
                new Requirement.DefaultSpecId(0),
                new Requirement.DefaultSortOrderId(0));
        assertThat(Requirements.check(Optional.of(table), met)).isEmpty();
        assertThat(Requirements.check(Optional.empty(), List.of(new Requirement.NotExists())))
                .isEmpty();

        List<Requirement> unmet = List.of(
                new Requirement.NotExists(),
                new Requirement.TableUuid("x"),
                new Requirement.RefSnapshotId("main", OptionalLong.of(10)),
                new Requirement.RefSnapshotId("main", OptionalLong.empty()),
                new Requirement.RefSnapshotId("other", OptionalLong.of(11)),
                new Requirement.LastAssignedFieldId(1),
                new Requirement.CurrentSchemaId(1),
                new Requirement.LastAssignedPartitionId(1000),
                new Requirement.DefaultSpecId(1),
                new Requirement.DefaultSortOrderId(1));
        assertThat(unmet)
                .allSatisfy(requirement -> assertThat(Requirements.check(Optional.of(table), List.of(requirement)))
                        .isPresent());
        assertThat(Requirements.check(
                        Optional.of(table), List.of(new Requirement.RefSnapshotId("main", OptionalLong.of(10)))))
                .contains("ref 'main' of file:/t must be at snapshot 10, but is at snapshot 11.");
        assertThat(Requirements.check(Optional.empty(), List.of(new Requirement.CurrentSchemaId(0))))
                .isPresent();
    }
}
