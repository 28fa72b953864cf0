package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.SpecBuilder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplacementTest {

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.INT),
                    Field.optional(2, "name", Type.Simple.STRING),
                    Field.optional(3, "price", new Type.Decimal(8, 2)),
                    Field.optional(
                            4,
                            "point",
                            new Type.Struct(List.of(
                                    Field.optional(5, "x", Type.Simple.FLOAT),
                                    Field.optional(6, "y", Type.Simple.FLOAT)))),
                    Field.optional(7, "tags", new Type.ListOf(8, false, Type.Simple.STRING)),
                    Field.optional(9, "counts", new Type.MapOf(10, Type.Simple.STRING, 11, false, Type.Simple.INT))));

    private static TableMetadata table(int version, PartitionSpec spec) {
        TableMetadata table = MetadataUpdates.fresh(
                SCHEMA, spec, SortOrder.UNSORTED, "file:/t", Map.of("kept", "1", "changed", "1"), version, 1000);
        var snapshot = new Snapshot(
                11,
                OptionalLong.empty(),
                version == 1 ? 0 : 1,
                1500,
                Optional.of("append"),
                Map.of(),
                Optional.of("list"),
                List.of(),
                OptionalInt.of(0),
                version == 3 ? OptionalLong.of(0) : OptionalLong.empty(),
                version == 3 ? OptionalLong.of(5) : OptionalLong.empty(),
                Map.of());
        return MetadataUpdates.apply(
                table,
                List.of(
                        new MetadataUpdate.AddSnapshot(snapshot),
                        new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(11)),
                        new MetadataUpdate.SetSnapshotRef("audit", SnapshotRef.branch(11))),
                1500);
    }

    private static TableMetadata table(int version) {
        return table(version, PartitionSpec.unpartitioned(0));
    }

    private static TableMetadata replace(TableMetadata table, Schema schema) {
        return replace(table, schema, PartitionSpec.unpartitioned(0));
    }

    private static TableMetadata replace(TableMetadata table, Schema schema, PartitionSpec spec) {
        var replacement = new Replacement(schema, spec, SortOrder.UNSORTED, Map.of("changed", "2"), Optional.empty());
        return MetadataUpdates.apply(table, replacement.of(table), 2000);
    }

    private static Schema schema(Field... fields) {
        return new Schema(0, List.of(fields));
    }

    private static int id(TableMetadata table, String name) {
        return table.schema().field(name).orElseThrow().id();
    }

    @Test
    void theTableIsEmptyAndRemembersWhatItWas() {
        for (int version = 1; version <= 3; version++) {
            TableMetadata before = table(version);
            TableMetadata after = replace(before, schema(Field.optional(1, "other", Type.Simple.DATE)));

            assertThat(after.uuid()).isEqualTo(before.uuid());
            assertThat(after.formatVersion()).isEqualTo(version);
            assertThat(after.currentSnapshot()).isEmpty();
            assertThat(after.snapshots()).isEqualTo(before.snapshots());
            assertThat(after.refs()).containsOnlyKeys("audit");
            assertThat(after.snapshotLog()).isEqualTo(before.snapshotLog());
            assertThat(after.nextRowId()).isEqualTo(before.nextRowId());
            assertThat(after.lastSequenceNumber()).isEqualTo(before.lastSequenceNumber());
            assertThat(after.schemas()).hasSize(2);
            assertThat(after.properties())
                    .containsEntry("kept", "1")
                    .containsEntry("changed", "2")
                    .containsKey("write.parquet.compression-codec");
            assertThat(new ReadPoint.AsOf(1600).in(after, "t").schema().sameFields(before.schema()))
                    .isTrue();
            assertThat(TableMetadataJson.parse(TableMetadataJson.print(after, "v2.metadata.json"), "v2.metadata.json"))
                    .isEqualTo(after);
        }
    }

    @Test
    void columnsThatGoOnKeepTheirIdsAndOthersGetNewOnes() {
        TableMetadata after = replace(
                table(2),
                schema(
                        Field.optional(1, "fresh", Type.Simple.INT),
                        Field.optional(2, "name", Type.Simple.STRING),
                        Field.optional(3, "id", Type.Simple.LONG),
                        Field.optional(
                                4,
                                "point",
                                new Type.Struct(List.of(
                                        Field.optional(5, "y", Type.Simple.DOUBLE),
                                        Field.optional(6, "z", Type.Simple.FLOAT)))),
                        Field.optional(7, "tags", new Type.ListOf(8, false, Type.Simple.STRING)),
                        Field.optional(
                                9, "counts", new Type.MapOf(10, Type.Simple.STRING, 11, false, Type.Simple.LONG)),
                        Field.optional(12, "price", new Type.Decimal(10, 2))));

        assertThat(List.of(
                        id(after, "name"),
                        id(after, "id"),
                        id(after, "point"),
                        id(after, "point.y"),
                        id(after, "tags"),
                        id(after, "tags.element"),
                        id(after, "counts"),
                        id(after, "counts.key"),
                        id(after, "counts.value"),
                        id(after, "price")))
                .containsExactly(2, 1, 4, 8, 5, 9, 6, 10, 11, 3);
        assertThat(id(after, "fresh")).isEqualTo(12);
        assertThat(id(after, "point.z")).isEqualTo(13);
        assertThat(after.lastColumnId()).isEqualTo(13);
    }

    /** Old snapshots, branches and specs type values by the id. */
    @Test
    void aColumnThatCouldNotHoldTheOldValuesIsAnotherOne() {
        TableMetadata after = replace(
                table(2),
                schema(
                        Field.optional(1, "id", Type.Simple.STRING),
                        Field.required(2, "name", Type.Simple.STRING),
                        Field.optional(3, "price", new Type.Decimal(10, 3)),
                        Field.optional(4, "point", new Type.ListOf(5, false, Type.Simple.FLOAT)),
                        Field.optional(
                                6, "tags", new Type.Struct(List.of(Field.optional(7, "element", Type.Simple.STRING)))),
                        Field.optional(8, "counts", new Type.MapOf(9, Type.Simple.INT, 10, false, Type.Simple.INT))));

        for (Field field : after.schema().allFields()) {
            assertThat(field.id()).as("%s", field).isGreaterThan(11);
        }
    }

    @Test
    void anEqualSchemaIsNotAddedAgain() {
        TableMetadata after = replace(table(2), SCHEMA);
        assertThat(after.currentSchemaId()).isZero();
        assertThat(after.schemas()).hasSize(1);
    }

    @Test
    void identifierFieldsAreThoseOfTheNewSchema() {
        Schema keyed = new Schema(0, new Type.Struct(List.of(Field.required(5, "id", Type.Simple.INT))), Set.of(5));
        assertThat(replace(table(2), keyed).schema().identifierFieldIds()).containsExactly(1);
    }

    private static PartitionSpec by(Schema schema, String column, Transform transform) {
        return new SpecBuilder(schema).add(column, transform).build(0);
    }

    @Test
    void partitionFieldsAreTheOldOnesWhereTheyDivideAlike() {
        TableMetadata before = table(2, by(SCHEMA, "id", new Transform.Bucket(4)));
        TableMetadata byName = replace(before, SCHEMA, by(SCHEMA, "name", Transform.IDENTITY));
        assertThat(byName.defaultSpecId()).isEqualTo(1);
        assertThat(byName.spec().fields()).extracting(PartitionField::fieldId).containsExactly(1001);
        assertThat(byName.specs()).hasSize(2);

        TableMetadata again = replace(byName, SCHEMA, by(SCHEMA, "id", new Transform.Bucket(4)));
        assertThat(again.defaultSpecId()).isZero();
        assertThat(again.specs()).hasSize(2);
        assertThat(again.lastPartitionId()).isEqualTo(1001);

        PartitionSpec both = new SpecBuilder(SCHEMA)
                .add("name", Transform.IDENTITY)
                .add("id", new Transform.Bucket(4))
                .build(0);
        assertThat(replace(again, SCHEMA, both).spec().fields())
                .extracting(PartitionField::fieldId)
                .containsExactly(1001, 1000);
    }

    /** Spec: Partition Evolution, version 1. */
    @Test
    void inVersionOneEveryOldPartitionFieldKeepsItsPlace() {
        TableMetadata before = table(1, by(SCHEMA, "name", Transform.IDENTITY));
        Schema schema = schema(Field.optional(1, "name", Type.Simple.DATE));
        TableMetadata after = replace(before, schema, by(schema, "name", Transform.IDENTITY));

        assertThat(after.spec().fields())
                .containsExactly(
                        PartitionField.of(2, 1000, "name_1000", Transform.VOID),
                        PartitionField.of(id(after, "name"), 1001, "name", Transform.IDENTITY));
    }

    @Test
    void theSortOrderIsTheNewOne() {
        TableMetadata before = table(2);
        var order = new SortOrder(
                1,
                List.of(new SortOrder.Term(
                        Transform.IDENTITY, List.of(1), SortOrder.Direction.ASC, SortOrder.NullOrder.NULLS_FIRST)));
        TableMetadata sorted = MetadataUpdates.apply(
                before,
                List.of(new MetadataUpdate.AddSortOrder(order), new MetadataUpdate.SetDefaultSortOrder(-1)),
                1700);
        assertThat(sorted.defaultSortOrderId()).isEqualTo(1);
        assertThat(replace(sorted, schema(Field.optional(1, "id", Type.Simple.DATE)))
                        .defaultSortOrderId())
                .isZero();
    }

    @Test
    void theFormatVersionCanBeRaisedAndNotLowered() {
        var three =
                new Replacement(SCHEMA, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, Map.of(), Optional.of(3));
        assertThat(MetadataUpdates.apply(table(2), three.of(table(2)), 2000).formatVersion())
                .isEqualTo(3);
        var two = new Replacement(SCHEMA, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, Map.of(), Optional.of(2));
        assertThatThrownBy(() -> MetadataUpdates.apply(table(3), two.of(table(3)), 2000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("can only be raised");
    }

    @Test
    void aBadPropertyIsRefused() {
        var bad = new Replacement(
                SCHEMA,
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                Map.of("write.delete.mode", "mor"),
                Optional.empty());
        assertThatThrownBy(() -> bad.of(table(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write.delete.mode");
    }

    @Test
    void aColumnMustNotHaveTheNameThatAnEarlierPartitionFieldOfAnotherHad() {
        TableMetadata before = table(2, by(SCHEMA, "id", new Transform.Bucket(4)));

        assertThatThrownBy(() -> replace(
                        before,
                        schema(
                                Field.required(1, "id", Type.Simple.INT),
                                Field.optional(2, "id_bucket", Type.Simple.INT))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("partition field 'id_bucket' of spec 0 is made from column 'id'");
    }
}
