package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.spark.read.KeyDeletes;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FilesToSettle;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/**
 * What one task that looks for rows does: for each of its files, learn the rows deleted so far, by position and by key, and find
 * those that would go. Writes nothing.
 */
final class FindStage extends AbstractFunction2<TaskContext, Iterator<FilesToSettle>, byte[]> implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ExecutorTable table;
    private final RowCondition condition;

    FindStage(ExecutorTable table, RowCondition condition) {
        this.table = table;
        this.condition = condition;
    }

    /**
     * What was found in one file.
     *
     * @param number what the file is called
     * @param deleted rows that were deleted before
     * @param positions rows that would go; none of them was deleted
     */
    record Found(int number, long deleted, PositionBitmap positions) {}

    @Override
    public byte[] apply(TaskContext context, Iterator<FilesToSettle> partition) {
        TableMetadata metadata = table.metadata();
        Storage storage = table.storage();
        var reads = new TaskReads(storage, metadata, metadata.schema());
        var codec = new FileTaskCodec(metadata);
        RowMatcher matcher = condition.matcher(reads, metadata);
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            while (partition.hasNext()) {
                List<FilesToSettle.Part> parts = partition.next().parts(codec);
                var keys = new KeyDeletes(
                        reads, parts.stream().map(FilesToSettle.Part::task).toList());
                for (FilesToSettle.Part part : parts) {
                    context.killTaskIfInterrupted();
                    FileTask task = part.task();
                    PositionBitmap byPosition = ExistingDeletes.byPosition(storage, task);
                    PositionBitmap deleted = PositionBitmap.union(byPosition, keys.deletedByKey(task, byPosition));
                    PositionBitmap matched = matcher.matches(task, deleted);
                    byte[] positions = matched.toBytes();
                    out.writeInt(part.number());
                    out.writeLong(deleted.cardinalityInRange(0, task.file().recordCount()));
                    out.writeInt(positions.length);
                    out.write(positions);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot look for rows of " + table.name() + ": " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    /** What a task returned. */
    static List<Found> found(byte[] bytes) {
        var found = new ArrayList<Found>();
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            while (in.available() > 0) {
                found.add(
                        new Found(in.readInt(), in.readLong(), PositionBitmap.fromBytes(in.readNBytes(in.readInt()))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
