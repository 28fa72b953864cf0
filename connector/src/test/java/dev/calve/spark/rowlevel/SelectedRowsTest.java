package dev.calve.spark.rowlevel;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitFixture;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.junit.jupiter.api.Test;

class SelectedRowsTest {

    private final CommitFixture table = CommitFixture.unpartitioned(2);

    /** The rows that a statement selects by {@code part = 1}, which began now. */
    private SelectedRows selected() throws IOException {
        var loaded = new LoadedTable("lake.db.t", table.committer.load(), table.storage, table.committer);
        return new SelectedRows(loaded, new Predicate[] {
            new Predicate("=", new Expression[] {Expressions.column("part"), Expressions.literal(1)})
        });
    }

    private void columns(int lastId, Field... fields) {
        table.evolve(
                new MetadataUpdate.AddSchema(new Schema(-1, List.of(fields)), lastId),
                new MetadataUpdate.SetCurrentSchema(-1));
    }

    private static final Field ID = Field.required(CommitFixture.ID, "id", Type.Simple.LONG);

    @Test
    void aColumnMayBeRenamedMeanwhileAndOthersMayChange() throws IOException {
        SelectedRows selected = selected();
        columns(
                3,
                ID,
                Field.optional(CommitFixture.PART, "renamed", Type.Simple.INT),
                Field.optional(3, "part", Type.Simple.STRING));

        assertThatCode(() -> selected.requireColumnsOf(table.metadata(), "DELETE"))
                .doesNotThrowAnyException();
    }

    @Test
    void aColumnThatIsDroppedOrGetsAnotherTypeMeanwhileIsAConflict() throws IOException {
        SelectedRows selected = selected();
        columns(2, ID, Field.optional(CommitFixture.PART, "part", Type.Simple.LONG));
        assertThatThrownBy(() -> selected.requireColumnsOf(table.metadata(), "DELETE"))
                .isInstanceOf(CommitConflictException.class)
                .hasMessage(
                        "Cannot commit DELETE to lake.db.t: another writer altered its columns meanwhile (column 'part',"
                                + " by which the statement selects rows, was dropped or got another type). Nothing was changed;"
                                + " run the statement again.");

        columns(3, ID, Field.optional(3, "part", Type.Simple.INT));
        assertThatThrownBy(() -> selected.requireColumnsOf(table.metadata(), "DELETE"))
                .isInstanceOf(CommitConflictException.class);
    }
}
