package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.DistributionMode;
import dev.calve.partition.PartitionField;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;

/**
 * How new rows come to the tasks that write them: {@code hash} clusters the rows of a partitioned table by partition; {@code
 * range} sorts them into tasks by partition; {@code none} takes them as they come.
 */
public final class RowDistribution {

    private RowDistribution() {}

    /** What to ask Spark for; nothing for a table without partitions. */
    public static Distribution of(LoadedTable table, DistributionMode mode) {
        List<Expression> partition = partitionExpressions(table);
        if (partition.isEmpty() || mode == DistributionMode.NONE) {
            return Distributions.unspecified();
        }
        if (mode == DistributionMode.HASH) {
            return Distributions.clustered(partition.toArray(Expression[]::new));
        }
        return Distributions.ordered(partition.stream()
                .map(expression -> Expressions.sort(expression, SortDirection.ASCENDING))
                .toArray(SortOrder[]::new));
    }

    /**
     * The same for rows that come in an order: {@code range}, the default then, sorts them into tasks by all of it, partitions
     * or not.
     */
    static Distribution of(LoadedTable table, RowOrder order) {
        Optional<DistributionMode> mode = table.properties().get(TableProperties.DISTRIBUTION_MODE);
        if (order.isNone()) {
            return of(table, mode.orElse(DistributionMode.HASH));
        }
        return mode.orElse(DistributionMode.RANGE) == DistributionMode.RANGE
                ? Distributions.ordered(order.keys().toArray(SortOrder[]::new))
                : of(table, mode.get());
    }

    private static List<Expression> partitionExpressions(LoadedTable table) {
        TableMetadata metadata = table.metadata();
        var expressions = new ArrayList<Expression>();
        for (PartitionField field : metadata.spec().fields()) {
            RowOrder.expression(metadata.schema(), field.sourceId(), field.transform())
                    .ifPresent(expressions::add);
        }
        return expressions;
    }
}
