package dev.calve.spark;

import dev.calve.commit.CommitOutcome;
import dev.calve.spark.rowlevel.DeletePlan;
import dev.calve.spark.rowlevel.DeleteStatement;
import dev.calve.spark.rowlevel.EqualityDelete;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/**
 * Deletes for programs: such whose rows are counted before they are committed, in SQL {@code plan_delete} and {@code
 * commit_delete}, and such by key, in SQL {@code equality_delete}.
 */
public final class Deletes {

    private Deletes() {}

    /**
     * Counts what {@code DELETE FROM table WHERE condition} would delete. Deletes and writes nothing.
     *
     * @param table name of a table of a Calve catalog, as SQL has it
     * @param condition as it stands behind {@code WHERE}
     * @throws IllegalArgumentException if it is no condition, or the table no table of Calve's
     * @throws UnsupportedOperationException if only a query can find the rows
     */
    public static DeletePlan plan(SparkSession session, String table, String condition) {
        DeleteStatement statement = DeleteStatement.of(session, table, condition);
        if (!(statement.table() instanceof CalveTable target)) {
            throw new IllegalArgumentException("The table must be one of a Calve catalog, but " + table + " is "
                    + statement.table().getClass().getName() + ".");
        }
        return DeletePlan.of(target.loaded(), statement.predicates(), session);
    }

    /**
     * Deletes all rows whose key columns have the values of one of the keys: see {@link EqualityDelete}.
     *
     * @param table name of a table of a Calve catalog, as SQL has it; a branch as {@code t.branch_x}
     * @param columns of the key
     * @param keys rows that have these columns
     */
    public static EqualityDelete.Result byKey(
            SparkSession session, String table, List<String> columns, Dataset<Row> keys, EqualityDelete.Scope scope) {
        LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<?>) session.table(table))
                .queryExecution()
                .analyzed();
        // Nothing but names may be around it: a view shows rows of its tables, and must not delete theirs.
        while (plan instanceof SubqueryAlias named) {
            plan = named.child();
        }
        if (plan instanceof DataSourceV2Relation relation && relation.table() instanceof CalveTable target) {
            return new EqualityDelete(target.writable(), columns, scope, session).run(keys);
        }
        throw new IllegalArgumentException("The table must be one of a Calve catalog, but " + table + " is none.");
    }

    /** Commits exactly what was counted: see {@link DeletePlan#commit}. */
    public static CommitOutcome commit(SparkSession session, DeletePlan plan) {
        return plan.commit(session);
    }
}
