package dev.calve.spark.write;

import dev.calve.partition.PartitionTuple;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.UnsafeExternalRowSorter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators;
import org.apache.spark.util.collection.unsafe.sort.RecordComparator;
import scala.collection.Iterator;

/**
 * Rows that wait until all rows of their partition are there, in Spark's sorter: in the task's memory as long as Spark grants
 * it, else on the executor's disk. Works in a task of Spark only, for its one thread.
 */
final class WaitingRows {

    private final UnsafeProjection projection;
    private final UnsafeExternalRowSorter sorter;
    private final Map<PartitionTuple, Long> numbers = new HashMap<>();
    private final Numbered number = new Numbered();

    /** @param rows type of the rows */
    WaitingRows(StructType rows) throws IOException {
        this.projection = UnsafeProjection.create(rows);
        this.sorter = UnsafeExternalRowSorter.createWithRecordComparator(
                rows,
                Unordered::new,
                PrefixComparators.LONG,
                number,
                SparkEnv.get().memoryManager().pageSizeBytes(),
                true);
    }

    /** Keeps a copy of the row. Not called any more once {@link #byPartition} was. */
    void add(PartitionTuple partition, InternalRow row) throws IOException {
        number.of(numbers.computeIfAbsent(partition, first -> (long) numbers.size()));
        sorter.insertRow(row instanceof UnsafeRow unsafe ? unsafe : projection.apply(row));
    }

    /** The rows, those of a partition together, in no other order. A row is reused for the next. */
    Iterator<InternalRow> byPartition() throws IOException {
        return sorter.sort();
    }

    /** Frees memory and disk; needed where the rows were not read to their end. */
    void drop() {
        sorter.cleanupResources();
    }

    /** Sorts by the number of the row's partition, which is told before the row is inserted. */
    private static final class Numbered extends UnsafeExternalRowSorter.PrefixComputer {
        private final Prefix prefix = new Prefix();

        void of(long partition) {
            prefix.isNull = false;
            prefix.value = partition;
        }

        @Override
        public Prefix computePrefix(InternalRow row) {
            return prefix;
        }
    }

    /** Rows of a partition are in no order. */
    private static final class Unordered extends RecordComparator {
        @Override
        public int compare(
                Object leftBase, long leftOffset, int leftSize, Object rightBase, long rightOffset, int rightSize) {
            return 0;
        }
    }
}
