package dev.calve.spark.convert;

import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;

/** Partition transforms of {@code PARTITIONED BY} in both directions. */
public final class SparkTransforms {

    private SparkTransforms() {}

    /**
     * A transform of one column.
     *
     * @param column full name, parts joined by dots
     */
    public record OnColumn(String column, Transform transform) {}

    /**
     * Translates a partitioning expression.
     *
     * @throws IllegalArgumentException if there is no such transform
     */
    public static OnColumn fromSpark(org.apache.spark.sql.connector.expressions.Transform transform) {
        NamedReference[] references = transform.references();
        if (references.length != 1) {
            throw unknown(transform);
        }
        String column = String.join(".", references[0].fieldNames());
        Transform result = switch (transform.name().toLowerCase(Locale.ROOT)) {
            case "identity" -> Transform.IDENTITY;
            case "bucket" -> new Transform.Bucket(parameter(transform));
            case "truncate" -> new Transform.Truncate(parameter(transform));
            case "year", "years" -> Transform.Time.YEAR;
            case "month", "months" -> Transform.Time.MONTH;
            case "day", "days", "date" -> Transform.Time.DAY;
            case "hour", "hours", "date_hour" -> Transform.Time.HOUR;
            default -> throw unknown(transform);
        };
        return new OnColumn(column, result);
    }

    private static int parameter(org.apache.spark.sql.connector.expressions.Transform transform) {
        for (Expression argument : transform.arguments()) {
            if (argument instanceof Literal<?> literal && literal.value() instanceof Number number) {
                return Math.toIntExact(number.longValue());
            }
        }
        throw unknown(transform);
    }

    private static IllegalArgumentException unknown(org.apache.spark.sql.connector.expressions.Transform transform) {
        return new IllegalArgumentException(
                "A partition transform must be a column, bucket(n, column), truncate(n, column),"
                        + " years, months, days or hours of a column, not '" + transform.describe() + "'.");
    }

    /** A partition field as Spark shows it; empty if its column is gone or Spark has no name for the transform. */
    public static Optional<org.apache.spark.sql.connector.expressions.Transform> toSpark(
            Schema schema, PartitionField field) {
        return toSpark(schema, field.sourceId(), field.transform());
    }

    /** The same of any column. */
    public static Optional<org.apache.spark.sql.connector.expressions.Transform> toSpark(
            Schema schema, int sourceId, Transform transform) {
        return column(schema, sourceId).flatMap(column -> toSpark(column, transform));
    }

    /** The column as Spark's parser reads it: parts joined by dots, each in back quotes. */
    private static Optional<String> column(Schema schema, int fieldId) {
        Optional<Field> found = schema.field(fieldId);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        String own = quoted(found.get().name());
        return schema.parent(fieldId)
                .map(parent -> column(schema, parent.id()).orElseThrow() + "." + own)
                .or(() -> Optional.of(own));
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /**
     * The transform as Spark shows it; empty for transforms Spark has no name for.
     *
     * @param column as Spark's parser reads it
     */
    public static Optional<org.apache.spark.sql.connector.expressions.Transform> toSpark(
            String column, Transform transform) {
        if (transform instanceof Transform.Identity) {
            return Optional.of(Expressions.identity(column));
        }
        if (transform instanceof Transform.Bucket bucket) {
            return Optional.of(Expressions.bucket(bucket.count(), column));
        }
        if (transform instanceof Transform.Truncate truncate) {
            return Optional.of(
                    Expressions.apply("truncate", Expressions.literal(truncate.width()), Expressions.column(column)));
        }
        if (transform instanceof Transform.Time time) {
            return Optional.of(
                    switch (time) {
                        case YEAR -> Expressions.years(column);
                        case MONTH -> Expressions.months(column);
                        case DAY -> Expressions.days(column);
                        case HOUR -> Expressions.hours(column);
                    });
        }
        return Optional.empty();
    }
}
