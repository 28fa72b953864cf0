package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import java.time.Clock;
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

    private final WriteTarget target;
    private final SparkSession session;
    private final NewFiles files;

    /** @param rows type of the rows */
    AppendBatch(WriteTarget target, StructType rows, SparkSession session) {
        this.target = target;
        this.session = session;
        this.files = new NewFiles(target.table(), rows);
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        return files.factory();
    }

    /** Tasks ask by themselves, and later than Spark would: see {@link TaskResults}. */
    @Override
    public boolean useCommitCoordinator() {
        return false;
    }

    @Override
    public void onDataWriterCommit(WriterCommitMessage message) {
        files.note(message);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        LoadedTable table = target.table();
        var change = SnapshotChange.append(
                table.branch(), table.metadata().formatVersion(), files.of(messages), target.summaryOf(session));
        new TableCommit(table.target(), Statement.of(files.statementId(), "INSERT", files.ledger()), Clock.systemUTC())
                .commit(change, Resettle.never());
    }

    /** Called by Spark when the job or the commit failed; the ledger knows whether anything may be deleted. */
    @Override
    public void abort(WriterCommitMessage[] messages) {
        files.abort(messages);
    }

    @Override
    public String toString() {
        return "append to " + target.table().name();
    }
}
