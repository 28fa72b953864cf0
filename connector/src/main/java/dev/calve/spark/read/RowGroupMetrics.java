package dev.calve.spark.read;

import dev.calve.expression.Metrics;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What a Parquet footer says about the columns of one row group, as column metrics, so that one pruning algorithm serves
 * files and row groups. What cannot be read without doubt is left out, which means unknown.
 */
final class RowGroupMetrics {

    private RowGroupMetrics() {}

    /** Metrics of the top-level columns with these field ids. */
    static Metrics of(BlockMetaData block, MessageType fileSchema, Set<Integer> fieldIds) {
        Map<Integer, Long> values = new HashMap<>();
        Map<Integer, Long> nulls = new HashMap<>();
        Map<Integer, Bytes> lower = new HashMap<>();
        Map<Integer, Bytes> upper = new HashMap<>();
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            String[] path = chunk.getPath().toArray();
            if (path.length != 1 || !fileSchema.containsField(path[0])) {
                continue;
            }
            var type = fileSchema.getType(path[0]);
            if (type.getId() == null || !fieldIds.contains(type.getId().intValue()) || !type.isPrimitive()) {
                continue;
            }
            int id = type.getId().intValue();
            values.put(id, chunk.getValueCount());
            Statistics<?> statistics = chunk.getStatistics();
            if (statistics == null) {
                continue;
            }
            if (statistics.isNumNullsSet()) {
                nulls.put(id, statistics.getNumNulls());
            }
            if (statistics.hasNonNullValue()) {
                PrimitiveType primitive = type.asPrimitiveType();
                bound(primitive, statistics.genericGetMin()).ifPresent(bytes -> lower.put(id, bytes));
                bound(primitive, statistics.genericGetMax()).ifPresent(bytes -> upper.put(id, bytes));
            }
        }
        return new Metrics(block.getRowCount(), Map.of(), values, nulls, Map.of(), lower, upper);
    }

    /** A statistic in the bytes of a bound of the column's type as it was when the file was written. */
    private static Optional<Bytes> bound(PrimitiveType type, Object value) {
        LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
        if (logical instanceof DecimalLogicalTypeAnnotation decimal) {
            return Optional.of(ValueCodec.encode(
                    new Type.Decimal(decimal.getPrecision(), decimal.getScale()),
                    new BigDecimal(unscaled(value), decimal.getScale())));
        }
        if (logical instanceof TimestampLogicalTypeAnnotation timestamp && timestamp.getUnit() != TimeUnit.MICROS) {
            return Optional.empty();
        }
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> Optional.of(ValueCodec.encode(Type.Simple.BOOLEAN, value));
            case INT32 -> Optional.of(ValueCodec.encode(Type.Simple.INT, value));
            case INT64 -> Optional.of(ValueCodec.encode(Type.Simple.LONG, value));
            case FLOAT -> Optional.of(ValueCodec.encode(Type.Simple.FLOAT, value));
            case DOUBLE -> Optional.of(ValueCodec.encode(Type.Simple.DOUBLE, value));
            case BINARY ->
                // Text that is not UTF-8, which Spark lets through, is no bound.
                logical == null
                                || (logical instanceof StringLogicalTypeAnnotation
                                        && UTF8String.fromBytes(((Binary) value).getBytes())
                                                .isValid())
                        ? Optional.of(Bytes.wrap(((Binary) value).getBytes()))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static BigInteger unscaled(Object value) {
        return value instanceof Binary binary
                ? new BigInteger(binary.getBytes())
                : BigInteger.valueOf(((Number) value).longValue());
    }
}
