package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FilesWritten;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;

/**
 * The driver's side of an append. It reads nothing, so rows of others never conflict with it, only a table replaced meanwhile
 * by one that cannot show its rows; after a lost race it is committed again.
 */
final class AppendBatch implements BatchWrite {

    private final LoadedTable table;
    private final StructType rows;
    private final Map<String, String> summary;
    private final SparkSession session;
    private final UUID statementId = UUID.randomUUID();
    private final FileLedger ledger;

    AppendBatch(LoadedTable table, StructType rows, Map<String, String> summary, SparkSession session) {
        this.table = table;
        this.rows = rows;
        this.summary = summary;
        this.session = session;
        this.ledger = new FileLedger(table.storage());
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        return new PartitionedWriterFactory(ExecutorTable.of(table), rows.json(), statementId.toString());
    }

    /** Tasks ask by themselves, and later than Spark would: see {@link TaskResults}. */
    @Override
    public boolean useCommitCoordinator() {
        return false;
    }

    @Override
    public void onDataWriterCommit(WriterCommitMessage message) {
        note(message);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        TableMetadata metadata = table.metadata();
        var files = new ArrayList<DataFile>();
        for (WriterCommitMessage message : messages) {
            for (ContentFile file : note(message)) {
                files.add((DataFile) file);
            }
        }
        Map<String, String> entries = new LinkedHashMap<>(SnapshotSummaries.of(session));
        entries.putAll(summary);
        var change = SnapshotChange.append(SnapshotRef.MAIN, metadata.formatVersion(), files, entries);
        new TableCommit(table.target(), Statement.of(statementId, "INSERT", ledger), Clock.systemUTC())
                .commit(change, Resettle.never());
    }

    /** Called by Spark when the job or the commit failed; the ledger knows whether anything may be deleted. */
    @Override
    public void abort(WriterCommitMessage[] messages) {
        for (WriterCommitMessage message : messages) {
            if (message != null) {
                note(message);
            }
        }
        ledger.abort();
    }

    private List<ContentFile> note(WriterCommitMessage message) {
        List<ContentFile> files = ((FilesWritten) message).files(table.metadata());
        files.forEach(file -> ledger.wrote(file.path()));
        return files;
    }

    @Override
    public String toString() {
        return "append to " + table.name();
    }
}
