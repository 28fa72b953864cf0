package dev.calve.spark.convert;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expressions;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Extract;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.UserDefinedScalarFunc;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.unsafe.types.UTF8String;

/** What Spark's predicates look at, as far as files can be pruned by it. */
final class PredicateTerms {

    /** No zone is further from UTC. */
    private static final long FURTHEST_ZONE_MICROS = Duration.ofHours(18).toNanos() / 1000;

    private final Schema schema;
    private final boolean caseSensitive;

    PredicateTerms(Schema schema, boolean caseSensitive) {
        this.schema = schema;
        this.caseSensitive = caseSensitive;
    }

    /**
     * A rising function of a column.
     *
     * @param result type of its values
     */
    record Rising(Column column, Staircase stairs, DataType result) {}

    /** A column, or a column through one of the partition functions. */
    Optional<Term> term(Expression expression) {
        if (expression instanceof UserDefinedScalarFunc function) {
            return partitionFunction(function);
        }
        return column(expression).map(column -> column);
    }

    /** The functions are known by their canonical names, which both connectors give them in any catalog. */
    private Optional<Term> partitionFunction(UserDefinedScalarFunc function) {
        if (!function.canonicalName().startsWith("iceberg." + function.name() + "(")) {
            return Optional.empty();
        }
        Expression[] arguments = function.children();
        Optional<Column> column = column(arguments[arguments.length - 1]);
        // Spark sees a UUID as a string, whose bucket is another one.
        if (column.isEmpty()
                || column.get().type() == Type.Simple.UUID
                || column.get().type() instanceof Type.Fixed) {
            return Optional.empty();
        }
        return transform(function.name(), arguments)
                .filter(transform -> Transforms.canApply(transform, column.get().type()))
                .map(transform -> Expressions.transformed(column.get(), transform));
    }

    private static Optional<Transform> transform(String name, Expression[] arguments) {
        if (arguments.length == 2 && arguments[0] instanceof Literal<?> literal) {
            if (!(literal.value() instanceof Number number) || number.longValue() <= 0) {
                return Optional.empty();
            }
            int parameter = Math.toIntExact(number.longValue());
            return switch (name) {
                case "bucket" -> Optional.of(new Transform.Bucket(parameter));
                case "truncate" -> Optional.of(new Transform.Truncate(parameter));
                default -> Optional.empty();
            };
        }
        return switch (arguments.length == 1 ? name : "") {
            case "years" -> Optional.of(Transform.Time.YEAR);
            case "months" -> Optional.of(Transform.Time.MONTH);
            case "days" -> Optional.of(Transform.Time.DAY);
            case "hours" -> Optional.of(Transform.Time.HOUR);
            default -> Optional.empty();
        };
    }

    /** A cast or date function of a column that never falls while the column rises; not the column itself. */
    Optional<Rising> rising(Expression expression) {
        if (expression instanceof Cast cast) {
            return column(cast.expression()).flatMap(column -> cast(column, cast.dataType()));
        }
        if (expression instanceof Extract extract
                && extract.field().toUpperCase(Locale.ROOT).equals("YEAR")) {
            return ofDate(extract.source(), Staircase.yearOfDate(), DataTypes.IntegerType);
        }
        if (expression instanceof GeneralScalarExpression function
                && function.name().equals("TRUNC")
                && function.children().length == 2
                && function.children()[1] instanceof Literal<?> unit
                && unit.value() instanceof UTF8String text) {
            return Staircase.truncatedDate(text.toString())
                    .flatMap(stairs -> ofDate(function.children()[0], stairs, DataTypes.DateType));
        }
        return Optional.empty();
    }

    private Optional<Rising> ofDate(Expression date, Staircase stairs, DataType result) {
        Optional<Column> column = column(date).filter(found -> found.type() == Type.Simple.DATE);
        if (column.isPresent()) {
            return Optional.of(new Rising(column.get(), stairs, result));
        }
        return rising(date)
                .filter(inner -> inner.result() instanceof DateType)
                .map(inner -> new Rising(inner.column(), stairs.after(inner.stairs()), result));
    }

    private static Optional<Rising> cast(Column column, DataType to) {
        Type from = column.type();
        if (to instanceof DateType && from == Type.Simple.TIMESTAMP) {
            return Optional.of(new Rising(column, Staircase.dateOfTimestamp(0), to));
        }
        if (to instanceof DateType && from == Type.Simple.TIMESTAMPTZ) {
            return Optional.of(new Rising(column, Staircase.dateOfTimestamp(FURTHEST_ZONE_MICROS), to));
        }
        if (to instanceof TimestampNTZType && from == Type.Simple.DATE) {
            return Optional.of(new Rising(column, Staircase.timestampOfDate(), to));
        }
        return holdsAll(from, to) ? Optional.of(new Rising(column, Staircase.ofNumber(from), to)) : Optional.empty();
    }

    /** Whether the type holds every value of a whole number or decimal as it is. */
    private static boolean holdsAll(Type from, DataType to) {
        int scale = from instanceof Type.Decimal decimal ? decimal.scale() : 0;
        int digits;
        if (from instanceof Type.Decimal decimal) {
            digits = decimal.precision() - scale;
        } else if (from == Type.Simple.INT || from == Type.Simple.LONG) {
            digits = from == Type.Simple.INT ? 10 : 19;
        } else {
            return false;
        }
        if (to instanceof DecimalType wide) {
            return wide.scale() >= scale && wide.precision() - wide.scale() >= digits;
        }
        return (to instanceof LongType || to instanceof DoubleType) && from == Type.Simple.INT;
    }

    /** A literal as the function's staircase is asked of it. */
    static Optional<Object> literal(DataType result, Expression expression) {
        if (!(expression instanceof Literal<?> literal) || literal.value() == null) {
            return Optional.empty();
        }
        if (!literal.dataType().equals(result)) {
            return Optional.empty();
        }
        if (result instanceof LongType) {
            return Optional.of(BigDecimal.valueOf((Long) literal.value()));
        }
        if (result instanceof DoubleType) {
            double number = (Double) literal.value();
            return Double.isFinite(number) ? Optional.of(new BigDecimal(number)) : Optional.empty();
        }
        return literal.value() instanceof Decimal decimal
                ? Optional.of(decimal.toJavaBigDecimal())
                : Optional.of(literal.value());
    }

    /** A column of a primitive type Spark can see, not inside a list or map. */
    Optional<Column> column(Expression expression) {
        if (!(expression instanceof NamedReference reference)) {
            return Optional.empty();
        }
        List<Field> fields = schema.fields();
        Optional<Field> found = Optional.empty();
        boolean required = true;
        for (String name : reference.fieldNames()) {
            if (found.isPresent()) {
                if (!(found.get().type() instanceof Type.Struct struct)) {
                    return Optional.empty();
                }
                fields = struct.fields();
            }
            found = child(fields, name);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            required &= found.get().required();
        }
        if (found.isEmpty() || !isComparable(found.get().type())) {
            return Optional.empty();
        }
        return Optional.of(new Column(found.get().id(), found.get().type(), required));
    }

    private Optional<Field> child(List<Field> fields, String name) {
        return fields.stream()
                .filter(field ->
                        caseSensitive ? field.name().equals(name) : field.name().equalsIgnoreCase(name))
                .findFirst();
    }

    private static boolean isComparable(Type type) {
        if (type instanceof Type.Simple simple) {
            return switch (simple) {
                case TIME, TIMESTAMP_NS, TIMESTAMPTZ_NS, VARIANT, UNKNOWN -> false;
                default -> true;
            };
        }
        return type instanceof Type.Fixed || type instanceof Type.Decimal;
    }
}
