package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitReport;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.manifest.DataFile;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/**
 * The driver's side of an append. One that reads nothing of its table never conflicts with rows of others, only with a table
 * replaced meanwhile by one that cannot show its rows; after a lost race it is committed again. One that does, like a MERGE that
 * only inserts, is committed under the rules of what it read.
 */
final class AppendBatch implements ReportingBatch {

    private final WriteTarget target;
    private final SparkSession session;
    private final Supplier<Optional<AppendRules>> dependence;
    private final NewFiles files;
    private Optional<CommitReport> report = Optional.empty();

    /**
     * Nothing is done yet.
     *
     * @param dependence asked at the commit, in the thread that runs the statement
     */
    AppendBatch(
            WriteTarget target,
            LogicalWriteInfo info,
            Supplier<Optional<AppendRules>> dependence,
            SparkSession session) {
        this.target = target;
        this.dependence = dependence;
        this.session = session;
        this.files = new NewFiles(target, info);
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
        Optional<AppendRules> rules = dependence.get();
        List<DataFile> rows = files.of(messages);
        if (rows.isEmpty() && rules.map(AppendRules::ofMerge).orElse(false)) {
            return;
        }
        var change = SnapshotChange.append(
                table.branch(), table.metadata().formatVersion(), rows, target.summaryOf(session));
        report = target.merging(new TableCommit(table.target(), statement(rules), Clock.systemUTC()))
                .commit(
                        rules.isPresent()
                                ? change.under(rules.get().read(), rules.get().rules())
                                : change,
                        Resettle.never())
                .reported();
    }

    private Statement statement(Optional<AppendRules> rules) {
        return new Statement(
                files.statementId(),
                rules.map(AppendRules::ofMerge).orElse(false) ? "MERGE" : "INSERT",
                rules.map(AppendRules::isolation),
                files.ledger());
    }

    @Override
    public Optional<CommitReport> report() {
        return report;
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
