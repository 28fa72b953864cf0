package dev.calve.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Metrics;
import java.util.Set;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.junit.jupiter.api.Test;

class RowGroupMetricsTest {

    @Test
    void textThatIsNotUtf8IsNoBound() {
        PrimitiveType type = Types.optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .id(1)
                .named("s");
        Statistics<?> statistics = Statistics.getBuilderForReading(type)
                .withMin(new byte[] {'a'})
                .withMax(new byte[] {(byte) 0xFF})
                .withNumNulls(0)
                .build();
        var block = new BlockMetaData();
        block.setRowCount(2);
        block.addColumn(ColumnChunkMetaData.get(
                ColumnPath.get("s"),
                type,
                CompressionCodecName.UNCOMPRESSED,
                null,
                Set.of(Encoding.PLAIN),
                statistics,
                4,
                0,
                2,
                10,
                10));

        Metrics metrics = RowGroupMetrics.of(block, new MessageType("m", type), Set.of(1));

        assertThat(metrics.lowerBounds()).containsKey(1);
        assertThat(metrics.upperBounds()).isEmpty();
    }
}
