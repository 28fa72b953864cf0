package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.spark.write.AppendWriteBuilder;
import dev.calve.spark.write.NewRowsWrite;
import dev.calve.spark.write.OverwriteOptions;
import dev.calve.spark.write.WriteTarget;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDynamicOverwrite;
import org.apache.spark.sql.connector.write.SupportsOverwriteV2;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;

/** Builds an append, or an overwrite if it is told what goes. */
public final class TableWriteBuilder implements SupportsOverwriteV2, SupportsDynamicOverwrite {

    private final LoadedTable table;
    private final LogicalWriteInfo info;
    private final SparkSession session;
    private boolean overwrites;
    private Optional<SelectedRows> selected = Optional.empty();

    public TableWriteBuilder(LoadedTable table, LogicalWriteInfo info, SparkSession session) {
        this.table = table;
        this.info = info;
        this.session = session;
    }

    /** Free of side effects. */
    @Override
    public boolean canOverwrite(Predicate[] predicates) {
        return new SelectedRows(table, predicates).canBeJudged();
    }

    /** Replaces the rows the predicates select. All rows become those of partitions that get rows, if an option says dynamic. */
    @Override
    public WriteBuilder overwrite(Predicate[] predicates) {
        overwrites = true;
        var rows = new SelectedRows(table, predicates);
        boolean dynamic =
                rows.areAll() && OverwriteOptions.of(info.options()).dynamic().orElse(false);
        selected = dynamic ? Optional.empty() : Optional.of(rows);
        return this;
    }

    /** @throws IllegalArgumentException if an option says otherwise */
    @Override
    public WriteBuilder overwriteDynamicPartitions() {
        if (!OverwriteOptions.of(info.options()).dynamic().orElse(true)) {
            throw new IllegalArgumentException("Cannot overwrite the partitions of " + table.name()
                    + " that get rows: a write option asks for 'static'. Use overwrite(condition), or leave it out.");
        }
        overwrites = true;
        selected = Optional.empty();
        return this;
    }

    /**
     * @throws UnsupportedOperationException if the table or an option asks for something that is not implemented
     * @throws IllegalArgumentException if a property or option has a value it cannot have
     */
    @Override
    public Write build() {
        if (!overwrites) {
            return new AppendWriteBuilder(table, info, () -> OwnReads.ofAppend(session, table), session).build();
        }
        WriteTarget target = WriteTarget.of(table, info);
        OverwriteOptions options = OverwriteOptions.of(info.options());
        return new NewRowsWrite(
                target.table(),
                new OverwriteBatch(table.onBranch(target.table().branch()), target, info, selected, options, session));
    }
}
