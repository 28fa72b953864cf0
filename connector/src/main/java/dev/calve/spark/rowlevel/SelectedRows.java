package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitConflictException;
import dev.calve.commit.Conflict;
import dev.calve.expression.Expression;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Field;
import dev.calve.spark.convert.CatalystCondition;
import dev.calve.spark.convert.MetadataColumns;
import dev.calve.spark.convert.Placeholders;
import dev.calve.spark.convert.SparkPredicates;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.wire.ExpressionBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The rows for which all of some predicates of Spark are TRUE. Names are those of the table as it was loaded; ids carry them
 * over to later states.
 */
final class SelectedRows {

    private final LoadedTable table;
    private final Predicate[] predicates;

    SelectedRows(LoadedTable table, Predicate[] predicates) {
        this.table = table;
        this.predicates = predicates.clone();
    }

    static SelectedRows all(LoadedTable table) {
        return new SelectedRows(table, new Predicate[] {new AlwaysTrue()});
    }

    /** Whether the predicates can be turned back into Spark's own expression. Free of side effects. */
    boolean canBeJudged() {
        return catalyst().isPresent();
    }

    /** The predicates as ours. */
    SparkPredicates.Converted converted() {
        return new SparkPredicates(table.metadata().schema(), SQLConf.get().caseSensitiveAnalysis())
                .convert(predicates);
    }

    /** Whether it is every row, whatever is in it. */
    boolean areAll() {
        SparkPredicates.Converted converted = converted();
        return converted.exact() && converted.expression() == Expression.Constant.TRUE;
    }

    /** @throws UnsupportedOperationException if the predicates need a column that cannot be read */
    RowCondition condition() {
        CatalystCondition condition = catalyst()
                .orElseThrow(() -> new IllegalStateException(
                        "A condition on " + table.name() + " was accepted, but no longer fits the table."));
        Placeholders.refuseReading(table.metadata().schema(), condition.columns(), table.name());
        return new ExpressionCondition(ExpressionBytes.of(condition.expression(), condition.columns()));
    }

    /**
     * Refuses a state of the table in which a column of the predicates is another one, or of another type: its values would not be
     * those the statement speaks of.
     *
     * @param command as the user knows it
     * @throws CommitConflictException naming the column
     */
    void requireColumnsOf(TableMetadata found, String command) {
        for (StructField column : catalyst()
                .map(CatalystCondition::columns)
                .orElseGet(StructType::new)
                .fields()) {
            Optional<Field> loaded = table.metadata().schema().fields().stream()
                    .filter(field -> field.name().equals(column.name()))
                    .findFirst();
            boolean same = loaded.isEmpty()
                    || found.schema()
                            .field(loaded.get().id())
                            .filter(field -> field.type().equals(loaded.get().type()))
                            .isPresent();
            if (!same) {
                throw new CommitConflictException(
                        table.name(),
                        command,
                        Optional.empty(),
                        List.of(new Conflict.ColumnsChanged("column '" + column.name()
                                + "', by which the statement selects rows, was dropped or got another type")));
            }
        }
    }

    private Optional<CatalystCondition> catalyst() {
        var available = new ArrayList<StructField>(
                List.of(SparkTypes.toSpark(table.metadata().schema()).fields()));
        available.addAll(MetadataColumns.of(table.metadata()));
        return CatalystCondition.of(
                predicates,
                available,
                SQLConf.get().sessionLocalTimeZone(),
                SQLConf.get().caseSensitiveAnalysis());
    }
}
