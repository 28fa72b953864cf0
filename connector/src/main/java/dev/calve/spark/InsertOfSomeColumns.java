package dev.calve.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;
import scala.Function1;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Gives {@code INSERT INTO t (a) …} and {@code INSERT INTO t BY NAME …} the columns they leave out: their default, or null. Spark
 * does it from 4.1 on; on 4.0 it refuses such a statement. Whatever lacks a column that must not be null is left for Spark to refuse.
 */
final class InsertOfSomeColumns extends Rule<LogicalPlan> {

    /** Where the default of a column stands, for Spark. */
    private static final String DEFAULT = "CURRENT_DEFAULT";

    private final SparkSession session;

    InsertOfSomeColumns(SparkSession session) {
        this.session = session;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return session.version().startsWith("4.0.") ? plan.resolveOperatorsUp(new Completed()) : plan;
    }

    /** The rule for one node. */
    private static final class Completed extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
        @Override
        public boolean isDefinedAt(LogicalPlan node) {
            return node instanceof InsertIntoStatement;
        }

        @Override
        public <A extends LogicalPlan, B> B applyOrElse(A node, Function1<A, B> otherwise) {
            if (node instanceof InsertIntoStatement insert) {
                Optional<LogicalPlan> completed = completed(insert);
                if (completed.isPresent()) {
                    @SuppressWarnings("unchecked") // B is wider than LogicalPlan: Scala says so where Java cannot.
                    B found = (B) completed.get();
                    return found;
                }
            }
            return otherwise.apply(node);
        }
    }

    private static Optional<LogicalPlan> completed(InsertIntoStatement insert) {
        if (!insert.query().resolved()
                || !(insert.table() instanceof DataSourceV2Relation relation)
                || !(relation.table() instanceof CalveTable)) {
            return Optional.empty();
        }
        List<String> named = new ArrayList<>(CollectionConverters.asJava(insert.userSpecifiedCols()));
        List<Attribute> given = CollectionConverters.asJava(insert.query().output());
        boolean byList = !named.isEmpty();
        if (byList ? named.size() != given.size() : !insert.byName()) {
            return Optional.empty();
        }
        List<String> known = new ArrayList<>(
                byList ? named : given.stream().map(Attribute::name).toList());
        known.addAll(CollectionConverters.asJava(insert.partitionSpec().keySet()));
        var columns = new ArrayList<NamedExpression>(given);
        for (var column : CollectionConverters.asJava(relation.output())) {
            if (known.stream().noneMatch(name -> isSame(name, column.name()))) {
                Option<NamedExpression> value = ResolveDefaultColumns.getDefaultValueExprOrNullLit(column, true);
                if (value.isEmpty() || !(column.nullable() || column.metadata().contains(DEFAULT))) {
                    return Optional.empty();
                }
                columns.add(value.get());
                named.add(column.name());
            }
        }
        if (columns.size() == given.size()) {
            return Optional.empty();
        }
        return Optional.of(new InsertIntoStatement(
                insert.table(),
                insert.partitionSpec(),
                byList ? CollectionConverters.asScala(named).toSeq() : insert.userSpecifiedCols(),
                new Project(CollectionConverters.asScala(columns).toSeq(), insert.query()),
                insert.overwrite(),
                insert.ifPartitionNotExists(),
                insert.byName()));
    }

    private static boolean isSame(String name, String column) {
        return SQLConf.get().caseSensitiveAnalysis() ? name.equals(column) : name.equalsIgnoreCase(column);
    }
}
