package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.TermText;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SpecEvolutionTest {

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.LONG),
                    Field.optional(2, "Category", Type.Simple.STRING),
                    Field.optional(3, "ts", Type.Simple.TIMESTAMPTZ),
                    Field.optional(4, "score", Type.Simple.DOUBLE),
                    Field.optional(5, "point", new Type.Struct(List.of(Field.optional(6, "x", Type.Simple.INT)))),
                    Field.optional(7, "list", new Type.ListOf(8, false, Type.Simple.INT))));

    private TableMetadata table = table(2);

    /** An empty table, partitioned by the category. */
    private static TableMetadata table(int formatVersion) {
        return MetadataUpdates.fresh(
                SCHEMA,
                new PartitionSpec(0, List.of(PartitionField.of(2, 1000, "Category", Transform.IDENTITY))),
                SortOrder.UNSORTED,
                "mem:/t",
                Map.of(),
                formatVersion,
                1000);
    }

    private static NewPartitionField field(String term) {
        return new NewPartitionField(TermText.transform(term), Optional.empty());
    }

    private static NewPartitionField field(String term, String name) {
        return new NewPartitionField(TermText.transform(term), Optional.of(name));
    }

    private void change(List<MetadataUpdate> updates) {
        assertThat(updates).isNotEmpty();
        table = MetadataUpdates.apply(table, updates, 2000);
    }

    private void add(String term) {
        change(new SpecEvolution(table, true).add(field(term)));
    }

    private void add(String term, String name) {
        change(new SpecEvolution(table, true).add(field(term, name)));
    }

    private void drop(String field) {
        change(new SpecEvolution(table, true).drop(field));
    }

    private void replace(String old, NewPartitionField wanted) {
        change(new SpecEvolution(table, true).replace(old, wanted));
    }

    private List<String> fields() {
        return table.spec().fields().stream()
                .map(field -> field.fieldId() + " " + field.name() + " " + field.transform())
                .toList();
    }

    private void assertRefused(String why, Runnable change) {
        TableMetadata before = table;
        assertThatThrownBy(change::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
        assertThat(table).isSameAs(before);
    }

    @Test
    void addsFieldsUnderTheNamesOfPeers() {
        add("bucket(16, id)");
        add("truncate(4, Category)");
        add("days(ts)");
        add("hours(ts)");
        add("point.x");
        add("months(ts)", "when");

        assertThat(fields())
                .containsExactly(
                        "1000 Category identity",
                        "1001 id_bucket_16 bucket[16]",
                        "1002 Category_trunc_4 truncate[4]",
                        "1003 ts_day day",
                        "1004 ts_hour hour",
                        "1005 point.x identity",
                        "1006 when month");
        assertThat(table.specs()).hasSize(7);
        assertThat(table.lastPartitionId()).isEqualTo(1006);
    }

    @Test
    void keepsDroppedFieldsAsVoidInVersionOne() {
        table = table(1);
        add("bucket(4, id)");
        drop("Category");

        assertThat(fields()).containsExactly("1000 Category void", "1001 id_bucket_4 bucket[4]");

        add("Category");
        assertThat(fields())
                .containsExactly("1000 Category_1000 void", "1001 id_bucket_4 bucket[4]", "1002 Category identity");

        replace("bucket(4, id)", field("bucket(8, id)", "id_bucket_4"));
        assertThat(fields())
                .containsExactly(
                        "1000 Category_1000 void",
                        "1001 id_bucket_4_1001 void",
                        "1002 Category identity",
                        "1003 id_bucket_4 bucket[8]");
        assertRefused("dropped before", () -> drop("Category_1000"));
    }

    @Test
    void removesDroppedFieldsFromVersionTwoOn() {
        add("bucket(4, id)");
        drop("Category");
        assertThat(fields()).containsExactly("1001 id_bucket_4 bucket[4]");

        drop("bucket(4, id)");
        assertThat(table.spec().isUnpartitioned()).isTrue();
    }

    @Test
    void givesAFieldThatComesBackItsOldIdAndName() {
        add("bucket(4, id)", "shard");
        drop("shard");
        add("days(ts)");
        add("bucket(4, id)");
        assertThat(fields()).containsExactly("1000 Category identity", "1002 ts_day day", "1001 shard bucket[4]");

        drop("shard");
        add("bucket(4, id)", "other");
        assertThat(fields()).last().isEqualTo("1003 other bucket[4]");
    }

    @Test
    void takesUpASpecThatWasThereBefore() {
        add("days(ts)");
        int withDays = table.defaultSpecId();
        drop("days(ts)");
        assertThat(table.defaultSpecId()).isZero();
        add("days(ts)");

        assertThat(table.defaultSpecId()).isEqualTo(withDays);
        assertThat(table.specs()).hasSize(2);
        assertThat(table.lastPartitionId()).isEqualTo(1001);
    }

    @Test
    void replacesInOneStep() {
        add("days(ts)");
        replace("days(ts)", field("hours(ts)"));
        assertThat(fields()).containsExactly("1000 Category identity", "1002 ts_hour hour");
        assertThat(table.specs()).hasSize(3);

        replace("ts_hour", field("days(ts)", "ts_day"));
        assertThat(fields()).containsExactly("1000 Category identity", "1001 ts_day day");
    }

    @Test
    void renamesAFieldThatIsReplacedByItself() {
        replace("Category", field("bucket(4, id)"));
        replace("bucket(4, id)", field("bucket(4, id)", "shard"));
        assertThat(fields()).containsExactly("1001 shard bucket[4]");
        assertThat(new SpecEvolution(table, true).replace("shard", field("bucket(4, id)")))
                .isEmpty();
    }

    @Test
    void findsColumnsAndFieldsInAnyLetterCaseIfAskedTo() {
        change(new SpecEvolution(table, false).add(field("BUCKET(4, ID)")));
        assertThat(fields()).last().isEqualTo("1001 id_bucket_4 bucket[4]");
        change(new SpecEvolution(table, false).drop("ID_Bucket_4"));
        change(new SpecEvolution(table, false).drop("category"));
        assertThat(fields()).isEmpty();

        assertRefused("there is no column 'ID'", () -> add("bucket(4, ID)"));
    }

    @Test
    void refusesWhatIsThereAlready() {
        add("bucket(4, id)", "shard");
        assertRefused("already: Category: Category", () -> add("Category"));
        assertRefused("already: shard: bucket(4, id)", () -> add("bucket(4, id)", "again"));
        assertRefused("name 'shard' is that of partition field shard: bucket(4, id)", () -> add("days(ts)", "shard"));
        assertRefused("a column of the table has that name", () -> add("days(ts)", "score"));
        assertRefused("a column of the table has that name", () -> add("bucket(8, id)", "id"));
        assertRefused("already: shard", () -> replace("Category", field("bucket(4, id)")));
    }

    @Test
    void refusesWhatCannotBePartitionedBy() {
        assertRefused("not defined for type double", () -> add("bucket(4, score)"));
        assertRefused("not defined for type struct", () -> add("point"));
        assertRefused("list or map", () -> add("list.element"));
        assertRefused("not defined for type string", () -> add("days(Category)"));
        assertRefused(
                "there is no column 'nope', but [id, Category, ts, score, point, point.x, list, list.element]",
                () -> add("days(nope)"));
        assertRefused("must have a name", () -> add("days(ts)", ""));
    }

    @Test
    void namesTheFieldsThatAreThereIfOneIsNot() {
        add("bucket(4, id)", "shard");
        assertRefused(
                "Cannot drop partition field 'days(ts)' (table at mem:/t): the table has no such field, but"
                        + " [Category: Category, shard: bucket(4, id)].",
                () -> drop("days(ts)"));
        assertRefused("no such field", () -> drop("bucket(8, id)"));
        assertRefused("no such field", () -> drop("id"));
        assertRefused("no such field", () -> drop("((("));
        assertRefused("no such field", () -> replace("nope", field("days(ts)")));
    }

    @Test
    void changesNoSpecWithATransformThatIsNotKnown() {
        List<PartitionField> fields = List.of(PartitionField.of(1, 1000, "z", new Transform.Unknown("zorder[4]")));
        TableMetadata known = table(2);
        table = new TableMetadata(
                2,
                known.uuid(),
                known.location(),
                0,
                0,
                known.lastColumnId(),
                0,
                known.schemas(),
                0,
                List.of(new PartitionSpec(0, fields)),
                1000,
                0,
                known.sortOrders(),
                Map.of(),
                OptionalLong.empty(),
                0,
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of());

        assertRefused("'zorder[4]', which is not known", () -> add("days(ts)"));
        assertRefused("'zorder[4]', which is not known", () -> drop("z"));
        assertRefused("'zorder[4]', which is not known", () -> replace("z", field("days(ts)")));
    }

    @Test
    void addsNothingToVersionOneThatWouldBreakTheSequenceOfIds() {
        table = table(1);
        TableMetadata old = table;
        table = MetadataUpdates.apply(
                old,
                List.of(
                        new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(-1)),
                        new MetadataUpdate.SetDefaultSpec(-1)),
                1500);

        assertRefused("Upgrade the table to version 2", () -> add("days(ts)"));
    }
}
