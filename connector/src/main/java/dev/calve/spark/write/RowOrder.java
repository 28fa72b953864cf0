package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.SortOrder.Direction;
import dev.calve.partition.SortOrder.NullOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkTransforms;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NullOrdering;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;

/**
 * The order in which new rows come to a task, and so stand in its files: by partition, so that one file is open at a time, and
 * then as the table says. None for a table without a sort order.
 *
 * @param keys what to ask Spark for
 * @param id of the table's sort order, if files are sorted by all of it
 */
record RowOrder(List<SortOrder> keys, OptionalInt id) {

    RowOrder {
        keys = List.copyOf(keys);
    }

    /** The order of a table's sort order; of none if Spark cannot sort by its first term. */
    static RowOrder of(LoadedTable table) {
        TableMetadata metadata = table.metadata();
        dev.calve.partition.SortOrder order = metadata.sortOrder();
        var sorted = new ArrayList<SortOrder>();
        for (dev.calve.partition.SortOrder.Term term : order.terms()) {
            Optional<Expression> expression = term.sourceIds().size() == 1
                    ? expression(metadata.schema(), term.sourceId(), term.transform())
                    : Optional.empty();
            if (expression.isEmpty()) {
                break;
            }
            sorted.add(Expressions.sort(
                    expression.get(),
                    term.direction() == Direction.ASC ? SortDirection.ASCENDING : SortDirection.DESCENDING,
                    term.nullOrder() == NullOrder.NULLS_FIRST ? NullOrdering.NULLS_FIRST : NullOrdering.NULLS_LAST));
        }
        if (sorted.isEmpty()) {
            return new RowOrder(List.of(), OptionalInt.empty());
        }
        var keys = new ArrayList<SortOrder>();
        boolean complete = sorted.size() == order.terms().size();
        for (PartitionField field : metadata.spec().fields()) {
            Optional<Expression> expression = expression(metadata.schema(), field.sourceId(), field.transform());
            expression.ifPresent(known -> keys.add(Expressions.sort(known, SortDirection.ASCENDING)));
            // Rows of a partition that do not come together may have to wait, and then lose their order.
            complete &= expression.isPresent() || field.transform() instanceof Transform.Void;
        }
        keys.addAll(sorted);
        return new RowOrder(keys, complete ? OptionalInt.of(order.id()) : OptionalInt.empty());
    }

    boolean isNone() {
        return keys.isEmpty();
    }

    /** A transform as Spark computes it; empty where it has none, or another. */
    static Optional<Expression> expression(Schema schema, int sourceId, Transform transform) {
        boolean isOtherInSpark = !(transform instanceof Transform.Identity)
                && schema.field(sourceId)
                        .filter(source -> SparkTypes.isNumberOfTime(source.type()))
                        .isPresent();
        // Spark has no day of a number, and another bucket.
        return isOtherInSpark
                ? Optional.empty()
                : SparkTransforms.toSpark(schema, sourceId, transform).map(found -> found);
    }
}
