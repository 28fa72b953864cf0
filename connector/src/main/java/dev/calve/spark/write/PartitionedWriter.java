package dev.calve.spark.write;

import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.Placement;
import dev.calve.parquet.RollingDataWriter;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.wire.FilesWritten;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one task into files by partition. Memory: one open file per partition, at most as many as the property
 * {@link TableProperties#MAX_OPEN_FILES} says. Beyond it the file unused the longest is completed, as long as no partition
 * comes back whose file was; from then on rows of partitions without an open file wait, sorted by Spark on disk if need be, so
 * that a task begins at most two files per partition for want of room, however its rows come.
 */
public final class PartitionedWriter implements DataWriter<InternalRow> {

    static final int UNSORTED = 0;

    /** So much of a row is shown in a message. */
    private static final int ROW_TEXT_LENGTH = 500;

    private final Storage storage;
    private final TableMetadata table;
    private final FileNames names;
    private final FileLayout layout;
    private final InternalRowReader reader;
    private final PartitionKeys keys;
    private final StructType rowType;
    private final int maxOpenFiles;
    private final OptionalInt sortOrderId;
    private final Map<PartitionTuple, RollingDataWriter<SpecializedGetters>> open =
            new LinkedHashMap<>(16, 0.75f, true);
    private final List<DataFile> finished = new ArrayList<>();
    private final Set<PartitionTuple> completed = new HashSet<>();
    private @Nullable WaitingRows waiting;
    private PartitionTuple currentKey = PartitionTuple.EMPTY;
    private @Nullable RollingDataWriter<SpecializedGetters> current;
    private boolean hasCurrent;

    /** @param rows type of the rows: the table's columns in order */
    public PartitionedWriter(Storage storage, TableMetadata table, FileNames names, StructType rows) {
        this(storage, table, names, rows, rows, table.schema(), UNSORTED);
    }

    private PartitionedWriter(
            Storage storage,
            TableMetadata table,
            FileNames names,
            StructType rows,
            StructType rowType,
            Schema written,
            int sortOrderId) {
        this.storage = storage;
        this.table = table;
        this.names = names;
        TableProperties properties = TableProperties.of(table, table.location());
        this.layout = FileLayout.of(written, WriteSettings.forData(properties), table.sortOrder());
        this.reader = InternalRowReader.of(written, rowType);
        this.rowType = rowType;
        this.keys = new PartitionKeys(table, rows);
        this.sortOrderId = sortOrderId == UNSORTED ? OptionalInt.empty() : OptionalInt.of(sortOrderId);
        this.maxOpenFiles = properties.get(TableProperties.MAX_OPEN_FILES);
    }

    /**
     * A writer of rows that come by partition, and in each of them in an order of the table.
     *
     * @param sortOrderId {@link #UNSORTED} if they do not
     */
    static PartitionedWriter ofSorted(
            Storage storage, TableMetadata table, FileNames names, StructType rows, int sortOrderId) {
        return new PartitionedWriter(storage, table, names, rows, rows, table.schema(), sortOrderId);
    }

    /**
     * A writer of rows that have a row id behind the table's columns, null for a row that is new: it gets one with its file.
     * Spec: Row Lineage.
     *
     * @param rows type of the table's columns in order, without the row id
     */
    public static PartitionedWriter withRowIds(Storage storage, TableMetadata table, FileNames names, StructType rows) {
        var fields = new ArrayList<Field>(table.schema().fields());
        fields.add(MetadataFields.ROW_ID);
        var written = new Schema(table.schema().id(), fields);
        StructType withId = rows.add(SparkTypes.toSpark(MetadataFields.ROW_ID));
        return new PartitionedWriter(storage, table, names, rows, withId, written, UNSORTED);
    }

    /** @throws IllegalArgumentException showing the row, if a value cannot be stored in its column */
    @Override
    public void write(InternalRow row) throws IOException {
        try {
            add(row);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " It is in the row " + text(row) + ".", e);
        }
    }

    /** A row as people read it, its end left out if it is long. */
    private String text(InternalRow row) {
        String text = String.valueOf(
                CatalystTypeConverters.createToScalaConverter(rowType).apply(row));
        return text.length() <= ROW_TEXT_LENGTH ? text : text.substring(0, ROW_TEXT_LENGTH) + "…";
    }

    @SuppressWarnings("ReferenceEquality") // The same object is the same key; another object is looked up by value.
    private void add(InternalRow row) throws IOException {
        PartitionTuple key = keys.of(row);
        // Consecutive rows of a partition share the tuple object, so most rows need no look-up.
        if (!hasCurrent || key != currentKey) {
            current = writerOf(key);
            currentKey = key;
            hasCurrent = true;
        }
        if (current != null) {
            current.write(row);
            return;
        }
        if (waiting == null) {
            waiting = new WaitingRows(rowType);
        }
        waiting.add(key, row);
    }

    /** Null if the partition's rows have to wait. */
    private @Nullable RollingDataWriter<SpecializedGetters> writerOf(PartitionTuple key) throws IOException {
        RollingDataWriter<SpecializedGetters> known = open.get(key);
        if (known != null) {
            return known;
        }
        if (waiting != null || completed.contains(key)) {
            return null;
        }
        if (open.size() >= maxOpenFiles) {
            var longestUnused = open.entrySet().iterator();
            var victim = longestUnused.next();
            finished.addAll(victim.getValue().close());
            completed.add(victim.getKey());
            longestUnused.remove();
        }
        RollingDataWriter<SpecializedGetters> writer = begin(key);
        open.put(key, writer);
        return writer;
    }

    private RollingDataWriter<SpecializedGetters> begin(PartitionTuple key) {
        int specId = table.defaultSpecId();
        return new RollingDataWriter<>(
                storage, () -> names.dataFile(specId, key), layout, reader, new Placement(specId, key, sortOrderId));
    }

    /** Type of the rows it takes, with the row id if they have one. */
    public StructType rowType() {
        return rowType;
    }

    /** Completes all files and returns them. */
    public List<DataFile> finish() throws IOException {
        completeAll();
        writeWaiting();
        return List.copyOf(finished);
    }

    private void writeWaiting() throws IOException {
        if (waiting == null) {
            return;
        }
        hasCurrent = false;
        for (var rows = waiting.byPartition(); rows.hasNext(); ) {
            InternalRow row = rows.next();
            PartitionTuple key = keys.of(row);
            RollingDataWriter<SpecializedGetters> writer = open.get(key);
            if (writer == null) {
                completeAll();
                writer = begin(key);
                open.put(key, writer);
            }
            writer.write(row);
        }
        completeAll();
        waiting = null;
    }

    private void completeAll() throws IOException {
        for (var writers = open.values().iterator(); writers.hasNext(); ) {
            finished.addAll(writers.next().close());
            writers.remove();
        }
    }

    @Override
    public WriterCommitMessage commit() throws IOException {
        List<DataFile> files = finish();
        TaskContext task = TaskContext.get();
        if (task != null && !files.isEmpty()) {
            // Where the driver takes no message any more this throws, and abort deletes the files.
            TaskResults.requireWanted(task);
        }
        return FilesWritten.of(files, table);
    }

    @Override
    public void abort() throws IOException {
        var cleanUp = new CleanUp();
        if (waiting != null) {
            cleanUp.run(waiting::drop);
            waiting = null;
        }
        open.values().forEach(writer -> cleanUp.run(writer::abandon));
        open.clear();
        finished.forEach(file -> cleanUp.delete(storage, file.path()));
        finished.clear();
        cleanUp.end();
    }

    @Override
    public void close() {
        // commit or abort came before and left nothing open.
    }
}
