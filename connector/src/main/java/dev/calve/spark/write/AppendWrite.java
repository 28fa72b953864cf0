package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.DistributionMode;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.spark.convert.SparkTransforms;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.types.StructType;

/**
 * An append. The distribution is the table's {@code write.distribution-mode}: {@code hash}, the default, clusters the rows
 * of a partitioned table by partition; {@code range} sorts them into tasks by partition; {@code none} takes them as they come.
 */
final class AppendWrite implements RequiresDistributionAndOrdering {

    private final LoadedTable table;
    private final StructType rows;
    private final Map<String, String> summary;
    private final SparkSession session;

    /**
     * @param rows type of the rows
     * @param summary entries the statement adds to the summary
     */
    AppendWrite(LoadedTable table, StructType rows, Map<String, String> summary, SparkSession session) {
        this.table = table;
        this.rows = rows;
        this.summary = Map.copyOf(summary);
        this.session = session;
    }

    @Override
    public BatchWrite toBatch() {
        return new AppendBatch(table, rows, summary, session);
    }

    @Override
    public Distribution requiredDistribution() {
        List<Expression> partition = partitionExpressions();
        DistributionMode mode =
                table.properties().get(TableProperties.DISTRIBUTION_MODE).orElse(DistributionMode.HASH);
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

    @Override
    public boolean distributionStrictlyRequired() {
        return false;
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return new SortOrder[0];
    }

    private List<Expression> partitionExpressions() {
        TableMetadata metadata = table.metadata();
        var expressions = new ArrayList<Expression>();
        for (PartitionField field : metadata.spec().fields()) {
            boolean isOtherInSpark = !(field.transform() instanceof Transform.Identity)
                    && metadata.schema()
                            .field(field.sourceId())
                            .filter(source -> SparkTypes.isNumberOfTime(source.type()))
                            .isPresent();
            // Spark has no day of a number, and another bucket.
            if (!isOtherInSpark) {
                SparkTransforms.toSpark(metadata.schema(), field).ifPresent(expressions::add);
            }
        }
        return expressions;
    }

    @Override
    public String description() {
        return "Calve append to " + table.name();
    }
}
