package dev.calve.expression;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Term;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.Values;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rows of some partitions of one spec, as a filter over columns: it finds them in files of any other spec, by partitions or
 * statistics.
 *
 * @param expression TRUE for every row of the partitions, perhaps for more
 * @param exact whether it is TRUE for no other row
 */
public record PartitionFilter(Expression expression, boolean exact) {

    /** More values of one field than this are asked for by the least and the greatest. */
    private static final int LONGEST_LIST = 200;

    /**
     * The filter of some partitions. Values of different fields are not tied to each other, so that its size is bounded
     * by fields, not by partitions.
     *
     * @param schema one that has the source columns of the spec; what it does not have filters nothing
     * @param partitions at least one, as the schema types them
     */
    public static PartitionFilter of(Schema schema, PartitionSpec spec, Collection<PartitionTuple> partitions) {
        var parts = new ArrayList<Expression>();
        int filtered = 0;
        boolean exact = true;
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField field = spec.fields().get(i);
            if (field.transform() instanceof Transform.Void) {
                continue;
            }
            filtered++;
            Optional<Column> column = column(schema, field);
            if (column.isEmpty()) {
                exact = false;
                continue;
            }
            Set<Object> values = new LinkedHashSet<>();
            boolean hasNull = false;
            for (PartitionTuple partition : partitions) {
                partition.value(i).ifPresent(values::add);
                hasNull |= partition.value(i).isEmpty();
            }
            Term term = Expressions.transformed(column.get(), field.transform());
            Expression ordinary = values.size() <= LONGEST_LIST ? Expressions.in(term, values) : between(term, values);
            parts.add(hasNull ? Expressions.or(Expressions.isNull(term), ordinary) : ordinary);
            // Partitions tell -0.0 and +0.0 apart, filters do not.
            exact &= values.size() <= LONGEST_LIST && !term.type().isFloating();
        }
        return new PartitionFilter(
                Expressions.and(parts),
                exact && (filtered <= 1 || Set.copyOf(partitions).size() == 1));
    }

    /** A column a filter can look at; that it can be null is assumed. */
    private static Optional<Column> column(Schema schema, PartitionField field) {
        return schema.field(field.sourceId())
                .map(Field::type)
                .filter(type -> !(field.transform() instanceof Transform.Unknown)
                        && Transforms.canApply(field.transform(), type)
                        && Literals.isOrdered(Transforms.resultType(field.transform(), type)))
                .map(type -> new Column(field.sourceId(), type, false));
    }

    private static Expression between(Term term, Set<Object> values) {
        Type type = term.type();
        List<Object> canonical =
                values.stream().map(value -> Literals.canonical(type, value)).toList();
        Comparator<Object> order = Values.comparator(type);
        Object least = canonical.stream().min(order).orElseThrow();
        Object greatest = canonical.stream().max(order).orElseThrow();
        return Expressions.and(
                Expressions.comparison(term, Operator.GREATER_OR_EQUAL, least),
                Expressions.comparison(term, Operator.LESS_OR_EQUAL, greatest));
    }
}
