package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.LongType;
import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CherryPick;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Resettle;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.metadata.Snapshot;
import dev.calve.spark.write.SnapshotSummaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;

/** What a snapshot did that no branch has becomes what {@code main} did. */
final class PickProcedures {

    private static final String OUTPUT = "source_snapshot_id BIGINT NOT NULL, current_snapshot_id BIGINT NOT NULL";

    static final List<Definition> ALL = List.of(
            Definition.of(
                    "publish_changes",
                    "Does to main what the snapshot did that was staged under an id.",
                    OUTPUT,
                    (arguments, table) -> {
                        String wapId = arguments.string("wap_id");
                        LoadedTable loaded = table.loaded();
                        return pick(table, CherryPick.staged(loaded.metadata(), loaded.name(), wapId));
                    },
                    Definition.required("wap_id", StringType, "what spark.wap.id was when the snapshot was written")),
            Definition.of(
                    "cherrypick_snapshot",
                    "Does to main what a snapshot did: moves main on to it, or adds its files again.",
                    OUTPUT,
                    (arguments, table) -> {
                        long snapshotId = arguments.number("snapshot_id");
                        LoadedTable loaded = table.loaded();
                        return pick(table, CherryPick.of(loaded.metadata(), loaded.name(), snapshotId));
                    },
                    Definition.required("snapshot_id", LongType, "the snapshot")));

    private PickProcedures() {}

    private static Object[] pick(TargetTable table, CherryPick pick) {
        TargetTable.Changed moved = table.change(pick::fastForward);
        Optional<Long> head = moved.after().currentSnapshot().map(Snapshot::id);
        if (head.equals(Optional.of(pick.snapshotId()))) {
            return new Object[] {pick.snapshotId(), pick.snapshotId()};
        }
        TableState state = addAgain(table.loaded(), pick);
        table.changed();
        return new Object[] {
            pick.snapshotId(), state.metadata().currentSnapshot().orElseThrow().id()
        };
    }

    private static TableState addAgain(LoadedTable table, CherryPick pick) {
        SparkSession session = SparkSession.active();
        try {
            TableState newest = table.committer().load();
            var statement = Statement.of(UUID.randomUUID(), "a picked snapshot", new FileLedger(table.storage()))
                    .orInstead("run anew what the snapshot did");
            return new TableCommit(table.target(), statement, Clock.systemUTC())
                    .commit(
                            pick.change(table.storage(), newest.metadata(), SnapshotSummaries.of(session)),
                            Resettle.never())
                    .committed()
                    .map(committed -> committed.state())
                    .orElse(newest);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot pick snapshot " + pick.snapshotId() + " of " + table.name() + ": " + e.getMessage(), e);
        }
    }
}
