package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.NameMapping;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ColumnChangesTest {

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.INT),
                    Field.optional(2, "p", Type.Simple.STRING),
                    Field.optional(3, "o", Type.Simple.LONG),
                    Field.optional(4, "s", new Type.Struct(List.of(Field.optional(5, "x", Type.Simple.INT))))));

    private static final TableMetadata TABLE = MetadataUpdates.fresh(
            SCHEMA,
            new PartitionSpec(0, List.of(PartitionField.of(2, 1000, "p_part", Transform.IDENTITY))),
            new SortOrder(
                    1,
                    List.of(new SortOrder.Term(
                            Transform.IDENTITY, List.of(3), SortOrder.Direction.ASC, SortOrder.NullOrder.NULLS_FIRST))),
            "/wh/t",
            Map.of(
                    NameMapping.PROPERTY,
                    NameMapping.of(SCHEMA).toJson(),
                    "write.metadata.metrics.column.s.x",
                    "none",
                    "write.metadata.metrics.column.id",
                    "full",
                    "write.parquet.bloom-filter-enabled.column.id",
                    "true",
                    "write.parquet.bloom-filter-fpp.column.id",
                    "0.1",
                    "mine",
                    "kept"),
            2,
            1000);

    private static TableMetadata change(TableMetadata table, SchemaChange... changes) {
        var evolved = ColumnChanges.evolve(table, new SchemaChanges(List.of(changes), true));
        return MetadataUpdates.apply(table, ColumnChanges.updates(table, evolved), 2000);
    }

    private static SchemaChange drop(String... path) {
        return new SchemaChange.Drop(List.of(path), false);
    }

    private static SchemaChange rename(String newName, String... path) {
        return new SchemaChange.Rename(List.of(path), newName);
    }

    @Test
    void theOldSchemaStaysAndTheNewOneIsCurrent() {
        TableMetadata changed = change(TABLE, drop("s"));

        assertThat(changed.schemas()).hasSize(2);
        assertThat(changed.currentSchemaId()).isEqualTo(1);
        assertThat(changed.schema(0)).isEqualTo(TABLE.schema());
        assertThat(changed.lastColumnId()).isEqualTo(5);
    }

    @Test
    void aSchemaThereWasIsUsedAgain() {
        TableMetadata back = change(change(TABLE, rename("t", "s")), rename("s", "t"));

        assertThat(back.schemas()).hasSize(2);
        assertThat(back.currentSchemaId()).isZero();
    }

    @Test
    void idsOfDroppedColumnsAreNotUsedAgainWhenTheyWereTheHighest() {
        TableMetadata changed = change(
                change(TABLE, drop("s")),
                new SchemaChange.Add(
                        List.of(), "s", Type.Simple.INT, false, Optional.empty(), Optional.empty(), Optional.empty()));

        assertThat(changed.schema().field("s").orElseThrow().id()).isEqualTo(6);
        assertThat(changed.lastColumnId()).isEqualTo(6);
    }

    @Test
    void nothingIsCommittedForChangesThatChangeNothing() {
        var evolved = ColumnChanges.evolve(
                TABLE, new SchemaChanges(List.of(new SchemaChange.Drop(List.of("nope"), true)), true));

        assertThat(ColumnChanges.updates(TABLE, evolved)).isEmpty();
    }

    @Test
    void columnsThatPartitionOrSortNewDataStay() {
        assertThatThrownBy(() -> change(TABLE, drop("p")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Cannot drop column 'p'")
                .hasMessageContaining("partition field 'p_part'");
        assertThatThrownBy(() -> change(TABLE, drop("o")))
                .hasMessageContaining("Cannot drop column 'o'")
                .hasMessageContaining("sort order");
        assertThat(change(TABLE, rename("q", "p")).schema().name(2)).contains("q");
    }

    @Test
    void columnsOfOlderSpecsMayGo() {
        TableMetadata respecified = MetadataUpdates.apply(
                TABLE,
                List.of(
                        new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)),
                        new MetadataUpdate.SetDefaultSpec(-1),
                        new MetadataUpdate.AddSortOrder(SortOrder.UNSORTED),
                        new MetadataUpdate.SetDefaultSortOrder(-1)),
                2000);

        TableMetadata changed = change(respecified, drop("p"), drop("o"));

        assertThat(changed.partitionType(0).fields().get(0).type()).isEqualTo(Type.Simple.STRING);
    }

    @Test
    void voidFieldsKeepNoColumn() {
        TableMetadata respecified = MetadataUpdates.apply(
                TABLE,
                List.of(
                        new MetadataUpdate.AddSpec(
                                new PartitionSpec(1, List.of(PartitionField.of(2, 1000, "p_part", Transform.VOID)))),
                        new MetadataUpdate.SetDefaultSpec(-1)),
                2000);

        assertThat(change(respecified, drop("p")).schema().field("p")).isEmpty();
    }

    @Test
    void propertiesAboutColumnsFollow() {
        TableMetadata renamed = change(TABLE, rename("key", "id"), rename("t", "s"));

        assertThat(renamed.properties())
                .containsEntry("write.metadata.metrics.column.key", "full")
                .containsEntry("write.parquet.bloom-filter-enabled.column.key", "true")
                .containsEntry("write.parquet.bloom-filter-fpp.column.key", "0.1")
                .containsEntry("write.metadata.metrics.column.t.x", "none")
                .containsEntry("mine", "kept")
                .doesNotContainKeys("write.metadata.metrics.column.id", "write.metadata.metrics.column.s.x");
        assertThat(change(TABLE, drop("s")).properties())
                .doesNotContainKey("write.metadata.metrics.column.s.x")
                .containsEntry("write.metadata.metrics.column.id", "full");
    }

    @Test
    void propertiesOfSwappedColumnsAreSwapped() {
        TableMetadata swapped = change(TABLE, rename("tmp", "id"), rename("id", "p"), rename("p", "tmp"));

        assertThat(swapped.properties())
                .containsEntry("write.metadata.metrics.column.p", "full")
                .doesNotContainKey("write.metadata.metrics.column.id");
    }

    @Test
    void theNameMappingKeepsOldNames() {
        NameMapping mapping = NameMapping.parse(change(TABLE, rename("key", "id"))
                .property(NameMapping.PROPERTY)
                .orElseThrow());

        assertThat(mapping.fieldId(List.of("id"))).hasValue(1);
        assertThat(mapping.fieldId(List.of("key"))).hasValue(1);
    }

    @Test
    void theTextOfAMappingThatStaysIsNotTouched() {
        String spaced = NameMapping.of(SCHEMA).toJson().replace(",", ", ");
        TableMetadata table = MetadataUpdates.apply(
                TABLE, List.of(new MetadataUpdate.SetProperties(Map.of(NameMapping.PROPERTY, spaced))), 1500);

        assertThat(change(table, drop("s")).property(NameMapping.PROPERTY)).contains(spaced);
    }

    private static SchemaChange add(String name) {
        return new SchemaChange.Add(
                List.of(), name, Type.Simple.INT, false, Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void aColumnMustNotHaveTheNameOfAPartitionFieldOfAnotherColumn() {
        for (SchemaChange change : List.of(add("p_part"), rename("p_part", "id"))) {
            assertThatThrownBy(() -> change(TABLE, change))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "Cannot call a column 'p_part' (table at /wh/t): partition field 'p_part' of spec 0 is made from"
                                    + " column 'p'");
        }
        assertThat(change(TABLE, rename("p_part", "p"))
                        .schema()
                        .field("p_part")
                        .orElseThrow()
                        .id())
                .isEqualTo(2);
    }

    @Test
    void fieldsOfOldSpecsKeepTheirNamesAsLongAsTheirColumnIsThere() {
        TableMetadata unpartitioned = MetadataUpdates.apply(TABLE, new SpecEvolution(TABLE, true).drop("p_part"), 1500);

        assertThatThrownBy(() -> change(unpartitioned, add("p_part"))).hasMessageContaining("of spec 0");
        assertThat(change(unpartitioned, drop("p"), add("p_part")).schema().field("p_part"))
                .isPresent();
    }

    @Test
    void whatAnotherWriterNamedAlikeDoesNotKeepOtherColumnsFromChanging() {
        var clash = new PartitionSpec(-1, List.of(PartitionField.of(2, 1000, "id", Transform.IDENTITY)));
        TableMetadata table = MetadataUpdates.apply(
                TABLE, List.of(new MetadataUpdate.AddSpec(clash), new MetadataUpdate.SetDefaultSpec(-1)), 1500);

        assertThat(change(table, add("more")).schema().field("more")).isPresent();
    }
}
