package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
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
import dev.calve.rewrite.Copyable;
import dev.calve.rewrite.FileRewriter;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rewrite.Rewritten;
import dev.calve.rewrite.Source;
import dev.calve.rewrite.Verdict;
import dev.calve.rowdelete.SurvivorWriter;
import dev.calve.scan.FileTask;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.Placeholders;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.read.ColumnarFileReader;
import dev.calve.spark.read.TaskReads;
import dev.calve.spark.write.InternalRowReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the rows that stay again with the table's current schema, in their order, into the partition they were in: chunk by
 * chunk if the file is stored as new files are, else read and written row by row. In format version 3 each row keeps its row
 * id and last updated number as stored columns. Spec: Row Lineage.
 */
final class SurvivorCopy implements SurvivorWriter {

    private static final Logger LOG = LoggerFactory.getLogger(SurvivorCopy.class);

    private final Storage storage;
    private final TableMetadata table;
    private final TaskReads reads;
    private final FileNames names;
    private final FileRewriter rewriter;

    SurvivorCopy(Storage storage, TableMetadata table, TaskReads reads, FileNames names) {
        this.storage = storage;
        this.table = table;
        this.reads = reads;
        this.names = names;
        this.rewriter = new FileRewriter(storage, table);
    }

    @Override
    public Survivors write(FileTask task, PositionBitmap gone) throws IOException {
        Rewritten rewritten = write(List.of(task), List.of(gone), false);
        return new Survivors(rewritten.files(), rewritten.counts());
    }

    /**
     * Copies the rows of several files that stay.
     *
     * @param tasks files of one partition of one spec, at least one
     * @param gone for each of them the positions of all rows that are deleted
     * @param joinSmall whether small row groups are joined although that means to encode them again
     */
    Rewritten write(List<FileTask> tasks, List<PositionBitmap> gone, boolean joinSmall) throws IOException {
        var sources = new ArrayList<Source>();
        for (int i = 0; i < tasks.size(); i++) {
            sources.add(new Source(tasks.get(i).entry(), gone.get(i)));
        }
        Verdict verdict = rewriter.examine(sources, joinSmall);
        if (verdict instanceof Copyable copyable) {
            Rewritten rewritten = copyable.write(() -> location(tasks.get(0).file()), placement(sources));
            LOG.debug("Rewrote {} data file(s): {}", tasks.size(), rewritten.counts());
            return rewritten;
        }
        LOG.debug("Writing rows of {} data file(s) again: {}", tasks.size(), verdict);
        List<DataFile> files = writeRows(tasks, sources);
        return new Rewritten(sources, files, encoded(files));
    }

    /** Files that were written row by row. */
    private static RewriteCounts encoded(List<DataFile> files) {
        return new RewriteCounts(
                0,
                files.stream()
                        .mapToLong(file -> file.common().splitOffsets().size())
                        .sum(),
                0,
                files.stream().mapToLong(DataFile::fileSizeBytes).sum());
    }

    private List<DataFile> writeRows(List<FileTask> tasks, List<Source> sources) throws IOException {
        Placeholders.refuseCopying(
                table.schema(),
                "write data file " + sources.get(0).path() + " again",
                "Set write.delete.mode to 'merge-on-read'.");
        Schema schema = schemaFor(sources);
        StructType columns = SparkTypes.toSpark(schema);
        var writer = new RollingDataWriter<SpecializedGetters>(
                storage,
                () -> location(tasks.get(0).file()),
                FileLayout.of(schema, WriteSettings.forData(TableProperties.of(table, table.location()))),
                InternalRowReader.of(schema),
                placement(sources));
        try {
            for (int i = 0; i < tasks.size(); i++) {
                copyRows(tasks.get(i), sources.get(i).gone(), columns, writer);
            }
            return writer.close();
        } catch (Throwable e) {
            var cleanUp = new CleanUp();
            cleanUp.run(writer::abandon);
            cleanUp.after(e);
            throw e;
        }
    }

    private void copyRows(
            FileTask task, PositionBitmap gone, StructType columns, RollingDataWriter<SpecializedGetters> writer)
            throws IOException {
        try (var reader =
                ColumnarFileReader.open(reads.read(task, columns).deleted(gone).build())) {
            while (reader.next()) {
                ColumnarBatch batch = reader.batch();
                int rows = batch.numRows();
                for (int i = 0; i < rows; i++) {
                    writer.write(batch.getRow(i));
                }
            }
        }
    }

    private String location(DataFile source) {
        return names.dataFile(source.specId(), source.partition());
    }

    /** Several sorted files one after the other are not sorted. */
    private static Placement placement(List<Source> sources) {
        DataFile first = sources.get(0).entry().file();
        OptionalInt sortOrder = sources.size() == 1 ? first.common().sortOrderId() : OptionalInt.empty();
        return new Placement(first.specId(), first.partition(), sortOrder);
    }

    /** A source without row ids gives its rows none: they get theirs with the new file. */
    private Schema schemaFor(List<Source> sources) {
        boolean known = sources.stream()
                .anyMatch(source -> source.entry().file().firstRowId().isPresent());
        if (table.formatVersion() < 3 || !known) {
            return table.schema();
        }
        var fields = new ArrayList<Field>(table.schema().fields());
        fields.add(MetadataFields.ROW_ID);
        fields.add(MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER);
        return new Schema(table.schema().id(), fields);
    }
}
