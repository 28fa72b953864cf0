package dev.calve.parquet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * What a column index says of its chunk as a whole. Footers say nothing of chunks with a value of more than 4 KiB, not even how
 * many nulls there are; the index cuts such values into bounds.
 */
final class IndexStatistics {

    private IndexStatistics() {}

    /** Empty for columns whose values are not in the order of their bytes, or if nulls were not counted. */
    static Optional<Statistics<?>> of(PrimitiveType type, ColumnIndex index) {
        boolean isInOrderOfBytes = type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY
                && !(type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation);
        List<Boolean> nullPages = index.getNullPages();
        List<Long> nullCounts = index.getNullCounts();
        if (!isInOrderOfBytes || nullCounts == null || nullCounts.size() != nullPages.size()) {
            return Optional.empty();
        }
        long nulls = 0;
        byte[] least = null;
        byte[] greatest = null;
        for (int page = 0; page < nullPages.size(); page++) {
            nulls += nullCounts.get(page);
            if (!nullPages.get(page)) {
                byte[] low = bytes(index.getMinValues().get(page));
                byte[] high = bytes(index.getMaxValues().get(page));
                least = least == null || Arrays.compareUnsigned(low, least) < 0 ? low : least;
                greatest = greatest == null || Arrays.compareUnsigned(high, greatest) > 0 ? high : greatest;
            }
        }
        return Optional.of(statistics(type, nulls, least, greatest));
    }

    private static Statistics<?> statistics(
            PrimitiveType type, long nulls, byte @Nullable [] least, byte @Nullable [] greatest) {
        var builder = Statistics.getBuilderForReading(type).withNumNulls(nulls);
        if (least != null && greatest != null) {
            builder.withMin(least).withMax(greatest);
        }
        return builder.build();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        var bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
