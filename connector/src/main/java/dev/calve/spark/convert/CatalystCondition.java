package dev.calve.spark.convert;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.TimeZoneAwareExpression;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A conjunction of data source predicates turned back into Spark's own expression, bound to the columns it reads.
 *
 * <p>Rows are judged by this expression and nothing else, so logic with nulls, NaN, time zones, ANSI errors and the order of
 * conjuncts are Spark's.
 *
 * @param expression resolved, boolean, over rows of {@code columns}
 * @param columns the top-level columns it reads, with their field ids; of structs only the fields it reads
 */
public record CatalystCondition(Expression expression, StructType columns) {

    /** Lists longer than this are looked up in a set, as Spark's optimizer does. */
    private static final int LONGEST_LIST = 10;

    /**
     * Binds predicates to a table's columns.
     *
     * @param available columns and metadata columns of the table; names are found first to last
     * @param timeZone the session's
     * @return empty if Spark cannot turn one of the predicates back or a column is not there
     */
    public static Optional<CatalystCondition> of(
            Predicate[] predicates, List<StructField> available, String timeZone, boolean caseSensitive) {
        var whole = new Binding(available, timeZone, caseSensitive);
        Optional<Expression> first = conjunction(predicates, whole);
        if (first.isEmpty()) {
            return Optional.empty();
        }
        // Bound once more to what the first binding turned out to read of each struct.
        List<StructField> read = whole.used.keySet().stream()
                .map(field -> pruned(field, whole.pathsBelow(field.name())))
                .toList();
        var binding = new Binding(read, timeZone, caseSensitive);
        return conjunction(predicates, binding)
                .map(expression -> new CatalystCondition(
                        expression, new StructType(binding.used.keySet().toArray(StructField[]::new))));
    }

    private static Optional<Expression> conjunction(Predicate[] predicates, Binding binding) {
        Expression conjunction = Literal.TrueLiteral();
        for (int i = 0; i < predicates.length; i++) {
            Option<Expression> catalyst = V2ExpressionUtils.toCatalyst(predicates[i]);
            if (catalyst.isEmpty()) {
                return Optional.empty();
            }
            Expression bound = binding.bind(catalyst.get());
            conjunction = i == 0 ? bound : new And(conjunction, bound);
        }
        if (binding.failed || !conjunction.resolved() || !(conjunction.dataType() instanceof BooleanType)) {
            return Optional.empty();
        }
        return Optional.of(conjunction);
    }

    /** @param paths names below the field that are read; an empty one reads all of it */
    private static StructField pruned(StructField field, List<List<String>> paths) {
        if (!(field.dataType() instanceof StructType struct) || paths.stream().anyMatch(List::isEmpty)) {
            return field;
        }
        var children = new ArrayList<StructField>();
        for (StructField child : struct.fields()) {
            List<List<String>> below = below(child.name(), paths);
            if (!below.isEmpty()) {
                children.add(pruned(child, below));
            }
        }
        return new StructField(
                field.name(), new StructType(children.toArray(StructField[]::new)), field.nullable(), field.metadata());
    }

    private static List<List<String>> below(String name, List<List<String>> paths) {
        return paths.stream()
                .filter(path -> path.get(0).equals(name))
                .map(path -> path.subList(1, path.size()))
                .toList();
    }

    /** Replaces names by references to the columns used so far, in the order they are met. */
    private static final class Binding {
        private final List<StructField> available;
        private final String timeZone;
        private final boolean caseSensitive;
        private final Map<StructField, Integer> used = new LinkedHashMap<>();

        /** What was read, by the fields' own names. */
        private final List<List<String>> paths = new ArrayList<>();

        private boolean failed;

        Binding(List<StructField> available, String timeZone, boolean caseSensitive) {
            this.available = available;
            this.timeZone = timeZone;
            this.caseSensitive = caseSensitive;
        }

        Expression bind(Expression expression) {
            if (expression instanceof UnresolvedAttribute attribute) {
                return column(CollectionConverters.asJava(attribute.nameParts()));
            }
            Expression bound = expression.mapChildren(this::bind);
            if (bound instanceof TimeZoneAwareExpression aware
                    && aware.timeZoneId().isEmpty()) {
                bound = (Expression) aware.withTimeZone(timeZone);
            }
            return bound instanceof In in ? asSet(in) : bound;
        }

        List<List<String>> pathsBelow(String column) {
            return below(column, paths);
        }

        private Expression column(List<String> parts) {
            Optional<StructField> top = find(available, parts.get(0));
            if (top.isEmpty()) {
                failed = true;
                return Literal.TrueLiteral();
            }
            int ordinal = used.computeIfAbsent(top.get(), field -> used.size());
            Expression reference =
                    new BoundReference(ordinal, top.get().dataType(), top.get().nullable());
            var path = new ArrayList<String>();
            path.add(top.get().name());
            for (String part : parts.subList(1, parts.size())) {
                if (!(reference.dataType() instanceof StructType struct)) {
                    failed = true;
                    return Literal.TrueLiteral();
                }
                Optional<StructField> nested = find(List.of(struct.fields()), part);
                if (nested.isEmpty()) {
                    failed = true;
                    return Literal.TrueLiteral();
                }
                int index = List.of(struct.fields()).indexOf(nested.get());
                reference = new GetStructField(
                        reference, index, Option.apply(nested.get().name()));
                path.add(nested.get().name());
            }
            paths.add(path);
            return reference;
        }

        private Optional<StructField> find(List<StructField> fields, String name) {
            return fields.stream()
                    .filter(field -> caseSensitive
                            ? field.name().equals(name)
                            : field.name().equalsIgnoreCase(name))
                    .findFirst();
        }

        private static Expression asSet(In in) {
            var values = new ArrayList<Object>();
            for (Expression item : CollectionConverters.asJava(in.list())) {
                if (!(item instanceof Literal literal)) {
                    return in;
                }
                values.add(literal.value());
            }
            if (values.size() <= LONGEST_LIST) {
                return in;
            }
            scala.collection.immutable.Set<Object> set =
                    CollectionConverters.asScala(values).toSet();
            return new InSet(in.value(), set);
        }
    }
}
