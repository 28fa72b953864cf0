package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.manifest.DataFile;
import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Replacement;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.Type;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rows are written for the columns a table had when the statement began. */
class WrittenColumnsTest {

    private final CommitFixture table = CommitFixture.unpartitioned(3);
    private final CommitFixture.Statement statement = table.statement();

    /** Appends, while another client changes the table as said right before the swap. */
    private void appendWhile(ScriptedCommitter.Interruption another) {
        var target = new CommitTarget(
                CommitFixture.TABLE,
                table.metadata().uuid(),
                Optional.of(table.metadata().schema()),
                Branches.UNKNOWN,
                table.committer,
                table.storage);
        DataFile file = table.dataFile("mine").build();
        SnapshotChange change = statement.wrote(table.appending(file));
        table.committer.beforeSwap(another);
        new TableCommit(target, statement.statement(), Clock.systemUTC()).commit(change, Resettle.never());
    }

    private void replace(Field... fields) {
        var replacement = new Replacement(
                new Schema(0, List.of(fields)),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                Map.of(),
                Optional.empty());
        table.evolve(replacement.of(table.metadata()).toArray(MetadataUpdate[]::new));
    }

    private void alter(SchemaChange... changes) {
        var evolved = ColumnChanges.evolve(table.metadata(), new SchemaChanges(List.of(changes), true));
        table.evolve(ColumnChanges.updates(table.metadata(), evolved).toArray(MetadataUpdate[]::new));
    }

    private void assertNothingIsLeft() {
        assertThat(table.metadata().currentSnapshot()).isEmpty();
        assertThat(table.storage.locations()).noneMatch(location -> location.endsWith("/mine"));
    }

    @Test
    void rowsAreNotLostInATableReplacedMeanwhileByOneWithAnotherColumnOfTheName() {
        assertThatThrownBy(() -> appendWhile(() -> replace(
                        Field.required(1, "id", Type.Simple.LONG), Field.optional(2, "part", Type.Simple.STRING))))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("'part' is another column now")
                .hasMessageEndingWith("Nothing was changed; run the statement again.");
        assertNothingIsLeft();
    }

    @Test
    void rowsAreNotAddedToATableReplacedMeanwhileByOneThatCannotHoldThem() {
        Schema before = table.metadata().schema();
        assertThatThrownBy(() -> appendWhile(() -> replace(
                        before.fields().get(0), before.fields().get(1), Field.required(9, "must", Type.Simple.STRING))))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("'must' is new and must not be null");
        assertNothingIsLeft();
    }

    @Test
    void columnsAddedDroppedRenamedOrWithADefaultDoNotMatter() {
        appendWhile(() -> alter(
                new SchemaChange.Rename(List.of("id"), "key"),
                new SchemaChange.Drop(List.of("part"), false),
                new SchemaChange.Add(
                        List.of(), "id", Type.Simple.INT, true, Optional.empty(), Optional.of(7), Optional.empty()),
                new SchemaChange.Add(
                        List.of(),
                        "point",
                        new Type.Struct(List.of(Field.required(90, "x", Type.Simple.INT))),
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty())));

        assertThat(table.live().data()).hasSize(1);
    }

    @Test
    void aReplacedTableWithTheSameColumnsTakesTheRows() {
        Schema before = table.metadata().schema();
        appendWhile(() -> replace(before.fields().toArray(Field[]::new)));

        assertThat(table.live().data()).hasSize(1);
    }
}
