package dev.calve.spark.read;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.pruning.ResidualFilter;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.scan.FileTask;
import dev.calve.schema.MetadataFields;
import dev.calve.spark.wire.FileSplits.Split;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of one task one after the other, each with its deletes applied; if {@code _deleted} is wanted, deleted rows
 * are shown, marked. A file of which the task has several splits is opened once, so that its footer and deletes are read once.
 */
final class SplitReader implements PartitionReader<ColumnarBatch> {

    private final Storage storage;
    private final TaskReads reads;
    private final Deque<List<Split>> files;
    private final StructType columns;
    private final int batchRows;
    private final Optional<RowFilter> wanted;
    private final KeyDeletes keys;
    private final boolean showDeleted;
    private @Nullable ColumnarFileReader open;
    private ReadCounters closed = ReadCounters.NONE;

    /** @param wanted further rules out rows nobody asks for; deleted rows that are shown are not ruled out */
    SplitReader(
            Storage storage,
            TaskReads reads,
            List<Split> splits,
            StructType columns,
            int batchRows,
            Optional<RowFilter> wanted) {
        this.storage = storage;
        this.reads = reads;
        this.files = new ArrayDeque<>(byFile(splits));
        this.columns = columns;
        this.batchRows = batchRows;
        this.wanted = wanted;
        this.keys = new KeyDeletes(
                reads, files.stream().map(file -> file.get(0).task()).toList());
        this.showDeleted = Arrays.stream(columns.fields())
                .anyMatch(field -> FileProjection.idOf(field).orElse(-1) == MetadataFields.DELETED.id());
    }

    /** A file that a table holds twice, as some do, has two numbers and is read twice. */
    private record NumberedFile(int number, String path) {}

    private static Collection<List<Split>> byFile(List<Split> splits) {
        var files = new LinkedHashMap<NumberedFile, List<Split>>();
        for (Split split : splits) {
            var file = new NumberedFile(split.number(), split.task().file().path());
            files.computeIfAbsent(file, key -> new ArrayList<>()).add(split);
        }
        return files.values();
    }

    /** What reading took so far, all files together. */
    ReadCounters counters() {
        return open == null ? closed : closed.plus(open.counters());
    }

    @Override
    public boolean next() throws IOException {
        while (true) {
            if (open == null) {
                if (files.isEmpty()) {
                    return false;
                }
                open = openNext(files.remove());
            }
            if (open.next()) {
                return true;
            }
            close();
        }
    }

    private ColumnarFileReader openNext(List<Split> splits) throws IOException {
        FileTask task = splits.get(0).task();
        FileRead.Builder read = reads.read(task, columns)
                .rowGroups(ResidualFilter.of(task.residual()))
                .batchRows(batchRows);
        splits.forEach(split -> read.range(split.start(), split.end()));
        PositionBitmap deleted = ExistingDeletes.byPosition(storage, task);
        if (!deleted.isEmpty()) {
            read.deleted(deleted);
        }
        Optional<RowFilter> alive = keys.filter(task);
        if (showDeleted) {
            alive.ifPresent(read::filter);
            read.showDeleted();
        } else {
            BothFilters.of(alive, wanted).ifPresent(read::filter);
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

    /** Spark asks every few rows, and once more at the end. */
    @Override
    public CustomTaskMetric[] currentMetricsValues() {
        return ScanMetrics.ofTask(counters());
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            closed = counters();
            open.close();
            open = null;
        }
    }
}
