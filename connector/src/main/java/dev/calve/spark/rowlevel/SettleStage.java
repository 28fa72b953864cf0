package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.KeyMatcher;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.OutcomeCodec;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.rowdelete.Settler;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.spark.read.KeyDeletes;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FilesToSettle;
import dev.calve.spark.write.TaskResults;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/**
 * What one task that settles files does: for each of its files, learn the rows deleted so far, by position and by key; find
 * the rows that go, unless they are known; settle. Returns the outcomes as bytes. A task that fails leaves no file behind.
 */
final class SettleStage extends AbstractFunction2<TaskContext, Iterator<FilesToSettle>, byte[]>
        implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final @Nullable RowCondition condition;
    private final String statementId;
    private final String createdBy;

    /** @param condition finds the rows that go from files that come without positions */
    SettleStage(ExecutorTable table, Optional<RowCondition> condition, UUID statementId, String createdBy) {
        this.table = table;
        this.condition = condition.orElse(null);
        this.statementId = statementId.toString();
        this.createdBy = createdBy;
    }

    @Override
    public byte[] apply(TaskContext context, Iterator<FilesToSettle> partition) {
        TableMetadata metadata = table.metadata();
        Storage storage = table.storage();
        var reads = new TaskReads(storage, metadata, metadata.schema());
        var names =
                new FileNames(metadata, UUID.fromString(statementId), context.partitionId(), context.taskAttemptId());
        var codec = new FileTaskCodec(metadata);
        var survivors = new SurvivorCopy(storage, metadata, reads, names);
        RowMatcher finding = condition == null ? SettleStage::refuse : condition.matcher(reads, metadata);
        try (var settler = new Settler(storage, metadata, names, survivors, createdBy)) {
            while (partition.hasNext()) {
                List<FilesToSettle.Part> parts = partition.next().parts(codec);
                var keys = new KeyDeletes(
                        reads, parts.stream().map(FilesToSettle.Part::task).toList());
                for (FilesToSettle.Part part : parts) {
                    context.killTaskIfInterrupted();
                    RowMatcher matcher =
                            part.positions().map(SettleStage::known).orElse(finding);
                    settle(settler, part, matcher, keys, storage);
                }
            }
            return handedOver(context, settler, metadata);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete rows of " + table.name() + ": " + e.getMessage(), e);
        }
    }

    private static RowMatcher known(PositionBitmap positions) {
        return (task, deleted) -> {
            PositionBitmap live = positions.copy();
            live.andNot(deleted);
            return live;
        };
    }

    private static PositionBitmap refuse(FileTask task, PositionBitmap deleted) {
        throw new IllegalStateException("The rows that go from " + task.file().path() + " must be known.");
    }

    private static void settle(
            Settler settler, FilesToSettle.Part part, RowMatcher matcher, KeyMatcher keys, Storage storage)
            throws IOException {
        FileTask task = part.task();
        PositionBitmap byPosition = ExistingDeletes.byPosition(storage, task);
        PositionBitmap byKey = keys.deletedByKey(task, byPosition);
        PositionBitmap matched = matcher.matches(task, PositionBitmap.union(byPosition, byKey));
        settler.settle(part.rewriting(), part.number(), task, byPosition, byKey, matched);
    }

    private static byte[] handedOver(TaskContext context, Settler settler, TableMetadata metadata) throws IOException {
        List<Outcome> outcomes = settler.finish();
        try {
            if (!settler.written().isEmpty()) {
                TaskResults.requireWanted(context);
            }
            return new OutcomeCodec(metadata).toBytes(outcomes);
        } catch (Throwable e) {
            var cleanUp = new CleanUp();
            cleanUp.run(settler::discard);
            cleanUp.after(e);
            throw e;
        }
    }
}
