package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.Placement;
import dev.calve.parquet.RollingDataWriter;
import dev.calve.parquet.WriteSettings;
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
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Reads the rows that stay and writes them again with the table's current schema, in their order, into the partition they
 * were in. In format version 3 each row keeps its row id and last updated number as stored columns. Spec: Row Lineage.
 */
final class SurvivorCopy implements SurvivorWriter {

    private final Storage storage;
    private final TableMetadata table;
    private final TaskReads reads;
    private final FileNames names;

    SurvivorCopy(Storage storage, TableMetadata table, TaskReads reads, FileNames names) {
        this.storage = storage;
        this.table = table;
        this.reads = reads;
        this.names = names;
    }

    @Override
    public List<DataFile> write(FileTask task, PositionBitmap gone) throws IOException {
        Placeholders.refuseCopying(
                table.schema(),
                "write data file " + task.file().path() + " again",
                "Set write.delete.mode to 'merge-on-read'.");
        Schema schema = schemaFor(task.file());
        StructType columns = SparkTypes.toSpark(schema);
        DataFile source = task.file();
        var writer = new RollingDataWriter<SpecializedGetters>(
                storage,
                () -> names.dataFile(source.specId(), source.partition()),
                FileLayout.of(schema, WriteSettings.forData(TableProperties.of(table, table.location()))),
                InternalRowReader.of(schema),
                new Placement(
                        source.specId(), source.partition(), source.common().sortOrderId()));
        boolean complete = false;
        try (var reader =
                ColumnarFileReader.open(reads.read(task, columns).deleted(gone).build())) {
            while (reader.next()) {
                ColumnarBatch batch = reader.batch();
                int rows = batch.numRows();
                for (int i = 0; i < rows; i++) {
                    writer.write(batch.getRow(i));
                }
            }
            List<DataFile> files = writer.close();
            complete = true;
            return files;
        } finally {
            if (!complete) {
                writer.abandon();
            }
        }
    }

    /** A source without row ids gives its rows none: they get theirs with the new file. */
    private Schema schemaFor(DataFile source) {
        if (table.formatVersion() < 3 || source.firstRowId().isEmpty()) {
            return table.schema();
        }
        var fields = new ArrayList<Field>(table.schema().fields());
        fields.add(MetadataFields.ROW_ID);
        fields.add(MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER);
        return new Schema(table.schema().id(), fields);
    }
}
