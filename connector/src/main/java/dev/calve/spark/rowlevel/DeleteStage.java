package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.KeyMatcher;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.OutcomeCodec;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.rowdelete.SettleMode;
import dev.calve.rowdelete.Settler;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.spark.read.KeyDeletes;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.ExpressionBytes;
import dev.calve.spark.wire.FileSplits;
import dev.calve.spark.write.TaskResults;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import org.apache.spark.TaskContext;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/**
 * What one task of a delete does: for each of its files, find the rows deleted so far, by position and by key, find the
 * rows that go, settle. Returns the
 * outcomes as bytes. A task that fails leaves no file behind.
 */
final class DeleteStage extends AbstractFunction2<TaskContext, Iterator<FileSplits>, byte[]> implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final ExpressionBytes condition;
    private final String mode;
    private final String statementId;
    private final String createdBy;

    DeleteStage(ExecutorTable table, ExpressionBytes condition, SettleMode mode, UUID statementId, String createdBy) {
        this.table = table;
        this.condition = condition;
        this.mode = mode.name();
        this.statementId = statementId.toString();
        this.createdBy = createdBy;
    }

    @Override
    public byte[] apply(TaskContext context, Iterator<FileSplits> partition) {
        TableMetadata metadata = table.metadata();
        Storage storage = table.storage();
        var reads = new TaskReads(storage, metadata, metadata.schema());
        var names =
                new FileNames(metadata, UUID.fromString(statementId), context.partitionId(), context.taskAttemptId());
        var codec = new FileTaskCodec(metadata);
        var matcher = new ConditionMatcher(reads, condition);
        var survivors = new SurvivorCopy(storage, metadata, reads, names);
        try (var settler = new Settler(storage, metadata, SettleMode.valueOf(mode), names, survivors, createdBy)) {
            while (partition.hasNext()) {
                List<FileSplits.Split> splits = partition.next().splits(codec);
                var keys = new KeyDeletes(
                        reads, splits.stream().map(FileSplits.Split::task).toList());
                for (FileSplits.Split split : splits) {
                    context.killTaskIfInterrupted();
                    settle(settler, split, matcher, keys, storage);
                }
            }
            List<Outcome> outcomes = settler.finish();
            if (!settler.written().isEmpty()) {
                requireWanted(context, storage, settler.written());
            }
            return new OutcomeCodec(metadata).toBytes(outcomes);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete from " + table.name() + ": " + e.getMessage(), e);
        }
    }

    private static void settle(
            Settler settler, FileSplits.Split split, RowMatcher matcher, KeyMatcher keys, Storage storage)
            throws IOException {
        FileTask task = split.task();
        PositionBitmap byPosition = ExistingDeletes.byPosition(storage, task);
        PositionBitmap byKey = keys.deletedByKey(task, byPosition);
        PositionBitmap matched = matcher.matches(task, PositionBitmap.union(byPosition, byKey));
        settler.settle(split.number(), task, byPosition, byKey, matched);
    }

    private static void requireWanted(TaskContext context, Storage storage, List<String> written) {
        try {
            TaskResults.requireWanted(context);
        } catch (RuntimeException e) {
            for (String location : written) {
                try {
                    storage.delete(location);
                } catch (IOException later) {
                    e.addSuppressed(later);
                }
            }
            throw e;
        }
    }
}
