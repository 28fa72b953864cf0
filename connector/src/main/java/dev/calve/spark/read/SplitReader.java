package dev.calve.spark.read;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.pruning.ResidualFilter;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.schema.MetadataFields;
import dev.calve.spark.wire.FileSplits.Split;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Reads the splits of one task one after the other, each with its deletes applied; if {@code _deleted} is wanted, deleted rows
 * are shown, marked.
 */
final class SplitReader implements PartitionReader<ColumnarBatch> {

    private final Storage storage;
    private final TaskReads reads;
    private final Deque<Split> splits;
    private final StructType columns;
    private final int batchRows;
    private final KeyDeletes keys;
    private final boolean showDeleted;
    private @Nullable ColumnarFileReader open;

    SplitReader(Storage storage, TaskReads reads, List<Split> splits, StructType columns, int batchRows) {
        this.storage = storage;
        this.reads = reads;
        this.splits = new ArrayDeque<>(splits);
        this.columns = columns;
        this.batchRows = batchRows;
        this.keys = new KeyDeletes(reads, splits.stream().map(Split::task).toList());
        this.showDeleted = Arrays.stream(columns.fields())
                .anyMatch(field -> FileProjection.idOf(field).orElse(-1) == MetadataFields.DELETED.id());
    }

    @Override
    public boolean next() throws IOException {
        while (true) {
            if (open == null) {
                if (splits.isEmpty()) {
                    return false;
                }
                open = openNext(splits.remove());
            }
            if (open.next()) {
                return true;
            }
            close();
        }
    }

    private ColumnarFileReader openNext(Split split) throws IOException {
        FileRead.Builder read = reads.read(split.task(), columns)
                .range(split.start(), split.end())
                .rowGroups(ResidualFilter.of(split.task().residual()))
                .batchRows(batchRows);
        PositionBitmap deleted = ExistingDeletes.byPosition(storage, split.task());
        if (!deleted.isEmpty()) {
            read.deleted(deleted);
        }
        keys.filter(split.task()).ifPresent(read::filter);
        if (showDeleted) {
            read.showDeleted();
        }
        return ColumnarFileReader.open(read.build());
    }

    @Override
    public ColumnarBatch get() {
        if (open == null) {
            throw new IllegalStateException("get must follow a call of next that returned true.");
        }
        return open.batch();
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
            open = null;
        }
    }
}
