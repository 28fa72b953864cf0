package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.wire.RowsChanged;
import dev.calve.spark.write.HeldRows;
import dev.calve.spark.write.PartitionedWriter;
import dev.calve.spark.write.TaskResults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Collects the places of the rows that go, as a bitmap per data file, and writes the rows that come. For one task. Memory:
 * about two bytes per row that goes, less where neighbours go, beside the open files.
 */
final class PositionDeltaWriter implements DeltaWriter<InternalRow> {

    private final TableMetadata table;
    private final @Nullable PartitionedWriter rows;
    private @Nullable HeldRows held;
    private final boolean writesRowIds;
    private final InternalRow noRowId = new GenericInternalRow(1);
    private final JoinedRow withRowId = new JoinedRow();
    private final Map<UTF8String, Going> files = new HashMap<>();
    private UTF8String lastFile = UTF8String.EMPTY_UTF8;
    private Going last = new Going();

    private static final class Going {
        private final PositionBitmap deleted = new PositionBitmap();
        private final PositionBitmap updated = new PositionBitmap();
        private long updates;
    }

    /**
     * Nothing is written yet.
     *
     * @param rows null for a statement that writes none
     * @param held takes the first rows, and hands them to the driver if there are no more; null if all are to be written
     * @param writesRowIds whether the metadata of an updated row is its row id, to be written with it
     */
    PositionDeltaWriter(
            TableMetadata table, @Nullable PartitionedWriter rows, @Nullable HeldRows held, boolean writesRowIds) {
        this.table = table;
        this.rows = rows;
        this.held = held;
        this.writesRowIds = writesRowIds;
    }

    @Override
    public void delete(InternalRow metadata, InternalRow place) {
        file(place.getUTF8String(0)).deleted.add(place.getLong(1));
    }

    @Override
    public void update(InternalRow metadata, InternalRow place, InternalRow row) throws IOException {
        Going going = file(place.getUTF8String(0));
        going.updated.add(place.getLong(1));
        going.updates++;
        come(row, metadata);
    }

    @Override
    public void insert(InternalRow row) throws IOException {
        come(row, noRowId);
    }

    private void come(InternalRow row, InternalRow rowId) throws IOException {
        if (rows == null) {
            throw new IllegalStateException("A statement that only deletes must not write rows.");
        }
        InternalRow complete = writesRowIds ? withRowId.apply(row, rowId) : row;
        if (held != null) {
            if (held.offer(complete)) {
                return;
            }
            HeldRows.forEach(held.toBytes(), complete.numFields(), rows::write);
            held = null;
        }
        rows.write(complete);
    }

    private Going file(UTF8String path) {
        // Rows mostly come file by file.
        if (!path.equals(lastFile)) {
            Going known = files.get(path);
            if (known == null) {
                known = new Going();
                lastFile = path.copy();
                files.put(lastFile, known);
            } else {
                lastFile = path.copy();
            }
            last = known;
        }
        return last;
    }

    @Override
    public WriterCommitMessage commit() throws IOException {
        var fragments = new ArrayList<RowsChanged.Fragment>();
        files.forEach((path, going) -> {
            UpdatedOnce.check(path.toString(), going.deleted, going.updated, going.updates);
            fragments.add(new RowsChanged.Fragment(path.toString(), going.deleted, going.updated));
        });
        List<DataFile> written = rows == null ? List.of() : rows.finish();
        TaskContext task = TaskContext.get();
        if (task != null && !written.isEmpty()) {
            // Where the driver takes no message any more this throws, and abort deletes the files.
            TaskResults.requireWanted(task);
        }
        return RowsChanged.of(fragments, written, held == null ? new byte[0] : held.toBytes(), table);
    }

    @Override
    public void abort() throws IOException {
        if (rows != null) {
            rows.abort();
        }
    }

    @Override
    public void close() {
        // commit or abort came before and left nothing open.
    }
}
