package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AlteredColumnsTest {

    private static final TableMetadata READ = MetadataUpdates.fresh(
            new Schema(
                    0,
                    List.of(
                            Field.optional(1, "a", Type.Simple.INT),
                            Field.optional(2, "b", Type.Simple.INT),
                            Field.optional(3, "c", Type.Simple.INT))),
            PartitionSpec.unpartitioned(0),
            SortOrder.UNSORTED,
            "/wh/t",
            Map.of(),
            2,
            1000);

    private static SchemaChanges changes(SchemaChange... changes) {
        return new SchemaChanges(List.of(changes), true);
    }

    private static SchemaChange rename(String from, String to) {
        return new SchemaChange.Rename(List.of(from), to);
    }

    private static SchemaChange drop(String name) {
        return new SchemaChange.Drop(List.of(name), false);
    }

    private static SchemaChange add(String name) {
        return new SchemaChange.Add(
                List.of(), name, Type.Simple.INT, false, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static TableMetadata changed(TableMetadata table, SchemaChange... changes) {
        var evolved = ColumnChanges.evolve(table, changes(changes));
        return MetadataUpdates.apply(table, ColumnChanges.updates(table, evolved), 2000);
    }

    private static TableMetadata apply(AlteredColumns altered, TableMetadata found) {
        return MetadataUpdates.apply(found, altered.apply(found), 3000);
    }

    private static AlteredColumns altered(SchemaChange... changes) {
        return new AlteredColumns("db.t", READ, changes(changes));
    }

    private static void conflicts(AlteredColumns altered, TableMetadata found) {
        assertThatThrownBy(() -> altered.apply(found))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("Cannot commit ALTER TABLE to db.t")
                .hasMessageContaining("another writer altered its columns meanwhile");
    }

    @Test
    void joinsChangesOfOtherColumns() {
        TableMetadata found = changed(READ, add("d"), rename("b", "bb"));

        TableMetadata result = apply(altered(rename("a", "aa"), add("e")), found);

        assertThat(result.schema().fields()).extracting(Field::name).containsExactly("aa", "bb", "c", "d", "e");
        assertThat(result.schema().field("e").orElseThrow().id()).isEqualTo(5);
    }

    @Test
    void refusesColumnsThatWereRenamedOrDroppedMeanwhile() {
        conflicts(altered(rename("a", "aa")), changed(READ, drop("a")));
        conflicts(altered(rename("a", "aa")), changed(READ, rename("a", "x")));
        conflicts(altered(add("d")), changed(READ, add("d")));
    }

    @Test
    void refusesAnotherColumnOfTheSameName() {
        conflicts(altered(rename("a", "aa")), changed(READ, drop("a"), add("a")));
        conflicts(altered(drop("b")), changed(READ, rename("b", "x"), rename("c", "b")));
    }

    @Test
    void knowsAChangeThatWasMade() {
        var altered = altered(add("d"));
        TableMetadata done = apply(altered, READ);

        assertThat(altered.apply(done)).isEmpty();
    }

    @Test
    void saysAtOnceWhatIsNotAllowed() {
        assertThatThrownBy(() -> altered(drop("nope"))).isInstanceOf(IllegalArgumentException.class);
    }
}
