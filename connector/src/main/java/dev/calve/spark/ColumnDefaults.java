package dev.calve.spark;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns;
import org.apache.spark.sql.catalyst.util.TimestampFormatter;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Default values of columns, between SQL and the table format, which stores values, not expressions. Spark finds the default
 * of a column in the metadata of its field, as SQL: {@code CURRENT_DEFAULT} for new rows and {@code EXISTS_DEFAULT} for rows
 * older than the column; the latter has no effect here, where the reader fills columns that files lack, but Spark takes a
 * column that has only one of them for one without.
 */
final class ColumnDefaults {

    private static final String CURRENT_DEFAULT = "CURRENT_DEFAULT";
    private static final String EXISTS_DEFAULT = "EXISTS_DEFAULT";

    /** What Spark would compute anew for each statement; as a stored value it would mean the day the column was made. */
    private static final Set<String> CHANGING = Set.of(
            "current_catalog",
            "current_database",
            "current_date",
            "current_path",
            "current_schema",
            "current_time",
            "current_timestamp",
            "current_timezone",
            "current_user",
            "curdate",
            "localtimestamp",
            "now",
            "rand",
            "randn",
            "random",
            "randstr",
            "session_user",
            "unix_timestamp",
            "uniform",
            "user",
            "uuid",
            "version");

    private ColumnDefaults() {}

    /** Metadata of a declared column with its default, as Spark keeps it in structs. */
    static void declare(String column, DataType type, @Nullable ColumnDefaultValue declared, MetadataBuilder metadata) {
        if (declared != null) {
            refuseChanging(column, declared.getSql());
            metadata.putString(CURRENT_DEFAULT, sqlOf(declared));
            metadata.putString(
                    EXISTS_DEFAULT,
                    sql(type, Optional.ofNullable(declared.getValue().value())));
        }
    }

    private static String sqlOf(ColumnDefaultValue declared) {
        String sql = declared.getSql();
        return sql == null ? declared.getValue().toString() : sql;
    }

    /**
     * The columns of a new table with the defaults that were declared for them. No rows exist yet, so there is nothing to
     * fill: what is stored is the default of rows to come.
     *
     * @param columns the same columns in the same order, defaults in their metadata
     */
    static Schema declared(StructType columns, Schema schema) {
        var fields = new ArrayList<Field>();
        for (Field field : schema.fields()) {
            StructField column = columns.apply(fields.size());
            Metadata metadata = column.metadata();
            fields.add(
                    metadata.contains(EXISTS_DEFAULT)
                            ? field.withWriteDefault(parse(
                                    field.name(), field.type(), column.dataType(), metadata.getString(EXISTS_DEFAULT)))
                            : field);
        }
        return new Schema(schema.id(), new Type.Struct(fields), schema.identifierFieldIds());
    }

    /** The columns of a query, which has the defaults of the tables it reads, without them. */
    static Column[] removedFrom(Column[] columns) {
        return Arrays.stream(columns)
                .map(column -> column.defaultValue() == null
                        ? column
                        : Column.create(
                                column.name(),
                                column.dataType(),
                                column.nullable(),
                                column.comment(),
                                column.metadataInJSON()))
                .toArray(Column[]::new);
    }

    /**
     * The default of a column that is added.
     *
     * @return empty if there is none, or it is null
     */
    static Optional<Object> value(String column, Type type, @Nullable ColumnDefaultValue declared) {
        if (declared == null) {
            return Optional.empty();
        }
        refuseChanging(column, declared.getSql());
        return stored(column, type, declared.getValue().value(), sqlOf(declared));
    }

    /**
     * The value of a default's SQL.
     *
     * @return empty if it is null
     * @throws IllegalArgumentException if the format cannot store it
     */
    static Optional<Object> value(String column, Type type, String sql) {
        refuseChanging(column, sql);
        return parse(column, type, SparkTypes.toSpark(type, column), sql);
    }

    private static Optional<Object> parse(String column, Type type, DataType sparkType, String sql) {
        Expression folded = ResolveDefaultColumns.analyze(column, sparkType, sql, "the default of a column");
        return stored(column, type, folded.eval(null), sql);
    }

    private static Optional<Object> stored(String column, Type type, @Nullable Object value, String sql) {
        if (value == null) {
            return Optional.empty();
        }
        if (!type.isPrimitive()) {
            throw new UnsupportedOperationException("Column '" + column + "' of type " + type
                    + " cannot have the default " + sql + ": only columns that are no struct, list or map can.");
        }
        Optional<Object> stored = SparkValues.fromSpark(type, value);
        if (stored.isEmpty()) {
            throw new IllegalArgumentException("Column '" + column + "' of type " + type + " cannot have the default "
                    + sql + ": the type has no such value.");
        }
        return stored;
    }

    private static void refuseChanging(String column, @Nullable String sql) {
        // A text that is no expression Spark refuses here, in its own words.
        if (sql != null) {
            refuseChanging(column, sql, new CatalystSqlParser().parseExpression(sql));
        }
    }

    private static void refuseChanging(String column, String sql, Expression part) {
        List<String> name = List.of();
        if (part instanceof UnresolvedFunction function) {
            name = CollectionConverters.asJava(function.nameParts());
        } else if (part instanceof UnresolvedAttribute attribute) {
            name = CollectionConverters.asJava(attribute.nameParts());
        }
        boolean changing = !name.isEmpty()
                && CHANGING.contains(name.get(name.size() - 1).toLowerCase(Locale.ROOT))
                // With arguments it computes the same each time.
                && !(name.get(name.size() - 1).equalsIgnoreCase("unix_timestamp")
                        && !part.children().isEmpty());
        // What the parser makes of CURRENT_DATE and its like where keywords are reserved.
        String kind = part.getClass().getSimpleName();
        if (changing || kind.startsWith("Current") || kind.equals("LocalTimestamp")) {
            throw new UnsupportedOperationException(
                    "Column '" + column + "' cannot have the default " + sql
                            + ": the table format stores one value for all rows, not an expression. Give the value with each row.");
        }
        CollectionConverters.asJava(part.children()).forEach(child -> refuseChanging(column, sql, child));
    }

    /** Adds the default that new rows get to what Spark sees of a column. */
    static void report(Field field, DataType sparkType, MetadataBuilder metadata) {
        field.writeDefault().filter(value -> field.type().isPrimitive()).ifPresent(value -> {
            String sql = sql(sparkType, Optional.of(SparkValues.toSpark(field.type(), value)));
            metadata.putString(CURRENT_DEFAULT, sql);
            metadata.putString(EXISTS_DEFAULT, sql);
        });
    }

    /** A literal. Spark's own text of a timestamp would change its meaning with the session's time zone. */
    private static String sql(DataType type, Optional<Object> value) {
        if (value.isPresent() && type instanceof TimestampType) {
            var formatter = TimestampFormatter.getFractionFormatter(ZoneOffset.UTC);
            return "TIMESTAMP_LTZ '" + formatter.format((long) (Long) value.get()) + "Z'";
        }
        // CHAR and VARCHAR have no literals of their own.
        DataType literal = value.filter(UTF8String.class::isInstance).isPresent() ? DataTypes.StringType : type;
        return new Literal(value.orElse(null), literal).sql();
    }
}
