package dev.calve.spark.rowlevel;

import dev.calve.spark.read.ScannedState;
import dev.calve.spark.read.SnapshotScan;
import dev.calve.spark.read.SourceFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.CallMethodViaReflection;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Whether a query gives the same rows each time it runs: a whitelist of plans and expressions that do, over literals, snapshots of
 * our tables, and files of Spark's own sources as long as those do not change. What code of users computes is never repeatable,
 * whatever it says of itself, and neither is what they would notice to run twice.
 *
 * @param files that must still be as they were listed
 */
record Repeatable(List<SourceFiles> files) {

    private static final String EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions.";

    /** What calls methods by name, of whomever. */
    private static final Set<String> CALLS = Set.of(EXPRESSIONS + "objects", EXPRESSIONS + "xml");

    Repeatable {
        files = List.copyOf(files);
    }

    /** Empty if the optimized plan is not known to be repeatable. */
    static Optional<Repeatable> of(LogicalPlan plan) {
        var files = new ArrayList<SourceFiles>();
        return isRepeatable(plan, files) ? Optional.of(new Repeatable(files)) : Optional.empty();
    }

    private static boolean isRepeatable(LogicalPlan plan, List<SourceFiles> files) {
        return isKnown(plan, files)
                && CollectionConverters.asJava(plan.expressions()).stream().allMatch(Repeatable::isRepeatable)
                && CollectionConverters.asJava(plan.children()).stream().allMatch(child -> isRepeatable(child, files));
    }

    private static boolean isKnown(LogicalPlan plan, List<SourceFiles> files) {
        if (plan instanceof DataSourceV2ScanRelation relation) {
            return relation.scan() instanceof SnapshotScan scan
                    ? !scan.isLimited()
                    : relation.scan() instanceof ScannedState.Known;
        }
        if (plan instanceof LogicalRelation relation) {
            Optional<SourceFiles> found = SourceFiles.of(relation.relation());
            found.ifPresent(files::add);
            return found.isPresent();
        }
        return plan instanceof LocalRelation
                || plan instanceof OneRowRelation
                || plan instanceof Range
                || plan instanceof Project
                || plan instanceof Filter
                || plan instanceof Union
                || plan instanceof Join
                || plan instanceof Aggregate
                || plan instanceof Sort
                || plan instanceof RepartitionOperation;
    }

    static boolean isRepeatable(Expression expression) {
        return expression.deterministic()
                && expression.getClass().getName().startsWith(EXPRESSIONS)
                && !CALLS.contains(expression.getClass().getPackageName())
                && !(expression instanceof UserDefinedExpression)
                && !(expression instanceof PlanExpression)
                && !(expression instanceof ApplyFunctionExpression)
                && !(expression instanceof CallMethodViaReflection)
                && (!(expression instanceof AggregateFunction function) || isRepeatable(function))
                && CollectionConverters.asJava(expression.children()).stream().allMatch(Repeatable::isRepeatable);
    }

    /** Of others the result depends on the order of the rows. */
    private static boolean isRepeatable(AggregateFunction function) {
        return function instanceof Count || function instanceof Min || function instanceof Max;
    }
}
