package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.FileLedger;
import dev.calve.commit.TableState;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.OutcomeCodec;
import dev.calve.scan.FileTaskCodec;
import dev.calve.spark.convert.Placeholders;
import dev.calve.spark.read.TaskPacking;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.FilesToSettle;
import dev.calve.spark.write.SnapshotSummaries;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/** Runs stages that settle files for one statement. On the driver. */
final class SettleJob {

    private final LoadedTable table;
    private final UUID statementId;
    private final FileLedger ledger;
    private final SparkSession session;
    private final String statement;
    private final String modeSetBy;

    /**
     * A job for one statement, to be run as often as needed.
     *
     * @param statement such as {@code DELETE FROM t}, for people
     * @param modeSetBy what users change to have other files written
     */
    SettleJob(
            LoadedTable table,
            UUID statementId,
            FileLedger ledger,
            SparkSession session,
            String statement,
            String modeSetBy) {
        this.table = table;
        this.statementId = statementId;
        this.ledger = ledger;
        this.session = session;
        this.statement = statement;
        this.modeSetBy = modeSetBy;
    }

    /**
     * Settles files in the state given. What tasks wrote is noted in the ledger as each task ends.
     *
     * @param parts with numbers of their own
     * @param condition finds the rows that go from parts without positions
     * @return one outcome per part, in any order
     */
    List<Outcome> run(TableMetadata metadata, List<FilesToSettle.Part> parts, Optional<RowCondition> condition) {
        if (parts.isEmpty()) {
            return List.of();
        }
        LoadedTable at = table.at(new TableState(metadata, table.state().metadataLocation()));
        if (parts.stream().anyMatch(part -> part.rewriting().isPossible())) {
            Placeholders.refuseCopying(
                    metadata.schema(),
                    "run " + statement + " by writing data files again",
                    "Set " + modeSetBy + " to 'merge-on-read'.");
        }
        var stage = new SettleStage(ExecutorTable.of(at), condition, statementId, SnapshotSummaries.createdBy(session));
        var tasks = new FileTaskCodec(metadata);
        List<FilesToSettle> partitions = TaskPacking.wholeFiles(
                        parts.stream().map(FilesToSettle.Part::task).toList(), metadata, at.properties(), session)
                .stream()
                .map(numbers ->
                        FilesToSettle.of(numbers.stream().map(parts::get).toList(), tasks))
                .toList();
        var codec = new OutcomeCodec(metadata);
        var outcomes = new ArrayList<Outcome>();
        var context = JavaSparkContext.fromSparkContext(session.sparkContext());
        RDD<FilesToSettle> rdd =
                context.parallelize(partitions, partitions.size()).rdd();
        var collect = new AbstractFunction2<Object, byte[], BoxedUnit>() {
            @Override
            public BoxedUnit apply(Object partition, byte[] bytes) {
                List<Outcome> done = codec.fromBytes(bytes);
                synchronized (outcomes) {
                    done.forEach(outcome -> ledger.wroteAll(outcome.written()));
                    outcomes.addAll(done);
                }
                return BoxedUnit.UNIT;
            }
        };
        String before = context.getLocalProperty("spark.job.description");
        context.setJobDescription(statement + ": " + (condition.isPresent() ? "find and settle" : "settle")
                + " rows in " + parts.size() + " file(s)");
        try {
            session.sparkContext().runJob(rdd, stage, collect, ClassTag$.MODULE$.apply(byte[].class));
        } finally {
            context.setJobDescription(before);
        }
        return outcomes;
    }
}
