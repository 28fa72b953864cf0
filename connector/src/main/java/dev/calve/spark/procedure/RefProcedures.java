package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.BooleanType;
import static org.apache.spark.sql.types.DataTypes.IntegerType;
import static org.apache.spark.sql.types.DataTypes.LongType;
import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitConflictException;
import dev.calve.commit.FirstSnapshot;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.NewRef;
import dev.calve.metadata.RefChanges;
import dev.calve.metadata.Retention;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.write.SnapshotSummaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;

/** Branches and tags come and go. */
final class RefProcedures {

    private static final String SNAPSHOT = "snapshot it begins at; by default the current one of main, or an empty one";
    private static final String AGE = ", such as '7 days' or a number of milliseconds";
    private static final String REPLACE = "whether one that exists is moved there";
    private static final String IF_NOT_EXISTS = "whether one that exists is left as it is";
    private static final String IF_EXISTS = "whether one that does not exist is fine";

    static final List<Definition> ALL = List.of(
            Definition.of(
                    "create_branch",
                    "Creates a branch, or moves one to a snapshot.",
                    output("branch"),
                    (arguments, table) -> create(arguments, table, SnapshotRef.Kind.BRANCH),
                    Definition.required("branch", StringType, "name of the branch"),
                    Definition.optional("snapshot_id", LongType, SNAPSHOT),
                    Definition.optional("max_ref_age", StringType, "how old the branch may get" + AGE),
                    Definition.optional(
                            "min_snapshots_to_keep", IntegerType, "how many snapshots of the branch do not expire"),
                    Definition.optional(
                            "max_snapshot_age", StringType, "how old a snapshot of the branch may get" + AGE),
                    Definition.optional("replace", BooleanType, REPLACE),
                    Definition.optional("if_not_exists", BooleanType, IF_NOT_EXISTS)),
            Definition.of(
                    "create_tag",
                    "Names a snapshot, or moves the name to another one.",
                    output("tag"),
                    (arguments, table) -> create(arguments, table, SnapshotRef.Kind.TAG),
                    Definition.required("tag", StringType, "the name"),
                    Definition.optional("snapshot_id", LongType, SNAPSHOT),
                    Definition.optional("max_ref_age", StringType, "how old the tag may get" + AGE),
                    Definition.optional("replace", BooleanType, REPLACE),
                    Definition.optional("if_not_exists", BooleanType, IF_NOT_EXISTS)),
            Definition.of(
                    "drop_branch",
                    "Drops a branch. Its snapshots stay until they expire.",
                    output("branch"),
                    (arguments, table) -> drop(arguments, table, SnapshotRef.Kind.BRANCH),
                    Definition.required("branch", StringType, "name of the branch"),
                    Definition.optional("if_exists", BooleanType, IF_EXISTS)),
            Definition.of(
                    "drop_tag",
                    "Drops a tag. Its snapshot stays until it expires.",
                    output("tag"),
                    (arguments, table) -> drop(arguments, table, SnapshotRef.Kind.TAG),
                    Definition.required("tag", StringType, "name of the tag"),
                    Definition.optional("if_exists", BooleanType, IF_EXISTS)));

    private RefProcedures() {}

    private static String output(String kind) {
        return kind + " STRING NOT NULL, previous_snapshot_id BIGINT, current_snapshot_id BIGINT";
    }

    private static String parameter(SnapshotRef.Kind kind) {
        return kind == SnapshotRef.Kind.BRANCH ? "branch" : "tag";
    }

    private static Object[] create(Arguments arguments, TargetTable table, SnapshotRef.Kind kind) {
        var wanted = new NewRef(
                arguments.string(parameter(kind)),
                kind,
                arguments.optionalLong("snapshot_id"),
                retention(arguments, kind),
                ifExists(arguments));
        LoadedTable loaded = table.loaded();
        var first = new FirstSnapshot(loaded.storage(), loaded.name());
        try {
            TargetTable.Changed changed = table.change(found -> FirstSnapshot.isNeeded(found, wanted)
                    ? begin(first, found, wanted)
                    : RefChanges.create(found, wanted));
            first.committed(changed.after());
            return BranchProcedures.row(wanted.name(), changed);
        } catch (CommitConflictException e) {
            // After any other failure the snapshot may be in the table.
            first.rejected();
            throw e;
        }
    }

    private static List<MetadataUpdate> begin(FirstSnapshot first, TableMetadata found, NewRef wanted) {
        try {
            return first.of(
                    found,
                    wanted,
                    SnapshotSummaries.of(SparkSession.active()),
                    Clock.systemUTC().millis());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot begin branch '" + wanted.name() + "': " + e.getMessage(), e);
        }
    }

    private static Retention retention(Arguments arguments, SnapshotRef.Kind kind) {
        boolean ofBranch = kind == SnapshotRef.Kind.BRANCH;
        return new Retention(
                ofBranch ? arguments.optionalInt("min_snapshots_to_keep") : OptionalInt.empty(),
                ofBranch ? arguments.optionalAge("max_snapshot_age") : OptionalLong.empty(),
                arguments.optionalAge("max_ref_age"));
    }

    private static NewRef.IfExists ifExists(Arguments arguments) {
        boolean replace = arguments.flag("replace");
        boolean keep = arguments.flag("if_not_exists");
        if (replace && keep) {
            throw new IllegalArgumentException(
                    "Arguments 'replace' and 'if_not_exists' must not both be true: a ref that exists cannot be moved"
                            + " and left as it is.");
        }
        if (replace) {
            return NewRef.IfExists.REPLACE;
        }
        return keep ? NewRef.IfExists.KEEP : NewRef.IfExists.FAIL;
    }

    private static Object[] drop(Arguments arguments, TargetTable table, SnapshotRef.Kind kind) {
        String name = arguments.string(parameter(kind));
        boolean ifExists = arguments.flag("if_exists");
        return BranchProcedures.row(name, table.change(found -> RefChanges.drop(found, name, kind, ifExists)));
    }
}
