package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IdentifierFieldsTest {

    private TableMetadata table = MetadataUpdates.fresh(
            new Schema(
                    0,
                    List.of(
                            Field.required(1, "id", Type.Simple.LONG),
                            Field.optional(2, "name", Type.Simple.STRING),
                            Field.required(3, "score", Type.Simple.DOUBLE),
                            Field.required(
                                    4, "key", new Type.Struct(List.of(Field.required(5, "part", Type.Simple.INT)))),
                            Field.optional(
                                    6, "loose", new Type.Struct(List.of(Field.required(7, "part", Type.Simple.INT)))),
                            Field.required(8, "list", new Type.ListOf(9, true, Type.Simple.INT)))),
            PartitionSpec.unpartitioned(0),
            SortOrder.UNSORTED,
            "mem:/t",
            Map.of(),
            2,
            1000);

    private void set(String... columns) {
        table = MetadataUpdates.apply(table, IdentifierFields.set(table, List.of(columns), true), 2000);
    }

    private void assertRefused(String column, String why) {
        assertThatThrownBy(() -> set(column))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Cannot set identifier fields [" + column + "]")
                .hasMessageContaining(why);
        assertThat(table.schemas()).hasSize(1);
    }

    @Test
    void setsAndUnsetsThemInANewSchema() {
        int lastColumn = table.lastColumnId();
        set("id", "key.part");
        assertThat(table.schema().identifierFieldIds())
                .containsExactly(
                        1, table.schema().field("key.part").orElseThrow().id());
        assertThat(table.currentSchemaId()).isEqualTo(1);
        assertThat(IdentifierFields.set(table, List.of("key.part", "id"), true)).isEmpty();

        set();
        assertThat(table.schema().identifierFieldIds()).isEmpty();
        assertThat(table.currentSchemaId()).isZero();
        assertThat(table.schemas()).hasSize(2);
        assertThat(table.lastColumnId()).isEqualTo(lastColumn);
    }

    @Test
    void countsLetterCaseOnlyIfAskedTo() {
        assertThat(IdentifierFields.set(table, List.of("ID"), false)).isNotEmpty();
        assertRefused("ID", "there is no column 'ID', but [id, name, score, key, key.part, loose, ");
    }

    @Test
    void refusesColumnsThatCannotIdentifyARow() {
        assertRefused("name", "must be required");
        assertRefused("score", "other than float, double");
        assertRefused("key", "primitive");
        assertRefused("loose.part", "'loose' is optional");
        assertRefused("list.element", "list or map");
        assertThatThrownBy(() -> set("id", "id")).hasMessageContaining("'id' is named twice");
    }
}
