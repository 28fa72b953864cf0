package dev.calve.spark.read;

import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Metrics;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.scan.FileTask;
import dev.calve.schema.Bytes;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import dev.calve.spark.convert.SparkPredicates;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Counts, least and greatest values that metadata proves, so that no data file is read. What is proved:
 *
 * <ul>
 *   <li>{@code COUNT(*)}: record counts, less the cardinalities of deletion vectors, which the format demands to be exact. Other
 *       deletes may name a row twice.
 *   <li>{@code COUNT(c)}: value and null counts of a top-level column, of every file, none of which has deletes.
 *   <li>{@code MIN(c)}, {@code MAX(c)}: bounds of every file that does not hold nulls only, none of which has deletes. Bounds of
 *       text may have been cut, so they count only where both are equal. Floating point numbers count only with a count of NaNs, and
 *       a zero does not, as Spark answers with whichever zero it met first.
 * </ul>
 *
 * A file that is older than a column says nothing of it, and so nothing is proved.
 */
record MetadataAnswer(String description, ScannedState scanned, StructType readSchema, List<@Nullable Object> values)
        implements LocalScan, ScannedState.Known {

    /** Columns whose statistics an aggregation needs; empty if it cannot be answered whatever they are. */
    static Optional<Set<Integer>> columns(Aggregation aggregation, Schema schema, SparkPredicates names) {
        if (aggregation.groupByExpressions().length > 0) {
            return Optional.empty();
        }
        var ids = new HashSet<Integer>();
        for (AggregateFunc function : aggregation.aggregateExpressions()) {
            if (function instanceof CountStar) {
                continue;
            }
            Optional<Column> column = column(function, schema, names);
            if (column.isEmpty()) {
                return Optional.empty();
            }
            ids.add(column.get().fieldId());
        }
        return Optional.of(ids);
    }

    /** A top-level column: of a field inside a struct some writers do not count the rows where the struct is null. */
    private static Optional<Column> column(AggregateFunc function, Schema schema, SparkPredicates names) {
        boolean isDistinct = function instanceof Count count && count.isDistinct();
        boolean known = function instanceof Count || function instanceof Min || function instanceof Max;
        if (!known || isDistinct) {
            return Optional.empty();
        }
        return names.column(function.children()[0])
                .filter(column -> schema.fields().stream().anyMatch(field -> field.id() == column.fieldId()));
    }

    /**
     * The answer; empty if it is not proved.
     *
     * @param files of the scan, with statistics of the columns; whose rows all count
     */
    static Optional<MetadataAnswer> of(
            Aggregation aggregation,
            List<FileTask> files,
            Schema schema,
            SparkPredicates names,
            ScannedState scanned,
            String description) {
        if (!files.stream().allMatch(file -> file.residual() == Expression.Constant.TRUE)) {
            return Optional.empty();
        }
        var fields = new ArrayList<StructField>();
        var values = new ArrayList<@Nullable Object>();
        for (AggregateFunc function : aggregation.aggregateExpressions()) {
            Optional<Result> result = function instanceof CountStar
                    ? liveRows(files).map(Result::count)
                    : column(function, schema, names).flatMap(column -> result(function, column, files));
            if (result.isEmpty()) {
                return Optional.empty();
            }
            fields.add(new StructField(
                    function.describe(), result.get().type(), true, org.apache.spark.sql.types.Metadata.empty()));
            values.add(result.get().value());
        }
        return Optional.of(
                new MetadataAnswer(description, scanned, new StructType(fields.toArray(StructField[]::new)), values));
    }

    /** @param value as Spark's rows hold it */
    private record Result(
            org.apache.spark.sql.types.DataType type,
            @Nullable Object value) {
        static Result count(long rows) {
            return new Result(DataTypes.LongType, rows);
        }
    }

    private static Optional<Long> liveRows(List<FileTask> files) {
        long rows = 0;
        for (FileTask file : files) {
            rows += file.file().recordCount();
            for (var deletes : file.deletes()) {
                long deleted = deletes.file().recordCount();
                boolean counts = deletes.file() instanceof DeleteFile.DeletionVector
                        && deleted <= file.file().recordCount();
                if (!counts) {
                    return Optional.empty();
                }
                rows -= deleted;
            }
        }
        return Optional.of(rows);
    }

    private static Optional<Result> result(AggregateFunc function, Column column, List<FileTask> files) {
        if (files.stream().anyMatch(file -> !file.deletes().isEmpty())) {
            return Optional.empty();
        }
        List<DataFile> whole = files.stream().map(FileTask::file).toList();
        if (function instanceof Count) {
            return values(column, whole).map(Result::count);
        }
        return extreme(column, whole, function instanceof Max)
                .map(found -> new Result(
                        SparkTypes.toSpark(column.type(), "aggregate"),
                        found.map(value -> SparkValues.toSpark(column.type(), value))
                                .orElse(null)));
    }

    /** Rows that are not null; empty if a file does not say. */
    private static Optional<Long> values(Column column, List<DataFile> files) {
        long values = 0;
        for (DataFile file : files) {
            if (!hasCounts(column, file)) {
                return Optional.empty();
            }
            values += file.recordCount() - file.metrics().nullValueCounts().getOrDefault(column.fieldId(), 0L);
        }
        return Optional.of(values);
    }

    /** Whether the file says how many nulls it has, without contradicting itself. */
    private static boolean hasCounts(Column column, DataFile file) {
        Metrics metrics = file.metrics();
        long nulls = metrics.nullValueCounts().getOrDefault(column.fieldId(), -1L);
        long values = metrics.valueCounts().getOrDefault(column.fieldId(), -1L);
        return file.recordCount() == 0 || (values == file.recordCount() && nulls >= 0 && nulls <= values);
    }

    /** The least or greatest value, empty inside if there is none; empty outside if a file does not say. */
    private static Optional<Optional<Object>> extreme(Column column, List<DataFile> files, boolean greatest) {
        if (!hasExtremes(column.type())) {
            return Optional.empty();
        }
        Comparator<Object> order = Values.comparator(column.type());
        Object best = null;
        for (DataFile file : files) {
            if (!hasCounts(column, file)) {
                return Optional.empty();
            }
            if (isNullOnly(column, file)) {
                continue;
            }
            Optional<Object> value = extreme(column, file.metrics(), greatest);
            if (value.isEmpty()) {
                return Optional.empty();
            }
            int comparison = best == null ? 0 : order.compare(value.get(), best);
            if (best == null || (greatest ? comparison > 0 : comparison < 0)) {
                best = value.get();
            }
        }
        boolean isZero =
                (best instanceof Double number && number == 0) || (best instanceof Float single && single == 0);
        return isZero ? Optional.empty() : Optional.of(Optional.ofNullable(best));
    }

    private static boolean isNullOnly(Column column, DataFile file) {
        return file.recordCount() == 0
                || file.recordCount() == file.metrics().nullValueCounts().getOrDefault(column.fieldId(), -1L);
    }

    /** Types with an order all writers agree on. */
    private static boolean hasExtremes(Type type) {
        if (type instanceof Type.Decimal) {
            return true;
        }
        return type instanceof Type.Simple simple
                && switch (simple) {
                    case BOOLEAN, INT, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP, TIMESTAMPTZ, STRING, BINARY -> true;
                    case TIME, TIMESTAMP_NS, TIMESTAMPTZ_NS, UUID, VARIANT, UNKNOWN -> false;
                };
    }

    private static Optional<Object> extreme(Column column, Metrics metrics, boolean greatest) {
        int id = column.fieldId();
        Bytes lower = metrics.lowerBounds().get(id);
        Bytes upper = metrics.upperBounds().get(id);
        boolean mayBeCut = column.type() == Type.Simple.STRING || column.type() == Type.Simple.BINARY;
        if (mayBeCut && (lower == null || upper == null || !lower.equals(upper))) {
            return Optional.empty();
        }
        if (column.type().isFloating()) {
            long nans = metrics.nanValueCounts().getOrDefault(id, -1L);
            if (nans < 0) {
                return Optional.empty();
            }
            long others = metrics.valueCounts().getOrDefault(id, 0L)
                    - metrics.nullValueCounts().getOrDefault(id, 0L)
                    - nans;
            if (others < 0) {
                return Optional.empty();
            }
            if (nans > 0 && (greatest || others == 0)) {
                return Optional.of(column.type() == Type.Simple.FLOAT ? (Object) Float.NaN : (Object) Double.NaN);
            }
        }
        return Optional.ofNullable(greatest ? upper : lower)
                .map(bound -> ValueCodec.decode(column.type(), bound))
                .filter(MetadataAnswer::isOneValue);
    }

    /** Not what a bound becomes that a writer filled with NaN, or with text that is not UTF-8. */
    private static boolean isOneValue(Object value) {
        boolean isNaN =
                (value instanceof Double number && number.isNaN()) || (value instanceof Float single && single.isNaN());
        return !isNaN && !(value instanceof String text && text.indexOf('\uFFFD') >= 0);
    }

    @Override
    public InternalRow[] rows() {
        return new InternalRow[] {new GenericInternalRow(values.toArray())};
    }
}
