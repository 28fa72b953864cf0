package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.pruning.ResidualFilter;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.scan.FileTask;
import dev.calve.spark.read.ColumnarFileReader;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.PartitionsOfSpec;
import dev.calve.spark.write.PartitionKeys;
import java.io.IOException;
import java.util.Set;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Rows that belong to partitions of one spec, in whatever files they are. Decodes the columns partitions are made of. */
final class PartitionCondition implements RowCondition {

    private static final long serialVersionUID = 1L;

    private final PartitionsOfSpec partitions;

    PartitionCondition(PartitionsOfSpec partitions) {
        this.partitions = partitions;
    }

    @Override
    public RowMatcher matcher(TaskReads reads, TableMetadata table) {
        StructType columns = PartitionKeys.sources(table.schema(), table.spec(partitions.specId()));
        var keys = PartitionKeys.ofSources(table.schema(), table.spec(partitions.specId()));
        return new Matcher(reads, columns, keys, partitions.tuples(table));
    }

    private record Matcher(TaskReads reads, StructType columns, PartitionKeys keys, Set<PartitionTuple> wanted)
            implements RowMatcher {

        @Override
        public PositionBitmap matches(FileTask task, PositionBitmap deleted) throws IOException {
            var matched = new PositionBitmap();
            var read = reads.read(task, columns)
                    .rowGroups(ResidualFilter.of(task.residual()))
                    .deleted(deleted)
                    .build();
            try (var reader = ColumnarFileReader.open(read)) {
                while (reader.next()) {
                    ColumnarBatch batch = reader.batch();
                    int rows = batch.numRows();
                    for (int i = 0; i < rows; i++) {
                        if (wanted.contains(keys.of(batch.getRow(i)))) {
                            matched.add(reader.positionOf(i));
                        }
                    }
                }
            }
            return matched;
        }
    }
}
