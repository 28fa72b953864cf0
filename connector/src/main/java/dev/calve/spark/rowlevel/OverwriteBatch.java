package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitReport;
import dev.calve.commit.Statement;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.partition.PartitionTuple;
import dev.calve.spark.write.NewFiles;
import dev.calve.spark.write.OverwriteOptions;
import dev.calve.spark.write.ReportingBatch;
import dev.calve.spark.write.WriteTarget;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** The driver's side of an overwrite: tasks write the new rows, then {@link Overwriting} replaces the old ones. */
final class OverwriteBatch implements ReportingBatch {

    private final LoadedTable table;
    private final WriteTarget target;
    private final Optional<SelectedRows> selected;
    private final OverwriteOptions options;
    private final SparkSession session;
    private final NewFiles files;
    private Optional<Overwriting.Since> since = Optional.empty();
    private Optional<CommitReport> report = Optional.empty();

    /**
     * Nothing is done yet.
     *
     * @param table as it was loaded, without the write's options
     * @param selected the rows that go; empty: those of the partitions that get new rows
     */
    OverwriteBatch(
            LoadedTable table,
            WriteTarget target,
            LogicalWriteInfo info,
            Optional<SelectedRows> selected,
            OverwriteOptions options,
            SparkSession session) {
        this.table = table;
        this.target = target;
        this.selected = selected;
        this.options = options;
        this.session = session;
        this.files = new NewFiles(target, info);
    }

    /** Called in the thread that runs the statement, before its job. */
    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        since = since();
        return files.factory();
    }

    private Optional<Overwriting.Since> since() {
        TableMetadata metadata = table.metadata();
        Optional<OptionalLong> read = OwnReads.of(session, table);
        if (options.isolation().isEmpty() && read.isEmpty()) {
            return Optional.empty();
        }
        OptionalLong from =
                options.validateFrom().isPresent() ? options.validateFrom() : read.orElseGet(() -> id(table.head()));
        Optional<Snapshot> snapshot =
                from.isPresent() ? Optional.of(snapshot(metadata, from.getAsLong())) : Optional.empty();
        return Optional.of(new Overwriting.Since(
                snapshot,
                new Statement.Isolation(
                        options.isolation().orElse(IsolationLevel.SERIALIZABLE), "write option isolation-level")));
    }

    private static OptionalLong id(Optional<Snapshot> snapshot) {
        return snapshot.isPresent() ? OptionalLong.of(snapshot.get().id()) : OptionalLong.empty();
    }

    private Snapshot snapshot(TableMetadata metadata, long id) {
        return metadata.snapshot(id)
                .orElseThrow(() -> new IllegalArgumentException("Write option 'validate-from-snapshot-id' must be a"
                        + " snapshot of " + table.name() + ", but it has none with id " + id
                        + " (any more)."));
    }

    /** Tasks ask by themselves, and later than Spark would: see {@link dev.calve.spark.write.TaskResults}. */
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
        List<DataFile> newRows = files.of(messages);
        if (selected.isEmpty() && newRows.isEmpty()) {
            // No partition gets rows, so none is replaced.
            files.ledger().abort();
            return;
        }
        Map<String, String> entries = new LinkedHashMap<>(target.summaryOf(session));
        if (selected.isEmpty()) {
            entries.put("replace-partitions", "true");
        }
        report = new Overwriting(
                        table,
                        target,
                        replaced(newRows),
                        newRows,
                        since,
                        entries,
                        session,
                        files.statementId(),
                        files.ledger())
                .commit()
                .reported();
    }

    @Override
    public Optional<CommitReport> report() {
        return report;
    }

    private Replaced replaced(List<DataFile> newRows) {
        if (selected.isPresent()) {
            return new Replaced.Selected(selected.get());
        }
        if (table.metadata().spec().isUnpartitioned()) {
            return new Replaced.Selected(SelectedRows.all(table));
        }
        Set<PartitionTuple> partitions =
                newRows.stream().map(ContentFile::partition).collect(Collectors.toSet());
        return Replaced.Partitions.of(table.metadata(), partitions);
    }

    /** Called by Spark when the job or the commit failed; the ledger knows whether anything may be deleted. */
    @Override
    public void abort(WriterCommitMessage[] messages) {
        files.abort(messages);
    }

    @Override
    public String toString() {
        return "overwrite of " + table.name();
    }
}
