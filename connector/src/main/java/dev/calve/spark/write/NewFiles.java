package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.FileLedger;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FilesWritten;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;

/** The driver's side of the data files that tasks write for one statement: who writes them, and which there are. */
public final class NewFiles {

    private final LoadedTable table;
    private final StructType rows;
    private final Optional<WriteTarget.Arriving> arriving;
    private final UUID statementId = UUID.randomUUID();
    private final FileLedger ledger;

    /** Nothing is written yet. */
    public NewFiles(WriteTarget target, LogicalWriteInfo info) {
        this.table = target.table();
        this.rows = target.rows(info);
        this.arriving = target.arriving();
        this.ledger = new FileLedger(table.storage());
    }

    /**
     * Rows that no write of Spark's brings.
     *
     * @param rows type of the rows: the table's columns in order
     */
    public NewFiles(LoadedTable table, StructType rows) {
        this.table = table;
        this.rows = rows;
        this.arriving = Optional.empty();
        this.ledger = new FileLedger(table.storage());
    }

    /** Part of every name the statement's files have. */
    public UUID statementId() {
        return statementId;
    }

    /** What the statement wrote, as far as tasks told. */
    public FileLedger ledger() {
        return ledger;
    }

    public DataWriterFactory factory() {
        return new PartitionedWriterFactory(
                ExecutorTable.of(table),
                rows.json(),
                statementId.toString(),
                RowOrder.of(table).id().orElse(PartitionedWriter.UNSORTED),
                arriving);
    }

    /** Notes the files of a task that ended, in whatever order and however often it is told. */
    public List<ContentFile> note(WriterCommitMessage message) {
        List<ContentFile> files = ((FilesWritten) message).files(table.metadata());
        files.forEach(file -> ledger.wrote(file.path()));
        return files;
    }

    /** The files of all tasks. */
    public List<DataFile> of(WriterCommitMessage[] messages) {
        var files = new ArrayList<DataFile>();
        for (WriterCommitMessage message : messages) {
            for (ContentFile file : note(message)) {
                files.add((DataFile) file);
            }
        }
        return files;
    }

    /**
     * Deletes the files, unless the commit may have happened. Called when the job or the commit failed.
     *
     * @param messages null for a task that did not end
     */
    public void abort(WriterCommitMessage[] messages) {
        for (WriterCommitMessage message : messages) {
            if (message != null) {
                note(message);
            }
        }
        ledger.abort();
    }
}
