package dev.calve.spark.write;

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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one task into files by partition. Memory: one open file per partition, at most as many as the property
 * {@link TableProperties#MAX_OPEN_FILES} says; beyond it the file unused the longest is completed.
 */
public final class PartitionedWriter implements DataWriter<InternalRow> {

    private final Storage storage;
    private final TableMetadata table;
    private final FileNames names;
    private final FileLayout layout;
    private final InternalRowReader reader;
    private final PartitionKeys keys;
    private final int maxOpenFiles;
    private final Map<PartitionTuple, RollingDataWriter<SpecializedGetters>> open =
            new LinkedHashMap<>(16, 0.75f, true);
    private final List<DataFile> finished = new ArrayList<>();
    private PartitionTuple currentKey = PartitionTuple.EMPTY;
    private @Nullable RollingDataWriter<SpecializedGetters> current;

    /** @param rows type of the rows: the table's columns in order */
    public PartitionedWriter(Storage storage, TableMetadata table, FileNames names, StructType rows) {
        this(storage, table, names, rows, table.schema(), InternalRowReader.of(table.schema(), rows));
    }

    private PartitionedWriter(
            Storage storage,
            TableMetadata table,
            FileNames names,
            StructType rows,
            Schema written,
            InternalRowReader reader) {
        this.storage = storage;
        this.table = table;
        this.names = names;
        TableProperties properties = TableProperties.of(table, table.location());
        this.layout = FileLayout.of(written, WriteSettings.forData(properties));
        this.reader = reader;
        this.keys = new PartitionKeys(table, rows);
        this.maxOpenFiles = properties.get(TableProperties.MAX_OPEN_FILES);
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
        return new PartitionedWriter(storage, table, names, rows, written, InternalRowReader.of(written, withId));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The same object is the same key; another object is looked up by value.
    public void write(InternalRow row) throws IOException {
        PartitionTuple key = keys.of(row);
        // Consecutive rows of a partition share the tuple object, so most rows need no look-up.
        if (current == null || key != currentKey) {
            current = writerOf(key);
            currentKey = key;
        }
        current.write(row);
    }

    private RollingDataWriter<SpecializedGetters> writerOf(PartitionTuple key) throws IOException {
        RollingDataWriter<SpecializedGetters> known = open.get(key);
        if (known != null) {
            return known;
        }
        if (open.size() >= maxOpenFiles) {
            Iterator<RollingDataWriter<SpecializedGetters>> longestUnused =
                    open.values().iterator();
            RollingDataWriter<SpecializedGetters> victim = longestUnused.next();
            finished.addAll(victim.close());
            longestUnused.remove();
        }
        int specId = table.defaultSpecId();
        var writer = new RollingDataWriter<SpecializedGetters>(
                storage, () -> names.dataFile(specId, key), layout, reader, Placement.of(specId, key));
        open.put(key, writer);
        return writer;
    }

    /** Completes all files and returns them. */
    public List<DataFile> finish() throws IOException {
        for (Iterator<RollingDataWriter<SpecializedGetters>> writers =
                        open.values().iterator();
                writers.hasNext(); ) {
            finished.addAll(writers.next().close());
            writers.remove();
        }
        return List.copyOf(finished);
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
        IOException failure = null;
        for (RollingDataWriter<SpecializedGetters> writer : open.values()) {
            try {
                writer.abandon();
            } catch (IOException e) {
                failure = suppressed(failure, e);
            }
        }
        open.clear();
        for (DataFile file : finished) {
            try {
                storage.delete(file.path());
            } catch (IOException e) {
                failure = suppressed(failure, e);
            }
        }
        finished.clear();
        if (failure != null) {
            throw failure;
        }
    }

    private static IOException suppressed(@Nullable IOException first, IOException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }

    @Override
    public void close() {
        // commit or abort came before and left nothing open.
    }
}
