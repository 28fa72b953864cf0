package dev.calve.spark.rowlevel;

import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.AppendData;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The join of a MERGE's target with its source, if rows of the target that match nothing are not asked for.
 *
 * @param source the other side
 * @param target the scan of the target, of which nothing but columns and rows were chosen
 */
record MatchingJoin(LogicalPlan source, Expression condition, DataSourceV2ScanRelation target) {

    /** Joins that do not ask for rows of the left, or right, side that match nothing. */
    private static final Set<String> LEFT_MATCHES = Set.of("INNER", "RIGHT OUTER", "LEFT SEMI");

    private static final Set<String> RIGHT_MATCHES = Set.of("INNER", "LEFT OUTER", "LEFT SEMI", "LEFT ANTI");

    /**
     * Finds the join of the rows a MERGE changes.
     *
     * @param statement its optimized plan
     */
    static Optional<MatchingJoin> ofChanges(LogicalPlan statement, RowLevelScan scan) {
        return find(statement, scan, LEFT_MATCHES, RIGHT_MATCHES);
    }

    /**
     * Finds the join that leaves the rows a target lacks, which a MERGE that only inserts appends.
     *
     * @param statement its optimized plan
     * @param scan of the target, which may as well be another reading of it
     */
    static Optional<MatchingJoin> ofInserts(LogicalPlan statement, RowLevelScan scan) {
        // Others do not ask afterwards whether the source was the same.
        return statement instanceof AppendData append
                ? find(append.query(), scan, Set.of(), Set.of("LEFT ANTI"))
                : Optional.empty();
    }

    private static Optional<MatchingJoin> find(
            LogicalPlan plan, RowLevelScan scan, Set<String> leftMatches, Set<String> rightMatches) {
        if (plan instanceof Join join && join.condition().isDefined()) {
            String type = join.joinType().sql();
            Expression condition = join.condition().get();
            Optional<DataSourceV2ScanRelation> left = relation(join.left(), scan);
            if (left.isPresent()) {
                return left.filter(target -> leftMatches.contains(type))
                        .map(target -> new MatchingJoin(join.right(), condition, target));
            }
            Optional<DataSourceV2ScanRelation> right = relation(join.right(), scan);
            if (right.isPresent()) {
                return right.filter(target -> rightMatches.contains(type))
                        .map(target -> new MatchingJoin(join.left(), condition, target));
            }
        }
        for (LogicalPlan child : CollectionConverters.asJava(plan.children())) {
            Optional<MatchingJoin> found = find(child, scan, leftMatches, rightMatches);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<DataSourceV2ScanRelation> relation(LogicalPlan plan, RowLevelScan scan) {
        if (plan instanceof DataSourceV2ScanRelation relation) {
            return relation.scan() == scan ? Optional.of(relation) : Optional.empty();
        }
        return plan instanceof Project || plan instanceof Filter
                ? relation(plan.children().head(), scan)
                : Optional.empty();
    }
}
