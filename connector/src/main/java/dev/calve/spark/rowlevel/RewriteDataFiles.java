package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.rewrite.PositionMap;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rewrite.Rewritten;
import dev.calve.rewrite.RewrittenCodec;
import dev.calve.rewrite.Source;
import dev.calve.rowlevel.BinPack;
import dev.calve.rowlevel.Compaction;
import dev.calve.rowlevel.MapAgain;
import dev.calve.rowlevel.ReadPoint;
import dev.calve.rowlevel.SettleHere;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.scan.ScanPlanner;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FileSplits;
import dev.calve.spark.wire.FileSplits.Split;
import dev.calve.spark.write.SnapshotSummaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * One compaction: joins small files, cuts large ones and applies deletes, in one stage of a task per group of files and one
 * snapshot. What others delete meanwhile is carried over to the new files. Used once, on the driver.
 *
 * <p>Cost: all manifests that may list matching files; the files of the groups, most of whose bytes are copied as they are.
 */
public final class RewriteDataFiles {

    private static final Logger LOG = LoggerFactory.getLogger(RewriteDataFiles.class);

    /** Stands in the names of files the driver writes, where tasks have their number. */
    private static final int NO_TASK = Integer.MAX_VALUE;

    private final LoadedTable table;
    private final String ref;
    private final Expression filter;
    private final BinPack binPack;
    private final SparkSession session;
    private final UUID statementId = UUID.randomUUID();
    private final FileLedger ledger;

    /**
     * What a compaction did.
     *
     * @param rewrittenBytes size of the files that left
     * @param removedDeleteFiles that left with the files they spoke of
     */
    public record Result(int rewrittenFiles, int addedFiles, long rewrittenBytes, int removedDeleteFiles) {}

    /** @param filter files that cannot hold a matching row are left alone */
    public RewriteDataFiles(LoadedTable table, String ref, Expression filter, BinPack binPack, SparkSession session) {
        this.table = table;
        this.ref = ref;
        this.filter = filter;
        this.binPack = binPack;
        this.session = session;
        this.ledger = new FileLedger(table.storage());
    }

    /** Runs it. An exception means that the table is unchanged, unless it says that nobody knows. */
    public Result run() {
        try {
            return compact(table.committer().load());
        } catch (IOException e) {
            throw abandoned(new UncheckedIOException("Cannot compact " + table.name() + ": " + e.getMessage(), e));
        } catch (Throwable e) {
            // Not only unchecked ones: a job that fails throws SparkException, which no method of Spark's declares.
            abandoned(e);
            throw e;
        }
    }

    private <E extends Throwable> E abandoned(E failure) {
        try {
            ledger.abort();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    private Result compact(TableState state) throws IOException {
        TableMetadata metadata = state.metadata();
        Optional<Snapshot> snapshot = metadata.commitParent(ref);
        List<List<FileTask>> groups = snapshot.isEmpty()
                ? List.of()
                : binPack.groups(new ScanPlanner(table.storage(), metadata, snapshot.get())
                        .plan(filter)
                        .tasks());
        if (groups.isEmpty()) {
            ledger.abort();
            return new Result(0, 0, 0, 0);
        }
        List<FileTask> tasks = groups.stream().flatMap(List::stream).toList();
        List<Rewritten> rewritten = rewrite(state, groups);
        List<Source> sources =
                rewritten.stream().flatMap(one -> one.sources().stream()).toList();
        List<DataFile> files =
                rewritten.stream().flatMap(one -> one.files().stream()).toList();
        var compaction = Compaction.of(
                ReadPoint.of(metadata, ref),
                tasks,
                files,
                PositionMap.inOrder(sources, files),
                SnapshotSummaries.of(session));
        var settlement = SettleHere.deletesOnly(
                table.storage(), ledger, statementId, NO_TASK, SnapshotSummaries.createdBy(session));
        CommitOutcome outcome = new TableCommit(
                        table.target(), Statement.of(statementId, "rewrite_data_files", ledger), Clock.systemUTC())
                .commit(compaction.toSnapshotChange(), new MapAgain(table.storage(), compaction, settlement));
        RewriteCounts counts =
                rewritten.stream().map(Rewritten::counts).reduce(RewriteCounts.NONE, RewriteCounts::plus);
        LOG.info("Compacted {}: {} file(s) became {}, {}", table.name(), sources.size(), files.size(), counts);
        return new Result(
                sources.size(),
                files.size(),
                tasks.stream().mapToLong(task -> task.file().fileSizeBytes()).sum(),
                removedDeleteFiles(outcome));
    }

    private static int removedDeleteFiles(CommitOutcome outcome) {
        return outcome.committed()
                .flatMap(committed -> committed.state().metadata().snapshot(committed.snapshotId()))
                .map(snapshot -> snapshot.summary().getOrDefault("removed-delete-files", "0"))
                .map(Integer::parseInt)
                .orElse(0);
    }

    /** @return for each group, in their order, what became of it */
    private List<Rewritten> rewrite(TableState state, List<List<FileTask>> groups) {
        TableMetadata metadata = state.metadata();
        var codec = new FileTaskCodec(metadata);
        List<FileSplits> partitions = groups.stream()
                .map(group -> FileSplits.of(
                        IntStream.range(0, group.size())
                                .mapToObj(i -> Split.whole(i, group.get(i)))
                                .toList(),
                        codec))
                .toList();
        // Executors take the size of new files from the table's properties.
        TableMetadata forTasks = MetadataUpdates.apply(
                metadata,
                List.of(new MetadataUpdate.SetProperties(Map.of(
                        TableProperties.TARGET_FILE_SIZE.name(), String.valueOf(binPack.targetFileSizeBytes())))),
                metadata.lastUpdatedMillis());
        var stage = new CompactionStage(
                ExecutorTable.of(table.at(new TableState(forTasks, state.metadataLocation()))), statementId);
        var results = new Rewritten[groups.size()];
        var outcomes = new RewrittenCodec(metadata);
        var collect = new AbstractFunction2<Object, byte[], BoxedUnit>() {
            @Override
            public BoxedUnit apply(Object partition, byte[] bytes) {
                int number = (Integer) partition;
                List<ManifestEntry<DataFile>> entries =
                        groups.get(number).stream().map(FileTask::entry).toList();
                Rewritten done = outcomes.fromBytes(bytes, entries);
                synchronized (results) {
                    done.files().forEach(file -> ledger.wrote(file.path()));
                    results[number] = done;
                }
                return BoxedUnit.UNIT;
            }
        };
        var context = JavaSparkContext.fromSparkContext(session.sparkContext());
        RDD<FileSplits> rdd = context.parallelize(partitions, partitions.size()).rdd();
        String before = context.getLocalProperty("spark.job.description");
        context.setJobDescription("CALL rewrite_data_files on " + table.name() + ": " + groups.size() + " group(s)");
        try {
            session.sparkContext().runJob(rdd, stage, collect, ClassTag$.MODULE$.apply(byte[].class));
        } finally {
            context.setJobDescription(before);
        }
        return Arrays.stream(results).map(Objects::requireNonNull).toList();
    }
}
