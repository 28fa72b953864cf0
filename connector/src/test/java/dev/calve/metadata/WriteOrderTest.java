package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.TermText;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WriteOrderTest {

    private TableMetadata table = MetadataUpdates.fresh(
            new Schema(
                    0,
                    List.of(
                            Field.required(1, "id", Type.Simple.LONG),
                            Field.optional(2, "Category", Type.Simple.STRING),
                            Field.optional(3, "list", new Type.ListOf(4, false, Type.Simple.INT)))),
            PartitionSpec.unpartitioned(0),
            SortOrder.UNSORTED,
            "mem:/t",
            Map.of(),
            2,
            1000);

    private List<MetadataUpdate> order(String text) {
        return WriteOrder.set(table, TermText.order(text), true);
    }

    private void set(String text) {
        table = MetadataUpdates.apply(table, order(text), 2000);
    }

    private void assertRefused(String text, String why) {
        assertThatThrownBy(() -> order(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void setsAndUnsetsTheOrder() {
        set("Category ASC NULLS LAST, bucket(8, id) DESC");
        assertThat(table.defaultSortOrderId()).isEqualTo(1);
        assertThat(TableParts.order(table)).isEqualTo("Category ASC NULLS LAST, bucket(8, id) DESC NULLS LAST");

        set("id");
        assertThat(table.defaultSortOrderId()).isEqualTo(2);

        set("");
        assertThat(table.defaultSortOrderId()).isZero();
        assertThat(TableParts.order(table)).isEmpty();

        set("id");
        assertThat(table.defaultSortOrderId()).isEqualTo(2);
        assertThat(table.sortOrders()).hasSize(3);
    }

    @Test
    void changesNothingIfTheOrderIsSo() {
        assertThat(order("")).isEmpty();
        set("id");
        assertThat(order("id ASC")).isEmpty();
        assertThat(order("id DESC")).isNotEmpty();
    }

    @Test
    void countsLetterCaseOnlyIfAskedTo() {
        assertThat(WriteOrder.set(table, TermText.order("CATEGORY"), false)).isNotEmpty();
        assertRefused("CATEGORY", "there is no column 'CATEGORY', but [id, Category, list, list.element]");
    }

    @Test
    void refusesKeysThatCannotBe() {
        assertRefused("days(id)", "not defined for type long");
        assertRefused("list", "not defined for type list");
        assertRefused("list.element", "list or map");
        assertRefused(
                "id, bucket(4, id), id DESC", "Cannot sort by id (table at mem:/t): rows are sorted by it already");
    }
}
