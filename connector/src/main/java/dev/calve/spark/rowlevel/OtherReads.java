package dev.calve.spark.rowlevel;

import dev.calve.spark.read.StoredTable;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Whether the statement that runs reads its target besides looking for the rows it changes: in a subquery, or as the source of a
 * MERGE. Spark does not tell; its plan does.
 */
final class OtherReads {

    private static final String EXECUTION_ID = "spark.sql.execution.id";

    private OtherReads() {}

    /** True as well if the plan is not known. */
    static boolean areThere(String tableUuid, SparkSession session) {
        String execution = session.sparkContext().getLocalProperty(EXECUTION_ID);
        QueryExecution running = execution == null ? null : SQLExecution.getQueryExecution(Long.parseLong(execution));
        if (running == null) {
            return true;
        }
        var search = new Search(tableUuid);
        running.analyzed().foreachWithSubqueries(search);
        return search.found;
    }

    private static final class Search extends AbstractFunction1<LogicalPlan, BoxedUnit> {
        private final String tableUuid;
        private boolean found;

        Search(String tableUuid) {
            this.tableUuid = tableUuid;
        }

        @Override
        public BoxedUnit apply(LogicalPlan node) {
            // The row-level scan is of a table of Spark's own that wraps the target.
            if (node instanceof DataSourceV2Relation relation
                    && relation.table() instanceof StoredTable stored
                    && stored.tableUuid().equals(tableUuid)) {
                found = true;
            }
            return BoxedUnit.UNIT;
        }
    }
}
