package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.rewrite.Rewritten;
import dev.calve.rewrite.RewrittenCodec;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.spark.read.KeyDeletes;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FileSplits;
import dev.calve.spark.write.TaskResults;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.spark.TaskContext;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/**
 * What one task of a compaction does: writes the live rows of one group of files again. Returns the outcome as bytes. A task that
 * fails leaves no file behind.
 */
final class CompactionStage extends AbstractFunction2<TaskContext, Iterator<FileSplits>, byte[]>
        implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final String statementId;

    CompactionStage(ExecutorTable table, UUID statementId) {
        this.table = table;
        this.statementId = statementId.toString();
    }

    @Override
    public byte[] apply(TaskContext context, Iterator<FileSplits> partition) {
        TableMetadata metadata = table.metadata();
        Storage storage = table.storage();
        var reads = new TaskReads(storage, metadata, metadata.schema());
        var names =
                new FileNames(metadata, UUID.fromString(statementId), context.partitionId(), context.taskAttemptId());
        try {
            List<FileTask> tasks = partition.next().splits(new FileTaskCodec(metadata)).stream()
                    .map(FileSplits.Split::task)
                    .toList();
            var keys = new KeyDeletes(reads, tasks);
            var gone = new ArrayList<PositionBitmap>();
            for (FileTask task : tasks) {
                context.killTaskIfInterrupted();
                PositionBitmap byPosition = ExistingDeletes.byPosition(storage, task);
                gone.add(PositionBitmap.union(byPosition, keys.deletedByKey(task, byPosition)));
            }
            Rewritten rewritten = new SurvivorCopy(storage, metadata, reads, names).write(tasks, gone, true);
            try {
                TaskResults.requireWanted(context);
                return new RewrittenCodec(metadata).toBytes(rewritten);
            } catch (Throwable e) {
                var cleanUp = new CleanUp();
                rewritten.files().forEach(file -> cleanUp.delete(storage, file.path()));
                cleanUp.after(e);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot compact " + table.name() + ": " + e.getMessage(), e);
        }
    }
}
