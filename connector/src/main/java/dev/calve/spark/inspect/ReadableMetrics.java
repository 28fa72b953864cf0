package dev.calve.spark.inspect;

import dev.calve.expression.Metrics;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/**
 * The column {@code readable_metrics}: for each column of the table what the statistics say of it, bounds as values of its
 * type. Columns are in the order of their full names; variants, which have no such values, are
 * left out.
 */
final class ReadableMetrics {

    static final String NAME = "readable_metrics";

    private ReadableMetrics() {}

    /** The statistics of one file, decoded once for all columns. */
    private record Decoded(
            String path,
            Map<Integer, Long> columnSizes,
            Map<Integer, Long> valueCounts,
            Map<Integer, Long> nullValueCounts,
            Map<Integer, Long> nanValueCounts,
            Map<Integer, Bytes> lowerBounds,
            Map<Integer, Bytes> upperBounds) {

        static Decoded of(ListedFile listed) {
            Metrics metrics = listed.file().metrics();
            return new Decoded(
                    listed.file().path(),
                    new HashMap<>(metrics.columnSizes()),
                    new HashMap<>(metrics.valueCounts()),
                    new HashMap<>(metrics.nullValueCounts()),
                    new HashMap<>(metrics.nanValueCounts()),
                    new HashMap<>(metrics.lowerBounds()),
                    new HashMap<>(metrics.upperBounds()));
        }
    }

    /** @param schema of the columns */
    static Column<ListedFile> column(Schema schema) {
        var columns = new ArrayList<Column<Decoded>>();
        for (Field field : schema.allFields()) {
            if (field.type().isPrimitive() && field.type() != Type.Simple.VARIANT) {
                columns.add(column(schema.name(field.id()).orElseThrow(), field));
            }
        }
        columns.sort(Comparator.comparing(Column::name));
        return new Column.Part<>(NAME, true, Decoded::of, new Columns<>(columns));
    }

    private static Column<Decoded> column(String name, Field field) {
        int id = field.id();
        DataType type = SparkTypes.toSpark(field.type(), name);
        return new Column.Part<>(
                name,
                true,
                Function.identity(),
                Columns.of(
                        Column.optional(
                                "column_size",
                                DataTypes.LongType,
                                file -> file.columnSizes().get(id)),
                        Column.optional(
                                "value_count",
                                DataTypes.LongType,
                                file -> file.valueCounts().get(id)),
                        Column.optional(
                                "null_value_count",
                                DataTypes.LongType,
                                file -> file.nullValueCounts().get(id)),
                        Column.optional(
                                "nan_value_count",
                                DataTypes.LongType,
                                file -> file.nanValueCounts().get(id)),
                        Column.optional(
                                "lower_bound",
                                type,
                                file -> bound(
                                        name,
                                        field.type(),
                                        file,
                                        file.lowerBounds().get(id))),
                        Column.optional(
                                "upper_bound",
                                type,
                                file -> bound(
                                        name,
                                        field.type(),
                                        file,
                                        file.upperBounds().get(id)))));
    }

    private static @Nullable Object bound(String column, Type type, Decoded file, @Nullable Bytes bound) {
        if (bound == null || type == Type.Simple.UNKNOWN) {
            return null;
        }
        try {
            return SparkValues.toSpark(type, ValueCodec.decode(type, bound));
        } catch (InvalidTableException e) {
            throw new InvalidTableException(
                    "Bound of column '" + column + "' of file " + file.path() + " cannot be read: " + e.getMessage()
                            + " Leave " + NAME + "." + column + " out; lower_bounds and upper_bounds show the bytes.",
                    e);
        }
    }
}
