package dev.calve.spark.rowlevel;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTableWithFilters;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What {@code DELETE FROM t WHERE condition} comes to, without running it: Spark parses, resolves and optimizes the statement, and
 * hands over what it would hand to the table.
 *
 * @param table as the statement's target
 * @param predicates all TRUE for a row that goes
 */
public record DeleteStatement(Table table, List<Predicate> predicates) {

    public DeleteStatement {
        predicates = List.copyOf(predicates);
    }

    /**
     * Asks Spark.
     *
     * @param table the table's name as SQL has it
     * @param condition as it stands behind {@code WHERE}
     * @throws IllegalArgumentException if it is no condition
     * @throws UnsupportedOperationException if only a query can find the rows, as with a subquery or most functions
     */
    public static DeleteStatement of(SparkSession session, String table, String condition) {
        var state = session.sessionState();
        LogicalPlan parsed = parsed(state.sqlParser(), table, condition);
        LogicalPlan optimized =
                state.executePlan(parsed, CommandExecutionMode.SKIP()).optimizedPlan();
        if (optimized instanceof DeleteFromTableWithFilters delete
                && delete.table() instanceof DataSourceV2Relation relation) {
            return new DeleteStatement(relation.table(), CollectionConverters.asJava(delete.condition()));
        }
        // Spark leaves a DELETE of all rows as it is, for tables that can be truncated.
        if (optimized instanceof DeleteFromTable delete
                && delete.condition().equals(Literal.TrueLiteral())
                && delete.table() instanceof DataSourceV2ScanRelation scan) {
            return new DeleteStatement(scan.relation().table(), List.of(new AlwaysTrue()));
        }
        throw new UnsupportedOperationException("Cannot plan DELETE FROM " + table + " WHERE " + condition
                + ": only a query can find these rows, because a part of the condition, such as a subquery or a function, is"
                + " none that Spark hands over to tables. Write it with comparisons of columns, run the DELETE itself, or try"
                + " it on a branch first.");
    }

    /** The condition is parsed by itself: what is more than an expression must not get into the statement. */
    private static LogicalPlan parsed(ParserInterface parser, String table, String condition) {
        DeleteFromTable all;
        try {
            all = (DeleteFromTable) parser.parsePlan("DELETE FROM " + table);
        } catch (ParseException e) {
            throw new IllegalArgumentException("'" + table + "' must be the name of a table: " + e.getMessage(), e);
        }
        try {
            return new DeleteFromTable(all.table(), parser.parseExpression(condition));
        } catch (ParseException e) {
            throw new IllegalArgumentException(
                    "where must be a condition such as 'id < 5', not '" + condition + "': " + e.getMessage(), e);
        }
    }
}
