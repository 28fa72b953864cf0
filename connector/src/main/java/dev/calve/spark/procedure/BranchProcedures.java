package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.LongType;
import static org.apache.spark.sql.types.DataTypes.StringType;
import static org.apache.spark.sql.types.DataTypes.TimestampType;

import dev.calve.metadata.BranchMoves;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Branches move to snapshots that are there. */
final class BranchProcedures {

    private static final String OUTPUT = "previous_snapshot_id BIGINT, current_snapshot_id BIGINT NOT NULL";

    static final List<Definition> ALL = List.of(
            Definition.of(
                    "rollback_to_snapshot",
                    "Makes a snapshot that the table went through the current one.",
                    OUTPUT,
                    (arguments, table) -> {
                        long snapshotId = arguments.number("snapshot_id");
                        return ofMain(table, found -> BranchMoves.rollbackTo(found, snapshotId));
                    },
                    Definition.required("snapshot_id", LongType, "the snapshot")),
            Definition.of(
                    "rollback_to_timestamp",
                    "Makes the newest snapshot of before a time the current one.",
                    OUTPUT,
                    (arguments, table) -> {
                        long millis = arguments.millisAtOrAfter("timestamp");
                        return ofMain(table, found -> BranchMoves.rollbackBefore(found, millis));
                    },
                    Definition.required(
                            "timestamp", TimestampType, "the time; a snapshot of that very time is too new")),
            Definition.of(
                    "set_current_snapshot",
                    "Makes any snapshot of the table, or that of a branch or tag, the current one.",
                    OUTPUT,
                    (arguments, table) -> ofMain(table, target(arguments)),
                    Definition.optional("snapshot_id", LongType, "the snapshot; either it or ref must be given"),
                    Definition.optional("ref", StringType, "a branch or tag")),
            Definition.of(
                    "fast_forward",
                    "Moves a branch on to where another branch or a tag is; creates it there if it does not exist.",
                    "branch_updated STRING NOT NULL, previous_ref BIGINT, updated_ref BIGINT NOT NULL",
                    (arguments, table) -> {
                        String branch = arguments.string("branch");
                        String to = arguments.string("to");
                        return row(branch, table.change(found -> BranchMoves.fastForward(found, branch, to)));
                    },
                    Definition.required("branch", StringType, "the branch that moves"),
                    Definition.required(
                            "to", StringType, "a branch or tag whose snapshot descends from the branch's")));

    private BranchProcedures() {}

    private static Function<TableMetadata, List<MetadataUpdate>> target(Arguments arguments) {
        if (arguments.isGiven("snapshot_id") == arguments.isGiven("ref")) {
            throw new IllegalArgumentException("set_current_snapshot must be given either snapshot_id or ref, not "
                    + (arguments.isGiven("ref") ? "both." : "neither."));
        }
        if (arguments.isGiven("ref")) {
            String ref = arguments.string("ref");
            return found -> BranchMoves.setCurrent(found, ref);
        }
        long snapshotId = arguments.number("snapshot_id");
        return found -> BranchMoves.setCurrent(found, snapshotId);
    }

    private static Object[] ofMain(TargetTable table, Function<TableMetadata, List<MetadataUpdate>> change) {
        TargetTable.Changed changed = table.change(change);
        return new Object[] {head(changed.before(), SnapshotRef.MAIN), head(changed.after(), SnapshotRef.MAIN)};
    }

    /** A ref, where it was and where it is. */
    static Object[] row(String ref, TargetTable.Changed changed) {
        return new Object[] {ref, head(changed.before(), ref), head(changed.after(), ref)};
    }

    private static @Nullable Long head(TableMetadata table, String ref) {
        Optional<Snapshot> head = table.snapshot(ref);
        return head.isPresent() ? head.get().id() : null;
    }
}
