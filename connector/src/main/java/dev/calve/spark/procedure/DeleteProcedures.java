package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.BooleanType;
import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.spark.rowlevel.DeletePlan;
import dev.calve.spark.rowlevel.DeleteStatement;
import dev.calve.spark.rowlevel.EqualityDelete;
import dev.calve.spark.write.WriteAuditPublish;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/** Rows are counted before they are deleted. */
final class DeleteProcedures {

    static final List<Definition> ALL = List.of(
            Definition.ofRows(
                    "plan_delete",
                    "Counts the rows a DELETE would delete, by data file, and deletes none.",
                    "file_path STRING NOT NULL, matched_rows BIGINT NOT NULL, deleted_rows BIGINT NOT NULL,"
                            + " live_rows BIGINT NOT NULL, verdict STRING NOT NULL, mode STRING NOT NULL, plan_id STRING",
                    DeleteProcedures::plan,
                    Definition.required("where", StringType, "the condition, as it stands in a DELETE"),
                    Definition.optional("keep", BooleanType, "whether the plan is kept for commit_delete"),
                    Definition.optional(
                            "branch", StringType, "the branch; by default what a DELETE would delete from")),
            Definition.ofKept(
                    "commit_delete",
                    "Deletes the rows that plan_delete counted, exactly those, unless they have changed since.",
                    "snapshot_id BIGINT, deleted_rows BIGINT NOT NULL",
                    arguments ->
                            KeptPlans.OF_THIS_JVM.find(arguments.string("id")).table(),
                    DeleteProcedures::commit,
                    Definition.required("id", StringType, "what plan_delete called the plan")),
            Definition.of(
                    "equality_delete",
                    "Deletes all rows whose key is among those of a view or query, by writing down the keys.",
                    "snapshot_id BIGINT, equality_delete_files INT NOT NULL, keys BIGINT NOT NULL",
                    DeleteProcedures::equalityDelete,
                    Definition.required(
                            "columns", DataTypes.createArrayType(StringType), "the key, such as array('a', 'b')"),
                    Definition.required("source", StringType, "a table, view or query that has these columns"),
                    Definition.optional("branch", StringType, "the branch; by default what a DELETE would delete from"),
                    Definition.optional(
                            "scope",
                            StringType,
                            "'global', the default, or 'partition', if partition columns are keys")));

    private DeleteProcedures() {}

    private static List<Object[]> plan(Arguments arguments, TargetTable target) {
        SparkSession session = SparkSession.active();
        LoadedTable table = onBranch(arguments, target);
        DeleteStatement statement = DeleteStatement.of(session, target.sqlName(), arguments.string("where"));
        DeletePlan plan = DeletePlan.of(table, statement.predicates(), session);
        @Nullable String id = arguments.flag("keep") && plan.matchedRows() > 0
                ? KeptPlans.OF_THIS_JVM.keep(target.sqlName(), plan, plan.sizeBytes())
                : null;
        return plan.files().stream()
                .map(file -> new @Nullable Object[] {
                    file.path(),
                    file.matchedRows(),
                    file.deletedRows(),
                    file.liveRows(),
                    file.wholeFile() ? "whole file" : "some rows",
                    file.mode(),
                    id
                })
                .toList();
    }

    private static Object[] equalityDelete(Arguments arguments, TargetTable target) {
        SparkSession session = SparkSession.active();
        LoadedTable table = onBranch(arguments, target);
        var delete = new EqualityDelete(table, arguments.strings("columns"), scope(arguments), session);
        EqualityDelete.Result result = delete.run(source(session, arguments.string("source")));
        target.changed();
        return new Object[] {
            result.snapshotId().isPresent() ? result.snapshotId().getAsLong() : null, result.files(), result.keys()
        };
    }

    private static EqualityDelete.Scope scope(Arguments arguments) {
        String scope = arguments.optionalString("scope").orElse("global");
        return switch (scope.toLowerCase(Locale.ROOT)) {
            case "global" -> EqualityDelete.Scope.GLOBAL;
            case "partition" -> EqualityDelete.Scope.PARTITION;
            default ->
                throw new IllegalArgumentException("scope must be 'global' or 'partition', not '" + scope + "'.");
        };
    }

    /** In parentheses a text can only be a query, never a command. */
    private static Dataset<Row> source(SparkSession session, String source) {
        try {
            session.sessionState().sqlParser().parseMultipartIdentifier(source);
        } catch (ParseException e) {
            return query(session, source);
        }
        return session.table(source);
    }

    private static Dataset<Row> query(SparkSession session, String source) {
        try {
            return session.sql("SELECT * FROM (" + source + "\n)");
        } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
            if (e instanceof ParseException) {
                throw new IllegalArgumentException(
                        "source must be a table, a view or a query such as 'SELECT id FROM old', not '" + source + "': "
                                + e.getMessage(),
                        e);
            }
            throw e;
        }
    }

    private static LoadedTable onBranch(Arguments arguments, TargetTable target) {
        Optional<String> branch = arguments.optionalString("branch");
        branch.ifPresent(target::requireBranch);
        LoadedTable loaded = target.loaded();
        return branch.map(loaded::onBranch).orElseGet(() -> WriteAuditPublish.of(loaded));
    }

    /** Sessions may call different catalogs the same. */
    private static void requireSamePlace(DeletePlan plan, TargetTable target) {
        LoadedTable named = target.loaded();
        if (!named.metadata().location().equals(plan.location())) {
            throw new IllegalArgumentException("Cannot commit the plan of a DELETE from " + named.name()
                    + ": it was made for the table at " + plan.location()
                    + ", but in this session that name is the table at "
                    + named.metadata().location() + ". Commit it in the session that made it.");
        }
    }

    private static Object[] commit(Arguments arguments, TargetTable target) {
        String id = arguments.string("id");
        requireSamePlace(KeptPlans.OF_THIS_JVM.find(id).plan(), target);
        DeletePlan plan = KeptPlans.OF_THIS_JVM.take(id);
        Optional<CommitOutcome.Committed> committed =
                plan.commit(SparkSession.active()).committed();
        target.changed();
        return new Object[] {committed.map(CommitOutcome.Committed::snapshotId).orElse(null), plan.matchedRows()};
    }
}
